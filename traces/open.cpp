#include <utility>

#include "traces/binary/format.h"
#include "traces/binary/reader.h"
#include "traces/input.h"
#include "traces/reader.h"
#include "traces/strace/open.h"

namespace fcsim::traces {

std::unique_ptr<TraceReader> open_trace(const std::vector<std::string>& paths,
                                        const ReaderOptions& options) {
  std::vector<strace::OpenedFile> files = strace::open_files(paths, options);
  for (strace::OpenedFile& file : files) {
    std::string head = read_head(*file.bytes, binary::kMagic.size());
    const bool is_binary = binary::looks_binary(head);
    file.bytes = put_back(std::move(head), std::move(file.bytes));
    if (!is_binary) continue;
    if (files.size() != 1)
      throw InputError({file.path, 0, 0},
                       "is a binary trace, which holds all files of its recording; give it alone");
    return std::make_unique<binary::Reader>(std::move(file.bytes), file.path, options);
  }
  return strace::read_files(std::move(files), options);
}

}  // namespace fcsim::traces
