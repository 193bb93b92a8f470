# CMake knows this system from version 3.31 on. There are no shared libraries.
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS FALSE)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_SYSTEM_PREFIX_PATH /)
