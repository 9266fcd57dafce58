#include "sim/support/rereadable_inputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace fcsim::support {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw model::InputError({name, 0, 0}, what + ": " + std::strerror(errno));
}

int temporary_file() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  std::string name = (folder / "fcsim-XXXXXX").string();
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail(folder.string(), "no temporary file can be made");
  unlink(name.c_str());
  return descriptor;
}

void write_all(int to, const char* data, std::size_t size, const std::string& name) {
  while (size != 0) {
    const ssize_t written = write(to, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(name, "the temporary copy cannot be written");
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void copy(int from, int to, const std::string& name) {
  constexpr std::size_t kBuffer = std::size_t{1} << 18;
  const auto buffer = std::make_unique<char[]>(kBuffer);
  for (;;) {
    const ssize_t count = read(from, buffer.get(), kBuffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name, "cannot be read");
    if (count == 0) return;
    write_all(to, buffer.get(), static_cast<std::size_t>(count), name);
  }
}

bool is_read_once(const std::string& input) {
  if (input == "-") return true;
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  return !error && fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

RereadableInputs::RereadableInputs(const std::vector<std::string>& inputs) : names_(inputs) {
  for (std::string& input : names_) {
    if (!is_read_once(input)) continue;
    const bool standard = input == "-";
    const std::string name = standard ? "standard input" : input;
    const FileDescriptor opened(standard ? -1 : open(input.c_str(), O_RDONLY | O_CLOEXEC));
    if (!standard && opened.number() < 0) fail(name, "cannot be opened");
    const int to = descriptors_.emplace_back(temporary_file()).number();
    copy(standard ? STDIN_FILENO : opened.number(), to, name);
    input = "/proc/self/fd/" + std::to_string(to);
    copies_.emplace_back(input, name);
  }
}

std::string RereadableInputs::with_original_names(std::string text) const {
  for (const auto& [copy_name, name] : copies_)
    if (text.starts_with(copy_name)) return name + text.substr(copy_name.size());
  return text;
}

model::InputError RereadableInputs::with_original_names(const model::InputError& error) const {
  model::Position position = error.position();
  const std::string before = to_string(position);
  std::string message = error.what();
  if (!before.empty() && message.starts_with(before + ": ")) message.erase(0, before.size() + 2);
  position.file = with_original_names(position.file);
  return {position, message};
}

}  // namespace fcsim::support
