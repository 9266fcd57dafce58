// Explanations of bundles, and the JSON forms read back.
#pragma once

#include <string>
#include <vector>

#include "sim/questions/explain/explain.h"
#include "tests/sweep/helper.h"

namespace fcsim::test {

inline questions::explain::ExplainRequest explain_request(
    const std::string& input, const std::vector<std::string>& settings = {}) {
  questions::explain::ExplainRequest request;
  request.session.inputs = {input};
  request.session.configuration = configured();
  request.session.configuration.settings = settings;
  return request;
}

}  // namespace fcsim::test
