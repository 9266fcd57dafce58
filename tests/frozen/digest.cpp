#include "tests/frozen/digest.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "model/common/error.h"
#include "sim/replay/session.h"

namespace fcsim::test {
namespace {

std::string origin_text(const model::Origin& origin) {
  std::ostringstream text;
  text << origin.source << ':' << origin.line << ' ' << origin.pid << ' '
       << static_cast<int>(origin.kind);
  return text.str();
}

std::string text_of(const model::FastCommitRecord& commit) {
  std::ostringstream text;
  text << "fast " << commit.start << ' ' << commit.end << " tid " << commit.tid << " outcome "
       << static_cast<int>(commit.outcome) << " blocks " << commit.blocks << " inodes "
       << commit.inodes << " ranges " << commit.ranges << " names " << commit.names << " by "
       << origin_text(commit.origin);
  return text.str();
}

std::string text_of(const model::FullCommitRecord& commit) {
  std::ostringstream text;
  text << "full " << commit.opened << ' ' << commit.start << ' ' << commit.end << " tid "
       << commit.tid << ' ' << model::name(commit.cause) << " requested " << commit.requested
       << " blocks " << commit.blocks << " logged " << commit.blocks_logged << " handles "
       << commit.handles << " fast " << commit.fast_commits << " reason " << commit.reason << " by "
       << origin_text(commit.origin) << " marked by " << origin_text(commit.marked_by);
  return text.str();
}

void add_counters(std::ostringstream& text, const engine::Prediction& p) {
  text << "commits " << p.commits << "\nineligible " << p.ineligible << "\nnumblks " << p.numblks
       << "\ntransactions " << p.transactions << "\nrequested " << p.requested << "\nblocks "
       << p.blocks << "\nblocks_logged " << p.blocks_logged << "\nhandles " << p.handles
       << "\nmax_transaction_blocks " << p.max_transaction_blocks << "\nactive "
       << p.fast_commit_active << "\nskipped " << p.skipped << "\nfailed " << p.failed
       << "\ndirectory_fsyncs " << p.directory_fsyncs << "\noperations " << p.operations << '\n';
  for (const auto& [name, count] : p.reasons) text << name << ' ' << count << '\n';
  for (std::size_t i = 0; i < p.causes.size(); ++i)
    if (p.causes[i] != 0) text << model::kCauseNames[i] << ' ' << p.causes[i] << '\n';
  const engine::SyncCalls& s = p.sync_calls;
  text << "sync calls " << s.fsync << ' ' << s.fdatasync << ' ' << s.msync << ' ' << s.sync_write
       << ' ' << s.dsync_write << ' ' << s.syncfs << ' ' << s.sync << ' ' << s.sync_file_range
       << '\n';
  const model::SnapshotCounters& n = p.snapshot;
  text << "snapshot " << n.inodes << ' ' << n.ranges << ' ' << n.es_miss << ' ' << n.es_delayed
       << ' ' << n.es_other << ' ' << n.inodes_cap << ' ' << n.ranges_cap << ' ' << n.nomem << ' '
       << n.inode_loc << ' ' << n.no_snap << '\n';
  const model::TrackerMemory& m = p.tracker_memory;
  text << "tracker memory " << m.inodes << ' ' << m.bytes << ' ' << m.most << '\n';
}

std::vector<std::string> commit_texts(const engine::Prediction& prediction) {
  // (end, fast before full, position) -> text
  std::vector<std::tuple<model::Time, int, std::size_t, std::string>> all;
  for (const model::FastCommitRecord& commit : prediction.fast_commits)
    all.emplace_back(commit.end, 0, all.size(), text_of(commit));
  for (const model::FullCommitRecord& commit : prediction.full_commits)
    all.emplace_back(commit.end, 1, all.size(), text_of(commit));
  std::sort(all.begin(), all.end());
  std::vector<std::string> texts;
  for (auto& commit : all) texts.push_back(std::move(std::get<3>(commit)));
  return texts;
}

std::uint64_t hash(const std::string& text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string digests_path(const std::string& folder) {
  return folder + "/digests.tsv";
}
std::string chains_path(const std::string& folder) {
  return folder + "/chains.zst";
}

std::string decompressed(const std::string& bytes) {
  std::string text(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0U || size != text.size()) throw std::runtime_error("chains are cut");
  return text;
}

std::string compressed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 19);
  if (ZSTD_isError(size) != 0U) throw std::runtime_error("chains cannot be compressed");
  bytes.resize(size);
  return bytes;
}

}  // namespace

Predicted predict_for_digest(const std::string& bundle, const std::string& timing) {
  replay::SessionRequest request;
  request.inputs = {bundle};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.configuration.settings = {"trace.timing=" + timing};
  request.keep_commits = true;
  std::ostringstream counters;
  try {
    const replay::Session session = replay::predict(request);
    add_counters(counters, session.prediction);
    for (const engine::Stage& stage : session.prediction.stages)
      add_counters(counters, stage.counted);
    return {counters.str(), commit_texts(session.prediction)};
  } catch (const model::InputError&) {
    return {"refused", {}};
  }
}

Digest digest_of(const Predicted& predicted) {
  Digest digest;
  digest.counters = hash(predicted.counters);
  for (const std::string& commit : predicted.commits) {
    digest.commits = hash(commit, digest.commits);
    digest.chain += static_cast<char>(digest.commits & 0xff);
  }
  return digest;
}

Digests read_digests(const std::string& folder) {
  const std::string chains = decompressed(read_all(chains_path(folder)));
  std::istringstream lines(read_all(digests_path(folder)));
  Digests digests;
  std::size_t begin = 0;
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string bundle, timing;
    std::size_t length = 0;
    Digest digest;
    fields >> bundle >> timing >> std::hex >> digest.counters >> digest.commits >> std::dec >>
        length;
    if (!fields || begin + length > chains.size())
      throw std::runtime_error("not a line of digests: " + line);
    digest.chain = chains.substr(begin, length);
    begin += length;
    digests[bundle + " " + timing] = std::move(digest);
  }
  return digests;
}

void write_digests(const std::string& folder, const Digests& digests) {
  std::ofstream lines(digests_path(folder), std::ios::binary);
  lines << "bundle\ttiming\tcounters\tcommits\tnumber of commits\n";
  std::string chains;
  for (const auto& [name, digest] : digests) {
    const std::size_t space = name.find(' ');
    lines << name.substr(0, space) << '\t' << name.substr(space + 1) << '\t' << std::hex
          << digest.counters << '\t' << digest.commits << '\t' << std::dec << digest.chain.size()
          << '\n';
    chains += digest.chain;
  }
  std::ofstream(chains_path(folder), std::ios::binary) << compressed(chains);
}

}  // namespace fcsim::test
