/* The table of one custom field, KDR_FIELD, whose function has been included in plain C with double. The including file defines the
 * names of the operations, of the reference and of the derivatives: OPERATIONS(isa, unit), REFERENCE(unit), JACOBIAN(unit). */
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define TEXT(a) TEXT_(a)
#define TEXT_(a) #a
#define OF_FIELD(name) PASTE(PASTE(name, _of_), KDR_FIELD)
#define PARAMETER_COUNT (sizeof OF_FIELD(parameters) / sizeof *OF_FIELD(parameters) - 1)

#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif
#ifndef KDR_FIELD_TITLE
#define KDR_FIELD_TITLE TEXT(KDR_FIELD)
#endif
#ifndef KDR_FIELD_GRID
#define KDR_FIELD_GRID 0
#endif
#ifndef KDR_FIELD_GRID_DIMS
#define KDR_FIELD_GRID_DIMS 0
#endif
#ifndef KDR_FIELD_POSITIVE
#define KDR_FIELD_POSITIVE 0
#endif
#ifndef KDR_FIELD_DIRECTIONS
#define KDR_FIELD_DIRECTIONS 0
#endif
#ifdef KDR_FIELD_PARAMETERS
static const char *const OF_FIELD(parameters)[] = {KDR_FIELD_PARAMETERS, NULL};
#else
static const char *const OF_FIELD(parameters)[] = {NULL};
#endif
#ifdef KDR_FIELD_RANGES
static const kdr_custom_field_range OF_FIELD(ranges)[KDR_MAX_PARAMETERS] = {KDR_FIELD_RANGES};
#else
static const kdr_custom_field_range OF_FIELD(ranges)[KDR_MAX_PARAMETERS];
#endif
#ifndef KDR_FIELD_REQUIRED
#define KDR_FIELD_REQUIRED PARAMETER_COUNT
#else
_Static_assert(KDR_FIELD_REQUIRED <= PARAMETER_COUNT, "KDR_FIELD_REQUIRED: more than the field has");
#endif
_Static_assert(KDR_FIELD_DIMS >= 0 && KDR_FIELD_DIMS <= 3, "KDR_FIELD_DIMS: expected 1, 2 or 3, or 0 for any");
_Static_assert(PARAMETER_COUNT <= KDR_MAX_PARAMETERS, "KDR_FIELD_PARAMETERS: more than KDR_MAX_PARAMETERS");

/* Every vector must lie within the parameters. A bit of KDR_FIELD_DIRECTIONS marks the first of its three elements. */
_Static_assert((4ULL * (KDR_FIELD_DIRECTIONS)) >> PARAMETER_COUNT == 0, "KDR_FIELD_DIRECTIONS: a vector beyond the parameters");
_Static_assert(KDR_FIELD_GRID_DIMS >= 0 && KDR_FIELD_GRID_DIMS <= 3, "KDR_FIELD_GRID_DIMS: expected 1, 2 or 3, or 0 for any");
_Static_assert(KDR_FIELD_GRID >= 0 && KDR_FIELD_GRID <= KDR_GRID_COMPONENTS,
               "KDR_FIELD_GRID: expected 1 to 6 components, or 0 for no grid");

#undef ENERGY
#if (KDR_FIELD_FLAGS) & KDR_FIELD_POTENTIAL
/* Computes the energy in double, by the plain C form of the operations that custom fields use. */
static double OF_FIELD(energy)(const kdr_custom_field_given *given, kdr_real real, const double x[3]) {
    const double time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? given->time : 0.0;
    const kdr_at at = {given->dims, 0, given->parameter, given->precise, time, given->inverse_mass, time, given->grid, real == KDR_F32};
    return kdr_field_energy(&at, x);
}
#define ENERGY OF_FIELD(energy)
#else
#define ENERGY NULL
#endif

#define UNITS_OF(isa, doubles)                                                                                                             \
    {                                                                                                                                      \
        [KDR_F32] = {[KDR_FUSED] = OPERATIONS(isa, f32_fused), [KDR_UNFUSED] = OPERATIONS(isa, f32_unfused)},                              \
        [KDR_F64] = {[KDR_FUSED] = OPERATIONS(doubles, f64_fused), [KDR_UNFUSED] = OPERATIONS(isa, f64_unfused)},                          \
    }

/* CMake defines KDR_BACKENDS (backend/backend.c). */
#define BACKEND(NAME, isa, doubles) [KDR_BACKEND_##NAME] = UNITS_OF(isa, doubles),
#define KDR_CUSTOM_FIELD_TABLE                                                                                                             \
    {                                                                                                                                      \
        .abi = KDR_CUSTOM_FIELD_ABI,                                                                                                       \
        .name = KDR_FIELD_TITLE,                                                                                                           \
        .flags = (KDR_FIELD_FLAGS) | (KDR_FIELD_COUPLES_AXES ? KDR_CUSTOM_FIELD_COUPLES_AXES : 0U),                                        \
        .dims = KDR_FIELD_DIMS,                                                                                                            \
        .grid = KDR_FIELD_GRID,                                                                                                            \
        .grid_dims = KDR_FIELD_GRID_DIMS,                                                                                                  \
        .parameter_count = PARAMETER_COUNT,                                                                                                \
        .parameter_name = OF_FIELD(parameters),                                                                                            \
        .required = KDR_FIELD_REQUIRED,                                                                                                    \
        .positive = KDR_FIELD_POSITIVE,                                                                                                    \
        .range = OF_FIELD(ranges),                                                                                                         \
        .direction = KDR_FIELD_DIRECTIONS,                                                                                                 \
        .operations = {KDR_BACKENDS},                                                                                                      \
        .reference = {[KDR_F32] = {[KDR_FUSED] = REFERENCE(f32_fused), [KDR_UNFUSED] = REFERENCE(f32_unfused)},                            \
                      [KDR_F64] = {[KDR_FUSED] = REFERENCE(f64_fused), [KDR_UNFUSED] = REFERENCE(f64_unfused)}},                           \
        .jacobian = {[KDR_F32] = {[KDR_FUSED] = JACOBIAN(f32_fused), [KDR_UNFUSED] = JACOBIAN(f32_unfused)},                               \
                     [KDR_F64] = {[KDR_FUSED] = JACOBIAN(f64_fused), [KDR_UNFUSED] = JACOBIAN(f64_unfused)}},                              \
        .energy = ENERGY,                                                                                                                  \
    }
