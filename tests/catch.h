// Catch2 as the system has it: version 3 by its own names, version 2 (Debian 12) by its one header.
#pragma once

#if FCSIM_CATCH_VERSION == 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
