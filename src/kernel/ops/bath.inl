/* The heat bath of the Langevin family, in the order that method/rows_special.h sets. Its columns are the amplitude of a particle's
 * noise, and the two halves of its id. */
#include "noise.inl"

/* Computes the amplitudes, and the halves of ids, one lane per particle. Padding has the last particle's. */
static void op_amplitude(kdr_tile *tile, const kdr_instruction *line) {
    const kdr_job *const job = tile->job;
    const vr unit = v_set1(numbers(tile, line->number)[1]);
    for (int n = 0; n < tile->vectors; ++n) {
        lane_bits halves[2][LANES];
        for (int i = 0; i < LANES; ++i) {
            const size_t at = (size_t)n * LANES + (size_t)i, index = tile->first + (at < tile->count ? at : tile->count - 1);
            uint64_t id = job->first_id + index;
            if (job->id) {
                memcpy(&id, (const char *)(const void *)job->id + index * sizeof id, sizeof id);
            }
            halves[0][i] = (uint32_t)id;
            halves[1][i] = (lane_bits)(id >> 32);
        }
        put(column(tile, line->out), n, line->count ? v_mul(v_sqrt(get(column(tile, line->other), n)), unit) : unit);
        put(column(tile, line->out + 1U), n, v_load(halves[0]));
        put(column(tile, line->out + 2U), n, v_load(halves[1]));
    }
}

INLINE void bath_on(int D, const kdr_tile *tile, const kdr_instruction *line, bool compensated, const uint64_t key[ROUNDS][2]) {
    const vr decay = v_set1(*numbers(tile, line->number));
    const int T = tile->vectors;
    char *const v = column(tile, line->v), *const lost = compensated ? column(tile, line->other) : NULL;
    const char *const noise = column(tile, line->x);
    for (int n = 0; n < T; n += NOISE_VECTORS) {
        vr low[NOISE_VECTORS], high[NOISE_VECTORS], xi[NORMALS_MAX][2];
        EACH(u, NOISE_VECTORS) {
            low[u] = get(noise, T + n + u);
            high[u] = get(noise, 2 * T + n + u);
        }
        (D > 2 ? normals_4 : normals_2)(key, tile->step, low, high, xi);
        EACH(u, NOISE_VECTORS) {
            EACH(i, D) {
                const int at = i * T + n + u;
                const vr normal = xi[(D > 2 ? 2 : 1) * u + i / 2][i % 2], amplitude = get(noise, n + u);
                vr speed = get(v, at), rest = compensated ? get(lost, at) : v_set1(0);
                const vr push = compensated ? mul_add(amplitude, normal, rest) : v_mul(amplitude, normal);
                add_increment(compensated, mul_add(decay, speed, push), &speed, &rest);
                put(v, at, speed);
                if (compensated) {
                    put(lost, at, rest);
                }
            }
        }
    }
}

/* Computes v += (c - 1) v + sigma xi. Without noise it is a kick by v itself, and without friction nothing. */
static void op_bath(kdr_tile *tile, const kdr_instruction *line) {
    const real *const c = numbers(tile, line->number);
    const bool compensated = line->other != KDR_NO_COLUMN;
    if (c[0] == 0) {
        return;
    }
    if (c[1] == 0) {
        const kdr_instruction kick = {.out = line->v, .x = line->v, .other = line->other, .number = line->number, .list = line->list};
        (compensated ? op_advance_compensated : op_advance)(tile, &kick);
        return;
    }
    uint64_t key[ROUNDS][2]; /* the keys of each round */
    for (uint32_t r = 0; r < ROUNDS; ++r) {
        key[r][0] = (uint32_t)tile->job->bath.seed + r * UINT32_C(0x9E3779B9);
        key[r][1] = (uint32_t)(tile->job->bath.seed >> 32) + r * UINT32_C(0xBB67AE85);
    }
    if (compensated) {
        ON_AXES(tile, bath_on, tile, line, true, key);
    } else {
        ON_AXES(tile, bath_on, tile, line, false, key);
    }
}
