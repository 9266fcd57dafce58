// Opening strace's text: at once, or in two steps for callers that look at the bytes in between.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/input.h"
#include "traces/reader.h"

namespace fcsim::traces::strace {

struct OpenedFile {
  std::string path;
  std::unique_ptr<ByteSource> bytes;
  std::shared_ptr<Fingerprint> fingerprint;  // null unless asked for
};

// Opens the files of one trace. Throws InputError.
std::vector<OpenedFile> open_files(const std::vector<std::string>& paths,
                                   const ReaderOptions& options);

// A reader of the files, which are those of one trace; at least one.
std::unique_ptr<TraceReader> read_files(std::vector<OpenedFile> files,
                                        const ReaderOptions& options);

// Reads text that strace wrote; "-" is standard input; files may be compressed by zstd, gzip or xz.
// Several paths are the files of `strace -ff`: merged by time, the pid taken from the suffix ".PID"
// of the name where the lines have no pid column. Throws InputError.
//
// Calls that may wait for long and matter only by the descriptors they return (accept, recvmsg,
// io_getevents, io_uring_enter) and were split by strace are yielded at the time of their return.
//
// An io_submit is followed by events for the operations it submitted, as far as the trace shows
// them: pread, pwrite, pwritev, fsync, fdatasync, with the line and time of the io_submit.
std::unique_ptr<TraceReader> open_strace(const std::vector<std::string>& paths,
                                         const ReaderOptions& options);

// The same for text in memory, copied; `name` stands for the file in messages.
std::unique_ptr<TraceReader> open_strace_text(std::string text, std::string name,
                                              const ReaderOptions& options);

}  // namespace fcsim::traces::strace
