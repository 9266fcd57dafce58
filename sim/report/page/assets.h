// What is embedded in every page. The functions are defined in a source that cmake/page.cmake
// makes.
#pragma once

#include <string_view>
#include <vector>

namespace fcsim::report::page {

struct Asset {
  std::string_view name;  // "vega-util"
  std::string_view text;
};

// Vega's packages in the order in which they need each other; empty in a build without Vega.
std::vector<Asset> vega_packages();

std::string_view page_js();
std::string_view page_css();

}  // namespace fcsim::report::page
