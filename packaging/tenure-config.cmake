# find_package(tenure) of an installed wheel: tenure::tenure, built by the compiler and with the flags of this project. A wheel
# serves every C++ library there is, and an archive would be bound to one of them.
if(NOT TARGET tenure::tenure)
  include(CMakeFindDependencyMacro)
  find_dependency(Threads)
  get_filename_component(tenure_sources ${CMAKE_CURRENT_LIST_DIR}/../../tenure ABSOLUTE)
  file(GLOB tenure_files ${tenure_sources}/src/lib/*.cpp)
  add_library(tenure_cpp STATIC ${tenure_files})
  add_library(tenure::tenure ALIAS tenure_cpp)
  target_include_directories(tenure_cpp SYSTEM PUBLIC ${tenure_sources}/include PRIVATE ${tenure_sources}/src)
  target_compile_features(tenure_cpp PUBLIC cxx_std_20)
  target_link_libraries(tenure_cpp PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(tenure_cpp PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
