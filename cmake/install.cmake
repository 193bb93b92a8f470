# cmake --install: headers, the libraries, the package for find_package and the one for pkg-config; both may be moved with their prefix.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kickdrift)
install(TARGETS kickdrift kickdrift_static kickdrift_io kickdrift_io_static EXPORT kickdriftTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/kickdrift DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT kickdriftTargets NAMESPACE kickdrift:: DESTINATION ${package_dir})
# For kickdrift_add_field: the kernels' bodies.
set(KICKDRIFT_FIELD_SOURCES ${CMAKE_INSTALL_DATADIR}/kickdrift/field)
foreach(dir force kernel method program custom)
    install(DIRECTORY src/${dir} DESTINATION ${KICKDRIFT_FIELD_SOURCES} FILES_MATCHING PATTERN "*.h" PATTERN "*.inl" PATTERN "unit.c")
endforeach()
install(FILES src/custom/field.c src/custom/reference.c DESTINATION ${KICKDRIFT_FIELD_SOURCES}/custom)
set(KICKDRIFT_FIELD_FLAGS)
foreach(isa IN LISTS KICKDRIFT_FIELD_ISAS)
    string(TOUPPER ${isa} ISA)
    string(APPEND KICKDRIFT_FIELD_FLAGS "set_property(GLOBAL PROPERTY KICKDRIFT_FIELD_FLAGS_${isa} ${KICKDRIFT_FLAGS_${ISA}})\n")
endforeach()
configure_package_config_file(cmake/kickdriftConfig.cmake.in ${PROJECT_BINARY_DIR}/kickdriftConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR KICKDRIFT_FIELD_SOURCES)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kickdriftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kickdriftConfig.cmake ${PROJECT_BINARY_DIR}/kickdriftConfigVersion.cmake cmake/kickdriftFields.cmake
    DESTINATION ${package_dir})

# The Python module, and beside it the way to the library.
set(python_dir ${CMAKE_INSTALL_FULL_DATADIR}/kickdrift/python/kickdrift)
install(DIRECTORY tools/clients/python/kickdrift DESTINATION ${CMAKE_INSTALL_DATADIR}/kickdrift/python FILES_MATCHING PATTERN "*.py")
file(RELATIVE_PATH python_libdir ${python_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/python-library CONTENT "${python_libdir}/$<TARGET_SONAME_FILE_NAME:kickdrift>\n")
install(FILES ${PROJECT_BINARY_DIR}/python-library DESTINATION ${CMAKE_INSTALL_DATADIR}/kickdrift/python/kickdrift RENAME library)

# Relative to the .pc file itself, or absolute where the directory was given so.
file(RELATIVE_PATH KICKDRIFT_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" KICKDRIFT_PC_PREFIX "${KICKDRIFT_PC_PREFIX}")
set(KICKDRIFT_PC_PREFIX "\${pcfiledir}/${KICKDRIFT_PC_PREFIX}")
foreach(dir LIBDIR INCLUDEDIR)
    set(KICKDRIFT_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(KICKDRIFT_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
set(KICKDRIFT_PC_LIBS_PRIVATE -lm)
foreach(library IN LISTS OpenMP_C_LIB_NAMES)
    string(APPEND KICKDRIFT_PC_LIBS_PRIVATE " -l${library}")
endforeach()
foreach(package kickdrift kickdrift-io)
    configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/kickdrift.pc ${PROJECT_BINARY_DIR}/kickdrift-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
