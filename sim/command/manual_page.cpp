// man fcsim, from the help texts.
#include "sim/command/command_tree.h"

namespace fcsim::command {
namespace {

// Text that roff takes for text.
std::string roff(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\\')
      result += "\\e";
    else if (character == '-')
      result += "\\-";
    else if (character == '\'')
      result += "\\(aq";
    else
      result += character;
  }
  if (!result.empty() && result.front() == '.') result.insert(0, "\\&");
  return result;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fP";
}

std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fP";
}

std::string entry(const OptionFacts& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  if (option.names.empty() || !option.label.empty())
    head += (head.empty() ? "" : " ") + italic(option.label);
  std::string choices;
  for (const std::string& choice : option.choices) {
    if (option.value != ValueKind::choice || option.description.find(choice) != std::string::npos)
      continue;
    choices += (choices.empty() ? "\n.br\nOne of " : ", ") + bold(choice);
  }
  return ".TP\n" + head + "\n" + roff(option.description) + choices + "\n";
}

std::string section(const CommandFacts& command) {
  std::string text = ".SS fcsim " + roff(command.name) + "\n" + roff(command.description) + ".\n";
  for (const OptionFacts& positional : command.positionals) text += entry(positional);
  for (const OptionFacts& option : command.options) text += entry(option);
  const std::size_t begin = command.footer.find('\n');
  if (begin != std::string::npos)
    text += ".PP\n.nf\n" + roff(command.footer.substr(begin + 1)) + "\n.fi\n";
  return text;
}

constexpr const char* kBefore = R"(.SH NAME
fcsim \- predict what ext4's journal will do with a workload
.SH SYNOPSIS
.B fcsim
.I COMMAND
.RI [ OPTIONS ]
.RI [ INPUT ...]
.br
.B fcsim help
.RI [ COMMAND | \fBconfiguration\fP ]
.br
.B fcsim \-\-version
.SH DESCRIPTION
Predicts offline, from a recorded
.BR strace (1),
how many fsyncs become fast commits, how many fall back to full JBD2 commits, and why.
The answers are the kernel's own counters, /proc/fs/ext4/DEV/fc_info and /proc/fs/jbd2/DEV\-8/info.
.PP
An input is a trace, a bundle (a folder with a trace, the recorded environment and the list of files that existed), or
.B \-
for standard input.
A configuration says what the trace does not: kernel, geometry, mount options, device; for example
.B \-\-set filesystem.fast_commit_kib=1024.
.B fcsim help configuration
lists every key.
.SH COMMANDS
)";

constexpr const char* kAfter = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The input, the prediction or the comparison failed.
.TP
.B 2
The command line is at fault, or the value of one of its options.
.SH ENVIRONMENT
.TP
.B FCSIM_CONFIG_DIR
A folder with kernels/ and devices/ that is searched first.
.TP
.B NO_COLOR
No colours, where not empty.
.TP
.B TMPDIR
Where temporary files are made, instead of /tmp.
.SH FILES
.TP
.I /usr/share/fcsim/kernels/*.toml
The rules of each kernel: the profiles of
.BR \-k .
.TP
.I /usr/share/fcsim/devices/*.toml
Times of devices, for
.BR \-c .
.TP
.I /usr/share/doc/fcsim/
The manual, README.md and docs/, and what its examples need: they run in this folder.
.SH SEE ALSO
.BR strace (1),
.BR mke2fs (8),
.BR dumpe2fs (8),
.BR ext4 (5)
)";

}  // namespace

std::string manual_page(const std::vector<CommandFacts>& commands, const std::string& version) {
  std::string text = ".\\\" Printed by \"fcsim help man\".\n.TH FCSIM 1 \"\" \"" + version + "\"\n";
  text += kBefore;
  for (const CommandFacts& command : commands) text += section(command);
  return text + kAfter;
}

}  // namespace fcsim::command
