// symbolize/symbolizer.h: from addresses of native code to functions and source lines.
// World: offline. One owner; not thread-safe. Reads files of this disk only, never the network. Throws nothing.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "symbolize/source_frame.h"

namespace tenure::symbolize {

class Module;

struct Address {
  std::string module;        // path of the file
  std::string build_id_hex;  // empty: not known, then any file at the path is believed
  uint64_t offset = 0;       // address minus load base: the address inside the ELF file
};

class Symbolizer {
 public:
  explicit Symbolizer(std::string debug_root = "/usr/lib/debug");
  ~Symbolizer();

  // Innermost first: inlined functions before the function that contains them. For a return address pass the byte before it.
  // Empty if nothing is known. Without debug information one frame with a name only.
  std::vector<SourceFrame> frames(const Address& call_site);

  // The function that contains the address, not what was inlined into it. Empty if unknown.
  std::string function_name(const Address& address);

  // Sentences worth telling, each once: module missing, build id differs (then no names: wrong ones are worse), no lines.
  const std::vector<std::string>& problems() const { return problems_; }

  // The file behind an address, for those who need more of it. Null if it is missing or another one by now.
  Module* module_of(const Address& address);

 private:
  std::unique_ptr<Module> open(const Address& address);

  std::string debug_root_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Module>>
      modules_;  // by path and build id; null: unusable
  std::vector<std::string> problems_;
};

}  // namespace tenure::symbolize
