// The forms in which a fit of the device's times is given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/questions/fit/fit.h"

namespace fcsim::report {

// For people: each time with its standard error, what it rests on, and how well it describes.
std::string fit_text(const questions::fit::DeviceFit& fit);
std::string fit_json(const questions::fit::DeviceFit& fit);

// A [device] table for -c. Only what the trace determines; what it does not stands there as a
// comment, and keeps the value it has without this file.
std::string fit_toml(const questions::fit::DeviceFit& fit);

}  // namespace fcsim::report
