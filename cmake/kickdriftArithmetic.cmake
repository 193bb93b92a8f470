# The compiler flags that the arithmetic of the contract needs, which follow those of a parent project; and a probe that refuses hostile
# flags that they cannot undo.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# Sets `result` to whether the compiler makes code for x86, of 32 or 64 bits. It is called with the flags of this directory, because -m32
# may be among them.
function(kickdrift_x86 result)
    get_directory_property(options COMPILE_OPTIONS)
    string(MD5 key "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS} ${options}")
    if(NOT DEFINED KICKDRIFT_X86_${key})
        if(NOT TARGET kickdrift_x86_${key})
            add_library(kickdrift_x86_${key} INTERFACE IMPORTED)
            set_property(TARGET kickdrift_x86_${key} PROPERTY INTERFACE_COMPILE_OPTIONS "${options}")
        endif()
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        try_compile(x86 SOURCE_FROM_CONTENT x86.c "#if !defined(__i386__) && !defined(__x86_64__)\n#error\n#endif\nextern int kdr_nothing;\n"
            LINK_LIBRARIES kickdrift_x86_${key} NO_CACHE)
        set(KICKDRIFT_X86_${key} ${x86} CACHE INTERNAL "Whether these flags make code for x86")
    endif()
    set(${result} ${KICKDRIFT_X86_${key}} PARENT_SCOPE)
endfunction()

# Makes a target compute as the contract says, whatever flags its directory has. The target's flags come after those. SHELL: keeps CMake
# from dropping a flag that the directory already has. Most only undo hostile flags. The last ones are the contract's own: each operation is
# rounded once, and functions of libm do not set errno.
# Strict C11 without -fexcess-precision=fast, which g++ does not know, computes float expressions in double on some processors (gcc on
# s390x). -ftrapping-math is the default in gcc but not in clang. In clang it and -fno-unsafe-math-optimizations would fix the order of
# exceptions, so that no loop would be vectorised. clang also warns about flags that override others.
function(kickdrift_arithmetic target scope)
    set(flags "-fno-fast-math -fno-finite-math-only -fsigned-zeros -fno-associative-math -fno-reciprocal-math -fno-rounding-math")
    kickdrift_x86(x86)
    if(x86)
        string(APPEND flags " -msse2 -mfpmath=sse")
    endif()
    set(gcc "${flags} -fno-unsafe-math-optimizations -ftrapping-math -fno-signaling-nans -fno-single-precision-constant")
    get_directory_property(options COMPILE_OPTIONS)
    foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
        string(TOUPPER "${config}" CONFIG)
        string(APPEND options " ${CMAKE_C_FLAGS_${CONFIG}}")
    endforeach()
    if("${CMAKE_C_FLAGS} ${options}" MATCHES "-Ofast" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 10)
        string(APPEND gcc " -fno-allow-store-data-races") # gcc's -Ofast allows data races of stores; clang-tidy does not know the flag
    endif()
    set(overriding -Wno-overriding-t-option)
    if(CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 18)
        set(overriding -Wno-overriding-option)
    endif()
    set(clang "${flags} -fno-trapping-math -fdenormal-fp-math=ieee ${overriding}")
    foreach(language C CXX)
        target_compile_options(${target} ${scope}
            "$<$<COMPILE_LANG_AND_ID:${language},GNU>:SHELL:${gcc}>"
            "$<$<COMPILE_LANG_AND_ID:${language},Clang,AppleClang,IntelLLVM>:SHELL:${clang}>"
            "$<$<AND:$<COMPILE_LANG_AND_ID:${language},Clang>,$<VERSION_GREATER_EQUAL:$<${language}_COMPILER_VERSION>,14>>:SHELL:-fno-approx-func>")
    endforeach()
    target_compile_options(${target} ${scope} "$<$<COMPILE_LANG_AND_ID:C,GNU>:SHELL:-fexcess-precision=fast>" "SHELL:-fno-math-errno -ffp-contract=off")
endfunction()

# Keeps out crtfastmath.o, which would flush subnormal numbers to zero in every process that loads the program or library. A later -O2
# undoes an -Ofast.
function(kickdrift_link target scope)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
        return()
    endif()
    get_directory_property(options LINK_OPTIONS)
    set(flags "-O2 -fno-fast-math -fno-unsafe-math-optimizations")
    if("${CMAKE_C_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS} ${CMAKE_MODULE_LINKER_FLAGS} ${CMAKE_EXE_LINKER_FLAGS} ${options}" MATCHES "-mdaz-ftz")
        string(APPEND flags " -mno-daz-ftz") # gcc knows both since version 13
    endif()
    target_link_options(${target} ${scope} "SHELL:${flags}")
endfunction()

# Compiles the probe as the units are compiled in a directory with `options` and this scope's CMAKE_C_FLAGS, and runs it if this processor
# can. Sets `result` to its complaint, or "". A probe that cannot be built for another reason gives no complaint.
function(kickdrift_probe sources config options result)
    string(TOUPPER "${config}" CONFIG)
    string(MD5 key "${config} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CONFIG}} ${options}")
    if(NOT config)
        set(CMAKE_C_FLAGS_DEBUG "") # try_compile uses the flags of Debug if there is no build type
    endif()
    set(CMAKE_TRY_COMPILE_CONFIGURATION ${config})
    set(CMAKE_C_FLAGS "-O2 ${CMAKE_C_FLAGS}")
    if(NOT TARGET kickdrift_probe_${key})
        add_library(kickdrift_probe_${key} INTERFACE IMPORTED)
        set_property(TARGET kickdrift_probe_${key} PROPERTY INTERFACE_COMPILE_OPTIONS "${options}")
        kickdrift_arithmetic(kickdrift_probe_${key} INTERFACE)
        kickdrift_link(kickdrift_probe_${key} INTERFACE)
        set_property(TARGET kickdrift_probe_${key} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${sources}")
    endif()
    set(arguments SOURCES "${sources}/particles/arithmetic_probe.c" LINK_LIBRARIES kickdrift_probe_${key} m
        NO_CACHE C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    set(said "")
    if(CMAKE_CROSSCOMPILING)
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        try_compile(compiled ${arguments} OUTPUT_VARIABLE said)
    else()
        try_run(status compiled ${arguments} COMPILE_OUTPUT_VARIABLE said RUN_OUTPUT_VARIABLE printed)
        string(APPEND said "${printed}")
    endif()
    set(${result} "" PARENT_SCOPE)
    if(said MATCHES "kickdrift: (expected [^\"\n]*)")
        set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
endfunction()

# Sets `result` to the first of the parent project's flags without which the probe has no complaint; to all of them if no single one is the
# cause.
function(kickdrift_find_flag sources config options result)
    string(TOUPPER "${config}" CONFIG)
    string(REPLACE ";" " " words "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CONFIG}} ${options}")
    string(REPLACE "SHELL:" "" words "${words}")
    string(REGEX REPLACE "  +" " " words "${words}")
    # A flag and its argument count as one word.
    string(REGEX REPLACE "(-Xclang|-mllvm|-include|-isystem|-I|-D) " "\\1\t" words "${words}")
    string(REPLACE " " ";" words "${words}")
    string(REPLACE "\t" " " words "${words}")
    foreach(word IN LISTS words)
        string(REPLACE " " ";" arguments "${word}")
        string(REPLACE ";${arguments};" ";" without ";${options};")
        list(REMOVE_ITEM without "" "SHELL:${word}")
        foreach(variable CMAKE_C_FLAGS CMAKE_C_FLAGS_${CONFIG})
            set(kept_${variable} "${${variable}}")
            string(REPLACE " ${word} " " " ${variable} " ${${variable}} ")
        endforeach()
        kickdrift_probe("${sources}" "${config}" "${without}" complaint)
        foreach(variable CMAKE_C_FLAGS CMAKE_C_FLAGS_${CONFIG})
            set(${variable} "${kept_${variable}}")
        endforeach()
        if(complaint STREQUAL "")
            set(${result} "${word}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    list(JOIN words " " words)
    string(STRIP "${words}" words)
    set(${result} "${words}" PARENT_SCOPE)
endfunction()

# Ends the configure step if this directory's flags change the arithmetic in a way that no later flag undoes. `sources` is the directory of
# the library's sources.
function(kickdrift_check_arithmetic sources)
    get_directory_property(options COMPILE_OPTIONS)
    set(configs ${CMAKE_CONFIGURATION_TYPES})
    if(NOT configs)
        set(configs "${CMAKE_BUILD_TYPE}")
    endif()
    if(NOT configs)
        set(configs none)
    endif()
    foreach(config IN LISTS configs)
        string(REGEX REPLACE "^none$" "" config "${config}")
        string(TOUPPER "${config}" CONFIG)
        string(MD5 key "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CONFIG}} ${options} ${CMAKE_EXE_LINKER_FLAGS} ${config}")
        if(KICKDRIFT_ARITHMETIC_${key})
            continue()
        endif()
        kickdrift_probe("${sources}" "${config}" "${options}" complaint)
        if(complaint)
            kickdrift_find_flag("${sources}" "${config}" "${options}" flag)
            # CMake does not wrap a text that begins with a space.
            message(FATAL_ERROR " Kickdrift cannot keep its bits with this project's flags \"${flag}\": ${complaint}; leave it out, or give it to your own targets alone")
        endif()
        set(KICKDRIFT_ARITHMETIC_${key} ON CACHE INTERNAL "The probe of arithmetic was right with these flags")
    endforeach()
endfunction()

cmake_policy(POP)
