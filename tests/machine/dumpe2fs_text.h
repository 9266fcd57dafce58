// What `dumpe2fs -h` prints of a file system of 1 GiB with fast commit.
#pragma once

namespace fcsim::test {

inline constexpr const char* kDump =
    "Filesystem volume name:   <none>\n"
    "Filesystem features:      has_journal ext_attr dir_index fast_commit filetype needs_recovery "
    "extent 64bit flex_bg metadata_csum orphan_present\n"
    "Inode count:              65536\n"
    "Block count:              262144\n"
    "Block size:               4096\n"
    "Blocks per group:         32768\n"
    "Inodes per group:         8192\n"
    "Flex block group size:    16\n"
    "Inode size:\t          256\n"
    "Required extra isize:     32\n"
    "Desired extra isize:      28\n"
    "Journal features:         journal_64bit journal_checksum_v3\n"
    "Total journal size:       33280k\n"
    "Total journal blocks:     8320\n"
    "Fast commit length:       128\n";

}  // namespace fcsim::test
