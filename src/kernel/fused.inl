/* The instances of a unit with a fused field: of the methods used most their rows' own for the field with nothing but uniform ones beside it;
 * for every other mask of terms and every other method one body a family and number of axes, which calls the field (field.inl).
 * The library's own list (kernels.inl) would take six times as long to compile. */

/* Tiles of the bodies for any mask, which wait for calls: small ones. */
#define TILE_CALLS_1 16
#define CHUNK_CALLS_1 2
#define TILE_CALLS_2 8
#define CHUNK_CALLS_2 1
#define TILE_CALLS_3 8
#define CHUNK_CALLS_3 1

#define FUSED_TERMS                                                                                                                        \
    ((unsigned)KDR_TERM_FUSED | (KDR_FIELD_TOGETHER ? (unsigned)KDR_TERM_FUSED_TOGETHER : 0U) |                                            \
     (((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? (unsigned)KDR_TERM_FUSED_VELOCITY : 0U))

/* Axes that do not feel each other are stepped one by one, others together. What is never chosen is not compiled. */
#define FIELD_ALONE(name, family, flavour, kind, row)                                                                                      \
    LOOP(name##_alone_1, family, flavour, PLACE_##kind##_1, row, 0, FUSED_TERMS, 1, TILE_##kind##_1, CHUNK_##kind##_1)                     \
    LOOP(name##_alone_2, family, flavour, in_cache, row, 0, FUSED_TERMS, 2, TILE_##kind##_2, CHUNK_##kind##_2)                             \
    LOOP(name##_alone_3, family, flavour, in_cache, row, 0, FUSED_TERMS, 3, TILE_##kind##_3, CHUNK_##kind##_3)
#define ALONE(name, family)                                                                                                                \
    static void name(const kdr_job *job, size_t begin, size_t end) {                                                                       \
        if (job->terms != FUSED_TERMS || (KDR_FIELD_TOGETHER && job->dims == 1)) {                                                         \
            family(job, begin, end);                                                                                                       \
        } else if (KDR_FIELD_TOGETHER) {                                                                                                   \
            (job->dims == 2 ? name##_alone_2 : name##_alone_3)(job, 0, begin, end);                                                        \
        } else {                                                                                                                           \
            for (int axis = 0; axis < job->dims; ++axis) {                                                                                 \
                name##_alone_1(job, axis, begin, end);                                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
    }
#define OF_ANY(name, family, flavour, kind, row)                                                                                           \
    OF_ANY_MASK(name, family, flavour, kind, row)                                                                                          \
    CHOOSE(name, name##_1, name##_2, name##_3)

OF_ANY(any_splitting, splitting, any, CALLS, job->row->data.splitting)
FIELD_ALONE(splitting, splitting, any, SPLIT_ANY, job->row->data.splitting)
ALONE(splitting, any_splitting)
OF_ANY(velocity_verlet_pc, splitting, constant, CALLS, &kdr_row_velocity_verlet_pc) /* the row that predicts: a body of its own */
OF_ANY(runge_kutta, runge_kutta, any, CALLS, job->row->data.runge_kutta)
OF_ANY(nystrom, nystrom, any, CALLS, job->row->data.nystrom)
OF_ANY(multistep, multistep, any, CALLS, NULL)
OF_ANY(magnetic, magnetic, any, CALLS, NULL)

LOOP(langevin_1, langevin, any, in_cache, NULL, 0, job->terms, 1, TILE_NOISE, NOISE_VECTORS)
LOOP(langevin_2, langevin, any, in_cache, NULL, 0, job->terms, 2, TILE_NOISE, NOISE_VECTORS)
LOOP(langevin_3, langevin, any, in_cache, NULL, 0, job->terms, 3, TILE_NOISE, NOISE_VECTORS)
static void langevin(const kdr_job *job, size_t begin, size_t end) {
    static loop *const on_axes[] = {langevin_1, langevin_2, langevin_3};
    on_axes[job->dims - 1](job, 0, begin, end);
}

OF_ANY(strang, strang, any, CALLS, NULL)
OF_ANY(strang_each, strang_each, any, EACH, NULL)
OF_ANY(sums, sums, any, CALLS, NULL)
OF_ANY(sums_each, sums_each, any, EACH, NULL)
static void kinematic(const kdr_job *job, size_t begin, size_t end) {
    static kdr_kernel *const kernels[2][2] = {{strang, strang_each}, {sums, sums_each}};
    kernels[job->row->data.kinematic->sums][kdr_affine_differs(job->terms)](job, begin, end);
}

FIELD_ALONE(rk4, runge_kutta, constant, RK, &kdr_row_rk4)
ALONE(rk4, runge_kutta)
FIELD_ALONE(semi_implicit_euler, splitting, constant, SPLIT, &kdr_row_semi_implicit_euler)
ALONE(semi_implicit_euler, any_splitting)
FIELD_ALONE(velocity_verlet, splitting, constant, SPLIT, &kdr_row_velocity_verlet)
ALONE(velocity_verlet, any_splitting)

/* Of a field that says its slopes. */
#if (KDR_FIELD_FLAGS) & KDR_FIELD_SLOPES
OF_ANY(implicit, implicit, any, CALLS, job->row->data.implicit)
#else
#define implicit NULL
#endif

const kdr_kernels PASTE(KDR_UNIT, PASTE(_of_, KDR_FIELD)) = {
    .family = {[KDR_RUNGE_KUTTA] = runge_kutta,
               [KDR_SPLITTING] = splitting,
               [KDR_NYSTROM] = nystrom,
               [KDR_IMPLICIT] = implicit,
               [KDR_MULTISTEP] = multistep,
               [KDR_MAGNETIC] = magnetic,
               [KDR_LANGEVIN] = langevin,
               [KDR_KINEMATIC] = kinematic},
    .method = {[KDR_RK4] = rk4,
               [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
               [KDR_VELOCITY_VERLET] = velocity_verlet,
               [KDR_VELOCITY_VERLET_PC] = velocity_verlet_pc},
    .accelerations = accelerations,
};
