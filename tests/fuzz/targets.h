// What takes bytes from strangers, each as a function of bytes: an answer or an InputError, nothing
// else. libFuzzer runs them (`./dev fuzz`), and the suite `fuzz` over the corpus and damage to it.
#pragma once

#include <span>
#include <string_view>

namespace fcsim::fuzz {

struct Target {
  const char* name;  // of its folder in tests/fuzz/corpus
  void (*run)(std::string_view input);
};

std::span<const Target> targets();

// Text and files that a bundle is made of.
void strace(std::string_view input);         // strace's text, to a whole prediction
void strace_binary(std::string_view input);  // ... read as text and from its binary form: the same
void strace_plain(std::string_view input);   // ... by the reader and by a plain one: the same
void binary(std::string_view input);         // the binary form, to a whole prediction
void iolog(std::string_view input);          // fio's log, to a whole prediction
void manifest(std::string_view input);
void truth(std::string_view input);
void commits(std::string_view input);
void kernel_trace(std::string_view input);
// Settings.
void configuration(std::string_view input);  // a TOML file
void settings(std::string_view input);       // --set, a line each
void sweep(std::string_view input);          // -p, a line each
void scenario(std::string_view input);
// What a machine tells.
void dumpe2fs(std::string_view input);
void mountinfo(std::string_view input);
void image(std::string_view input);        // changes to an image of a file system
void tracepoints(std::string_view input);  // records of the kernel's programs
// Sequences of calls that the bytes choose.
void calls(std::string_view input);  // to a whole prediction
void many_settings(
    std::string_view input);  // ... under several settings at once and singly: the same

}  // namespace fcsim::fuzz
