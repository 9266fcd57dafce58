#include "sim/configuration/features.h"

#include <algorithm>
#include <iterator>

#include "sim/configuration/nearest.h"

namespace fcsim::configuration {

const std::vector<std::string_view>& feature_names() {
  // lib/e2p/feature.c of e2fsprogs 1.47
  static const std::vector<std::string_view> names = {
      "64bit",        "bigalloc",      "casefold",     "dir_index",     "dir_nlink",
      "dir_prealloc", "dirdata",       "ea_inode",     "encrypt",       "ext_attr",
      "extent",       "extents",       "extra_isize",  "fast_commit",   "filetype",
      "flex_bg",      "has_journal",   "huge_file",    "inline_data",   "journal_dev",
      "large_dir",    "large_file",    "meta_bg",      "metadata_csum", "metadata_csum_seed",
      "mmp",          "orphan_file",   "project",      "quota",         "read-only",
      "resize_inode", "shared_blocks", "sparse_super", "sparse_super2", "stable_inodes",
      "uninit_bg",    "verity"};
  return names;
}

namespace {

// What xfs_info prints (xfsprogs 6.1, libfrog/fsgeom.c), and mkfs.xfs's names of features.
bool is_of_xfs(const std::string& feature) {
  constexpr std::string_view names[] = {
      "attr",        "attr2",      "bigtime",    "crc",     "exchange", "finobt",
      "ftype",       "inobtcount", "lazy-count", "metadir", "nrext64",  "parent",
      "projid32bit", "reflink",    "rmapbt",     "sparse",  "sectsz",   "zoned"};
  return std::find(std::begin(names), std::end(names), feature) != std::end(names);
}

}  // namespace

void check_features(const std::vector<std::string>& features, const model::Position& position) {
  const auto& names = feature_names();
  for (const std::string& feature : features) {
    if (feature == "needs_recovery" || feature == "orphan_present" ||
        feature.starts_with("FEATURE_") || is_of_xfs(feature))
      continue;
    if (std::find(names.begin(), names.end(), feature) == names.end())
      throw model::InputError(
          position, "there is no feature '" + feature + "'" + suggest_nearest(feature, names));
  }
}

}  // namespace fcsim::configuration
