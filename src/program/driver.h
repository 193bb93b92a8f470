/* The driver's parts: tiles are placed, loaded, stepped and stored. */
#ifndef KDR_PROGRAM_DRIVER_H
#define KDR_PROGRAM_DRIVER_H

#include "program.h"

/* Returns the specialised kernel that makes the steps of a run. For a single step from memory without walls, the program is faster. */
static inline const kdr_hot *kdr_stepper_of(const kdr_job *job) {
    const kdr_program *const p = job->program;
    return p->walls < 0 && job->steps == 1 ? NULL : p->stepper;
}

/* Returns the number of steps until tiny values must be set to 0, at most `left`. */
static inline uint64_t kdr_steps_to_rest(uint64_t from, uint64_t left) {
    const uint64_t next = KDR_FLUSH_STEPS - from % KDR_FLUSH_STEPS;
    return next < left ? next : left;
}

/* Returns the next instruction: the first of an iteration, TRIAL, if its last one asks for another round. */
static inline const kdr_instruction *kdr_line_after(kdr_tile *tile, const kdr_instruction *line) {
    if (!tile->again) {
        return line + 1;
    }
    tile->again = false;
    while (line->code != KDR_OP_TRIAL) {
        --line;
    }
    return line;
}

/* Carries out instructions [begin, end). */
static inline void kdr_carry_out(const kdr_program *p, kdr_tile *tile, int begin, int end) {
    for (const kdr_instruction *line = p->line + begin; line < p->line + end; line = kdr_line_after(tile, line)) {
        if (line->when & tile->state) {
            p->operation[line->code](tile, line);
        }
    }
}

/* Sets what tiles have in common: every member but those that kdr_place_tile and kdr_load_tile set and `base`. `numbers` replaces those of
 * the job; it may be NULL. */
void kdr_begin_tiles(const kdr_job *job, const char *numbers, char *memory, kdr_tile *tile);

/* Places the next tile at tile->first: its particles, all before `end`, and its columns. With `small` it is a chunk of the kernel
 * `within`. */
void kdr_place_tile(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS], size_t end, bool small);

/* Loads a tile. Elements after the particles repeat the last one, so that padding computes nothing new. A run that does not resume sets
 * its memory before reading it, and begins with compensations of 0. */
void kdr_load_tile(const kdr_program *p, const kdr_tile *tile, char *at[KDR_TILE_COLUMNS]);

/* Stores a tile. Frozen particles keep their values, if there are inverse masses. */
void kdr_store_tile(const kdr_program *p, const kdr_tile *tile, const char *inverse_mass);

/* Returns whether small tiles and the kernel `within` make the steps of a run with walls: if there are enough to load a tile for. */
bool kdr_has_within(const kdr_job *job, const char *numbers);

/* The data that the kernel `within` needs for a chunk: constants, columns for missing axes, limits. */
typedef struct kdr_chunk_within {
    _Alignas(64) char constants[KDR_HOT_CONSTANTS], spare[9 * KDR_WITHIN_BYTES], limits[6 * KDR_WITHIN_BYTES];
    kdr_hot_range range;
} kdr_chunk_within;

/* Prepares the kernel for tiles of one chunk, which all lie where this one does. */
void kdr_prepare_within(const kdr_program *p, const kdr_tile *tile, char *const at[KDR_TILE_COLUMNS], kdr_chunk_within *chunk);

/* Steps a tile of one chunk: by the kernel `within` up to the step in which a particle meets a wall or rests, and by the program through
 * that step. Returns the number of steps by the program. */
uint64_t kdr_step_within(const kdr_program *p, kdr_tile *tile, kdr_chunk_within *chunk);

/* Copies elements, without a call if they are few. */
static inline void kdr_copy_elements(char *to, const char *from, size_t bytes) {
    enum { FEW = 128 };
    if (bytes > FEW) {
        memcpy(to, from, bytes);
    } else {
        kdr_copy_few(to, from, bytes);
    }
}

#endif
