// Several programs at once, as a small server has them.
#include <string>
#include <vector>

#include "sim/workload/shapes.h"

namespace fcsim::workload {
namespace {

// One process and what it has open.
struct Client {
  std::int32_t pid = 0;
  std::string prefix;
  int log = -1;
  int database = -1;
  std::uint64_t log_bytes = 0;
  std::uint64_t files = 0;  // made so far
};

class Mixture {
 public:
  explicit Mixture(const ShapeContext& context) : context_(context), trace_(context.trace) {}

  void run() {
    for (std::uint64_t i = 0; i < context_["processes"]; ++i) clients_.push_back(start(i));
    while (synced_ < context_["fsyncs"])
      act(clients_[static_cast<std::size_t>(context_.random.below(clients_.size()))]);
    for (const Client& client : clients_) trace_.exit(client.pid);
  }

 private:
  Client start(std::uint64_t number) {
    Client client;
    client.pid = trace_.fork(StraceWriter::kFirstPid);
    client.prefix = "c" + std::to_string(number);
    trace_.mkdir(client.pid, client.prefix);
    client.log =
        trace_.open(client.pid, client.prefix + "/log", "O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC");
    client.database = trace_.open(client.pid, client.prefix + "/db", "O_RDWR|O_CREAT|O_CLOEXEC");
    trace_.ftruncate(client.pid, client.database, context_["span"]);
    return client;
  }

  void act(Client& client) {
    const std::uint64_t dice = context_.random.below(100);
    if (dice < 40)
      log_line(client);
    else if (dice < 65)
      database_update(client);
    else if (dice < 80)
      replace_file(client);
    else if (dice < 90)
      look(client);
    else
      scratch_file(client);
  }

  void log_line(Client& client) {
    const std::uint64_t bytes = 100 + context_.random.below(400);
    trace_.write(client.pid, client.log, bytes);
    client.log_bytes += bytes;
    trace_.fsync(client.pid, client.log);
    ++synced_;
  }

  void database_update(Client& client) {
    const std::uint64_t pages = context_.random.below(context_["writes"]) + 1;
    for (const std::uint64_t block : context_.random.distinct(pages, context_["span"] / kBlock))
      trace_.pwrite(client.pid, client.database, kBlock, block * kBlock);
    trace_.fdatasync(client.pid, client.database);
    ++synced_;
  }

  void replace_file(Client& client) {
    const std::string name = client.prefix + "/conf" + std::to_string(context_.random.below(8));
    const int fd = trace_.open(client.pid, name + ".new", "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC");
    trace_.write(client.pid, fd, 500 + context_.random.below(8000));
    trace_.fsync(client.pid, fd);
    trace_.close(client.pid, fd);
    trace_.rename(client.pid, name + ".new", name);
    ++synced_;
  }

  void look(Client& client) {
    trace_.stat(client.pid, client.log, client.log_bytes);
    trace_.pread(client.pid, client.database, kBlock,
                 context_.random.below(context_["span"] / kBlock) * kBlock);
  }

  // Written, never synced; the one before it goes.
  void scratch_file(Client& client) {
    const auto name = [&](std::uint64_t number) {
      return client.prefix + "/scratch" + std::to_string(number);
    };
    const int fd =
        trace_.open(client.pid, name(client.files), "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC");
    trace_.write(client.pid, fd, 1 + context_.random.below(65536));
    trace_.close(client.pid, fd);
    if (client.files != 0) trace_.unlink(client.pid, name(client.files - 1));
    ++client.files;
  }

  const ShapeContext& context_;
  StraceWriter& trace_;
  std::vector<Client> clients_;
  std::uint64_t synced_ = 0;
};

}  // namespace

void mixed(const ShapeContext& context) {
  Mixture(context).run();
}

}  // namespace fcsim::workload
