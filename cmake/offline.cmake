# The offline world: ledger reader, symbols, analysis, report, command line.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAPSTONE REQUIRED capstone)
file(GLOB_RECURSE offline_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.cpp ${CMAKE_SOURCE_DIR}/src/ledger/*.cpp
     ${CMAKE_SOURCE_DIR}/src/bytecode/*.cpp ${CMAKE_SOURCE_DIR}/src/symbolize/*.cpp ${CMAKE_SOURCE_DIR}/src/record/*.cpp
     ${CMAKE_SOURCE_DIR}/src/analyze/*.cpp ${CMAKE_SOURCE_DIR}/src/report/*.cpp)
add_library(tenure_offline STATIC ${offline_sources})
target_include_directories(tenure_offline PUBLIC ${CMAKE_SOURCE_DIR}/src PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_options(tenure_offline PUBLIC ${sanitize_flags})
target_link_options(tenure_offline PUBLIC ${sanitize_flags})
target_link_libraries(tenure_offline PUBLIC fmt::fmt-header-only nlohmann_json::nlohmann_json dw elf zstd ${CAPSTONE_LIBRARIES})

# Which Tenure it is: `tenure --version`, and run.json of each record.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/version.cpp PROPERTIES COMPILE_DEFINITIONS TENURE_VERSION="${PROJECT_VERSION}")
add_custom_target(tenure_commit BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/commit.inc
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/commit.inc
                          -P ${CMAKE_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(tenure_offline tenure_commit)

file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cpp)
add_executable(tenure_cli ${cli_sources})
set_target_properties(tenure_cli PROPERTIES OUTPUT_NAME tenure)
target_link_libraries(tenure_cli PRIVATE tenure_offline)
if(TARGET tenure)
  add_dependencies(tenure_cli tenure)
endif()
