#include "sim/report/json_parts.h"
#include "sim/report/latency_report.h"
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

using support::Json;

// The object at a dotted path, made where it is missing.
Json& object_at(Json& root, std::string_view path) {
  const std::size_t dot = path.find('.');
  Json& member = root[std::string(path.substr(0, dot))];
  if (member.is_null()) member = Json::object();
  return dot == std::string_view::npos ? member : object_at(member, path.substr(dot + 1));
}

struct ValueToJson {
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return value; }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const std::vector<std::string>& value) const { return value; }
  Json operator()(const std::vector<std::int64_t>& value) const { return value; }
  Json operator()(const configuration::UnusableValue&) const { return nullptr; }
};

// Every key that has a value.
Json configuration_json(const configuration::LoadedConfiguration& configuration) {
  Json root = Json::object();
  for (const configuration::Key& key : configuration::configuration_keys())
    if (const auto value = key.get(configuration))
      object_at(root, key.table)[std::string(key.name)] = std::visit(ValueToJson{}, *value);
  return root;
}

}  // namespace

void insert_counters(Json& root, const engine::Prediction& prediction) {
  for (const model::CounterGroup& group : model::counter_groups()) {
    if (!group.present(prediction)) continue;
    Json& object = object_at(root, group.name);
    for (const model::Counter& counter : group.counters)
      object[std::string(counter.name)] = counter.value.read(prediction);
    if (group.named == nullptr) continue;
    for (const auto& [name, count] : prediction.*group.named) object[name] = count;
  }
  object_at(root, "fast_commit")["active"] = prediction.fast_commit_active;
}

void insert_basis(Json& root, const configuration::LoadedConfiguration& configuration,
                  const engine::Prediction& prediction) {
  root["config"] = configuration_json(configuration);
  std::vector<std::string> assumed = configuration.assumed;
  assumed.insert(assumed.end(), prediction.assumed.begin(), prediction.assumed.end());
  root["assumed"] = assumed;
  root["notes"] = configuration.notes;
  root["input"] = {{"quality", prediction.quality.grade()},
                   {"lacking", prediction.quality.lacking},
                   {"unknown", prediction.quality.unknown}};
  Json& unsupported = root["unsupported"] = Json::object();
  for (const auto& [what, count] : prediction.unsupported) unsupported[what] = count;
}

Json prediction_json(const configuration::LoadedConfiguration& configuration,
                     const engine::Prediction& prediction) {
  Json root = Json::object();
  insert_counters(root, prediction);
  root["latency"] = latency_json(prediction.latency);
  for (const engine::Stage& stage : prediction.stages) {
    Json object = {{"admin", stage.admin}};
    insert_counters(object, stage.counted);
    root["stages"].push_back(std::move(object));
  }
  insert_basis(root, configuration, prediction);
  return root;
}

Json causes_json(const std::array<std::uint64_t, model::kCauses>& causes) {
  Json object = Json::object();
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (causes[cause] != 0) object[std::string(model::kCauseNames[cause])] = causes[cause];
  return object;
}

std::string json_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction) {
  return support::json_text(prediction_json(configuration, prediction));
}

}  // namespace fcsim::report
