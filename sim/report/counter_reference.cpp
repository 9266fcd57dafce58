#include "sim/report/counter_reference.h"

#include "model/common/counter_table.h"

namespace fcsim::report {
namespace {

std::string group_text(const model::CounterGroup& group) {
  std::string text =
      "\n## " + std::string(group.name) + "\n\n" + std::string(group.documentation) + "\n\n";
  if (group.named != nullptr) return text + "Unit: " + std::string(group.named_unit) + ".\n";
  text += "| counter | unit | |\n|---|---|---|\n";
  for (const model::Counter& counter : group.counters)
    text += "| `" + std::string(counter.name) + "` | " + std::string(counter.unit) + " | " +
            std::string(counter.documentation) + " |\n";
  return text;
}

}  // namespace

std::string counter_reference() {
  std::string text =
      "# Counters\n\n"
      "`fcsim help counters` prints this page from the table that predictions, reports, recordings "
      "and the\n"
      "database of `fcsim batch` are made from. In CSV, in databases and for `--counter` a counter "
      "is named\n"
      "`GROUP.NAME`, such as `fc_info.commits`; in JSON each group is an object. Groups that the "
      "kernel or\n"
      "the file system does not have are left out.\n";
  for (const model::CounterGroup& group : model::counter_groups()) text += group_text(group);
  return text +
         "\n## unsupported\n\nWhat the trace does not show or the model leaves out, in words, and "
         "how often. Where it is not empty, the\nresult is only a bound.\n";
}

}  // namespace fcsim::report
