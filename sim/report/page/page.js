'use strict';
// Draws the figures of a page. Names come from traces: they go into the page as text alone.
(function () {
  const figures = JSON.parse(document.getElementById('figures').textContent);
  const tooltip = document.getElementById('tooltip');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const views = [];

  // Colours that the colour-blind tell apart (Okabe and Ito), lighter ones on a dark ground.
  const palettes = {
    light: ['#0072b2', '#d55e00', '#e69f00', '#cc79a7', '#009e73', '#56b4e9', '#8c6d00', '#666666',
            '#882255', '#44aa99', '#aa4499', '#117733', '#999933', '#332288', '#661100'],
    dark: ['#4aa8e8', '#ff8a3d', '#f0bb3d', '#e39ac3', '#2fc79b', '#8fd0f5', '#c9ab3a', '#a8a8a8',
           '#d06a95', '#6fd3c4', '#d27fd2', '#5bb874', '#c8c868', '#9c8ff0', '#c77a5c'],
  };

  function theme(name) {
    const text = name === 'dark' ? '#e4e7eb' : '#1d2129';
    const soft = name === 'dark' ? '#a3acb6' : '#59636e';
    const line = name === 'dark' ? '#3a424c' : '#d5dae0';
    const font = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
    return {
      background: null,
      range: { category: palettes[name] },
      axis: {
        labelColor: soft, titleColor: text, domainColor: line, tickColor: line, gridColor: line,
        labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 11,
        titleFontWeight: 'normal', gridOpacity: 0.6, labelLimit: 200,
      },
      legend: {
        labelColor: text, titleColor: text, labelFont: font, titleFont: font, labelFontSize: 11,
        symbolType: 'square', labelLimit: 180,
      },
      title: { color: text, font: font, fontSize: 12, fontWeight: 'normal', anchor: 'start' },
      text: { fill: text, font: font },
    };
  }

  function shown(value) {
    return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 })
                                     : String(value);
  }

  // [name, value] of what a row says, zeros left out where there is much of them.
  function reading(figure, row) {
    const pairs = [];
    for (const column of figure.columns) {
      const value = row[column];
      if (value === undefined || value === '') continue;
      if (value === 0 && figure.columns.length > 4) continue;
      pairs.push([column, shown(value)]);
    }
    return pairs;
  }

  function showTooltip(figure, event, row) {
    tooltip.textContent = '';
    if (row === null || row === undefined || typeof row !== 'object') {
      tooltip.style.display = 'none';
      return;
    }
    for (const [name, value] of reading(figure, row)) {
      const line = document.createElement('div');
      for (const text of [name, value]) {
        const span = document.createElement('span');
        span.textContent = text;
        line.appendChild(span);
      }
      tooltip.appendChild(line);
    }
    tooltip.style.display = 'block';
    const box = tooltip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
    const above = event.clientY + 14 + box.height > window.innerHeight;
    tooltip.style.left = Math.max(4, left) + 'px';
    tooltip.style.top = (above ? event.clientY - box.height - 10 : event.clientY + 14) + 'px';
  }

  function column(element) {
    return Math.max(240, Math.floor(element.clientWidth));
  }

  function draw(entry, name) {
    const { figure, element } = entry;
    if (entry.view) entry.view.finalize();
    const specification = JSON.parse(JSON.stringify(figure.specification));
    specification.data.find((data) => data.name === 'rows').values = figure.rows;
    specification.width = column(element);
    const runtime = vega.parse(specification, theme(name));
    const view = new vega.View(runtime, { renderer: 'svg', container: element, hover: true });
    view.tooltip((handler, event, item, value) => showTooltip(figure, event, value));
    entry.view = view;
    return view.runAsync();
  }

  function drawAll(name) {
    return Promise.all(views.map((entry) => draw(entry, name)));
  }

  function save(entry) {
    entry.view.toSVG().then((text) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
      link.download = entry.figure.file + '.svg';
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  // Left and right read the rows one by one; + - 0 zoom what can be zoomed.
  function press(entry, event) {
    const rows = entry.figure.rows;
    const zoom = entry.figure.specification.signals &&
                 entry.figure.specification.signals.find((signal) => signal.name === 'selected');
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      const step = event.key === 'ArrowRight' ? 1 : rows.length - 1;
      entry.row = entry.row === undefined ? (step === 1 ? 0 : rows.length - 1)
                                          : (entry.row + step) % rows.length;
      entry.live.textContent =
        reading(entry.figure, rows[entry.row]).map((pair) => pair.join(': ')).join(', ');
    } else if (event.key === 'Escape') {
      entry.live.textContent = '';
      tooltip.style.display = 'none';
    } else if (zoom && '+-0'.includes(event.key)) {
      const all = zoom.whole;
      let [from, to] = entry.view.signal('selected') || all;
      const middle = entry.row === undefined ? (from + to) / 2 : rows[entry.row].seconds;
      const half = (to - from) / 2 * (event.key === '+' ? 0.5 : 2);
      from = Math.max(all[0], middle - half);
      to = Math.min(all[1], middle + half);
      entry.view.signal('selected', event.key === '0' || to <= from ? null : [from, to]).run();
    } else {
      return;
    }
    event.preventDefault();
  }

  for (const element of document.querySelectorAll('.plot')) {
    const figure = figures[Number(element.dataset.figure)];
    const tools = element.parentElement.querySelector('.tools');
    const entry = { figure, element, live: tools.querySelector('.reading') };
    views.push(entry);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Save as SVG';
    button.addEventListener('click', () => save(entry));
    tools.prepend(button);
    element.addEventListener('keydown', (event) => press(entry, event));
    element.addEventListener('mouseleave', () => { tooltip.style.display = 'none'; });
  }

  const current = () => (dark.matches ? 'dark' : 'light');
  // The page says of itself that it is complete: tests and people who save it can rely on that.
  drawAll(current()).then(() => {
    document.documentElement.dataset.figures = String(views.length);
    document.documentElement.dataset.requests =
      String(performance.getEntriesByType('resource').length);
    document.documentElement.dataset.width = String(window.innerWidth);
    document.documentElement.dataset.overflow =
      String(Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
  });
  dark.addEventListener('change', () => drawAll(current()));
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    for (const entry of views) entry.view.width(column(entry.element)).run();
  });
  window.addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    drawAll('light');
  });
  window.addEventListener('afterprint', () => drawAll(current()));
})();
