#!/usr/bin/env python3
"""What `fcsim exposure` predicts, beside recordings of real cuts.

    check_corpus.py FCSIM CORPUS ORACLE [--match RE] [-v]

CORPUS is a folder of crash bundles, ORACLE the folder of crash-check.py and crash-table.py. Prints
one line "NAME VALUE OF" for each figure (NAME is then right VALUE times of OF), and with -v one for
each case. Exit status 0; judging the figures is the caller's.

  points        cuts of single-process cases after which the tree is as recorded
  records       numbered records of those cuts judged right, survived or lost
  sqlite        the same cuts of SQLite, contents left out (a trace does not have them)
  possible      recorded broken promises that are predicted, or predicted as possible
  unfounded     cases that must keep all and do in the prediction
  ages          slow cases whose greatest age is within 0.3 s and whose mean is within 5 %
  sqlite-rows   cuts of SQLite whose last transaction is predicted right, lost or kept
"""
import argparse, collections, concurrent.futures, contextlib, importlib.util, io, json, os, re
import subprocess, sys, tomllib


def load_oracle(folder, name):
    """A tool of the oracle as a module, without its last line, which runs it."""
    text = open(os.path.join(folder, name)).read()
    module = type(sys)(name)
    module.__file__ = os.path.join(folder, name)
    body = re.sub(r"\n(sys\.exit\(main\(\)\)|main\(\))\s*$", "\n", text)
    exec(compile(body, name, "exec"), module.__dict__)
    return module


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Case:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.folder = os.path.join(options.corpus, name)
        with open(self.folder + "/crash.toml", "rb") as f:
            self.crash = tomllib.load(f)
        with open(self.folder + "/env.toml", "rb") as f:
            self.environment = tomllib.load(f)
        self.several = re.search(r"threads-|race-|hole", name) is not None
        self.sqlite = "sqlite" in name

    def points(self):
        return [p for p in self.crash["point"] if not p["kept"].startswith("subset")]

    def compare_points(self):
        """(as recorded, points, records right, records) by crash-check.py's rules."""
        check = self.options.check
        text = run(self.options.fcsim, "exposure", self.folder, "-q", "--at-file",
                   self.folder + "/crash.toml", "-f", "survivors")
        path = os.path.join(self.options.scratch, self.name + ".tsv")
        with open(path, "w") as f:
            f.write(text)
        truth, predicted = check.load(self.folder), check.load(path)
        lines = check.Lines(self.folder)
        same = right = records = 0
        for point in self.points():
            t, p = truth[point["id"]], predicted[point["id"]]
            equal = set(t) == set(p)
            got, said = set(), set()
            for name in set(t) | set(p):
                x, y = t.get(name), p.get(name)
                if y is not None:
                    y["content"] = check.by_number(y["content"], lines)
                    said |= check.records(y["content"])
                if x is not None:
                    got |= check.records(x["content"])
                if x is None or y is None:
                    continue
                for field in check.FIELDS:
                    if y[field] == "-" or x[field] == y[field]:
                        continue
                    if field == "content":
                        if self.sqlite:
                            continue
                        if check.pieces(x[field]) == check.pieces(y[field]) is not None:
                            continue
                    equal = False
            same += equal
            written = set(lines.number.values())
            records += len(written)
            right += len(written) - len((got ^ said) & written)
        return same, len(self.points()), right, records

    def answer(self):
        return json.loads(run(self.options.fcsim, "exposure", self.folder, "-q", "-f", "json"))

    def rows(self, answer, heading):
        for section in answer["sections"]:
            if section["heading"] == heading:
                return [row for table in section.get("tables", []) for row in table]
        return []

    def begin(self):
        text = subprocess.run(["zstdcat", self.folder + "/trace.strace.zst"], capture_output=True,
                              check=True).stdout
        return float(text.split(None, 2)[1])

    def broken_recorded(self):
        """{path} of the fsynced files that miss a record at some recorded point."""
        table = self.options.table
        mount = self.environment["trace"]["mount_point"]
        promised, survivors = table.synced(self.folder, mount), table.survivors(self.folder)
        missing = set()
        for point in self.points():
            got = set()
            for row in survivors[point["id"]].values():
                got |= table.numbers(row[7])
            missing |= {os.path.relpath(r["path"], mount) for r in promised
                        if r["promised"] <= point["time"] < r["void"] and r["record"] not in got}
        return missing

    def predicted_paths(self, answer):
        paths = set()
        for heading in ("Promises that do not hold", "Promises that may not hold: threads decide"):
            for row in self.rows(answer, heading):
                m = re.match(r"\w+ of (.*) \(line \d+\)$", row.get("call", ""))
                if m:
                    paths.add(m[1].lstrip("/"))
        return paths

    def ages_recorded(self):
        """(greatest age, mean) of the oldest lost record, over all moments; None: not recorded."""
        path = self.folder + "/stable.tsv"
        if not os.path.exists(path):
            return None
        rows = []
        for line in open(path).read().splitlines()[1:]:
            _, known, stable = line.split("\t")
            rows.append((float(known), float(stable) if stable != "-" else float("inf")))
        rows.sort()
        if not rows:
            return None
        at, end = self.crash["crash"]["start"], self.crash["crash"]["end"]
        end -= self.crash["crash"]["linger_s"]
        ages, i, done = [], 0, 0.0
        while at < end:
            while i < len(rows) and rows[i][1] <= at:
                i += 1
            ages.append(max(0.0, at - rows[i][0]) if i < len(rows) and rows[i][0] <= at else 0.0)
            at += 0.01
        return max(ages), sum(ages) / len(ages)


def figures(case):
    out = {}
    if not case.several:
        same, points, right, records = case.compare_points()
        if case.sqlite:
            out["sqlite"] = (same, points)
        else:
            out["points"] = (same, points)
            out["records"] = (right, records)
    answer = case.answer()
    fast = "fast_commit" in case.environment["filesystem"]["features"]
    broken = case.rows(answer, "Promises that do not hold")
    possible = case.rows(answer, "Promises that may not hold: threads decide")
    if case.several and fast:
        recorded, predicted = case.broken_recorded(), case.predicted_paths(answer)
        out["possible"] = (len(recorded & predicted), len(recorded))
    if case.sqlite and any("records_acknowledged" in p for p in case.points()):
        begin, right = case.begin(), 0
        lost = [(float(r["returned"].split()[0]) + begin,
                 float("inf") if r["until"] == "the end" else float(r["until"].split()[0]) + begin)
                for r in broken if r["rule"] == "commit-by-unlink"]
        kept = 0
        for p in case.points():
            if p["records_acknowledged"] == 0:
                continue
            kept += 1
            missing = p["records_found"] < p["records_acknowledged"]
            risk = any(a - 0.006 <= p["time"] < b + 0.006 for a, b in lost)
            right += missing == risk
        out["sqlite-rows"] = (right, kept)
    keeps_all = re.search(r"tmpfile|unlink-open|nobarrier|sqlite|chmoddir|race-|threads-|hole",
                          case.name) is None
    if keeps_all or (not fast and "sqlite" not in case.name and "nobarrier" not in case.name):
        out["unfounded"] = (int(not broken and not possible), 1)
    recorded = case.ages_recorded()
    if recorded and "flusher_wakeup_realtime_ns" in case.environment["clock"]:
        row = case.rows(answer, "Data at risk")[0]
        worst, mean = float(row["max s"]), float(row["mean s"])
        good = abs(worst - recorded[0]) <= 0.3 and abs(mean - recorded[1]) <= 0.05 * recorded[1]
        out["ages"] = (int(good), 1)
        out["note"] = f"greatest {worst:.2f} for {recorded[0]:.2f}, mean {mean:.2f} for {recorded[1]:.2f}"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fcsim")
    parser.add_argument("corpus")
    parser.add_argument("oracle")
    parser.add_argument("--match", default=".")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    options.check = load_oracle(options.oracle, "crash-check.py")
    options.table = load_oracle(options.oracle, "crash-table.py")
    import tempfile
    with tempfile.TemporaryDirectory() as options.scratch:
        names = [n for n in sorted(os.listdir(options.corpus))
                 if os.path.exists(f"{options.corpus}/{n}/crash.toml") and re.search(options.match, n)]
        total = collections.defaultdict(lambda: [0, 0])
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name, out in zip(names, pool.map(lambda n: figures(Case(options, n)), names)):
                note = out.pop("note", "")
                for key, (right, all_of) in out.items():
                    total[key][0] += right
                    total[key][1] += all_of
                if options.v:
                    print(name, " ".join(f"{k}={a}/{b}" for k, (a, b) in out.items()), note)
    for key in sorted(total):
        print(key, *total[key])


if __name__ == "__main__":
    main()
