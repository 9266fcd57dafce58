// The options of tune2fs and mke2fs, as far as they matter to the journal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/error.h"

namespace fcsim::machine {

// The words of a text between spaces; quotes hold words together.
// Throws InputError where one is not closed.
std::vector<std::string> words_of(std::string_view text, const model::Position& position);

// tune2fs: -O fast_commit and -O ^fast_commit change the feature; -O ^has_journal removes the
// journal of what is not `mounted`; -O has_journal, -j and -J make one where there is none, of the
// size and with the area that -J says; -J fast_commit_size= changes nothing on a file system that
// has its journal (all tried with 1.47). Throws InputError for all else.
void apply_tune2fs_options(const std::string& options, const model::Position& position,
                           bool mounted, model::FilesystemSettings& on_disk);

// The file system that mke2fs makes where `on_disk` was: -O features, -J size= and
// fast_commit_size=, -b, -I, -i and -N, and a size such as 512M; with the latter five everything
// that is not given is mke2fs's choice. There is no fast-commit area unless -O fast_commit asks for
// it. Throws InputError for options that are not known here.
model::FilesystemSettings make_with_options(const std::string& options,
                                            const model::Position& position,
                                            const model::FilesystemSettings& on_disk);

}  // namespace fcsim::machine
