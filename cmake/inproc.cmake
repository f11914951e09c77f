# The preloaded library. Its sources are also built as a static library for the unit tests.
file(GLOB_RECURSE inproc_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/inproc/*.cpp)
file(GLOB_RECURSE inproc_hook_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/inproc/hooks/*.cpp)
list(REMOVE_ITEM inproc_sources ${inproc_hook_sources})

# The adapters travel inside the library, so that no path has to be found at run time.
file(GLOB adapter_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/tenure/*.py)
set(embedded_header ${CMAKE_BINARY_DIR}/generated/embedded_adapters.inc)
set(compiled_header ${CMAKE_BINARY_DIR}/generated/compiled_adapters.inc)
find_package(Python3 COMPONENTS Interpreter REQUIRED)
add_custom_command(
  OUTPUT ${embedded_header} ${compiled_header}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/embed_adapters.py ${embedded_header} ${compiled_header}
          ${adapter_sources}
  DEPENDS ${adapter_sources} ${CMAKE_SOURCE_DIR}/tools/embed_adapters.py ${CMAKE_SOURCE_DIR}/tools/find_python.py)
add_custom_target(embedded_adapters DEPENDS ${embedded_header} ${compiled_header})

set(inproc_flags -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -ftls-model=initial-exec -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -fno-stack-protector -fno-math-errno)

# The library is optimised as a whole: a birth crosses six files, and the calls between them are a tenth of its cost
# (bench/micro). Fat objects: the unit tests link the same archive as it is.
if(CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT TENURE_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND inproc_flags -flto=auto -ffat-lto-objects)
  elseif(TENURE_STATIC_LIBRARIES)  # the wheel's compiler
    list(APPEND inproc_flags -flto)
  endif()
endif()

# Everything but the hooks themselves: testable without interposing anything.
add_library(tenure_inproc STATIC ${inproc_sources})
target_include_directories(tenure_inproc PUBLIC ${CMAKE_SOURCE_DIR}/src PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_options(tenure_inproc PRIVATE ${inproc_flags} ${sanitize_flags})
add_dependencies(tenure_inproc embedded_adapters)

# What is preloaded links nothing but libc. Under a sanitizer the unit tests drive the same sources as a plain library.
if(TENURE_SANITIZE)
  return()
endif()

add_library(tenure SHARED ${inproc_hook_sources})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # g++ reads it from a pragma in these files
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/inproc/hooks/libc_heap.cpp ${CMAKE_SOURCE_DIR}/src/inproc/hooks/libc_loader.cpp
                              PROPERTIES COMPILE_OPTIONS -fomit-frame-pointer)
endif()
target_include_directories(tenure PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(tenure PRIVATE ${inproc_flags})
target_link_libraries(tenure PRIVATE -Wl,--whole-archive tenure_inproc -Wl,--no-whole-archive)
set(export_map ${CMAKE_SOURCE_DIR}/src/inproc/exports.map)
target_link_options(tenure PRIVATE -nodefaultlibs -Wl,--version-script=${export_map} -Wl,-z,now -Wl,-z,defs)
# Symbolic: where we name a hooked function we mean our own, also in a program that defines one itself.
if(TENURE_STATIC_LIBRARIES)  # its linker has no better words for it; exports.map hides the rest
  target_link_options(tenure PRIVATE -flto -Wl,-Bsymbolic)
else()
  target_link_options(tenure PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions)
endif()
target_link_libraries(tenure PRIVATE c gcc)
set_target_properties(tenure PROPERTIES LINK_DEPENDS ${export_map})
