#include "sim/report/document.h"

namespace fcsim::report {

Table::Table(std::vector<std::string> names, std::vector<bool> left) {
  left.resize(names.size(), false);
  for (std::size_t i = 0; i < names.size(); ++i)
    columns.push_back({std::move(names[i]), left[i] ? Align::left : Align::right});
}

void Document::list(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  heading(title);
  for (const std::string& text : items) item(text);
}

void Document::count(std::string name, std::uint64_t value, std::string remark) {
  if (value == 0) return;
  if (blocks_.empty() || !std::holds_alternative<Counts>(blocks_.back()))
    blocks_.emplace_back(Counts{});
  std::get<Counts>(blocks_.back()).rows.push_back({std::move(name), value, std::move(remark)});
}

}  // namespace fcsim::report
