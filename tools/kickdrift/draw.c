/* Random vectors by Philox 4x32 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11). Shapes are made from its
 * uniform numbers by + - * / sqrt and the functions of <kickdrift/custom_functions.h>, so the bits are the same on every machine. */
#include "draw.h"

#include <kickdrift/custom_field.h>

#include <math.h>
#include <Random123/philox.h>

typedef struct stream {
    philox4x32_ctr_t counter;
    philox4x32_key_t key;
} stream;

static stream stream_begin(uint64_t seed, uint64_t id, random_purpose purpose) {
    return (stream){.counter = {{0, (uint32_t)purpose, (uint32_t)id, (uint32_t)(id >> 32)}},
                    .key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}}};
}

/* Returns a number in [0, 1) that is a multiple of 2^-53. */
static double unit(uint32_t high, uint32_t low) {
    const uint64_t bits = (uint64_t)high << 32 | low;
    return (double)(bits >> 11) * 0x1p-53;
}

/* Draws two uniform numbers from one block of the generator. */
static void draw_two(stream *from, double pair[2]) {
    const philox4x32_ctr_t block = philox4x32(from->counter, from->key);
    ++from->counter.v[0];
    pair[0] = unit(block.v[0], block.v[1]);
    pair[1] = unit(block.v[2], block.v[3]);
}

static void draw_three(stream *from, double three[3]) {
    double spare[2];
    draw_two(from, three);
    draw_two(from, spare);
    three[2] = spare[0];
}

static void in_box(const random_distribution *d, stream *from, double vector[3]) {
    double u[3];
    draw_three(from, u);
    for (int i = 0; i < 3; ++i) {
        vector[i] = d->a[i] + u[i] * (d->b[i] - d->a[i]);
    }
}

/* Draws a point of the unit ball by rejection from the cube, which takes 1.9 tries on average. Returns the square of its distance from the
 * centre. */
static double in_unit_ball(stream *from, double p[3]) {
    double square;
    do {
        draw_three(from, p);
        for (int i = 0; i < 3; ++i) {
            p[i] = 2 * p[i] - 1;
        }
        square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    } while (square > 1);
    return square;
}

static void in_ball(const random_distribution *d, stream *from, double vector[3]) {
    double p[3];
    in_unit_ball(from, p);
    for (int i = 0; i < 3; ++i) {
        vector[i] = d->a[i] + d->b[0] * p[i];
    }
}

static void on_sphere(const random_distribution *d, stream *from, double vector[3]) {
    double p[3], square;
    do {
        square = in_unit_ball(from, p);
    } while (square < 1e-6); /* a shorter vector has too few digits for a direction */
    const double scale = d->b[0] / sqrt(square);
    for (int i = 0; i < 3; ++i) {
        vector[i] = d->a[i] + scale * p[i];
    }
}

static void at_point(const random_distribution *d, stream *from, double vector[3]) {
    (void)from;
    for (int i = 0; i < 3; ++i) {
        vector[i] = d->a[i];
    }
}

/* Draws a normally distributed number by Marsaglia's polar method. */
static double draw_normal(stream *from) {
    double pair[2], square;
    do {
        draw_two(from, pair);
        for (int i = 0; i < 2; ++i) {
            pair[i] = 2 * pair[i] - 1;
        }
        square = pair[0] * pair[0] + pair[1] * pair[1];
    } while (square >= 1 || square == 0);
    return pair[0] * sqrt(-2 * v_log(square) / square);
}

static void normal(const random_distribution *d, stream *from, double vector[3]) {
    for (int i = 0; i < 3; ++i) {
        vector[i] = d->a[i] + d->b[i] * draw_normal(from);
    }
}

void random_vector(const random_distribution *distribution, uint64_t seed, uint64_t id, random_purpose purpose, double vector[3]) {
    static void (*const shapes[])(const random_distribution *, stream *, double[3]) = {
        [RANDOM_BOX] = in_box, [RANDOM_BALL] = in_ball, [RANDOM_SPHERE] = on_sphere, [RANDOM_POINT] = at_point, [RANDOM_NORMAL] = normal};
    stream from = stream_begin(seed, id, purpose);
    shapes[distribution->shape](distribution, &from, vector);
}

/* Draws a vector of this length in a uniformly random direction. */
static void in_a_direction(stream *from, double length, double vector[3]) {
    const random_distribution sphere = {RANDOM_SPHERE, {0, 0, 0}, {length, 0, 0}};
    on_sphere(&sphere, from, vector);
}

void random_plummer(uint64_t seed, uint64_t id, double state[6]) {
    stream place = stream_begin(seed, id, RANDOM_POSITION), motion = stream_begin(seed, id, RANDOM_VELOCITY);
    double pair[2], limit;
    draw_two(&place, pair);
    /* A fraction r^3 / (1 + r^2)^(3/2) of the mass is within r. */
    const double root = v_pow(0.999 * (1 - pair[0]), 1.0 / 3);
    const double r = root / sqrt(1 - root * root);
    in_a_direction(&place, r, state);
    /* The speed is q times the escape speed. q has the density q^2 (1 - q^2)^(7/2), which is below 0.1. */
    do {
        draw_two(&motion, pair);
        const double rest = 1 - pair[0] * pair[0];
        limit = pair[0] * pair[0] * (rest * rest * rest) * sqrt(rest);
    } while (0.1 * pair[1] > limit);
    in_a_direction(&motion, pair[0] * sqrt(2 / sqrt(1 + r * r)), state + 3);
}
