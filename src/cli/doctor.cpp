// cli/doctor.cpp: `tenure doctor`: what this machine, this Python and its frameworks allow. Each answer comes from a
// probe that was really run under Tenure, or from what the kernel says; nothing is assumed.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyze/analysis.h"
#include "base/nearest_name.h"
#include "cli/configuration.h"
#include "cli/process_memory.h"
#include "cli/program.h"
#include "cli/settings.h"
#include "cli/verbs.h"
#include "ledger/protocol.h"
#include "record/read.h"
#include "report/bytes.h"
#include "report/sentences.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// Imports what there is, then makes one block whose stack is known.
constexpr char kProbe[] = R"(
import sys
for name in ("numpy", "torch", "tensorflow", "jax"):
    try:
        __import__(name)
    except BaseException as error:
        if not isinstance(error, ImportError):
            sys.stderr.write("probe: importing %s failed: %r\n" % (name, error))
block = bytearray(1 << 20)
)";

void line(bool is_good, const std::string& what, const std::string& how) {
  fmt::print("  {}  {:<16} {}\n", is_good ? "ok" : "--", what, how);
}

// Runs `tenure run` on the command, silently. False: it did not end well.
bool probe(const std::string& folder, const char* record, const std::vector<std::string>& command) {
  pid_t pid = fork();
  if (pid == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    std::vector<std::string> words{own_path(), "run", "-o", folder + "/" + record, "--"};
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> arguments = argument_vector(words);
    unsetenv(ledger::kSocketVariable);
    for (const Setting& setting : kSettings) unsetenv(variable_of(setting).c_str());
    if (chdir(folder.c_str()) != 0) _exit(127);  // where no file of a project asks for anything
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

// As it can be called in another folder.
std::string from_elsewhere(const std::string& program) {
  return program.find('/') == std::string::npos ? program : fs::absolute(program).string();
}

void tell_machine() {
  utsname name{};
  uname(&name);
  fmt::print("machine\n");
  line(true, "kernel", fmt::format("Linux {} {}", name.release, name.machine));
  long memfd = syscall(SYS_memfd_create, "tenure-doctor", 1u);
  line(memfd >= 0, "shared memory",
       memfd >= 0 ? "memfd can be made" : "memfd_create is refused: no ledger can be kept");
  if (memfd >= 0) close(static_cast<int>(memfd));
  std::ifstream overcommit("/proc/sys/vm/overcommit_memory");
  int mode = -1;
  overcommit >> mode;
  line(true, "overcommit",
       mode == 2 ? "strict: memory is refused early" : "relaxed: the OOM killer may come");
  line(true, "memory", fmt::format("{} available now", report::human_bytes(available_memory())));
}

void tell_preload(const std::string& folder) {
  fmt::print("native programs\n");
  std::string truth = find_on_path("true");
  bool good = !truth.empty() && probe(folder, "true", {truth});
  auto record = record::read_record(folder + "/true");
  bool joined = record && !record->ledgers.empty();
  line(good && joined, "preload",
       joined ? "the library gets into programs and reaches the ledger"
              : "the library did not get into /bin/true: is LD_PRELOAD forbidden here?");
}

void tell_fact(const ledger::Reader& ledger, const char* key, const std::string& what) {
  std::string value(ledger.fact(key));
  line(value == "on", what, value.empty() ? "never came up" : value);
}

void tell_frameworks(const analyze::Findings& findings) {
  fmt::print("frameworks\n");
  for (const char* name : {"numpy", "torch", "tensorflow", "jax"}) {
    auto at = findings.program.frameworks.find(name);
    bool is_there = at != findings.program.frameworks.end();
    line(is_there, name,
         is_there ? at->second + ": its blocks are seen at libc level" : "not installed here");
  }
}

// Parts of adapters that the installed version of their framework switched off.
void tell_parts(const analyze::Findings& findings) {
  constexpr std::string_view kPrefix = "adapter.";
  for (const auto& [key, value] : findings.losses) {
    if (key.rfind(kPrefix, 0) == 0)
      line(false, key.substr(kPrefix.size()), report::rendered(value));
  }
}

// True when everything Tenure needs of this Python works.
bool tell_python(const std::string& folder, const std::string& python) {
  fmt::print("Python: {}\n", python);
  bool good = probe(folder, "python", {python, "-c", kProbe});
  auto record = record::read_record(folder + "/python");
  if (!record || record->ledgers.empty()) {
    line(false, "preload", "the library did not get into this interpreter");
    return false;
  }
  analyze::Findings findings = analyze::judge(*record, {});
  const ledger::Reader& ledger = std::prev(record->ledgers.end())->second;
  line(good, "probe", good ? "ran to its end" : "did not end well; run it by hand to see why");
  line(!findings.program.python.empty(), "version",
       findings.program.python.empty() ? "not told" : findings.program.python);
  tell_fact(ledger, "adapters", "adapters");
  tell_fact(ledger, "python_frames", "lines");
  tell_frameworks(findings);
  tell_parts(findings);
  return good && ledger.fact("adapters") == "on" && ledger.fact("python_frames") == "on";
}

// A variable that starts as ours do, and is near to a setting that it does not name.
void tell_mistyped_variables() {
  constexpr std::string_view kBegin = "TENURE_";
  std::vector<std::string> ends;
  for (const Setting& setting : kSettings)
    ends.push_back(variable_of(setting).substr(kBegin.size()));
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (!name.starts_with(kBegin)) continue;
    const std::string meant = nearest_name(name.substr(kBegin.size()), ends);
    if (meant.empty() || name == std::string(kBegin) + meant) continue;
    line(false, name,
         fmt::format("nobody reads this variable; did you mean `{}{}`?", kBegin, meant));
  }
}

// What `tenure run` would be asked here beside its command line, and by whom. False: something of it is wrong.
bool tell_settings() {
  fmt::print("settings of `tenure run` in this folder\n");
  std::error_code unknown;
  Result<Configuration> file = find_configuration(fs::current_path(unknown).string());
  if (!file) {
    line(false, "file", file.error().message);
    return false;
  }
  auto values = effective_settings({}, getenv, file->values);
  if (!values) {
    line(false, "environment", values.error().message);
    return false;
  }
  for (const SettingValue& value : *values)
    line(true, std::string(value.setting->name),
         fmt::format("{:<8} {}", written(value), value.origin));
  tell_mistyped_variables();
  return true;
}

}  // namespace

int doctor(const DoctorOptions& options) {
  std::string pattern = (fs::temp_directory_path() / "tenure-doctor-XXXXXX").string();
  if (!mkdtemp(pattern.data())) {
    fmt::print(stderr, "tenure: cannot make a folder for the probes in {}; set TMPDIR\n",
               fs::temp_directory_path().string());
    return 2;
  }
  tell_machine();
  tell_preload(pattern);
  std::string python = options.python.empty() ? find_on_path("python") : options.python;
  if (python.empty()) python = find_on_path("python3");
  bool good = tell_settings();
  if (python.empty())
    fmt::print("Python: none on PATH; name one with --python\n");
  else
    good &= tell_python(pattern, from_elsewhere(real_interpreter(python)));
  fs::remove_all(pattern);
  return good ? 0 : 1;
}

}  // namespace tenure::cli
