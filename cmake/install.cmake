# `make install PREFIX=DIR` and `make deb`: the program and its library keep their places to each other in a folder of their own,
# with a link on the path. The C++ library is installed by cmake/library.cmake.
set(own_folder ${CMAKE_INSTALL_LIBDIR}/tenure)
install(TARGETS tenure_cli RUNTIME DESTINATION ${own_folder}/bin COMPONENT tool)
install(TARGETS tenure LIBRARY DESTINATION ${own_folder}/lib COMPONENT tool)
# What the program starts for `export --parquet` and `sql`.
install(FILES ${CMAKE_SOURCE_DIR}/python/tenure/__init__.py DESTINATION ${own_folder}/python/tenure COMPONENT tool)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/tenure/fleet DESTINATION ${own_folder}/python/tenure COMPONENT tool
        FILES_MATCHING PATTERN "*.py" PATTERN "*.sql" PATTERN "__pycache__" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/tenure RENAME copyright COMPONENT tool)
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  file(MAKE_DIRECTORY \"\${prefix}/bin\")
  file(CREATE_LINK ../${own_folder}/bin/tenure \"\${prefix}/bin/tenure\" SYMBOLIC)
  set(zsh_folder site-functions)
  if(\"\${CMAKE_INSTALL_PREFIX}\" STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)  # where Debian's zsh looks below /usr
  endif()
  set(forms man bash zsh fish)
  set(places man/man1/tenure.1 bash-completion/completions/tenure zsh/\${zsh_folder}/_tenure fish/vendor_completions.d/tenure.fish)
  foreach(form place IN ZIP_LISTS forms places)
    set(file \"\${prefix}/share/\${place}\")
    get_filename_component(folder \"\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:tenure_cli>\" --print-for \${form} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
" COMPONENT tool)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenure)
set(CPACK_PACKAGE_CONTACT "The Tenure developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Says which line makes the memory that grows, who holds it, and the fix")
set(CPACK_PACKAGE_DESCRIPTION "Tenure runs a program and tells from its memory which line makes what grows,
 how much per step, who holds it, and whether it is a leak at all: Python with
 NumPy, PyTorch, JAX or TensorFlow, and native C++.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool cpp)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_SOURCE_DIR}/dist)
include(CPack)
