#include "model/exposure/ages.h"

#include <algorithm>

namespace fcsim::model::exposure {
namespace {

constexpr std::size_t kColumns = 60;
constexpr double kSecond = 1e9;

// Microseconds with three digits: as many ages below 40 s as 7000.
std::int64_t rounded(Time age) {
  std::int64_t us = age / 1000;
  std::int64_t unit = 1;
  while (us / unit >= 1000) unit *= 10;
  return us / unit * unit;
}

}  // namespace

void AgeAccount::note(const AtRisk& risk) {
  if (!begun_) {
    begun_ = true;
    begin_ = risk.from;
  } else {
    pass(risk.from);
  }
  const Time from = std::max(now_.from, risk.from);
  now_ = risk;
  now_.from = from;
  ages_.most_writes = std::max(ages_.most_writes, risk.writes);
  ages_.most_bytes = std::max(ages_.most_bytes, risk.bytes);
  ages_.most_names = std::max(ages_.most_names, risk.names);
  ages_.most_files = std::max(ages_.most_files, risk.files);
}

// What holds now held until `to`.
void AgeAccount::pass(Time to) {
  if (to <= now_.from) return;
  const double length = static_cast<double>(to - now_.from) / kSecond;
  if (now_.oldest == 0) {
    safe_ += length;
    add_curve(now_.from, to);
    return;
  }
  const Time young = std::max<Time>(0, now_.from - now_.oldest);
  const Time old = std::max<Time>(0, to - now_.oldest);
  const double young_s = static_cast<double>(young) / kSecond;
  const double old_s = static_cast<double>(old) / kSecond;
  const std::int64_t first = rounded(young);
  const std::int64_t last = rounded(old);
  if (first == last) {
    edges_[first].mass += length;
  } else {
    const double slope = length / (static_cast<double>(last - first) / 1e6);
    edges_[first].slope += slope;
    edges_[last].slope -= slope;
  }
  weighted_ += (old_s * old_s - young_s * young_s) / 2;
  early_ += std::clamp(0.5 - young_s, 0.0, old_s - young_s);
  add_curve(now_.from, to);
  if (old_s > ages_.maximum) {
    ages_.maximum = old_s;
    ages_.worst_at = to;
    ages_.worst_writer = now_.oldest_writer;
  }
}

// A part of the curve gets twice as long when there are too many.
void AgeAccount::add_curve(Time from, Time to) {
  while (static_cast<std::size_t>((to - 1 - begin_) / column_) >= kColumns) {
    for (std::size_t i = 0; i < ages_.curve.size(); ++i)
      ages_.curve[i / 2] =
          i % 2 == 0 ? ages_.curve[i] : std::max(ages_.curve[i / 2], ages_.curve[i]);
    ages_.curve.resize((ages_.curve.size() + 1) / 2);
    column_ *= 2;
  }
  const auto last = static_cast<std::size_t>((to - 1 - begin_) / column_);
  if (ages_.curve.size() <= last) ages_.curve.resize(last + 1, 0);
  if (now_.oldest == 0) return;
  for (auto i = static_cast<std::size_t>((from - begin_) / column_); i <= last; ++i) {
    const Time stop = std::min(to, begin_ + static_cast<Time>(i + 1) * column_);
    ages_.curve[i] =
        std::max(ages_.curve[i], static_cast<double>(stop - now_.oldest) / kSecond);
  }
}

// The age below which it lay for so many seconds.
double AgeAccount::age_at(double time) const {
  double below = 0;
  double slope = 0;
  double at = 0;
  for (const auto& [us, edge] : edges_) {
    const double next = static_cast<double>(us) / 1e6;
    const double passed = slope * (next - at);
    if (slope > 0 && below + passed >= time) return at + (time - below) / slope;
    below += passed + edge.mass;
    slope += edge.slope;
    at = next;
    if (below >= time) return at;
  }
  return at;
}

Ages AgeAccount::ages(Time end) {
  if (!begun_ || end <= begin_) return ages_;
  pass(end);
  now_.from = std::max(now_.from, end);
  const double all = static_cast<double>(end - begin_) / kSecond;
  ages_.mean = weighted_ / all;
  ages_.below_half_second = (safe_ + early_) / all;
  const auto percentile = [&](double share) {
    return share * all <= safe_ ? 0.0 : age_at(share * all - safe_);
  };
  ages_.p50 = percentile(0.5);
  ages_.p90 = percentile(0.9);
  ages_.p99 = percentile(0.99);
  return ages_;
}

}  // namespace fcsim::model::exposure
