// Calls that the input's bytes choose, on a few files, so that no byte is spent on the form of a
// line.
#include <array>

#include "sim/replay/predict_many.h"
#include "sim/replay/session.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/targets.h"

namespace fcsim::fuzz {
namespace {

class Bytes {
 public:
  explicit Bytes(std::string_view input) : input_(input) {}
  [[nodiscard]] bool empty() const { return input_.empty(); }
  unsigned take() {
    if (input_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(input_.front());
    input_.remove_prefix(1);
    return byte;
  }
  unsigned below(unsigned limit) { return take() % limit; }

 private:
  std::string_view input_;
};

// Text as strace writes it.
class Writer {
 public:
  explicit Writer(std::string_view input) : bytes_(input) {}

  std::string text() {
    for (int file = 0; file < kFiles; ++file) open(file);
    while (!bytes_.empty() && text_.size() < kTextMaximum) call();
    return std::move(text_);
  }

 private:
  static constexpr int kFiles = 4;
  static constexpr std::size_t kTextMaximum = std::size_t{256} << 10;
  static constexpr const char* kFolder = "/mnt/creat/";

  // 20 microseconds apart, at times seconds.
  void line(const std::string& call, const std::string& result) {
    const unsigned step = bytes_.take();
    now_ += step < 240 ? 20 + step : (step - 239) * 1'000'000ULL;
    const std::string micro = std::to_string(now_ % 1'000'000);
    text_ += std::to_string(100 + (step & 1)) + " " + std::to_string(now_ / 1'000'000) + "." +
             std::string(6 - micro.size(), '0') + micro + " " + call + " = " + result +
             " <0.000010>\n";
  }
  void line(const std::string& call) { line(call, "0"); }

  std::string path() {
    const unsigned number = bytes_.below(12);
    return kFolder + (number < 8 ? "f" + std::to_string(number % 6)
                                 : "d" + std::to_string(number % 2) + "/f");
  }
  std::string folder() { return kFolder + std::string("d") + std::to_string(bytes_.below(3)); }
  std::string descriptor() {
    const int file = static_cast<int>(bytes_.below(kFiles));
    return std::to_string(file + 3) + "<" + kFolder + "f" + std::to_string(file) + ">";
  }
  // Of blocks mostly; at times of bytes, and at times far away.
  std::string offset() {
    const unsigned byte = bytes_.take();
    if (byte < 200) return std::to_string(4096ULL * (byte & 63U));
    if (byte < 240) return std::to_string(byte * 37ULL);
    return std::to_string(1ULL << (byte - 200));
  }
  std::string length() {
    const unsigned byte = bytes_.take();
    if (byte < 180) return std::to_string(4096ULL * (1 + (byte & 15U)));
    if (byte < 245) return std::to_string(1 + byte % 100);
    return std::to_string(1ULL << (byte - 225));
  }

  void open(int file) {
    static constexpr std::array<const char*, 6> kFlags = {
        "O_RDWR|O_CREAT", "O_RDWR|O_CREAT|O_TRUNC",  "O_RDWR|O_CREAT|O_DSYNC",
        "O_RDWR",         "O_RDWR|O_CREAT|O_DIRECT", "O_WRONLY|O_CREAT|O_APPEND|O_SYNC"};
    const std::string name = kFolder + ("f" + std::to_string(file));
    line("openat(AT_FDCWD</>, \"" + name + "\", " +
             kFlags[bytes_.below(static_cast<unsigned>(kFlags.size()))] + ", 0644)",
         std::to_string(file + 3) + "<" + name + ">");
  }

  void allocate() {
    static constexpr std::array<const char*, 6> kModes = {
        "0",
        "FALLOC_FL_KEEP_SIZE",
        "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE",
        "FALLOC_FL_COLLAPSE_RANGE",
        "FALLOC_FL_INSERT_RANGE",
        "FALLOC_FL_ZERO_RANGE"};
    line("fallocate(" + descriptor() + ", " +
         kModes[bytes_.below(static_cast<unsigned>(kModes.size()))] + ", " + offset() + ", " +
         length() + ")");
  }

  void call() {
    const unsigned kind = bytes_.below(28);
    if (kind < 6) {
      const std::string size = length();
      line("pwrite64(" + descriptor() + ", \"x\"..., " + size + ", " + offset() + ")", size);
    } else if (kind < 9) {
      line("fsync(" + descriptor() + ")");
    } else if (kind < 12) {
      name_call(kind);
    } else {
      other_call(kind);
    }
  }

  void name_call(unsigned kind) {
    const unsigned what = bytes_.below(7);
    if (kind == 11 && what < 3)
      line(std::string(what == 0 ? "rmdir" : "mkdir") + "(\"" + folder() + "\"" +
           (what == 0 ? ")" : ", 0755)"));
    else if (what == 0)
      line("unlink(\"" + path() + "\")");
    else if (what == 1)
      line("rename(\"" + path() + "\", \"" + path() + "\")");
    else if (what == 2)
      line("link(\"" + path() + "\", \"" + path() + "\")");
    else if (what == 3)
      line("symlink(\"" + path() + "\", \"" + path() + "\")");
    else if (what == 4)
      line("renameat2(AT_FDCWD</>, \"" + path() + "\", AT_FDCWD</>, \"" + path() +
           "\", RENAME_EXCHANGE)");
    else if (what == 5)
      line("truncate(\"" + path() + "\", " + offset() + ")");
    else
      line("setxattr(\"" + path() + "\", \"user.a" + std::to_string(bytes_.below(4)) +
           "\", \"x\", " + std::to_string(bytes_.take() * 20U) + ", 0)");
  }

  void other_call(unsigned kind) {
    switch (kind) {
      case 12:
      case 13:
        return allocate();
      case 14:
        return line("ftruncate(" + descriptor() + ", " + offset() + ")");
      case 15:
        return line("fdatasync(" + descriptor() + ")");
      case 16:
        return line("sync()");
      case 17:
        return line("close(" + descriptor() + ")");
      case 18:
        return open(static_cast<int>(bytes_.below(kFiles)));
      case 19:
        return line("sync_file_range(" + descriptor() + ", " + offset() + ", " + length() +
                    ", SYNC_FILE_RANGE_WRITE)");
      case 20:
        return line("fchmod(" + descriptor() + ", 0600)");
      case 21:
        return line("syncfs(" + descriptor() + ")");
      case 22:
        return line("mmap(NULL, " + length() + ", PROT_READ|PROT_WRITE, MAP_SHARED, " +
                        descriptor() + ", " + offset() + ")",
                    "0x7f0000000000");
      case 23:
        return line("msync(0x7f0000000000, " + length() + ", MS_SYNC)");
      case 24: {
        const std::string size = length();
        return line("copy_file_range(" + descriptor() + ", [" + offset() + "], " + descriptor() +
                        ", [" + offset() + "], " + size + ", 0)",
                    size);
      }
      case 25:
        return line("munmap(0x7f0000000000, " + length() + ")");
      case 26:
        return line("read(" + descriptor() + ", \"\"..., 4096)", "0");
      default: {
        const std::string size = length();
        return line("write(" + descriptor() + ", \"x\"..., " + size + ")", size);
      }
    }
  }

  Bytes bytes_;
  std::string text_;
  std::uint64_t now_ = 1'796'038'021'000'000;
};

}  // namespace

void calls(std::string_view input) {
  const MemoryFile file(Writer(input).text());
  answer([&] { (void)predict(file.path()); });
}

void many_settings(std::string_view input) {
  const MemoryFile file(Writer(input).text());
  configuration::LoadRequest plain;
  plain.files = {source_path("tests/bundles/creat/env.toml")};
  plain.directories = {source_path("configs")};
  std::vector<configuration::LoadRequest> wanted(3, plain);
  wanted[1].settings = {"filesystem.fast_commit_kib=64"};
  wanted[2].profile = "7.2";
  answer([&] {
    replay::PredictManyRequest together;
    together.inputs = {file.path()};
    together.configurations = wanted;
    together.threads = 2;
    const replay::Predictions predictions = replay::predict_many(together);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      replay::SessionRequest alone;
      alone.inputs = {file.path()};
      alone.configuration = wanted[i];
      std::vector<model::NamedCounter> counters;
      answer([&] { counters = engine::named_counters(replay::predict(alone).prediction); });
      const bool refused = predictions.outcomes[i].error != nullptr;
      require(refused == counters.empty(), "refused together and not alone, or the reverse");
      if (refused) continue;
      const auto with_others = engine::named_counters(predictions.outcomes[i].prediction);
      require(with_others.size() == counters.size(), "other counters alone than together");
      for (std::size_t k = 0; k < counters.size(); ++k)
        require(with_others[k].value == counters[k].value, "another count alone than together");
    }
  });
}

}  // namespace fcsim::fuzz
