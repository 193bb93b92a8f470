/* The header of a checkpoint's file: what it says, and how long the file is.
 *
 * The file, all numbers little-endian:
 *     0  89 4b 44 52 0d 0a 1a 0a   it is a checkpoint, and no program has taken it for text
 *     8  u32 version, u32 bytes of this header (128)
 *    16  u64 bytes of the whole file
 *    24  u64 count, u32 dims, u32 real (0: f32, 1: f64)
 *    40  f64 t0, f64 dt, u64 step
 *    64  u64 description, u64 memory_key, u64 first_id, u64 seed
 *    96  u64 bytes of the note, u32 the arrays that follow, bit n for array n of arrays.c, u32 1 where memory and compensation are carried
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

/* Refuses what is no header of a file of `size` bytes at `path`. */
kdr_status kdr_header_decode(const unsigned char bytes[KDR_HEADER], const char *path, uint64_t size, kdr_header *to, kdr_error *error);

/* The bytes of a file with such a header; 0 when there can be none. */
uint64_t kdr_header_file_size(const kdr_header *h);

/* The header of a file of such particles, without a description; file_size is set when the rest is. */
kdr_header kdr_header_of(kdr_particles *view, const kdr_clock *clock, size_t note_size);

/* A number of 64 bits as the file has it, and back. */
void kdr_word_encode(uint64_t word, unsigned char bytes[8]);
uint64_t kdr_word_decode(const unsigned char bytes[8]);

/* One block for arrays of `count` particles, each at a multiple of 64 bytes, and `more` bytes behind them, NULL without memory; the view's
 * addresses are set. `arrays` are those of a header. */
void *kdr_header_allocate(kdr_particles *view, uint32_t arrays, size_t count, size_t more, void **behind);

#endif
