// Are the journal's records read as debugfs reads them, and as the kernel counted them?
#include <sstream>

#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// "tag ADD_RANGE, inode 43, lblk 1, pblk 7, len 2" -> "ADD_RANGE 43"
std::string short_form(const std::string& line) {
  const std::string name = line.substr(4, line.find(',') - 4);
  const std::string tag = name == "ADD_ENTRY"      ? "LINK"
                          : name == "DEL_ENTRY"    ? "UNLINK"
                          : name == "CREAT_DENTRY" ? "CREAT"
                                                   : name;
  for (const std::string word : {", inode ", ", ino ", ", tid "}) {
    const std::size_t at = line.find(word);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + word.size();
    return tag + " " + line.substr(begin, line.find(',', begin) - begin);
  }
  return tag;
}

std::string short_form(const machine::geometry::LogRecord& record) {
  if (record.kind == "PAD") return record.kind;
  const std::size_t begin = record.text.find_first_of("0123456789");
  return record.kind + " " +
         record.text.substr(begin, record.text.find_first_not_of("0123456789", begin) - begin);
}

bool is_tag(const machine::geometry::LogRecord& record) {
  return record.kind[0] >= 'A' && record.kind[0] <= 'Z';
}

}  // namespace

TEST_CASE("the golden log of an unclean image", "[geometry]") {
  const Folder folder("log");
  machine::geometry::Image image(folder.write("fs.img", read_all(data_file("unclean.img.zst"))));
  std::string text;
  for (const machine::geometry::LogRecord& record :
       log_of(image, machine::geometry::LogScope::live))
    text += machine::geometry::log_line(record);
  const std::string path = data_file("unclean.log");
  if (const char* update = std::getenv("FCSIM_UPDATE_GOLDEN"); update != nullptr && *update == '1')
    std::ofstream(path, std::ios::binary) << text;
  CHECK(text == read_all(path));
}

TEST_CASE("debugfs finds the same tags in the same order", "[geometry]") {
  const Folder folder("debugfs");
  machine::geometry::Image image(folder.write("fs.img", read_all(data_file("unclean.img.zst"))));
  std::vector<std::string> ours;
  for (const machine::geometry::LogRecord& record :
       log_of(image, machine::geometry::LogScope::live))
    if (is_tag(record)) ours.push_back(short_form(record));
  std::vector<std::string> theirs;
  std::istringstream lines(read_all(data_file("unclean.debugfs")));
  for (std::string line; std::getline(lines, line);) theirs.push_back(short_form(line));
  CHECK(theirs.size() > 40);
  CHECK(ours == theirs);
}

TEST_CASE("the log holds the fast commits and blocks that fc_info counted", "[geometry]") {
  const Folder folder("counted");
  machine::geometry::Image image(folder.write("fs.img", read_all(data_file("unclean.img.zst"))));
  std::size_t tails = 0;
  std::size_t commits = 0;
  std::uint64_t last_block = 0;
  for (const machine::geometry::LogRecord& record :
       log_of(image, machine::geometry::LogScope::live)) {
    CHECK(record.fault.empty());
    if (record.kind == "TAIL") ++tails;
    if (record.kind == "commit") ++commits;
    if (is_tag(record)) last_block = record.block;
  }
  CHECK(tails == 7);                  // "7 commits"
  CHECK(last_block - 1025 + 1 == 9);  // "9 numblks"
  CHECK(commits == 2);                // "2 transactions"
}
