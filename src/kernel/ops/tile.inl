/* Access to the rows of a tile, for operations. */

/* Returns the first vector of a column. */
INLINE char *column(const kdr_tile *tile, unsigned index) { return tile->at[index]; }

INLINE vr get(const char *row, int n) { return v_load(row + (size_t)n * sizeof(vr)); }

INLINE void put(char *row, int n, vr value) { v_store(row + (size_t)n * sizeof(vr), value); }

#ifdef HAS_MAGNITUDE
INLINE vr magnitude(vr a) { return v_magnitude(a); }
#else
INLINE vr magnitude(vr a) { return v_from_bits(i_and(v_bits(a), i_set1(BUT_SIGN))); }
#endif

INLINE const real *numbers(const kdr_tile *tile, unsigned index) { return (const real *)tile->numbers + index; }

/* Returns the field's constant part at an instruction's evaluation, with the time in base[3]: see KDR_BASE. */
INLINE const real *base_of(const kdr_tile *tile, const kdr_instruction *line) {
    static const real zeros[KDR_BASE] = {0};
    return line->evaluation == KDR_NO_BASE ? zeros : (const real *)tile->base + (size_t)KDR_BASE * line->evaluation;
}

/* Loops over at least one axis, in functions that are compiled once for any number of axes. */
#define FOR_AXES(i, n) for (int i = 0; i < 1 || i < (n); ++i)

/* Operations in which axes depend on each other have one body per number of axes. */
#define ON_AXES(tile, body, ...)                                                                                                           \
    do {                                                                                                                                   \
        if ((tile)->dims == 3) {                                                                                                           \
            body(3, __VA_ARGS__);                                                                                                          \
        } else if ((tile)->dims == 2) {                                                                                                    \
            body(2, __VA_ARGS__);                                                                                                          \
        } else {                                                                                                                           \
            body(1, __VA_ARGS__);                                                                                                          \
        }                                                                                                                                  \
    } while (0)
