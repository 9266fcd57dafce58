#include "sim/questions/exposure/exposure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "model/common/error.h"
#include "model/common/name_hash.h"
#include "sim/replay/decoder.h"
#include "sim/replay/initial_check.h"
#include "sim/replay/predict_many.h"
#include "sim/replay/runner.h"

namespace fcsim::questions::exposure {

using model::Time;
using model::exposure::Account;
using model::exposure::AtRisk;
using model::exposure::Kept;
using model::exposure::Survivors;
using model::exposure::Writer;

namespace {

constexpr std::uint32_t kUmask = 022;
constexpr double kNanoseconds = 1e9;

// When the trace's first line was.
Time begin_of(const replay::SessionRequest& session) {
  const replay::Inputs inputs = replay::find_inputs(session.inputs);
  const auto configuration = replay::load_for(inputs, session.configuration, session.mount_point);
  replay::TraceDecoder decoder(inputs, replay::decode_settings(configuration, session.strict));
  replay::OperationChunk chunk;
  (void)decoder.next(chunk);
  return decoder.begin();
}

// One stretch of time over which the oldest lost write stays the same.
struct Stretch {
  double from = 0, to = 0;  // ages, seconds
};

double age_at(const std::vector<Stretch>& sorted, double share, double all) {
  // The age below which `share` of the time lies: the stretches' ages are uniform within each.
  double low = 0;
  double high = 0;
  for (const Stretch& stretch : sorted) high = std::max(high, stretch.to);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const Stretch& stretch : sorted)
      below += std::clamp(middle - stretch.from, 0.0, stretch.to - stretch.from);
    // Stretches without a lost write have no length in age; they are counted by the caller.
    (below < share * all ? low : high) = middle;
  }
  return high;
}

Ages ages_of(const std::vector<AtRisk>& risks, Time begin, Time end) {
  constexpr std::size_t columns = 60;
  Ages ages;
  ages.curve.assign(columns, 0);
  if (end <= begin) return ages;
  std::vector<Stretch> stretches;
  double safe = 0;
  double weighted = 0;
  double early = 0;
  const double all = static_cast<double>(end - begin) / kNanoseconds;
  const auto column = [&](Time at) {
    return std::min(columns - 1,
                    static_cast<std::size_t>(static_cast<double>(at - begin) /
                                             static_cast<double>(end - begin) * columns));
  };
  safe += risks.empty()
              ? all
              : std::max(0.0, static_cast<double>(risks.front().from - begin) / kNanoseconds);
  for (std::size_t i = 0; i < risks.size(); ++i) {
    const AtRisk& risk = risks[i];
    ages.most_writes = std::max(ages.most_writes, risk.writes);
    ages.most_bytes = std::max(ages.most_bytes, risk.bytes);
    ages.most_names = std::max(ages.most_names, risk.names);
    ages.most_files = std::max(ages.most_files, risk.files);
    const Time to = std::min(end, i + 1 < risks.size() ? risks[i + 1].from : end);
    const Time from = std::max(begin, risk.from);
    if (to <= from) continue;
    if (risk.oldest == 0) {
      safe += static_cast<double>(to - from) / kNanoseconds;
      continue;
    }
    const double young = std::max(0.0, static_cast<double>(from - risk.oldest) / kNanoseconds);
    const double old = std::max(0.0, static_cast<double>(to - risk.oldest) / kNanoseconds);
    if (old > young) stretches.push_back({young, old});
    weighted += (old * old - young * young) / 2;
    early += std::clamp(0.5 - young, 0.0, old - young);
    for (std::size_t c = column(from); c <= column(to - 1); ++c) {
      const double stop =
          std::min(static_cast<double>(to - begin),
                   static_cast<double>(end - begin) * static_cast<double>(c + 1) / columns);
      ages.curve[c] =
          std::max(ages.curve[c], (stop - static_cast<double>(risk.oldest - begin)) / kNanoseconds);
    }
    if (old > ages.maximum) {
      ages.maximum = old;
      ages.worst_at = to;
      ages.worst_writer = risk.oldest_writer;
    }
  }
  ages.mean = weighted / all;
  ages.below_half_second = (safe + early) / all;
  const auto percentile = [&](double share) {
    return share * all <= safe ? 0.0 : age_at(stretches, share - safe / all, all);
  };
  ages.p50 = percentile(0.5);
  ages.p90 = percentile(0.9);
  ages.p99 = percentile(0.99);
  return ages;
}

void note_call(const model::Operation& operation, const traces::resolve::Resolver& resolver,
               Exposure& result) {
  using enum model::OperationKind;
  result.end = std::max({result.end, operation.start, operation.end});
  const char* what = nullptr;
  if (operation.kind == write) what = "write of ";
  if (operation.kind == fsync) what = "fsync of ";
  if (operation.kind == fdatasync) what = "fdatasync of ";
  if (operation.kind == msync) what = "msync of ";
  if (what == nullptr) return;
  const Writer line = operation.line | (std::uint64_t{operation.source} << 48U);
  result.calls[line] = what + resolver.path_of(operation.file);
}

engine::EngineOptions engine_options(const replay::DecodeSettings& settings,
                                     const replay::TraceDecoder& decoder,
                                     const configuration::LoadedConfiguration& configuration,
                                     std::optional<Time> flusher_wakeup, Account& account) {
  engine::EngineOptions options;
  options.placement = configuration.placement;
  options.listing_moved = decoder.moved_by_listing();
  if (const auto& at = settings.start.manifest_at_s)
    options.listed_at = std::llround(*at * 1e6) * 1000;
  options.observer = &account;
  options.flusher_wakeup = flusher_wakeup;
  return options;
}

}  // namespace

// ---- texts ----------------------------------------------------------------------------------

void Texts::see(const traces::Event& event) {
  using traces::Call;
  for (std::string_view path : {event.path, event.path2}) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!name.empty()) names_.emplace(model::hash_bytes(name), name);
  }
  const Writer line = event.line | (std::uint64_t{event.source} << 48U);
  const auto bits = static_cast<std::uint32_t>(event.argument & 07777);
  switch (event.call) {
    case Call::open:
    case Call::openat:
    case Call::openat2:
    case Call::creat:
    case Call::mkdir:
    case Call::mkdirat:
    case Call::mknod:
    case Call::mknodat:
      modes_[line] = bits & ~kUmask;
      break;
    case Call::bind:
      modes_[line] = 0777 & ~kUmask;
      break;
    case Call::symlink:
    case Call::symlinkat:
      modes_[line] = 0777;
      targets_[line] = event.path;
      break;
    case Call::chmod:
    case Call::fchmod:
    case Call::fchmodat:
      modes_[line] = bits;
      break;
    default:
      break;
  }
}

const std::string& Texts::name(std::uint64_t hash) const {
  static const std::string unknown = "?";
  const auto found = names_.find(hash);
  return found == names_.end() ? unknown : found->second;
}

std::uint32_t Texts::mode(const model::exposure::FileImage& file) const {
  if (file.mode_from == model::exposure::kBefore) return file.mode_before;
  const auto found = modes_.find(file.mode_from);
  return found == modes_.end() ? 0644 : found->second;
}

const std::string& Texts::target(const model::exposure::FileImage& file) const {
  static const std::string unknown = "-";
  const auto found = targets_.find(file.mode_from);
  return found == targets_.end() ? unknown : found->second;
}

std::string Texts::path(const std::vector<std::uint64_t>& hashes) const {
  std::string path;
  for (const std::uint64_t hash : hashes) path += (path.empty() ? "" : "/") + name(hash);
  return path.empty() ? "." : path;
}

// ---- cuts -----------------------------------------------------------------------------------

Time parse_seconds(const std::string& text) {
  const char* const end = text.data() + text.size();
  std::int64_t seconds = 0;
  auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || seconds < 0)
    throw std::invalid_argument("'" + text + "' is no time in seconds");
  Time nanoseconds = 0;
  if (at != end && *at == '.') {
    Time unit = 100'000'000;
    for (++at; at != end && *at >= '0' && *at <= '9'; ++at, unit /= 10)
      nanoseconds += unit * (*at - '0');
  }
  if (at != end) throw std::invalid_argument("'" + text + "' is no time in seconds");
  return seconds * 1'000'000'000 + nanoseconds;
}

// ---- the question ---------------------------------------------------------------------------

Exposure expose(const ExposureRequest& request) {
  Exposure result;
  result.cuts = request.cuts;
  if (request.seconds_after_begin) {
    const Time begin = begin_of(request.session);
    for (Cut& cut : result.cuts) cut.time += begin;
  }
  model::exposure::AccountOptions options;
  options.risks = request.risks;
  for (const Cut& cut : result.cuts) options.cuts.push_back(cut.time);
  std::sort(options.cuts.begin(), options.cuts.end());
  options.cuts.erase(std::unique(options.cuts.begin(), options.cuts.end()), options.cuts.end());
  const std::vector<Time> times = options.cuts;

  const replay::Inputs inputs = replay::find_inputs(request.session.inputs);
  result.configuration =
      replay::load_for(inputs, request.session.configuration, request.session.mount_point);
  replay::require_ext4(result.configuration.values.filesystem, "exposure");
  if (!inputs.environment.empty()) result.flusher_wakeup = read_flusher_wakeup(inputs.environment);
  const replay::DecodeSettings settings =
      replay::decode_settings(result.configuration, request.session.strict);
  if (!settings.stages.empty())
    throw std::runtime_error("exposure: a trace with an administrator's steps is not supported");
  replay::TraceDecoder decoder(
      inputs, settings,
      [&](const model::Operation& operation, const traces::resolve::Resolver& resolver) {
        note_call(operation, resolver, result);
      },
      [&](const traces::Event& event, const traces::resolve::Resolver&) {
        result.texts.see(event);
        if (result.begin == 0) result.begin = event.start_ns;
      });
  for (const model::InitialFile& file : decoder.initial().files)
    result.texts.add_name(file.name_hash, file.name);
  Account account(result.configuration.values, decoder.initial(), options);
  replay::Runner runner(
      result.configuration.values, decoder,
      engine_options(settings, decoder, result.configuration, result.flusher_wakeup, account));
  replay::OperationChunk chunk;
  while (decoder.next(chunk)) runner.replay(chunk);
  // The timers go on until the last cut: what happens after the last call counts, too.
  Time until = replay::end_of_observation(inputs, decoder.end());
  if (!times.empty()) until = std::max(until, times.back());
  runner.finish(until);
  replay::Replayed replayed = runner.take();
  if (replayed.error) std::rethrow_exception(replayed.error);
  account.finish(result.end);
  result.prediction = std::move(replayed.prediction);
  decoder.add_reservations(result.prediction);
  result.warnings = decoder.warnings();
  result.trace_files = decoder.trace_files();
  for (const Cut& cut : result.cuts) {
    const auto at = std::lower_bound(times.begin(), times.end(), cut.time) - times.begin();
    result.survivors.push_back(account.survivors(cut.kept)[static_cast<std::size_t>(at)]);
  }
  for (const Kept kept : {Kept::flushed, Kept::completed})
    result.ages[static_cast<std::size_t>(kept)] = ages_of(
        account.risks(kept),
        account.risks(kept).empty() ? result.begin
                                    : std::max(result.begin, account.risks(kept).front().from),
        result.end);
  result.broken = account.broken();
  result.unmountable = account.unmountable();
  return result;
}

}  // namespace fcsim::questions::exposure
