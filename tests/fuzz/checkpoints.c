/* Checkpoints: a file of any bytes with a right checksum is read, checked and restored, or refused. */
#include "input.h"

#include <kickdrift/io.h>
#include <kickdrift/kickdrift.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

enum { CHECKSUM = 8 };

/* Writes the checksum, which the fuzzer would not find. A file that is too short for one stays as it is. */
static void seal(uint8_t *bytes, size_t size) {
    if (size > CHECKSUM) {
        const uint64_t sum = XXH3_64bits(bytes, size - CHECKSUM);
        for (int i = 0; i < CHECKSUM; ++i) {
            bytes[size - CHECKSUM + (size_t)i] = (uint8_t)(sum >> (8 * i));
        }
    }
}

static void look(const char *name, const kdr_integrator *integrator) {
    kdr_checkpoint checkpoint;
    kdr_error error;
    if (kdr_checkpoint_read(name, integrator, &checkpoint, &error) != KDR_OK) {
        return;
    }
    kdr_clock clock;
    kdr_particles *const p = &checkpoint.particles;
    (void)kdr_checkpoint_restore(&checkpoint, p, &clock, &error);
    (void)kdr_checkpoint_check(&checkpoint, integrator, &error);
    if (integrator && kdr_integrator_run(integrator, p, &checkpoint.clock, 1, &error) == KDR_OK && p->count > 0 && !p->x[0]) {
        abort();
    }
    kdr_checkpoint_release(&checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[64];
    uint8_t *const bytes = malloc(size + 1);
    if (!bytes) {
        return 0;
    }
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    seal(bytes, size);
    FILE *const file = input_file(bytes, size, name, sizeof name);
    if (file) {
        const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.forces = &spring, desc.force_count = 1;
        desc.real = size > 36 && bytes[36] % 2 ? KDR_F64 : KDR_F32;
        kdr_integrator *integrator = NULL;
        (void)kdr_integrator_create(&desc, &integrator, NULL);
        look(name, NULL);
        look(name, integrator);
        kdr_integrator_destroy(integrator);
        fclose(file);
    }
    free(bytes);
    return 0;
}
