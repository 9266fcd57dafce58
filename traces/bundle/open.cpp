#include "traces/bundle/open.h"

#include <algorithm>
#include <utility>

#include "traces/binary/format.h"
#include "traces/binary/reader.h"
#include "traces/fio/iolog_reader.h"
#include "traces/input.h"
#include "traces/strace/open.h"

namespace fcsim::traces::bundle {
namespace {

constexpr std::size_t kHeadBytes = std::max(binary::kMagic.size(), fio::kFirstWords.size());

void check_alone(const std::vector<strace::OpenedFile>& files, const std::string& path,
                 const char* what) {
  if (files.size() != 1)
    throw model::InputError({path, 0, 0}, std::string(what) + "; give it alone");
}

}  // namespace

std::unique_ptr<TraceReader> open_trace(const std::vector<std::string>& paths,
                                        const ReaderOptions& options) {
  std::vector<strace::OpenedFile> files = strace::open_files(paths, options);
  for (strace::OpenedFile& file : files) {
    std::string head = read_head(*file.bytes, kHeadBytes);
    const bool is_binary = binary::looks_binary(head);
    const bool is_iolog = head.starts_with(fio::kFirstWords);
    file.bytes = put_back(std::move(head), std::move(file.bytes));
    if (is_binary) {
      check_alone(files, file.path, "is a binary trace, which holds all files of its recording");
      return std::make_unique<binary::Reader>(std::move(file.bytes), file.path, options);
    }
    if (is_iolog) {
      check_alone(files, file.path, "is an iolog of fio, which is one process");
      return std::make_unique<fio::IologReader>(
          std::move(file.bytes), file.path == "-" ? "standard input" : file.path, options);
    }
  }
  return strace::read_files(std::move(files), options);
}

}  // namespace fcsim::traces::bundle
