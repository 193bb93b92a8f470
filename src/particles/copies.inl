/* The copies of elements of one size. NAME(f) is the name of f for this size, and WORD an unsigned integer of this size at any address. */
#define WORD NAME(word)

enum { NAME(SIZE) = sizeof(WORD) };

/* Copies n elements of each axis. In the user's arrays a, b, c they are `stride` bytes from each other. */
INLINE void NAME(copy)(unsigned char *restrict a, unsigned char *restrict b, unsigned char *restrict c, size_t stride,
                       unsigned char *const on[3], size_t n, bool back, int axes) {
    WORD *restrict const x = (WORD *)on[0], *restrict const y = (WORD *)on[1], *restrict const z = (WORD *)on[2];
    for (size_t k = 0; k < n; ++k) {
        WORD *const from_a = (WORD *)(a + k * stride), *const from_b = (WORD *)(b + k * stride), *const from_c = (WORD *)(c + k * stride);
        if (back) {
            *from_a = x[k];
            if (axes > 1) {
                *from_b = y[k];
            }
            if (axes > 2) {
                *from_c = z[k];
            }
            continue;
        }
        x[k] = *from_a;
        if (axes > 1) {
            y[k] = *from_b;
        }
        if (axes > 2) {
            z[k] = *from_c;
        }
    }
}

/* Copies rows of consecutive elements, or members of a larger structure. */
INLINE void NAME(rows)(unsigned char *const far[3], size_t stride, unsigned char *const on[3], size_t n, bool back, int axes) {
    const size_t size = NAME(SIZE);
    const bool dense = axes > 1 && stride == (size_t)axes * size && far[1] == far[0] + size && (axes == 2 || far[2] == far[1] + size);
    if (dense) {
        NAME(copy)(far[0], far[0] + size, far[0] + (size_t)(axes - 1) * size, (size_t)axes * size, on, n, back, axes);
    } else { /* a missing axis is replaced by the last one, and not copied */
        NAME(copy)(far[0], far[axes > 1], far[axes - 1], stride, on, n, back, axes);
    }
}

static void NAME(take_rows)(unsigned char *const far[3], size_t stride, unsigned char *const on[3], size_t n, int axes) {
    FOR_AXES(axes, NAME(rows), far, stride, on, n, false);
}

static void NAME(give_rows)(unsigned char *const far[3], size_t stride, unsigned char *const on[3], size_t n, int axes) {
    FOR_AXES(axes, NAME(rows), far, stride, on, n, true);
}

/* Copies m consecutive elements. There are often eight, a block of a blocked layout. */
INLINE void NAME(stretch)(unsigned char *restrict to, const unsigned char *restrict from, size_t m) {
    enum { EIGHT = 8 * sizeof(WORD) };
    for (; m >= 8; m -= 8, to += EIGHT, from += EIGHT) {
        memcpy(to, from, EIGHT);
    }
    for (; m > 0; --m, to += sizeof(WORD), from += sizeof(WORD)) {
        memcpy(to, from, sizeof(WORD));
    }
}

/* Copies whole blocks of `eights` times eight elements. */
INLINE void NAME(blocks)(unsigned char *const far[3], size_t block_stride, unsigned char *const on[3], size_t eights, size_t count,
                         bool back, int axes) {
    enum { EIGHT = 8 * sizeof(WORD) };
    for (size_t b = 0, at = 0; b < count; ++b) {
        for (size_t e = 0; e < eights; ++e, at += EIGHT) {
            for (int i = 0; i < axes; ++i) {
                unsigned char *const there = far[i] + b * block_stride + e * EIGHT, *const here = on[i] + at;
                memcpy(back ? there : here, back ? here : there, EIGHT);
            }
        }
    }
}

static void NAME(take_blocks)(unsigned char *const far[3], size_t block_stride, unsigned char *const on[3], size_t eights, size_t count,
                              int axes) {
    FOR_AXES(axes, NAME(blocks), far, block_stride, on, eights, count, false);
}

static void NAME(give_blocks)(unsigned char *const far[3], size_t block_stride, unsigned char *const on[3], size_t eights, size_t count,
                              int axes) {
    FOR_AXES(axes, NAME(blocks), far, block_stride, on, eights, count, true);
}

/* Copies elements block after block, beginning in the block that has element `begin`. */
static void NAME(range)(const kdr_column *c, unsigned char *const on[3], size_t begin, size_t n, bool back) {
    const size_t size = NAME(SIZE), block = c->layout.block ? c->layout.block : n + 1;
    const bool together = c->layout.block && c->layout.stride == size;
    size_t within = c->layout.block ? (c->layout.skip + begin) % block : 0, offset = kdr_offset(&c->layout, size, begin);
    unsigned char *near[3] = {on[0], on[1], on[2]}, *far[3] = {c->array[0], c->array[1], c->array[2]};
    for (size_t left = n; left > 0;) {
        const size_t whole = together && within == 0 && block % 8 == 0 ? left / block : 0;
        const size_t m = whole ? whole * block : block - within < left ? block - within : left;
        for (int i = 0; i < c->axes; ++i) {
            far[i] = c->array[i] + offset;
        }
        if (whole) {
            (back ? NAME(give_blocks) : NAME(take_blocks))(far, c->layout.block_stride, near, block / 8, whole, c->axes);
        } else if (together) {
            for (int i = 0; i < c->axes; ++i) {
                back ? NAME(stretch)(far[i], near[i], m) : NAME(stretch)(near[i], far[i], m);
            }
        } else {
            (back ? NAME(give_rows) : NAME(take_rows))(far, c->layout.stride, near, m, c->axes);
        }
        for (int i = 0; i < c->axes; ++i) {
            near[i] += m * size;
        }
        offset += whole ? whole * c->layout.block_stride : c->layout.block_stride - within * c->layout.stride;
        within = 0;
        left -= m;
    }
}

INLINE void NAME(pick)(const kdr_column *c, unsigned char *const on[3], const size_t *index, size_t n, bool back, int axes) {
    const kdr_layout layout = c->layout;
    unsigned char *const far[3] = {c->array[0], c->array[1], c->array[2]};
    WORD *restrict const near[3] = {(WORD *)on[0], (WORD *)on[1], (WORD *)on[2]};
    for (size_t k = 0; k < n; ++k) {
        const size_t offset = layout.block ? kdr_offset(&layout, NAME(SIZE), index[k]) : index[k] * layout.stride;
        for (int i = 0; i < axes; ++i) {
            WORD *const at = (WORD *)(far[i] + offset);
            if (back) {
                *at = near[i][k];
            } else {
                near[i][k] = *at;
            }
        }
    }
}

static void NAME(chosen)(const kdr_column *c, unsigned char *const on[3], const size_t *index, size_t n, bool back) {
    if (back) {
        FOR_AXES(c->axes, NAME(pick), c, on, index, n, true);
    } else {
        FOR_AXES(c->axes, NAME(pick), c, on, index, n, false);
    }
}
