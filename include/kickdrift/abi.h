/* The layout of the public structs, for bindings from other languages.
 *
 * A binding writes the structs down once more, and nothing but a look at run time tells it that it has them from another library. Give
 * kdr_abi_check every struct and member that the binding knows, before any other call. */
#ifndef KICKDRIFT_ABI_H
#define KICKDRIFT_ABI_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two pointers and two sizes, in every version. */
typedef struct kdr_abi_row {
    const char *structure; /* "kdr_particles" */
    const char *member;    /* "memory_key"; of unions and structs in it, too: "as", "as.spring", "as.spring.k"; "": the struct itself */
    size_t offset;         /* bytes from the beginning of the struct */
    size_t size;           /* bytes */
} kdr_abi_row;

/* The table of this library: every struct of the public headers, each followed by all its members. Constant. */
KDR_API const kdr_abi_row *kdr_abi(size_t *count);

/* Holds the `count` rows of a binding that was written for `version` ("0.1.0") against the table. KDR_ERROR_MISMATCH at the first that is
 * not in it, or has another offset or size, and for another major version, or until 1.0 another minor one; `message` then says which, in
 * one line of at most `size` bytes with the 0 that ends it. No kdr_error: its layout is in question too. Structs that are not in `rows`
 * are not looked at; a member that is not, is noticed when its struct has another size. */
KDR_API kdr_status kdr_abi_check(const char *version, const kdr_abi_row *rows, size_t count, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
