// The manual's page of counters, made from model::counter_groups().
#pragma once

#include <string>

namespace fcsim::report {

// Markdown: docs/counters.md.
std::string counter_reference();

}  // namespace fcsim::report
