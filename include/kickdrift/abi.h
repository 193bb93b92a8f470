/* The layout of the public structs, for bindings from other languages. A binding calls kdr_abi_check with every struct and member that it
 * uses, before any other call. */
#ifndef KICKDRIFT_ABI_H
#define KICKDRIFT_ABI_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a struct or member. This struct has the same layout in every version of the library. */
typedef struct kdr_abi_row {
    const char *structure; /* "kdr_particles" */
    const char *member;    /* "memory_key"; nested: "as.spring.k"; "" for the struct itself */
    size_t offset;         /* bytes from the beginning of the struct */
    size_t size;
} kdr_abi_row;

/* Returns the constant table of *count rows: each public struct is followed by its members. */
KDR_API const kdr_abi_row *kdr_abi(size_t *count);

/* Compares a binding for library version `version` ("0.1.0") with the table. In place of a kdr_error, `message` receives one line of at
 * most `size` bytes, including a final 0. Errors: KDR_ERROR_MISMATCH for a row that is missing or differs in offset or size, and for
 * another major version (before 1.0 minor, too). */
KDR_API kdr_status kdr_abi_check(const char *version, const kdr_abi_row *rows, size_t count, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
