// fcsim help: the help of a subcommand with examples, the reference of configuration keys, and the
// files made from both: man page and completions.
#include <CLI/CLI.hpp>
#include <map>
#include <string_view>

#include "build_information.h"
#include "sim/command/command.h"
#include "sim/command/command_tree.h"
#include "sim/report/configuration_reference.h"
#include "sim/report/counter_reference.h"

namespace fcsim::command {
namespace {

constexpr std::string_view kConfiguration = "configuration";

// After each subcommand's options.
const std::map<std::string, std::string>& examples() {
  static const std::map<std::string, std::string> texts = {
      {"run",
       "  fcsim run trace.strace --mount-point /mnt/data -c environment.toml\n"
       "  fcsim run BUNDLE -f kernel                      what the files in /proc would hold\n"
       "  fcsim run BUNDLE -k 6.1 --set mount.commit_interval_s=30\n"
       "  fcsim run -k help                               the kernel profiles"},
      {"explain",
       "  fcsim explain BUNDLE                            every full commit and its cause\n"
       "  fcsim explain BUNDLE --cause ineligible --file data/log\n"
       "  fcsim explain BUNDLE --fast -f perfetto >trace.json"},
      {"fit",
       "  fcsim fit BUNDLE                                the device's times, with their scatter\n"
       "  fcsim fit BUNDLE -o device.toml && fcsim run BUNDLE -c device.toml --timing closed"},
      {"validate",
       "  fcsim validate BUNDLES/ --blocks                a line for each bundle below the folder\n"
       "  fcsim validate BUNDLE --first-difference\n"
       "  fcsim validate --live -- COMMAND                record now, then compare (needs root)"},
      {"compare",
       "  fcsim compare BUNDLE -a 6.12 -b 6.18            two kernels\n"
       "  fcsim compare BUNDLE --set-b filesystem.fast_commit_kib=1024\n"
       "  fcsim compare BUNDLE -b patch.toml --changes 20"},
      {"sweep",
       "  fcsim sweep BUNDLE -p filesystem.fast_commit_kib=128..1024*2\n"
       "  fcsim sweep BUNDLE -p mount.commit_interval_s=1,5,30 -p kernel.profile=6.12,6.18 -f csv"},
      {"tune",
       "  fcsim tune BUNDLE                               area and ranges, with the numbers\n"
       "  fcsim tune BUNDLE -k 7.2-disjoint -f json"},
      {"batch",
       "  fcsim batch BUNDLES/ -p filesystem.fast_commit_kib=128..1024*2 -o results.db\n"
       "  fcsim batch BUNDLES/ -o part.db --shard slurm   a task of a job array\n"
       "  fcsim batch --summary results.db\n"
       "  fcsim batch --export csv results.db"},
      {"merge", "  fcsim merge part-*.db -o results.db"},
      {"report",
       "  fcsim report BUNDLE -o report.html\n"
       "  fcsim report BUNDLE -p filesystem.fast_commit_kib=128..4096*2 -o report.html\n"
       "  fcsim report BUNDLE -a 7.2 -b patch.toml -o report.html"},
      {"evaluate",
       "  fcsim evaluate patch.toml BUNDLES/              against the kernel that it inherits "
       "from\n"
       "  fcsim evaluate patch.toml BUNDLES/ --against 7.2 -f markdown\n"
       "  fcsim evaluate patch.toml BUNDLES/ -c device.toml --timing closed    with latencies"},
      {"workload",
       "  fcsim workload help                             the workloads and their defaults\n"
       "  fcsim workload sparse-random --writes 16 --span 1GiB -o BUNDLE\n"
       "  fcsim workload append-fsync -f strace | fcsim run -"},
      {"geometry",
       "  fcsim geometry /mnt/data                        the file system mounted there\n"
       "  dumpe2fs -h /dev/sdb1 | fcsim geometry -\n"
       "  fcsim geometry disk.img -f toml >environment.toml\n"
       "  fcsim geometry --log disk.img                   what recovery would replay"},
      {"record",
       "  fcsim record -o BUNDLE -- COMMAND ARGUMENTS\n"
       "  fcsim record -o BUNDLE -p PID                   until it ends or ^C\n"
       "  fcsim validate BUNDLE"},
      {"convert",
       "  fcsim convert trace.strace -o trace.fct\n"
       "  fcsim convert BUNDLE -o NEW_BUNDLE --zstd 3"},
      {"help",
       "  fcsim help sweep\n"
       "  fcsim help configuration                        every key, as in docs/configuration.md\n"
       "  fcsim help counters                             every counter, as in docs/counters.md\n"
       "  fcsim help man, bash, zsh, fish                 the man page, a shell's completions"},
  };
  return texts;
}

std::vector<const CLI::App*> subcommands(const CLI::App& application) {
  return application.get_subcommands([](const CLI::App*) { return true; });
}

// The topics that are files of the installation; empty: no such topic.
std::string installed_file(const CLI::App& application, const std::string& topic) {
  if (topic == "man")
    return manual_page(command_tree(application), std::string("fcsim ") + kVersion);
  if (topic == "bash" || topic == "zsh" || topic == "fish")
    return completion_script(command_tree(application), topic);
  return "";
}

int print_help(const CLI::App& application, const std::string& topic) {
  if (topic.empty()) {
    print(application.help());
    return kDone;
  }
  if (topic == kConfiguration) {
    configuration::LoadRequest nothing;
    nothing.directories = configuration_directories();
    print(report::configuration_reference(configuration::load(nothing)));
    return kDone;
  }
  if (topic == "counters") {
    print(report::counter_reference());
    return kDone;
  }
  for (const CLI::App* subcommand : subcommands(application)) {
    if (subcommand->get_name() != topic) continue;
    print(subcommand->help(application.get_name()));
    return kDone;
  }
  if (const std::string file = installed_file(application, topic); !file.empty()) {
    print(file);
    return kDone;
  }
  throw UsageError("help: expected a command, 'configuration' or 'counters', found '" + topic +
                   "'");
}

}  // namespace

void add_help(CLI::App& application, Action& action) {
  auto topic = std::make_shared<std::string>();
  CLI::App* const subcommand =
      application.add_subcommand("help", "the help of a command, 'configuration' or 'counters'");
  subcommand->add_option("TOPIC", *topic,
                         "a command, 'configuration' (every key, as Markdown) or 'counters'");
  subcommand->callback([topic, &application, &action] {
    action = [topic, &application] { return print_help(application, *topic); };
  });
  for (CLI::App* const described : application.get_subcommands([](CLI::App*) { return true; }))
    if (const auto found = examples().find(described->get_name()); found != examples().end())
      described->footer("Examples:\n" + found->second);
}

}  // namespace fcsim::command
