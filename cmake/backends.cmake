# Decides which instruction sets are built. For each it sets KICKDRIFT_BUILD_<ISA> (a Boolean) and KICKDRIFT_WHY_<ISA> (for the summary).
include(CheckCSourceCompiles)

# kickdrift_isa(name family flags probe): adds an instruction set. family: the macro of its processor family; flags: the compiler's flags;
# probe: a source that the compiler (and SIMDe) must accept. Its operations are in src/kernel/isa/<name>.h.
set(KICKDRIFT_ISAS)
function(kickdrift_isa name family flags probe)
    string(TOUPPER ${name} isa)
    set(KICKDRIFT_ISAS ${KICKDRIFT_ISAS} ${name} PARENT_SCOPE)
    set(KICKDRIFT_FAMILY_${isa} ${family} PARENT_SCOPE)
    set(KICKDRIFT_FLAGS_${isa} "${flags}" PARENT_SCOPE)
    set(probe_${isa} "${probe}" PARENT_SCOPE)
    set(KICKDRIFT_${isa} AUTO CACHE STRING "Build the kernels for ${isa}: AUTO (when they can be had), ON (or fail), OFF")
    set_property(CACHE KICKDRIFT_${isa} PROPERTY STRINGS AUTO ON OFF)
endfunction()

kickdrift_isa(sse2 __x86_64__ "" "#include <simde/x86/sse2.h>
int main(void) { return (int)simde_mm_cvtsd_f64(simde_mm_set1_pd(0)); }")
kickdrift_isa(avx2 __x86_64__ "-mavx2;-mfma" "#include <simde/x86/fma.h>
#ifndef __FMA__
#error
#endif
int main(void) { simde__m256d a = simde_mm256_setzero_pd(); return (int)simde_mm256_cvtsd_f64(simde_mm256_fmadd_pd(a, a, a)); }")
kickdrift_isa(avx512 __x86_64__ "-mavx512f;-mavx512dq;-mavx2;-mfma" "#include <simde/x86/avx512.h>
#ifndef __AVX512DQ__
#error
#endif
int main(void) { simde__m512d a = simde_mm512_setzero_pd(); double r[8]; simde_mm512_storeu_pd(r, simde_mm512_fmadd_pd(a, a, a)); return (int)r[0]; }")
kickdrift_isa(neon __aarch64__ "" "#include <simde/x86/sse2.h>
#include <arm_neon.h>
int main(void) { float64x2_t a = vdupq_n_f64(0); return (int)vgetq_lane_f64(vfmaq_f64(a, a, a), 0); }")
kickdrift_isa(simd128 __wasm__ "-msimd128" "#include <wasm_simd128.h>
int main(void) { return wasm_i32x4_extract_lane(wasm_f32x4_splat(0), 0); }")
kickdrift_isa(relaxed __wasm__ "-msimd128;-mrelaxed-simd" "#include <wasm_simd128.h>
int main(void) { v128_t a = wasm_f32x4_splat(0); return wasm_i32x4_extract_lane(wasm_f32x4_relaxed_madd(a, a, a), 0); }")

# On Windows the stack is aligned to 16 bytes, but gcc moves wider vectors as if the stack were aligned to their width (gcc.gnu.org/PR54412;
# fixed in Debian's gcc). With this option the assembler makes all of them unaligned moves.
if(MINGW)
    set(CMAKE_REQUIRED_FLAGS -Wa,-muse-unaligned-vector-move)
    check_c_source_compiles("int main(void) { return 0; }" KICKDRIFT_UNALIGNED_MOVES)
    unset(CMAKE_REQUIRED_FLAGS)
    if(KICKDRIFT_UNALIGNED_MOVES)
        list(APPEND KICKDRIFT_FLAGS_AVX2 -Wa,-muse-unaligned-vector-move)
        list(APPEND KICKDRIFT_FLAGS_AVX512 -Wa,-muse-unaligned-vector-move)
    endif()
endif()

set(missed)
foreach(isa IN LISTS KICKDRIFT_ISAS)
    string(TOUPPER ${isa} isa)
    set(wanted "${KICKDRIFT_${isa}}")
    set(KICKDRIFT_BUILD_${isa} OFF)
    if(NOT wanted MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "KICKDRIFT_${isa} is ${wanted}, expected AUTO, ON or OFF")
    elseif(wanted STREQUAL OFF)
        set(KICKDRIFT_WHY_${isa} "switched off")
        continue()
    endif()

    # The compiler is asked, not CMAKE_SYSTEM_PROCESSOR, which names the kernel's family even with -m32 or a cross compiler.
    string(TOUPPER "KICKDRIFT_IS${KICKDRIFT_FAMILY_${isa}}" family)
    check_c_source_compiles("#ifndef ${KICKDRIFT_FAMILY_${isa}}
#error
#endif
int main(void) { return 0; }" ${family})
    if(NOT ${family})
        set(KICKDRIFT_WHY_${isa} "not this processor family")
    elseif(NOT KICKDRIFT_SIMDE_INCLUDE_DIR AND "${probe_${isa}}" MATCHES "simde/")
        set(KICKDRIFT_WHY_${isa} "SIMDe not found (Debian: libsimde-dev)")
        list(APPEND missed ${isa})
    else()
        list(JOIN KICKDRIFT_FLAGS_${isa} " " CMAKE_REQUIRED_FLAGS)
        set(CMAKE_REQUIRED_INCLUDES)
        if(KICKDRIFT_SIMDE_INCLUDE_DIR)
            set(CMAKE_REQUIRED_INCLUDES ${KICKDRIFT_SIMDE_INCLUDE_DIR})
        endif()
        check_c_source_compiles("${probe_${isa}}" KICKDRIFT_COMPILES_${isa})
        unset(CMAKE_REQUIRED_FLAGS)
        unset(CMAKE_REQUIRED_INCLUDES)
        if(KICKDRIFT_COMPILES_${isa})
            set(KICKDRIFT_BUILD_${isa} ON)
            list(JOIN KICKDRIFT_FLAGS_${isa} " " KICKDRIFT_WHY_${isa})
        else()
            set(KICKDRIFT_WHY_${isa} "the compiler does not compile the probe")
        endif()
    endif()
    if(wanted STREQUAL ON AND NOT KICKDRIFT_BUILD_${isa})
        message(FATAL_ERROR "KICKDRIFT_${isa}=ON cannot be had: ${KICKDRIFT_WHY_${isa}}")
    endif()
endforeach()
if(missed)
    list(JOIN missed ", " missed)
    message(WARNING "Kickdrift has no kernels for ${missed}, and the scalar ones are several times slower: SIMDe was not found (Debian: "
        "libsimde-dev). KICKDRIFT_SIMDE_INCLUDE_DIR names its directory; an instruction set that is OFF is not missed.")
endif()
