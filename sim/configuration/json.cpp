#include "sim/configuration/json.h"

namespace fcsim::configuration {
namespace {

struct ValueToJson {
  support::Json operator()(bool value) const { return value; }
  support::Json operator()(std::int64_t value) const { return value; }
  support::Json operator()(double value) const { return value; }
  support::Json operator()(const std::string& value) const { return value; }
  support::Json operator()(const std::vector<std::string>& value) const { return value; }
  support::Json operator()(const std::vector<std::int64_t>& value) const { return value; }
  support::Json operator()(const UnusableValue&) const { return nullptr; }
};

}  // namespace

support::Json json_of(const Value& value) {
  return std::visit(ValueToJson{}, value);
}

}  // namespace fcsim::configuration
