# The C++ library, tenure::tenure: for programs that own their memory. It depends on nothing but the C++ run-time, and
# works with and without `tenure run`. Named tenure_cpp on disk: libtenure.so is what `tenure run` preloads.
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
set_target_properties(tenure_cpp PROPERTIES EXPORT_NAME tenure POSITION_INDEPENDENT_CODE ON
                      SOVERSION ${PROJECT_VERSION_MAJOR})

# cmake --install build --component cpp --prefix DIR: headers, the library, and what CMake and pkg-config find it by.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenure)
install(TARGETS tenure_cpp EXPORT tenure COMPONENT cpp)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tenure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cpp)
install(EXPORT tenure NAMESPACE tenure:: FILE tenure-targets.cmake DESTINATION ${package_folder} COMPONENT cpp)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/tenure-config.cmake.in ${CMAKE_BINARY_DIR}/tenure-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tenure-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tenure-config.cmake ${CMAKE_BINARY_DIR}/tenure-config-version.cmake
        DESTINATION ${package_folder} COMPONENT cpp)
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/tenure.pc.in ${CMAKE_BINARY_DIR}/tenure.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenure.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT cpp)
