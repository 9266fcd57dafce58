#include "sim/questions/exposure/exposure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
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
using model::exposure::Kept;
using model::exposure::Survivors;
using model::exposure::Writer;

namespace {

constexpr std::uint32_t kUmask = 022;

// When the trace's first line was.
Time begin_of(const replay::SessionRequest& session) {
  const replay::Inputs inputs = replay::find_inputs(session.inputs);
  const auto configuration = replay::load_for(inputs, session.configuration, session.mount_point);
  replay::TraceDecoder decoder(inputs, replay::decode_settings(configuration, session.strict));
  replay::OperationChunk chunk;
  (void)decoder.next(chunk);
  return decoder.begin();
}

const char* verb_of(const model::Operation& operation) {
  using enum model::OperationKind;
  switch (operation.kind) {
    case write:
      return "write of ";
    case fsync:
      return "fsync of ";
    case fdatasync:
      return "fdatasync of ";
    case msync:
      return "msync of ";
    case sync:
    case syncfs:
      return "syncfs of ";
    case create:
    case tmpfile:
      return "creation of ";
    case mkdir:
      return "mkdir of ";
    case unlink:
    case rmdir:
      return "removal of ";
    case rename:
    case exchange:
      return "rename of ";
    case link:
      return "link of ";
    case truncate:
      return "truncation of ";
    default:
      return nullptr;
  }
}

// What the trace said of calls, as long as an answer may name them.
class Calls {
 public:
  void note(const model::Operation& operation, const traces::resolve::Resolver& resolver,
            const Texts& texts) {
    using enum model::OperationKind;
    const char* const verb = verb_of(operation);
    if (verb == nullptr) return;
    std::string path = resolver.path_of(operation.file);
    if (operation.kind == unlink || operation.kind == rmdir) {  // it has no name any more
      path = resolver.path_of(operation.parent);
      if (path == ".") path.clear();
      path += (path.empty() ? "" : "/") + texts.name(operation.name_hash);
    }
    if (path.empty()) path = "a file without a name";
    if (operation.kind == unlink && path.ends_with("-journal"))
      commits_.insert(model::exposure::writer_of(operation));
    texts_[model::exposure::writer_of(operation)] = verb + path;
  }
  void forget(const Account& account) {
    if (texts_.size() < limit_) return;
    const std::set<Writer> named = account.named_calls();
    for (auto text = texts_.begin(); text != texts_.end();)
      text = named.count(text->first) == 0 ? texts_.erase(text) : std::next(text);
    limit_ = 2 * texts_.size() + 10'000;
  }
  [[nodiscard]] const std::set<Writer>& commits_by_unlink() const { return commits_; }
  std::map<Writer, std::string> take() { return std::move(texts_); }

 private:
  std::map<Writer, std::string> texts_;
  std::set<Writer> commits_;  // unlinks of a rollback journal
  std::size_t limit_ = 10'000;
};

// From the listing of the files to the first line: the median of 254 recordings with cuts.
constexpr Time kListingNs = 76'000'000;

engine::EngineOptions engine_options(const replay::DecodeSettings& settings,
                                     const replay::TraceDecoder& decoder,
                                     const configuration::LoadedConfiguration& configuration,
                                     std::optional<Time> flusher_wakeup, std::optional<Time> began, bool keep_commits,
                                     Account& account) {
  engine::EngineOptions options;
  options.placement = configuration.placement;
  options.listing_moved = decoder.moved_by_listing();
  if (const auto& at = settings.start.manifest_at_s)
    options.listed_at = std::llround(*at * 1e6) * 1000;
  if (began) options.listing_guess = *began - kListingNs;
  options.observer = &account;
  options.keep_commits = keep_commits;
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
    throw std::invalid_argument("'" + text + "' is not a time in seconds");
  Time nanoseconds = 0;
  if (at != end && *at == '.') {
    Time unit = 100'000'000;
    for (++at; at != end && *at >= '0' && *at <= '9'; ++at, unit /= 10)
      nanoseconds += unit * (*at - '0');
  }
  if (at != end) throw std::invalid_argument("'" + text + "' is not a time in seconds");
  return seconds * 1'000'000'000 + nanoseconds;
}

// ---- the question ---------------------------------------------------------------------------

Exposure expose(const ExposureRequest& request) {
  Exposure result;
  result.cuts = request.cuts;
  result.record_size = request.record_size;
  std::optional<Time> began;  // a pipe is read once
  if (request.seconds_after_begin ||
      replay::find_inputs(request.session.inputs).can_be_read_again())
    began = begin_of(request.session);
  if (request.seconds_after_begin)
    for (Cut& cut : result.cuts) cut.time += *began;
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
  Calls calls;
  options.commits_by_unlink = &calls.commits_by_unlink();
  replay::TraceDecoder decoder(
      inputs, settings,
      [&](const model::Operation& operation, const traces::resolve::Resolver& resolver) {
        result.end = std::max({result.end, operation.start, operation.end});
        if (request.risks) calls.note(operation, resolver, result.texts);
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
      engine_options(settings, decoder, result.configuration, result.flusher_wakeup, began,
                     request.keep_commits,                     account));
  replay::OperationChunk chunk;
  while (decoder.next(chunk)) {
    runner.replay(chunk);
    if (request.risks) calls.forget(account);
  }
  // The timers go on until the last cut: what happens after the last call counts, too.
  Time until = replay::end_of_observation(inputs, decoder.end());
  if (!times.empty()) until = std::max(until, times.back());
  account.close_ages(result.end);
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
    result.ages[static_cast<std::size_t>(kept)] = account.ages(kept);
  result.half_states = account.half_states();
  result.possible = account.possible();
  result.calls = calls.take();
  result.broken = account.broken();
  result.unmountable = account.unmountable();
  return result;
}

}  // namespace fcsim::questions::exposure
