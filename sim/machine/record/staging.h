// Where a bundle is written until it is complete.
#pragma once

#include <sys/types.h>

#include <string>

namespace fcsim::machine::record {

// The bundle's own folder, unless that lies on the file system that is recorded: what is written
// there would be counted, too. Then a folder on another file system, from which the files are moved
// at the end. A recording that is killed leaves its files in the one or the other.
class Staging {
 public:
  // Makes the folder `bundle`. `recorded`: the recorded file system's device number. `temporary`:
  // the folder for temporary files, "": /tmp. Throws InputError where the bundle cannot be made, or
  // holds something and `replace` is not set, or holds what is not a bundle's.
  Staging(std::string bundle, bool replace, dev_t recorded, const std::string& temporary);
  // Removes what is not a bundle yet.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& file) const { return folder_ + "/" + file; }
  // No other file system was found: the trace is written to the one that is recorded.
  [[nodiscard]] bool disturbs() const { return disturbs_; }

  // From here on the files are worth keeping, whatever happens.
  void keep() { keep_ = true; }
  // Moves the files to the bundle, in place of an older bundle's. Throws InputError; they stay
  // where they are then.
  void finish();

 private:
  void choose_folder(dev_t recorded, const std::string& temporary);

  std::string bundle_;
  std::string folder_;
  bool made_bundle_ = false;  // it did not exist
  bool disturbs_ = false;
  bool keep_ = false;
};

}  // namespace fcsim::machine::record
