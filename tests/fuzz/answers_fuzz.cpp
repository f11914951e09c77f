// tests/fuzz/answers_fuzz.cpp: any text as what a record keeps of native names and of sources: read, and written again.
// World: fuzzing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "record/sources_json.h"
#include "record/symbols_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenure::record;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (auto symbols = parse_symbols_json(text)) {
    if (!parse_symbols_json(symbols_json(*symbols))) std::abort();
  }
  if (auto sources = parse_sources_json(text)) {
    if (!parse_sources_json(sources_json(*sources))) std::abort();
  }
  return 0;
}
