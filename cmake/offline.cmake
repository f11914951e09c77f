# The offline world: ledger reader, symbols, analysis, report, command line.
include(cmake/dependencies.cmake)
file(GLOB_RECURSE offline_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.cpp ${CMAKE_SOURCE_DIR}/src/ledger/*.cpp
     ${CMAKE_SOURCE_DIR}/src/bytecode/*.cpp ${CMAKE_SOURCE_DIR}/src/symbolize/*.cpp ${CMAKE_SOURCE_DIR}/src/record/*.cpp
     ${CMAKE_SOURCE_DIR}/src/analyze/*.cpp ${CMAKE_SOURCE_DIR}/src/report/*.cpp ${CMAKE_SOURCE_DIR}/src/attach/*.cpp)
add_library(tenure_offline STATIC ${offline_sources})
target_include_directories(tenure_offline PUBLIC ${CMAKE_SOURCE_DIR}/src PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_options(tenure_offline PUBLIC ${sanitize_flags})
target_link_options(tenure_offline PUBLIC ${sanitize_flags})
target_link_libraries(tenure_offline PUBLIC tenure_dependencies)

# Which Tenure it is: `tenure --version`, and run.json of each record.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/version.cpp PROPERTIES COMPILE_DEFINITIONS TENURE_VERSION="${PROJECT_VERSION}")
add_custom_target(tenure_commit BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/commit.inc
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/commit.inc
                          -P ${CMAKE_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(tenure_offline tenure_commit)

# The report page travels inside the program. Without Node.js, or when it is not wanted, its place stays empty.
set(page_shell ${CMAKE_BINARY_DIR}/generated/page_shell.inc)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.ts ${CMAKE_SOURCE_DIR}/web/*.css ${CMAKE_SOURCE_DIR}/web/*.html
     ${CMAKE_SOURCE_DIR}/web/*.js ${CMAKE_SOURCE_DIR}/web/*.json)
list(FILTER page_sources EXCLUDE REGEX "/node_modules/|/dist/")
find_program(TENURE_NPM npm)
find_program(TENURE_NODE node)
set(page_words ${CMAKE_SOURCE_DIR}/web ${CMAKE_BINARY_DIR}/web ${page_shell})
if(NOT TENURE_PAGE OR NOT TENURE_NPM OR NOT TENURE_NODE)
  list(PREPEND page_words --without)
endif()
add_custom_command(
  OUTPUT ${page_shell}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/build_page.py ${page_words}
  DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/tools/build_page.py)
add_custom_target(page_shell DEPENDS ${page_shell})
add_dependencies(tenure_offline page_shell)

file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cpp)
add_executable(tenure_cli ${cli_sources})
set_target_properties(tenure_cli PROPERTIES OUTPUT_NAME tenure)
target_link_libraries(tenure_cli PRIVATE tenure_offline)
if(TARGET tenure)
  add_dependencies(tenure_cli tenure)
endif()
