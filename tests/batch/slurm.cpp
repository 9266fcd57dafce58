// Does a job array on a real Slurm give what one run gives, though one of its tasks is killed?
#include "tests/batch/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// A shell's text in place of the command.
Outcome shell(const std::string& text) {
  return run("", text + " 2>&1; exit $?;");
}

}  // namespace

TEST_CASE("an array of 4 tasks, one of them killed and requeued, is the same as one run",
          "[programs]") {
  const Folder folder;
  folder.copy_bundle("creat", "in/a");
  folder.copy_bundle("art-fc128", "in/b");
  folder.copy_bundle("append-fsync", "in/c");
  folder.copy_bundle("rename", "in/d");
  folder.copy_bundle("art-punch", "in/e");
  const std::string script = std::string(FCSIM_SOURCE_DIR) + "/tests/batch/slurm.sh";
  const auto outcome = shell("'" + script + "' '" + command() + "' '" + (folder / "in") + "' '" +
                             (folder / "slurm") + "'");
  if (outcome.status == 77) return note_skipped("Slurm: " + outcome.output);
  INFO(outcome.output << outcome.errors);
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find("the same 31 lines") != std::string::npos);
}

TEST_CASE("a job array's scripts do their shares without Slurm too", "[batch]") {
  const Folder folder;
  folder.copy_bundle("creat", "in/a");
  folder.copy_bundle("rename", "in/b");
  folder.copy_bundle("link", "in/it's c");
  const std::string in = "'" + (folder / "in") + "'";
  const std::string grid = " -p range_tracking.max_ranges=1,4";
  const std::string database = folder / "all.db";
  CHECK(run("batch -q " + in + grid + " -o '" + (folder / "whole.db") + "'").status == 0);
  const auto planned = run("batch " + in + grid + " -o '" + database + "' --slurm 2");
  CHECK(planned.status == 0);
  CHECK(planned.output == "sh " + database + ".tasks/submit.sh\n");
  CHECK(run("batch --status '" + database + "'").status == 1);
  for (const char* task : {"2", "1", "2"})  // the last time there is nothing to do
    CHECK(shell("env SLURM_ARRAY_TASK_ID=" + std::string(task) + " sh '" + database +
                ".tasks/task.sh'")
              .status == 0);
  const auto status = run("batch --status '" + database + "'");
  CHECK(status.status == 0);
  CHECK(status.output ==
        "task  rows  done  errors\n1  2  2  0\n2  4  4  0\n"
        "all: 6 of 6 rows, 0 errors; 2 of 2 tasks done\n");
  CHECK(shell("sh '" + database + ".tasks/merge.sh'").status == 0);
  CHECK(export_text(database) == export_text(folder / "whole.db"));
  CHECK(run("batch --status '" + (folder / "none.db") + "'").status == 1);
  CHECK(run("batch -q " + in + " -o x.db --submit").status == 2);
}
