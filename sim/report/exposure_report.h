// The answers of `fcsim exposure`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/questions/exposure/exposure.h"
#include "sim/questions/exposure/settings.h"
#include "sim/report/document.h"

namespace fcsim::report {

// One line for each path after each cut: point, path, type, mode, nlink, size, blocks512, content.
// "-" where the prediction says nothing.
std::string survivors_tsv(const questions::exposure::Exposure& exposure);
// What broke a promise, in one clause.
std::string_view breach_text(model::exposure::Breach breach);
// What is at risk, the promises, and at most so many of the half-states.
Document exposure_document(const questions::exposure::Exposure& exposure, std::size_t half_states);
Document exposure_settings_document(const questions::exposure::BySetting& settings);
Document exposure_tuning_document(const questions::exposure::AtRiskTuning& tuning);

}  // namespace fcsim::report
