# What another program needs to embed Eddy: the two libraries, their headers, find_package(eddy) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(headers_rewind rewind.h field.h kinds.inl results.inl)
set(headers_audio audio.h sound.h)

# <eddy/rewind/rewind.h> for the user; "rewind/field.h" for the headers among themselves.
set(eddy_include "${CMAKE_INSTALL_INCLUDEDIR}/eddy")
foreach(folder rewind audio)
  set_target_properties(eddy_${folder} PROPERTIES
    EXPORT_NAME ${folder}
    INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR};${eddy_include}>")
  list(TRANSFORM headers_${folder} PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  install(FILES ${headers_${folder}} DESTINATION ${eddy_include}/${folder})
endforeach()

# eddy_flags is named by the link lines of both, so it goes along, without what only a build of Eddy wants.
install(TARGETS eddy_flags EXPORT eddy_build)
install(TARGETS eddy_rewind eddy_audio EXPORT eddy_build ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(eddy_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eddy)
install(EXPORT eddy_build FILE eddyTargets.cmake NAMESPACE eddy:: DESTINATION ${eddy_cmake_dir})
configure_package_config_file(cmake/eddyConfig.cmake.in ${PROJECT_BINARY_DIR}/install/eddyConfig.cmake
  INSTALL_DESTINATION ${eddy_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/eddyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/eddyConfig.cmake ${PROJECT_BINARY_DIR}/install/eddyConfigVersion.cmake
  DESTINATION ${eddy_cmake_dir})

# pkg-config: each library alone, and both. The files find their prefix from where they lie.
set(eddy_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH eddy_prefix /prefix/${eddy_pkgconfig_dir} /prefix)
foreach(file eddy eddy-rewind eddy-audio)
  configure_file(cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/install/${file}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/${file}.pc DESTINATION ${eddy_pkgconfig_dir})
endforeach()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
