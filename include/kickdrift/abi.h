/* The layout of the public structs, for bindings from other languages. A binding calls kdr_abi_check with every struct and member that
 * it uses, before any other call. */
#ifndef KICKDRIFT_ABI_H
#define KICKDRIFT_ABI_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A struct or member. Rows have this layout in every version. */
typedef struct kdr_abi_row {
    const char *structure; /* "kdr_particles" */
    const char *member;    /* "memory_key"; nested: "as", "as.spring", "as.spring.k"; "": the struct itself */
    size_t offset;         /* bytes from the beginning of the struct */
    size_t size;           /* bytes */
} kdr_abi_row;

/* Returns the table of this library: every public struct, each followed by its members. Constant. */
KDR_API const kdr_abi_row *kdr_abi(size_t *count);

/* Compares the `count` rows of a binding for `version` ("0.1.0") with the table. Errors: KDR_ERROR_MISMATCH for a row that is missing or
 * differs in offset or size, and for another major version (until 1.0 minor, too). `message` then gets one line of at most `size` bytes,
 * including a final 0. There is no kdr_error, because its layout is in question. */
KDR_API kdr_status kdr_abi_check(const char *version, const kdr_abi_row *rows, size_t count, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
