# 32-bit x86. Processors of x86-64 run its programs.
set(TRIPLE i686-linux-gnu)
set(MULTIARCH i386-linux-gnu)
set(EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${TRIPLE}/lib/ld-linux.so.2
    --library-path ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${TRIPLE}/usr/lib/${MULTIARCH})
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
