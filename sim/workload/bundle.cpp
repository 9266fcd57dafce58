#include "sim/workload/bundle.h"

#include <filesystem>
#include <sstream>

#include "model/common/error.h"
#include "sim/configuration/mke2fs.h"
#include "sim/support/output_file.h"

namespace fcsim::workload {
namespace {

namespace fs = std::filesystem;

model::FilesystemSettings file_system(const WorkloadBundleRequest& request) {
  return configuration::make_file_system(completed(request.workload).given.at("size"),
                                         request.fast_commit_kib);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

template <class Texts>
std::string array(const Texts& texts) {
  std::string result = "[";
  for (const auto& text : texts) result += (result.size() > 1 ? ", " : "") + quoted(text);
  return result + "]";
}

std::vector<std::string> command_of(const WorkloadRequest& request) {
  std::vector<std::string> words = {"fcsim", "workload", request.name};
  for (const auto& [name, value] : request.given)
    words.push_back("--" + name + "=" + std::to_string(value));
  return words;
}

std::string filesystem_table(const model::FilesystemSettings& settings) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "[filesystem]\ntype = \"ext4\"\n"
       << "block_size = " << settings.block_size << "\nblock_count = " << settings.block_count
       << "\nblocks_per_group = " << settings.blocks_per_group
       << "\ninode_count = " << settings.inode_count
       << "\ninodes_per_group = " << settings.inodes_per_group
       << "\ninode_size = " << settings.inode_size << "\nextra_isize = " << settings.extra_isize
       << "\nflex_group_size = " << settings.flex_group_size
       << "\njournal_blocks = " << settings.journal_blocks
       << "\nfast_commit_blocks = " << settings.fast_commit_blocks
       << "\nfeatures = " << array(settings.features) << "\n";
  return text.str();
}

constexpr std::string_view kMountAndWriteback =
    "[mount]\n"
    "commit_interval_s = 5\n"
    "data = \"ordered\"\n"
    "delalloc = true\n"
    "barrier = true\n"
    "dioread_nolock = true\n"
    "auto_da_alloc = true\n"
    "atime = \"relatime\"\n"
    "lazytime = false\n"
    "sync = false\n"
    "dirsync = false\n"
    "max_batch_time_us = 15000\n"
    "min_batch_time_us = 0\n"
    "\n"
    "[writeback]\n"
    "dirty_expire_centisecs = 3000\n"
    "dirty_writeback_centisecs = 500\n"
    "dirty_background_ratio = 10\n"
    "dirty_ratio = 20\n";

// The clock's first tick lies long before the trace begins, at a whole second.
constexpr std::string_view kClock =
    "[clock]\n"
    "tick_phase_ns = 0\n"
    "jiffy0_realtime_ns = 1799990000000000000\n";

void write_file(const fs::path& path, const std::string& text) {
  support::OutputFile file(path.string());
  file.write(text);
  file.close();
}

// True where the folder was not there before.
bool make_folder(const WorkloadBundleRequest& request) {
  std::error_code error;
  const bool made = fs::create_directories(request.folder, error);
  if (error) throw model::InputError({request.folder, 0, 0}, "cannot be made: " + error.message());
  if (!fs::is_empty(request.folder, error) && !request.replace)
    throw model::InputError({request.folder, 0, 0},
                            "holds something already; --force replaces a bundle");
  // What another bundle left there would be taken for this one's.
  for (const char* name : {"trace.strace", "trace.strace.zst", "trace.fct", "truth.toml",
                           "commits.tsv", "commits.tsv.zst"})
    fs::remove(fs::path(request.folder) / name, error);
  return made;
}

void write_files(const WorkloadBundleRequest& request, const std::string& environment) {
  const fs::path folder = request.folder;
  write_file(folder / "env.toml", environment);
  write_file(folder / "manifest.tsv", workload_manifest(request));
  support::OutputFile trace(
      (folder / (request.compress ? "trace.strace.zst" : "trace.strace")).string());
  write_workload(request.workload, [&](std::string_view text) { trace.write(text); });
  trace.close();
}

// Half a bundle is of no use.
void remove_files(const WorkloadBundleRequest& request, bool folder_too) {
  std::error_code error;
  for (const char* name : {"env.toml", "manifest.tsv", "trace.strace.zst", "trace.strace"})
    fs::remove(fs::path(request.folder) / name, error);
  if (folder_too) fs::remove(request.folder, error);
}

}  // namespace

std::string workload_environment(const WorkloadBundleRequest& request) {
  const WorkloadRequest full = completed(request.workload);
  std::string text = "[kernel]\nprofile = " + quoted(request.profile) + "\nhz = 250\n\n";
  text += std::string(kClock) + "\n" + filesystem_table(file_system(request)) + "\n";
  text += std::string(kMountAndWriteback) + "\n";
  text += "[trace]\nmount_point = " + quoted(workload_mount_point(full)) +
          "\ncommand = " + array(command_of(full)) + "\nsetup = \"\"\n";
  return text;
}

std::string workload_manifest(const WorkloadBundleRequest& request) {
  const std::uint32_t block = file_system(request).block_size;
  const std::uint32_t lost_and_found = block == 1024 ? 12 * block : 16384;
  return "# type\tmode\tinode\tnlink\tsize\tblocks512\tpath\textents\n"
         "d\t755\t2\t3\t" +
         std::to_string(block) + "\t" + std::to_string(block / 512) + "\t.\t\n" +
         "d\t700\t11\t2\t" + std::to_string(lost_and_found) + "\t" +
         std::to_string(lost_and_found / 512) + "\tlost+found\t\n";
}

void write_workload_bundle(const WorkloadBundleRequest& request) {
  const std::string environment = workload_environment(request);  // faults come before the folder
  const bool made = make_folder(request);
  try {
    write_files(request, environment);
  } catch (...) {
    remove_files(request, made);
    throw;
  }
}

}  // namespace fcsim::workload
