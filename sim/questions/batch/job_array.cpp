#include "sim/questions/batch/job_array.h"

#include <filesystem>
#include <fstream>

#include "model/common/error.h"
#include "sim/replay/bundle_search.h"
#include "sim/support/new_file.h"

namespace fcsim::questions::batch {
namespace {

void write_whole(const std::string& path, const std::string& text) {
  support::NewFile file(path);
  file.write(text);
  file.commit();
}

// What the tasks have to do, without their number.
std::string batch_command(const JobArrayRequest& request, const std::string& common_options) {
  std::string command = shell_word(request.program) + " batch -q";
  if (!common_options.empty()) command += " " + common_options;
  for (const std::string& parameter : request.parameters) command += " -p " + shell_word(parameter);
  for (const std::string& folder : request.batch.folders) command += " " + shell_word(folder);
  return command;
}

std::string task_script(const JobArrayRequest& request, const std::string& folder,
                        const std::string& common_options) {
  return "#!/bin/sh\n# Share $SLURM_ARRAY_TASK_ID of a batch. Started again, it goes on where it "
         "was.\ntask=${SLURM_ARRAY_TASK_ID:?}\ncd " +
         shell_word(request.directory) + " || exit\n" + batch_command(request, common_options) +
         " \\\n  --shard \"$task/" + std::to_string(request.tasks) +
         "\" -j \"${SLURM_CPUS_PER_TASK:-1}\" \\\n  --progress-file " + shell_word(folder) +
         "/\"$task.progress\" -o " + shell_word(folder) +
         "/\"$task.db\"\nstatus=$?\n# 1: some rows are errors, and say so.\n"
         "[ \"$status\" -le 1 ]\n";
}

std::string merge_script(const JobArrayRequest& request, const std::string& folder) {
  const std::string program = shell_word(request.program);
  const std::string database = shell_word(request.batch.database);
  std::string text = "#!/bin/sh\n# Joins the shares, once all are complete.\ncd " +
                     shell_word(request.directory) + " || exit\n" + program + " batch --status " +
                     database + " || exit\nexec " + program + " merge";
  for (std::size_t task = 1; task <= request.tasks; ++task)
    text += " \\\n  " + shell_word(folder + "/" + std::to_string(task) + ".db");
  return text + " \\\n  -o " + database + "\n";
}

// Options that are given to the script are sbatch's.
std::string submit_script(const JobArrayRequest& request, const std::string& folder) {
  const std::string place = " --chdir=" + shell_word(request.directory) + " --open-mode=append";
  return "#!/bin/sh\n# Submits the tasks and the merge that follows them. Arguments go to sbatch, "
         "as --partition=NAME.\nset -e\narray=$(sbatch --parsable --job-name=fcsim-batch "
         "--array=1-" +
         std::to_string(request.tasks) + " --requeue" + place +
         " \\\n  --output=" + shell_word(folder + "/%a.log") + " \"$@\" " +
         shell_word(folder + "/task.sh") +
         ")\nmerge=$(sbatch --parsable --job-name=fcsim-merge "
         "--dependency=afterany:\"${array%%;*}\"" +
         place + " \\\n  --output=" + shell_word(folder + "/merge.log") + " \"$@\" " +
         shell_word(folder + "/merge.sh") +
         ")\necho \"array job ${array%%;*}, merge job ${merge%%;*}\"\n";
}

}  // namespace

std::string job_array_folder(const std::string& database) {
  return database + ".tasks";
}

void write_job_array(const JobArrayRequest& request) {
  const std::vector<Setting> settings =
      make_settings(request.batch.configuration, request.batch.mount_point, request.batch.strict,
                    request.batch.parameters);
  const std::vector<std::string> bundles = replay::find_bundles(request.batch.folders);
  std::string plan = "task\trows\tweight\n";
  for (std::size_t task = 0; task < request.tasks; ++task) {
    std::uint64_t rows = 0;
    std::uint64_t weight = 0;
    for (const Unit& unit : make_units(bundles, settings.size(), {task, request.tasks})) {
      rows += unit.end - unit.begin;
      weight += unit.weight;
    }
    plan += std::to_string(task + 1) + "\t" + std::to_string(rows) + "\t" + std::to_string(weight) +
            "\n";
  }
  const std::string folder = job_array_folder(request.batch.database);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw model::InputError({folder, 0, 0}, error.message());
  const std::string absolute = std::filesystem::absolute(folder).string();
  write_whole(folder + "/task.sh",
              task_script(request, absolute, settings.front().description.common_options));
  write_whole(folder + "/merge.sh", merge_script(request, absolute));
  write_whole(folder + "/submit.sh", submit_script(request, absolute));
  write_whole(folder + "/plan.tsv", plan);
}

std::vector<TaskStatus> job_array_status(const std::string& database) {
  const std::string folder = job_array_folder(database);
  std::ifstream plan(folder + "/plan.tsv");
  std::string line;
  if (!std::getline(plan, line))
    throw model::InputError({database, 0, 0}, "there is no job array for it; expected " + folder +
                                                  "/plan.tsv, which batch --slurm writes");
  std::vector<TaskStatus> tasks;
  std::uint64_t number = 0;
  std::uint64_t weight = 0;
  for (TaskStatus task; plan >> number >> task.rows >> weight; tasks.push_back(task)) {
    std::ifstream progress(folder + "/" + std::to_string(number) + ".progress");
    task.done = task.errors = 0;
    progress >> task.done >> task.errors;
  }
  return tasks;
}

void write_progress(const std::string& path, const BatchProgress& progress) {
  write_whole(path, std::to_string(progress.kept + progress.made) + "\t" +
                        std::to_string(progress.errors) + "\n");
}

}  // namespace fcsim::questions::batch
