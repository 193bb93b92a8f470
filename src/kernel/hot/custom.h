/* The specialised kernels of a user-defined field: one entry of it without arrays, alone or with uniform forces. hot/list.h explains the
 * columns. The tiles are copied from a spring with a drag if axes are independent, and from a centre if they are not; `tools/dev tune`
 * does not measure custom fields. Methods of several evaluations have no kernel for dependent axes, because the program is as fast. */
#define AXES (KDR_FIELD_COUPLES_AXES ? 3 : 1)
#define EITHER(together, alone) (KDR_FIELD_COUPLES_AXES ? (together) : (alone))
HOT(semi_implicit_euler_custom, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, CUSTOM,
    PICK(TILE(AXES, 8, EITHER(1, 8), 1), TILE(AXES, EITHER(8, 24), EITHER(1, 2), EITHER(1, 2)), TILE(AXES, EITHER(8, 24), EITHER(1, 4), 1),
         TILE(AXES, EITHER(8, 16), EITHER(1, 4), 1)))
HOT(velocity_verlet_custom, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, CUSTOM,
    PICK(TILE(AXES, 8, EITHER(1, 8), 1), TILE(AXES, EITHER(8, 24), EITHER(1, 2), EITHER(1, 2)), TILE(AXES, EITHER(8, 24), EITHER(1, 4), 1),
         TILE(AXES, EITHER(8, 16), EITHER(1, 4), 1)))
HOT(splitting_custom, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), CUSTOM,
    PICK(REGISTERS(EITHER(0, 1), 8), TILE(EITHER(0, 1), 16, 4, 1), TILE(EITHER(0, 1), 16, 4, 1), TILE(EITHER(0, 1), 16, 4, 1)))
HOT(rk4_custom, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, CUSTOM,
    PICK(TILE(EITHER(0, 1), 16, 2, 1), TILE(EITHER(0, 1), 16, 2, 1), TILE(EITHER(0, 1), 16, 2, 1), TILE(EITHER(0, 1), 16, 4, 1)))
