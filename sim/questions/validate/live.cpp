#include "sim/questions/validate/live.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <system_error>
#include <thread>

#include "model/common/error.h"
#include "sim/machine/live/loop_file_system.h"
#include "sim/machine/record/small_file.h"
#include "sim/support/output_file.h"

namespace fcsim::questions::validate {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the object, and all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent) : path_(parent + "/fcsim-live-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
      throw model::InputError({parent, 0, 0},
                              std::string("no folder can be made: ") + std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs `work` on a thread of its own, so that a signal is heard meanwhile. The work cannot be
// stopped; on a signal its thread is left to the end of the process.
template <class Work>
auto interruptible(machine::record::SignalWatch& signals, Work work) {
  using Result = decltype(work());
  const int finished = eventfd(0, EFD_CLOEXEC);
  if (finished < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  std::packaged_task<Result()> task(std::move(work));
  std::future<Result> result = task.get_future();
  std::thread thread([task = std::move(task), finished]() mutable {
    task();
    eventfd_write(finished, 1);
  });
  for (;;) {
    std::array<pollfd, 2> wanted = {pollfd{finished, POLLIN, 0},
                                    pollfd{signals.descriptor(), POLLIN, 0}};
    poll(wanted.data(), wanted.size(), -1);
    if ((wanted[0].revents & POLLIN) != 0) break;
    if (const auto caught = signals.take()) {
      thread.detach();
      throw machine::record::Interrupted(caught->number);
    }
  }
  thread.join();
  close(finished);
  return result.get();
}

// What the machine has and mke2fs and mount cannot change.
bool is_of_the_machine(const std::string& key) {
  return key == "kernel.hz" || key.starts_with("writeback.");
}

class Live {
 public:
  explicit Live(const LiveRequest& request)
      : request_(request),
        configuration_(load(request.configuration)),
        folder_(request.temporary.empty() ? "/tmp" : request.temporary) {}

  LiveResult run() {
    LiveResult result;
    result.recording = record_on_loop_device();
    if (const auto signal = result.recording.interrupted_by)
      throw machine::record::Interrupted(*signal);
    check_machine();
    ValidateRequest validation;
    validation.paths = {bundle()};
    validation.configuration = prediction_request();
    validation.blocks = request_.blocks;
    validation.first_difference = request_.first_difference;
    result.comparison = interruptible(
        signals_, [bundle = bundle(), validation] { return validate_bundle(bundle, validation); });
    return result;
  }

 private:
  [[nodiscard]] std::string bundle() const {
    if (!request_.keep.empty()) return request_.keep;
    return folder_.path() + "/" + fs::path(request_.command.front()).filename().string();
  }

  machine::record::Recording record_on_loop_device() {
    const std::string mount_point = folder_.path() + "/mnt";
    fs::create_directory(mount_point);
    const machine::live::LoopFileSystem file_system(configuration_.values, mount_point,
                                                    folder_.path());
    signals_.check();
    machine::record::RecordRequest recording;
    recording.bundle = bundle();
    recording.replace = request_.replace;
    recording.command = request_.command;
    recording.directory = mount_point;
    recording.configuration_directories = request_.configuration.directories;
    recording.temporary = folder_.path();
    recording.progress = request_.progress;
    return record(recording, signals_);
  }

  // A setting that this machine does not have would make the comparison meaningless.
  void check_machine() const {
    configuration::LoadRequest machine;
    machine.files = {bundle() + "/env.toml"};
    machine.directories = request_.configuration.directories;
    const configuration::LoadedConfiguration recorded = load(machine);
    for (const configuration::Provenance& given : configuration_.provenance) {
      if (!is_of_the_machine(given.key)) continue;
      const std::size_t dot = given.key.find('.');
      const configuration::Key* const key =
          configuration::find_key(given.key.substr(0, dot), given.key.substr(dot + 1));
      if (key != nullptr && key->get(recorded) != key->get(configuration_))
        throw model::InputError(
            {given.source, 0, 0},
            given.key + ": this machine has another value; --live leaves it as it is");
    }
  }

  // The user's files, with everything that is not a rule of the kernel taken from the recording: they may be those
  // of another machine.
  [[nodiscard]] configuration::LoadRequest prediction_request() const {
    configuration::LoadRequest request = request_.configuration;
    const std::string text = machine::record::read_small_file(bundle() + "/env.toml").value_or("");
    const std::size_t after_kernel = text.find("\n[clock]\n");
    assert(after_kernel != std::string::npos);  // as environment_text() writes it
    const std::string file = folder_.path() + "/recorded.toml";
    support::OutputFile output(file);
    output.write(text.substr(after_kernel));
    output.close();
    request.files.push_back(file);
    return request;
  }

  const LiveRequest& request_;
  configuration::LoadedConfiguration configuration_;
  machine::record::SignalWatch signals_;  // outlives what has to be cleaned up
  TemporaryFolder folder_;
};

}  // namespace

LiveResult validate_live(const LiveRequest& request) {
  return Live(request).run();
}

}  // namespace fcsim::questions::validate
