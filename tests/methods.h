/* Shared by the tests of the table of methods: problems whose solutions are known to 24 digits, and the description of a row.
 *
 * There is no list of methods here: a row that is added to the table is tested too. */
#ifndef KDR_TESTS_METHODS_H
#define KDR_TESTS_METHODS_H

#include "support.h"

/* Returns a method's description. Langevin methods get `friction` per unit of time, and temperature 0, so that there is no noise. */
static inline kdr_integrator_desc describe_row(kdr_method method, const kdr_force *forces, size_t count, double friction) {
    kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, count);
    desc.langevin.friction = kdr_family_get(kdr_method_get(method)->family)->heat_bath ? friction : 0;
    return desc;
}

/* The velocity-dependent forces in a problem. */
typedef enum held { HOLDS_NONE, HOLDS_MAGNETIC, HOLDS_DRAG } held;

static inline bool accepts(const kdr_method_info *info, held forces) {
    return info->velocity_forces == KDR_VELOCITY_ANY || forces == HOLDS_NONE ||
           (info->velocity_forces == KDR_VELOCITY_MAGNETIC && forces == HOLDS_MAGNETIC);
}

/* Returns true if the method accepts a list of forces that is affine in x and v, or not. */
static inline bool takes(const kdr_method_info *info, held forces, bool affine) {
    return accepts(info, forces) && (affine || !info->affine);
}

enum { PROBLEM_FORCES = 6 };

typedef struct problem {
    const char *name;
    held velocity;
    kdr_force forces[PROBLEM_FORCES];
    size_t count;
    state start, end;
    double time;
    bool affine;
} problem;

/* Returns Kepler's problem, e = 1/2, over about a quarter of an orbit; the end is from Kepler's equation. */
static inline problem kepler(void) {
    return (problem){
        "Kepler",
        HOLDS_NONE,
        {kdr_force_centre(1, 0, 0, 0, 0)},
        1,
        {{0.5, 0, 0}, {0, 1.7320508075688772, 0}},
        {{-0.4279672455611135512613, 0.8637757010451036723824, 0}, {-1.034667232373456350448, 0.06471292019329540406562, 0}},
        1,
        false,
    };
}

static inline kdr_force uneven_spring(void) {
    kdr_force spring = kdr_force_spring(0.5, 0.25, 0, -0.5);
    spring.as.spring.k[1] = 0.75;
    spring.as.spring.k[2] = 1;
    return spring;
}

static inline kdr_force tilted_magnet(void) {
    return kdr_force_electromagnetic(1, (const double[3]){0.125, 0, 0.25}, (const double[3]){0.25, -0.5, 1.5});
}

/* Returns a problem without Kepler's symmetries. The ends of this and the next two are from Taylor series in 34 digits (mpmath) with a
 * tolerance of 1e-30. */
static inline problem softened_driven(void) {
    return (problem){
        "a softened centre, an uneven spring and a drive",
        HOLDS_NONE,
        {kdr_force_centre(1, 0, 0, 0, 0.125), uneven_spring(), kdr_force_driven(0.5, -0.25, 0.375, 1.25, 0.5)},
        3,
        {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}},
        {{-0.173474497721180858932775, 0.828484884725954837639323, 0.0545335118100895705843479},
         {-0.713285994907717938904492, -0.327097600377735463338964, -0.164173192004321904494889}},
        1,
        false,
    };
}

static inline problem softened_magnetic(void) {
    return (problem){
        "a softened centre, an uneven spring and a magnet",
        HOLDS_MAGNETIC,
        {kdr_force_centre(1, 0, 0, 0, 0.125), uneven_spring(), tilted_magnet()},
        3,
        {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}},
        {{0.639274677856359780880409, 1.06042314296483301532634, -0.0534992668561009530224585},
         {0.309426597675172610639805, 0.00193969789172444996879667, -0.245624597796191854692029}},
        1,
        false,
    };
}

static inline problem everything(void) {
    return (problem){
        "a centre, a spring, a magnet, a drive, linear and quadratic drag",
        HOLDS_DRAG,
        {kdr_force_centre(1, 0, 0, 0, 0.125), uneven_spring(), tilted_magnet(), kdr_force_quadratic_drag(0.25, 0.5, -0.25, 0),
         kdr_force_drag(0.125, 0, 0, 0), kdr_force_driven(0.5, -0.25, 0.375, 1.25, 0.5)},
        6,
        {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}},
        {{0.56710666140574060255022, 0.702409758043845646040817, 0.0323043534472049841040403},
         {-0.10132249089895587600455, -0.348772432282061441749223, -0.0814502055441622575169526}},
        1,
        false,
    };
}

/* The problems below have closed forms: 30 digits of the damped oscillator and of gyration. */
static inline problem damped_spring(void) {
    return (problem){
        "a damped spring",
        HOLDS_DRAG,
        {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(0.4, 0, 0, 0)},
        2,
        {{1, 0, 0}, {0, 0, 0}},
        {{0.505105559266270756363882117301, 0, 0}, {0.339950098864755686891531952895, 0, 0}},
        3,
        true,
    };
}

static inline problem gyration(void) {
    return (problem){
        "gyration",
        HOLDS_MAGNETIC,
        {kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 3})},
        1,
        {{0, 0, 0}, {1, 0, 0.5}},
        {{-0.0931384993996419576038518155373, -0.0132765711165446598181159006924, 1},
         {0.960170286650366020545652297923, 0.279415498198925872811555446612, 0.5}},
        2,
        true,
    };
}

/* The solution is v = -w tanh(g t / w), z = -w^2 / g log cosh(g t / w), w^2 = g / c. */
static inline problem fall(void) {
    const double g = 9.8125, c = 0.5, t = 0.5, w = sqrt(g / c);
    return (problem){
        "a fall with quadratic drag",
        HOLDS_DRAG,
        {kdr_force_uniform_acceleration(0, 0, -g), kdr_force_quadratic_drag(c, 0, 0, 0)},
        2,
        {{0, 0, 0}, {0, 0, 0}},
        {{0, 0, -w * w / g * log(cosh(g * t / w))}, {0, 0, -w * tanh(g * t / w)}},
        t,
        false,
    };
}

typedef problem problem_fn(void);

static inline double apart(const double a[3], const double b[3]) {
    return sqrt(((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) + (a[2] - b[2]) * (a[2] - b[2]));
}

#endif
