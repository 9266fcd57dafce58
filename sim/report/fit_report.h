// The forms in which a fit of the device's times is given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/questions/fit/fit.h"
#include "sim/report/document.h"

namespace fcsim::report {

// For people: each time with its standard error, what it rests on, and how well it describes.
Document fit_document(const questions::fit::DeviceFit& fit);
std::string fit_json(const questions::fit::DeviceFit& fit);

// Why the fit is unreliable, in one sentence; "" where it is not.
std::string fit_reliability(const questions::fit::DeviceFit& fit);

// A [device] table for -c. Only what the trace determines; what it does not stands there as a
// comment, and keeps the value it has without this file.
std::string fit_toml(const questions::fit::DeviceFit& fit);

}  // namespace fcsim::report
