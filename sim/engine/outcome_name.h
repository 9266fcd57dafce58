// What the outcome of an ext4_fc_commit call is called in output: the outcomes are those of the
// trace event ext4_fc_commit_stop.
#pragma once

#include <string_view>

#include "model/common/commit.h"

namespace fcsim::engine {

constexpr std::string_view outcome_name(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::ok:
      return "ok";
    case model::Outcome::ineligible:
      return "ineligible";
    case model::Outcome::skipped:
      return "skipped";
    case model::Outcome::failed:
      return "failed";
  }
  return "";
}

}  // namespace fcsim::engine
