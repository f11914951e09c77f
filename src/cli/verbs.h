// cli/verbs.h: the verbs of the command line; each returns the exit code.
// World: offline. One file per verb.
#pragma once
#include <string>
#include <vector>

namespace tenure::cli {

struct RunOptions {
  std::vector<std::string> program;
  std::string directory;
  std::string json;
  std::string steps = "auto";
  bool is_quiet = false;
  bool is_observing = false;
  bool is_guarding = false;
  bool keeps_source = true;
  bool counts_small_arrays = false;
};
int run(const RunOptions& options);

struct ShowOptions {
  std::string directory;
  std::string json;
  std::string figures;
  std::string steps;  // empty: as the run was asked
  bool has_sites = false;
  bool has_loops = false;
  bool has_holders = false;
  bool has_scopes = false;
  std::string path;  // of this block
  bool has_why = false;
  std::string why;  // only of this line, FILE:LINE; empty: of every line
  bool is_now = false;
};
int show(const ShowOptions& options);

struct DoctorOptions {
  std::string python;
};
int doctor(const DoctorOptions& options);

}  // namespace tenure::cli
