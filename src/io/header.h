/* The header of a checkpoint, and the size of the file.
 *
 * The file, all numbers little-endian:
 *     0  89 4b 44 52 0d 0a 1a 0a   the magic bytes, which change if a program converts the file as text
 *     8  u32 version, u32 bytes of this header (128)
 *    16  u64 bytes of the whole file
 *    24  u64 count, u32 dims, u32 real (0: f32, 1: f64)
 *    40  f64 t0, f64 dt, u64 step
 *    64  u64 description, u64 memory_key, u64 first_id, u64 seed
 *    96  u64 bytes of the note, u32 set of the arrays that follow, bit n for array n of arrays.c, u32 1 if the memory is carried
 *   112  16 bytes: the version of the library, filled up with 0
 *   128  the arrays in their order, `count` elements each; the note
 *   ...  u64 XXH3 of all bytes before */
#ifndef KDR_IO_HEADER_H
#define KDR_IO_HEADER_H

#include <kickdrift/io.h>

#include "arrays.h"

enum { KDR_HEADER = 128, KDR_CHECKSUM = 8, KDR_CARRIED = 1 };

typedef struct kdr_header {
    uint64_t file_size, count, step, description, memory_key, first_id, seed, note_size;
    double t0, dt;
    uint32_t version, size, dims, real, arrays, flags;
    char library[16];
} kdr_header;

void kdr_header_encode(kdr_header *from, unsigned char bytes[KDR_HEADER]);

/* Decodes the header of a file of `size` bytes at `path`. Fails if it is not a header for such a file. */
kdr_status kdr_header_decode(const unsigned char bytes[KDR_HEADER], const char *path, uint64_t size, kdr_header *to, kdr_error *error);

/* Returns the size in bytes of a file with this header, 0 if such a file cannot exist. */
uint64_t kdr_header_file_size(const kdr_header *h);

/* Returns the header for these particles, without a description. The caller sets file_size when the header is complete. */
kdr_header kdr_header_of(kdr_particles *view, const kdr_clock *clock, size_t note_size);

/* Convert a number of 64 bits to the bytes of the file, and back. */
void kdr_word_encode(uint64_t word, unsigned char bytes[8]);
uint64_t kdr_word_decode(const unsigned char bytes[8]);

/* Allocates one block for arrays of `count` particles, each at a multiple of 64 bytes, and `more` bytes after them (*after). Sets the
 * addresses of the view. `arrays` is the member of kdr_header. Returns NULL if there is no memory. */
void *kdr_header_allocate(kdr_particles *view, uint32_t arrays, size_t count, size_t more, void **after);

#endif
