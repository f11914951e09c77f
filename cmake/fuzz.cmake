# Fuzz targets: one libFuzzer binary per tests/fuzz/*_fuzz.cpp, the offline world under AddressSanitizer and UBSan.
# Run one for longer with: build/fuzz/bin/ledger_fuzz -max_total_time=600 -max_len=200000
find_package(GTest REQUIRED)
set(fuzz_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
target_compile_options(tenure_offline PUBLIC ${fuzz_flags} PRIVATE -fsanitize=fuzzer-no-link)
target_link_options(tenure_offline PUBLIC ${fuzz_flags})
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  # The builders of the unit tests give the fuzzer something whole to start from.
  target_link_libraries(${name} PRIVATE tenure_offline tenure_inproc GTest::gtest)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
