/* The specialised kernels, one entry each. An entry begins with its name, the family, and the method (KDR_METHOD_COUNT for every row of
 * the family). The stages of a Runge-Kutta or Nystrom row follow, the step, the row, and whether the method keeps its acceleration. The
 * last are the terms of the field, and the tile on avx512, avx2, sse2 and neon.
 *
 * REGISTERS(D, U): U vectors on D axes make all steps in registers; some make a single step another way (JOINS in table.inl).
 * TILE(D, T, U, J): T vectors on D axes are in the first-level cache, and make J steps at a time in chunks of U.
 * ONE_STEP(D, T, U): the same, only for runs of one step, which are made in the caller's arrays; for more the program is faster.
 * PROGRAM: there is no kernel. If the family has one for all its rows, that one steps the row.
 * BY_ARITH(fused, unfused): the choice depends on the arithmetic. Without fused operations a component takes twice as many, so a second
 * step per load gains nothing.
 * IN_TURN(place): the vectors of a chunk make a step one after the other, so fewer values of a step are alive at once.
 *
 * How tiles are chosen: `tools/dev tune` measures those of bench/tune.cmake, in both precisions. Among the tiles that take at most a
 * tenth longer than the best in one step of particles from memory, the fastest in runs of many steps in a cache is taken. Entries whose
 * best tile differed between processors or compilers have one that is good on all of them. The tiles of neon were not measured.
 *
 * What limits the speed:
 * With 16 registers, a step in a tile of up to five operations per component is limited by loads and stores, so two steps per load are
 * faster.
 * More steps or vectors per chunk spill, or leave too few chunks that overlap, because the accelerations of all vectors are alive at
 * once. IN_TURN avoids that, but is slower for steps of many dependent stages. With 32 registers it makes no difference, except above
 * the ground.
 * With 32 registers eight vectors hide all latencies. An affine field is faster in registers than in a tile, but rk4 is faster in a
 * tile.
 * In a uniform field fused steps consist of multiply-adds only. If their products are exact they become sums (kicks_exactly in run.inl),
 * for which some processors have extra units.
 * More vectors than there are registers (12 on sse2; 12 or 18 of a centre) are kept on the stack. At many stages that is faster than
 * fewer vectors; in one step from memory it can be much slower.
 * A kernel gains the more over the program the cheaper the step and the wider the vector. For rows that are read at run time the
 * program is faster at many steps on sse2, hence ONE_STEP. */
HOT(semi_implicit_euler_uniform, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, 0,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(semi_implicit_euler_uniform_ground, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    GROUND, PICK(IN_TURN(REGISTERS(3, 2)), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), REGISTERS(3, 1)))
HOT(semi_implicit_euler_spring, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(semi_implicit_euler_drag, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), REGISTERS(3, 4), TILE(1, 16, 4, 1)))
HOT(semi_implicit_euler_spring_drag, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    SPRING | DRAG, PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 24, 2, 2), TILE(1, 24, 4, 1)), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(semi_implicit_euler_spring_drag_masses, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    SPRING | DRAG | MASS, PICK(REGISTERS(1, 8), TILE(1, 24, 2, 2), TILE(1, 24, 3, 1), PROGRAM))
HOT(semi_implicit_euler_centre, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 12, 2, 1), TILE(3, 8, 1, 1)))
HOT(velocity_verlet_uniform, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, 0,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(velocity_verlet_uniform_ground, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, GROUND,
    PICK(IN_TURN(REGISTERS(3, 2)), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), REGISTERS(3, 1)))
HOT(velocity_verlet_spring, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(TILE(1, 16, 4, 2)), TILE(1, 24, 2, 1)), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(velocity_verlet_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 2, 1)), IN_TURN(TILE(1, 24, 3, 2)), TILE(1, 16, 4, 1)))
HOT(velocity_verlet_spring_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, SPRING | DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(TILE(1, 16, 4, 2)), TILE(1, 24, 3, 1)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(velocity_verlet_spring_drag_masses, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true,
    SPRING | DRAG | MASS, PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), IN_TURN(REGISTERS(1, 12)), PROGRAM))
HOT(velocity_verlet_centre, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 2, 1), TILE(3, 8, 1, 1)))
HOT(velocity_verlet_pc_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET_PC, 0, splitting_step, &kdr_row_velocity_verlet_pc, true, DRAG,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 2), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(velocity_verlet_pc_spring_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET_PC, 0, splitting_step, &kdr_row_velocity_verlet_pc, true,
    SPRING | DRAG, PICK(TILE(1, 16, 2, 2), IN_TURN(TILE(1, 24, 3, 2)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(pefrl_uniform, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, 0,
    PICK(PROGRAM, TILE(1, 24, 4, 1), TILE(1, 24, 2, 2), TILE(1, 16, 4, 1)))
HOT(pefrl_spring, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, SPRING,
    PICK(PROGRAM, BY_ARITH(TILE(1, 24, 3, 1), PROGRAM), PROGRAM, TILE(1, 16, 4, 1)))
HOT(pefrl_drag, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, DRAG,
    PICK(PROGRAM, TILE(1, 16, 4, 1), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(pefrl_spring_drag, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, SPRING | DRAG,
    PICK(PROGRAM, BY_ARITH(TILE(1, 24, 4, 1), PROGRAM), PROGRAM, TILE(1, 16, 4, 1)))
HOT(splitting_uniform, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), 0, PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(splitting_spring, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 24, 4, 1), ONE_STEP(1, 24, 4)), ONE_STEP(1, 24, 4), TILE(1, 16, 4, 1)))
HOT(splitting_drag, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), ONE_STEP(1, 16, 4)), ONE_STEP(1, 24, 4), TILE(1, 16, 4, 1)))
HOT(splitting_spring_drag, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), SPRING | DRAG,
    PICK(REGISTERS(1, 8), ONE_STEP(1, 24, 4), ONE_STEP(1, 24, 4), TILE(1, 16, 4, 1)))
HOT(splitting_centre, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), CENTRE,
    PICK(REGISTERS(3, 4), BY_ARITH(ONE_STEP(3, 8, 2), REGISTERS(3, 6)), PROGRAM, TILE(3, 8, 1, 1)))
HOT(explicit_euler_uniform, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, 0,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 7)), REGISTERS(3, 2)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(explicit_euler_spring, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 12)), TILE(1, 16, 4, 1)))
HOT(explicit_euler_drag, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), REGISTERS(1, 12), TILE(1, 16, 4, 1)))
HOT(explicit_euler_spring_drag, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, SPRING | DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 4)), IN_TURN(REGISTERS(1, 5))), IN_TURN(REGISTERS(1, 8)), TILE(1, 16, 4, 1)))
HOT(explicit_euler_centre, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 12, 1, 1), TILE(3, 8, 1, 1)))
HOT(rk4_uniform, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, 0,
    PICK(REGISTERS(1, 6), IN_TURN(REGISTERS(1, 6)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1)))
HOT(rk4_spring, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk4_drag, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(rk4_spring_drag, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk4_spring_drag_masses, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING | DRAG | MASS,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), REGISTERS(1, 12), PROGRAM))
HOT(rk4_centre, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), REGISTERS(3, 4), REGISTERS(3, 4), TILE(3, 8, 1, 1)))
HOT(midpoint_uniform, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 8), TILE(1, 16, 4, 1)))
HOT(midpoint_spring, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, SPRING,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(midpoint_drag, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(midpoint_spring_drag, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(midpoint_centre, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1)))
HOT(heun_uniform, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, 0,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 8), TILE(1, 16, 4, 1)))
HOT(heun_spring, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, SPRING,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(heun_drag, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(heun_spring_drag, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(heun_centre, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1)))
HOT(ralston_uniform, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 8), TILE(1, 16, 4, 1)))
HOT(ralston_spring, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, SPRING,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(ralston_drag, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(ralston_spring_drag, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(ralston_centre, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1)))
HOT(rk3_uniform, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1)))
HOT(rk3_spring, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk3_drag, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk3_spring_drag, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk3_centre, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), BY_ARITH(TILE(3, 8, 2, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1), TILE(3, 8, 1, 1)))
HOT(rk4_38_uniform, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, 0,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1)))
HOT(rk4_38_spring, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk4_38_drag, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(rk4_38_spring_drag, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), REGISTERS(1, 12), TILE(1, 16, 4, 1)))
HOT(rk4_38_centre, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), BY_ARITH(TILE(3, 8, 1, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1), TILE(3, 8, 1, 1)))
HOT(dopri_5_uniform, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, 0,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1)))
HOT(dopri_5_spring, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 4)), TILE(1, 16, 4, 1)))
HOT(dopri_5_drag, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(dopri_5_spring_drag, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), IN_TURN(TILE(1, 24, 3, 2)), TILE(1, 16, 4, 1)))
HOT(dopri_5_centre, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), BY_ARITH(TILE(3, 8, 1, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1), TILE(3, 8, 1, 1)))
HOT(suvat_uniform, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(suvat_spring, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(suvat_drag, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(suvat_spring_drag, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, SPRING | DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(nystrom_4_uniform, KDR_NYSTROM, KDR_NYSTROM_4, 3, nystrom_step, &kdr_row_nystrom_4, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 4)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(nystrom_4_spring, KDR_NYSTROM, KDR_NYSTROM_4, 3, nystrom_step, &kdr_row_nystrom_4, false, SPRING,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(nystrom_5_uniform, KDR_NYSTROM, KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_nystrom_5, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 6)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(nystrom_5_spring, KDR_NYSTROM, KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_nystrom_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1)))
HOT(rkn_4_3_uniform, KDR_NYSTROM, KDR_RKN_4_3, 4, nystrom_step, &kdr_row_rkn_4_3, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 6)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(rkn_4_3_spring, KDR_NYSTROM, KDR_RKN_4_3, 4, nystrom_step, &kdr_row_rkn_4_3, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1)))
HOT(dprkn_5_uniform, KDR_NYSTROM, KDR_DPRKN_5, 6, nystrom_step, &kdr_row_dprkn_5, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(dprkn_5_spring, KDR_NYSTROM, KDR_DPRKN_5, 6, nystrom_step, &kdr_row_dprkn_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(dprkn_6_uniform, KDR_NYSTROM, KDR_DPRKN_6, 6, nystrom_step, &kdr_row_dprkn_6, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(dprkn_6_spring, KDR_NYSTROM, KDR_DPRKN_6, 6, nystrom_step, &kdr_row_dprkn_6, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1)))
HOT(stormer_verlet_uniform, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), IN_TURN(REGISTERS(1, 12)), TILE(1, 16, 4, 1)))
HOT(stormer_verlet_spring, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(REGISTERS(1, 4), PROGRAM), PROGRAM, TILE(1, 16, 4, 1)))
HOT(stormer_verlet_centre, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), PROGRAM, TILE(3, 8, 1, 1)))
HOT(implicit_uniform, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, 0,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(implicit_spring, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, SPRING,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1)))
HOT(implicit_drag, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, DRAG,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1)))
HOT(implicit_spring_drag, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, SPRING | DRAG,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1)))
HOT(map, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(map_offset, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | OFFSET,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), IN_TURN(REGISTERS(1, 8)), TILE(1, 16, 4, 1)))
HOT(map_spring, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1)))
HOT(map_spring_offset, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | SPRING | OFFSET,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 4, 1)), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1)))
