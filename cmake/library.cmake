# The C++ library, tenure::tenure: for programs that own their memory. It depends on nothing but the C++ run-time, and works
# with and without `tenure run`. Named tenure_cpp on disk: libtenure.so is what `tenure run` preloads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
file(GLOB library_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/lib/*.cpp)
add_library(tenure_cpp ${library_sources})  # static, unless BUILD_SHARED_LIBS says otherwise
add_library(tenure::tenure ALIAS tenure_cpp)
target_include_directories(tenure_cpp PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_features(tenure_cpp PUBLIC cxx_std_20)
find_package(Threads REQUIRED)
target_link_libraries(tenure_cpp PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
target_compile_options(tenure_cpp PRIVATE ${sanitize_flags})
target_link_options(tenure_cpp PUBLIC $<BUILD_INTERFACE:${sanitize_flags}>)
set_target_properties(tenure_cpp PROPERTIES EXPORT_NAME tenure POSITION_INDEPENDENT_CODE ON SOVERSION ${PROJECT_VERSION_MAJOR})
