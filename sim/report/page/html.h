// A document as a page: one file that asks for nothing else.
#pragma once

#include <string>

#include "sim/report/document.h"

namespace fcsim::report::page {

// Whether this build draws figures; without, a page has their tables.
bool has_figures();

// HTML. Text of the document is escaped; a policy in the page forbids every request.
std::string html_of(const Document& document);

}  // namespace fcsim::report::page
