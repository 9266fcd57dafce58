# What `fcsim report` puts into its pages: Vega (Debian: libjs-vega) and our script and style, each
# as a string in a generated source. Without Vega the pages have tables and no figures, and say so.
set(FCSIM_VEGA_DIRECTORY "/usr/share/javascript/vega" CACHE PATH
    "Where Vega's packages are, as libjs-vega installs them")
option(FCSIM_FIGURES "Figures in reports, where the build has Vega" ON)

# In the order in which they need each other.
set(vega_packages
    vega-util vega-time vega-format vega-loader vega-dataflow vega-statistics vega-scale vega-canvas
    vega-scenegraph vega-expression vega-event-selector vega-selection vega-functions vega-runtime
    vega-view vega-parser vega-transforms vega-view-transforms vega-encode)

set(page_source "${CMAKE_CURRENT_BINARY_DIR}/generated/page_assets.cpp")
set(page_folder "${CMAKE_CURRENT_SOURCE_DIR}/sim/report/page")
set(text "// Made by cmake/page.cmake.\n#include \"sim/report/page/assets.h\"\n\n")
string(APPEND text "namespace fcsim::report::page {\n\nstd::vector<Asset> vega_packages() {\n  return {")

set(vega_complete ${FCSIM_FIGURES})
foreach(package IN LISTS vega_packages)
  if(NOT EXISTS "${FCSIM_VEGA_DIRECTORY}/${package}.min.js")
    set(vega_complete OFF)
  endif()
endforeach()
if(vega_complete)
  foreach(package IN LISTS vega_packages)
    set(file "${FCSIM_VEGA_DIRECTORY}/${package}.min.js")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" script)
    # A browser's tools would ask for the map.
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" script "${script}")
    string(APPEND text "\n      {\"${package}\", R\"fcsim(${script})fcsim\"},")
  endforeach()
else()
  message(STATUS "fcsim report: no figures, as libjs-vega is missing or switched off")
endif()
string(APPEND text "\n  };\n}\n\n")

foreach(asset IN ITEMS page.js page.css)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page_folder}/${asset}")
  file(READ "${page_folder}/${asset}" content)
  string(REPLACE "." "_" name "${asset}")
  string(APPEND text "std::string_view ${name}() {\n  return R\"fcsim(${content})fcsim\";\n}\n\n")
endforeach()
string(APPEND text "}  // namespace fcsim::report::page\n")
set(before "")
if(EXISTS "${page_source}")
  file(READ "${page_source}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${page_source}" "${text}")
endif()
target_sources(fcsim_sim PRIVATE "${page_source}")
set_source_files_properties("${page_source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
