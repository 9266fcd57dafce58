// The answers of `fcsim exposure` as text.
#pragma once

#include <string>
#include <string_view>

#include "sim/questions/exposure/exposure.h"

namespace fcsim::report {

// One line for each path after each cut: point, path, type, mode, nlink, size, blocks512, content.
// "-" where the prediction says nothing.
std::string survivors_tsv(const questions::exposure::Exposure& exposure);
// What broke a promise, in one clause.
std::string_view breach_text(model::exposure::Breach breach);
std::string exposure_text(const questions::exposure::Exposure& exposure);

}  // namespace fcsim::report
