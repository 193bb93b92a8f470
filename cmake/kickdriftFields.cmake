include("${CMAKE_CURRENT_LIST_DIR}/kickdriftArithmetic.cmake")

# Sets `result` to the definitions that src/kernel/unit.c needs for an instruction set, a precision and an arithmetic, the latter two in the
# form f32_fused.
function(kickdrift_unit_definitions isa real_arith result)
    string(TOUPPER ${real_arith} names)
    string(REPLACE "_" ";KDR_UNIT_" names ${names})
    set(${result} KDR_UNIT_ISA="isa/${isa}.h" KDR_UNIT_NAME=${isa}_${real_arith} KDR_UNIT_${names} PARENT_SCOPE)
endfunction()

# Sets `result` to the instruction set whose unit `isa` uses: its own, or scalar, if its vectors would only collect what kdr_fma returns for
# each lane.
function(kickdrift_unit_isa isa real_arith result)
    set(${result} ${isa} PARENT_SCOPE)
    if(isa MATCHES "^(sse2|simd128)$" AND real_arith STREQUAL f64_fused)
        set(${result} scalar PARENT_SCOPE)
    endif()
endfunction()

# Sets `result` to the definition KDR_BACKENDS, from which the tables of units are made: BACKEND(AVX2, avx2, avx2) for each instruction set
# that is built. The last argument is the one whose units of fused doubles it uses.
function(kickdrift_backend_definitions result)
    set(rows "")
    foreach(isa IN LISTS ARGN)
        string(TOUPPER ${isa} ISA)
        kickdrift_unit_isa(${isa} f64_fused doubles)
        string(APPEND rows "BACKEND(${ISA},${isa},${doubles})")
    endforeach()
    set(${result} "KDR_BACKENDS=${rows}" PARENT_SCOPE)
endfunction()

# Sets the optimisation of scalar and vector kernels and of the reference, for any build type: without it they are some 15 times slower, and
# a parent project may set no build type at all. An empty KICKDRIFT_KERNEL_FLAGS leaves it to the build type.
# Kernels use -O2, not -O3: they say themselves which loops to unroll, and gcc's -O3 splits their loops over chunks and steps (rk4, avx512:
# 0.64 of the fma peak instead of 0.92).
# clang threads jumps through the loop over a method's stages before it unrolls the loop, which then fails (rk4 in a uniform field, avx2:
# 0.05 of gcc's speed). It also splits functions before it inlines them, and then unrolls their loops too late for arrays to become
# registers (velocity Verlet about a centre: 0.25). -enable-module-inliner, which clang has since 14, inlines first.
# Scalar code is what the other backends are compared with: one particle at a time, without the vectoriser.
function(kickdrift_optimisation scalar vector)
    set(optimised -O2)
    if(DEFINED KICKDRIFT_KERNEL_FLAGS)
        set(optimised ${KICKDRIFT_KERNEL_FLAGS})
    endif()
    set(${vector} ${optimised} PARENT_SCOPE)
    if(CMAKE_C_COMPILER_ID MATCHES Clang)
        set(${scalar} ${optimised} -fno-vectorize -fno-slp-vectorize PARENT_SCOPE)
        list(APPEND optimised "SHELL:-mllvm -jump-threading-threshold=0")
        if(CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
            list(APPEND optimised "SHELL:-mllvm -enable-module-inliner")
        endif()
        set(${vector} ${optimised} PARENT_SCOPE)
    else()
        set(${scalar} ${optimised} -fno-tree-vectorize -fno-tree-slp-vectorize PARENT_SCOPE)
    endif()
endfunction()

# Adds one object of a field. It uses variables of kickdrift_add_field, which calls it.
function(kickdrift_field_unit name source)
    add_library(${target}_${name} OBJECT "${SOURCES}/${source}")
    target_compile_definitions(${target}_${name} PRIVATE "KDR_FIELD_FILE=\"${file}\"")
    target_compile_options(${target}_${name} PRIVATE ${ARGN})
    kickdrift_arithmetic(${target}_${name} PRIVATE)
    target_include_directories(${target}_${name} PRIVATE "${INCLUDES}")
    if(SIMDE)
        target_include_directories(${target}_${name} SYSTEM PRIVATE "${SIMDE}")
    endif()
    set_target_properties(${target}_${name} PROPERTIES
        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    if(NOT name MATCHES "^(scalar_f32|reference|table)") # these are enough for tools that read compile_commands.json
        set_target_properties(${target}_${name} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
    endif()
    set(objects ${objects} $<TARGET_OBJECTS:${target}_${name}> PARENT_SCOPE)
endfunction()

# kickdrift_add_field(target file.c [BACKENDS scalar avx2 ...]): makes a static library of the field in file.c (see
# <kickdrift/custom_field.h>).
# It contains an operation and specialised kernels of every backend that the library has, or of the named ones, and a reference. It also
# adds the target <target>_plugin, a module for `kickdrift verify --field`, which is built only on request. Link a program with the target
# and with kickdrift::kickdrift or kickdrift::static. The four backends of x86-64 take one core some ten seconds.
function(kickdrift_add_field target file)
    cmake_parse_arguments(PARSE_ARGV 2 field "" "" BACKENDS)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT C IN_LIST languages)
        message(FATAL_ERROR "kickdrift_add_field(${target}): a field is written in C, and the project has not enabled it: enable_language(C)")
    endif()
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "kickdrift_add_field(${target}): no file ${file}")
    endif()
    foreach(what ISAS SOURCES INCLUDES SIMDE)
        get_property(${what} GLOBAL PROPERTY KICKDRIFT_FIELD_${what})
    endforeach()
    kickdrift_check_arithmetic("${SOURCES}")
    if(field_BACKENDS)
        foreach(isa IN LISTS field_BACKENDS)
            if(NOT isa IN_LIST ISAS)
                message(FATAL_ERROR "kickdrift_add_field(${target}): the library has the backends ${ISAS}, and not ${isa}")
            endif()
        endforeach()
        set(ISAS scalar ${field_BACKENDS})
        list(REMOVE_DUPLICATES ISAS)
    endif()

    kickdrift_optimisation(scalar_flags vector_flags)
    set(objects)
    set(have)
    foreach(real f32 f64)
        foreach(arithmetic fused unfused)
            foreach(isa IN LISTS ISAS)
                kickdrift_unit_isa(${isa} ${real}_${arithmetic} unit_isa)
                if(isa STREQUAL scalar)
                    set(flags ${scalar_flags})
                elseif(NOT unit_isa STREQUAL isa)
                    continue()
                else()
                    get_property(flags GLOBAL PROPERTY KICKDRIFT_FIELD_FLAGS_${isa})
                    set(flags ${vector_flags} ${flags})
                endif()
                kickdrift_field_unit(${isa}_${real}_${arithmetic} kernel/unit.c ${flags})
                kickdrift_unit_definitions(${isa} ${real}_${arithmetic} unit_definitions)
                target_compile_definitions(${target}_${isa}_${real}_${arithmetic} PRIVATE
                    ${unit_definitions} KDR_BODY="custom.inl" KDR_TABLE=kdr_custom_)
            endforeach()
            string(TOUPPER "KDR_UNIT_${real};KDR_UNIT_${arithmetic}" units)
            kickdrift_field_unit(reference_${real}_${arithmetic} custom/reference.c ${scalar_flags})
            target_compile_definitions(${target}_reference_${real}_${arithmetic} PRIVATE ${units})
        endforeach()
    endforeach()
    kickdrift_field_unit(table custom/field.c ${scalar_flags})
    kickdrift_backend_definitions(backends ${ISAS})
    target_compile_definitions(${target}_table PRIVATE "${backends}")

    add_library(${target} STATIC ${objects})
    add_library(${target}_plugin MODULE EXCLUDE_FROM_ALL ${objects})
    set_target_properties(${target} ${target}_plugin PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(${target} PUBLIC m)
    target_link_libraries(${target}_plugin PRIVATE m)
    kickdrift_link(${target}_plugin PRIVATE)
endfunction()
