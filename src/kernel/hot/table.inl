/* Makes a function of each entry of HOT_LIST, and the table that HOT_TABLE declares. */

/* Returns an entry's tile for this instruction set. */
#ifdef KDR_TUNE_TILE
#define PICK(...) KDR_TUNE_TILE
#else
#define PICK HOT_TILE
#endif
#define TILE(D, T, U, J) D, T, U, J, false
#define REGISTERS(D, U) D, U, U, 1, false
#define ONE_STEP(D, T, U) D, T, U, 0, false /* only for runs of one step; for more the program is faster */
#define PROGRAM 0, 1, 1, 1, false           /* no specialised kernel */
#define IN_TURN_OF(D, T, U, J, in_turn) D, T, U, J, true
#define IN_TURN(...) IN_TURN_OF(__VA_ARGS__)
#ifdef KDR_UNIT_FUSED
#define BY_ARITH(fused, unfused) fused
#else
#define BY_ARITH(fused, unfused) unfused
#endif

/* Whether there is a kernel: if axes are dependent, only for all three together. */
#define IS_THERE(D, field) ((D) == 3 || ((D) == 1 && ((field) & KDR_TERMS_STEP_ALL_AXES) == 0))

/* Whether a run of one step takes three axes at once, one vector each. Such a run waits for memory, not for operations. Joining pays for
 * methods of one stage if a chunk fills the registers, or if masses would be read once per axis. */
#define JOINS(family, method, S, field, D, T, U)                                                                                           \
    ((T) == (U) && ONE_STAGE(family, method, S) && ((D) * (U) > HOT_TILE(8, 4, 4, 8) || ((field) & MASS)))

#define DEFINE(name, family, method, S, step, row, keeps, field, D, T, U, J, in_turn)                                                      \
    _Static_assert((S) <= MOST_STAGES, "a whole step of more stages than are scaled");                                                     \
    _Static_assert((D) * (U) <= MOST && (D) * (T) <= MOST_TILE, "more vectors than a chunk or a tile has");                                \
    _Static_assert((U) * sizeof(vr) <= KDR_HOT_BYTES, "more bytes than a chunk has");                                                      \
    static void hot_##name(const kdr_job *job, const kdr_hot_range *restrict r, const void *restrict c) {                                  \
        if (IS_THERE(D, field)) {                                                                                                          \
            HOT_STEPS(job, r, c, step, family, row, S, keeps, JOINS(family, method, S, field, D, T, U),                                    \
                      (T) != (U) && ONE_STAGE(family, method, S) && TWO_BODIES(field, keeps), field, D, T, U, (J) == 0 ? 1 : (J), in_turn) \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static void remainder_##name(const kdr_job *job, size_t begin, size_t end) {                                                           \
        if (HAS_REMAINDER(method, field)) {                                                                                                \
            remainder_run(job, begin, end, step, row, keeps, field);                                                                       \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static void members_##name(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end) {                                   \
        if (HAS_MEMBERS(method, field)) {                                                                                                  \
            members_run(job, far, stride, begin, end, step, row, field);                                                                   \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static uint64_t within_##name(const kdr_job *job, const kdr_hot_range *restrict r, const void *restrict c) {                           \
        return HAS_WITHIN(method, field) ? within_run(job, r, c, step, row, keeps, field) : 0;                                             \
    }
#define HOT(...) DEFINE(__VA_ARGS__)
#include HOT_LIST
#undef HOT

#define ROW(name_, family_, method_, S, step, row, keeps, field, D, T, U, J, in_turn)                                                      \
    {.name = #name_,                                                                                                                       \
     .family = family_,                                                                                                                    \
     .method = method_,                                                                                                                    \
     .stages = S,                                                                                                                          \
     .terms = field,                                                                                                                       \
     .all_axes = (D) == 3,                                                                                                                 \
     .tile = IS_THERE(D, field) ? (T) : 0,                                                                                                 \
     .chunk = U,                                                                                                                           \
     .one_step = (J) == 0,                                                                                                                 \
     .steps = (J) == 0 ? 1 : (J),                                                                                                          \
     .all_axes_when_one_step = JOINS(family_, method_, S, field, D, T, U),                                                                 \
     .aligned = MUST_LIE_ALIGNED(family_, method_, S, field),                                                                              \
     .run = hot_run,                                                                                                                       \
     .prepare = hot_prepare,                                                                                                               \
     .take = hot_##name_,                                                                                                                  \
     .remainder = HAS_REMAINDER(method_, field) ? remainder_##name_ : NULL,                                                                \
     .members = HAS_MEMBERS(method_, field) ? members_##name_ : NULL,                                                                      \
     .within = HAS_WITHIN(method_, field) ? within_##name_ : NULL},
#define HOT(...) ROW(__VA_ARGS__)
HOT_TABLE = {
#include HOT_LIST
    {.name = NULL}};
