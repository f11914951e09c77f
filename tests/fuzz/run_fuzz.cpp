// tests/fuzz/run_fuzz.cpp: any text as the list of a record's processes (run.json): read, judged and told.
// World: fuzzing. The mutator keeps it JSON and changes one value, so that it gets past the parser.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "analyze/analysis.h"
#include "record/read.h"
#include "report/json.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace tenure;
using nlohmann::json;

struct Folder {
  std::string path = std::filesystem::temp_directory_path() / "tenure-fuzz-XXXXXX";
  Folder() {
    if (!mkdtemp(path.data())) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

json whole() {
  return json::parse(
      R"({"schema": "tenure-run/2", "arguments": ["python", "train.py"], "directory": "/",
    "main_pid": 7, "main_started": 9, "has_ended": true, "exit_code": 1, "signal": 0, "seconds": 1.5,
    "resident_peak": 100, "oom_kills": 0, "available_at_end": 5, "was_interrupted": false, "not_seen": "",
    "troubles": ["none"], "moments": [[0.1, 5, 6], [0.2, 6, 7]], "processes": [{"pid": 7, "ledger":
    "ledger.7", "live": 3, "snapshots": ["snapshot.7.1"], "resident": {"total": 9, "anonymous": 4}}]})");
}

// One of the values in `at` or below it.
json& some_value(json& at, std::mt19937_64& dice) {
  if (!at.is_structured() || at.empty() || dice() % 4 == 0) return at;
  auto item = at.begin();
  std::advance(item, static_cast<long>(dice() % at.size()));
  return some_value(*item, dice);
}

json odd_value(std::mt19937_64& dice) {
  static const json kOdd[] = {nullptr,
                              true,
                              -1,
                              0,
                              1e308,
                              UINT64_MAX,
                              INT64_MIN,
                              "",
                              "/etc",
                              json::array(),
                              json::object(),
                              std::string(5000, 'x'),
                              "\xff",
                              json::array({1})};
  return kOdd[dice() % std::size(kOdd)];
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::mt19937_64 dice(seed);
  if (dice() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  json run = json::parse(data, data + size, nullptr, false);
  if (!run.is_object() || dice() % 16 == 0) run = whole();
  some_value(run, dice) = odd_value(dice);
  const std::string text = run.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  std::ofstream(folder.path + "/run.json")
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  auto record = record::read_record(folder.path);
  if (record) report::findings_json(analyze::judge(*record, {}));
  return 0;
}
