# The cross compiler of the machine TRIPLE, and the libraries that `tools/dev cross` unpacks into build/sysroot/TRIPLE.
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${TRIPLE})
set(CMAKE_C_COMPILER ${TRIPLE}-gcc)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${TRIPLE} ABSOLUTE)
set(CMAKE_LIBRARY_ARCHITECTURE ${TRIPLE})
set(CMAKE_EXE_LINKER_FLAGS_INIT -L${CMAKE_SYSROOT}/usr/lib/${TRIPLE}) # before the C library that the cross compiler may have brought
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${TRIPLE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
