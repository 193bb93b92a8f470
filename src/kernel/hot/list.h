/* The hot instances, a line each: its name; the family, and the method (KDR_METHOD_COUNT: every row of the family); the stages of a
 * Runge-Kutta or Nystrom row; the step, the row, and whether the method keeps its acceleration; the terms of the field; the tile on avx512,
 * avx2, sse2 and neon.
 *
 * REGISTERS(D, U): U vectors on D axes go through all steps in registers; one step of some goes another way (JOINS in table.inl).
 * TILE(D, T, U, J): T vectors on D axes lie in the first-level cache, and go through J steps in chunks of U. ONE_STEP(D, T, U): likewise in
 * runs of one step, which are made where particles lie, while the program steps copies; at more the program is faster. PROGRAM: there is no
 * instance; that of all rows of the family, if it has one, steps the row. BY_ARITH(fused, unfused): one of the two by the arithmetic, on
 * avx2, by Zen 4 alone: unfused a component takes twice the operations, and a second step a load gains nothing; in the fused line's tile it
 * takes beside a spring or a drag up to 1.24 of the program's time, rows of splittings 1.1 to 1.8, the more the more stages there are.
 * IN_TURN(place): the vectors of a chunk take a step one after the other, not side by side: fewer values of a step are alive.
 *
 * Behind a line: how many times faster than the program it is at 100 steps of 16,384 particles on avx512, avx2 and sse2, then at one step
 * of 4,194,304 from memory in float, by `kickdrift bench --against program` (Zen 5, gcc 12). At many steps the mean over both precisions,
 * and of a line for all rows over all of them; at one step such a line's over position-verlet and yoshida-6. Lines above the ground are by
 * `tools/dev tune`, which takes both precisions at one step of 2,097,152; maps, Stormer-Verlet, and Nystrom and implicit rows in
 * a uniform field, are Zen 4's. What else is IN_TURN was measured in the place that it had before, and is faster.
 *
 * The rule: of the tiles of bench/tune.cmake, and of a few others, the fastest in runs of many steps, in a cache, of those that take no
 * more than a tenth longer than the best at one step of particles from memory; the geometric mean over both precisions. `tools/dev tune`
 * measures, and prints it.
 *
 * Measured on Granite Rapids (gcc 12), but for
 *   Zen 4: what is IN_TURN; tiles that lost more than a tenth there; on sse2 all that another beat by a tenth; on avx2 all rows of
 *     splittings in a uniform field, beside a drag and about a centre (fused they have 0.9 of the program's speed at many steps, in
 *     registers); maps; Stormer-Verlet; Nystrom and implicit rows in a uniform field; there, on avx2 and sse2, those with which clang (14),
 *     too, is fast: accumulators that fill the registers cost it half the speed, as they do at all rows of splittings about a centre on
 *     avx512 (0.68 to 0.8 of gcc's speed);
 *   Zen 5: lines above the ground; rk4 in a uniform field on avx512, in six vectors: of eight fifteen operands are spilled; rk4 beside a
 *     spring and dopri-5 beside a drag on sse2; all rows of splittings beside a spring and a drag on avx2, where the program takes 0.73 to
 *     1.0 of an instance's time at many steps, the less the more stages there are;
 *   nowhere: neon's.
 *
 * What bounds them:
 *   With 16 registers a step of a tile is bound by its loads and stores where a component takes five operations or fewer. Two steps a load
 *     take 0.8 of the time of one (Granite Rapids). More steps or vectors a chunk spill, or leave too few chunks that overlap: side by side
 *     the accelerations of all vectors are alive at once. In turn five vectors on avx2 and twelve on sse2 go through an Euler step of a
 *     spring in 0.88 of the time of the tile, suvat of what falls in 0.64 of six side by side (Zen 4). It is slower where a step has many
 *     dependent stages, and makes no difference with 32 registers, but above the ground: two vectors in turn take 0.74 of the time of four.
 *   Fused in a uniform field multiply-adds are all there is: where their products are exact they are sums (kicks_exactly in run.inl), which
 *     have units of their own (Zen 4, of before: 1.2 to 2 times the speed on avx512, 1.05 to 1.7 on avx2).
 *   With 32 registers eight vectors hide all latencies. An affine field in registers takes 0.35 to 0.6 of the time of a tile at one step a
 *     load, 0.9 at four; rk4 in a tile takes 0.75 to 0.9 of the time in registers (Granite Rapids).
 *   More vectors in registers than there are (12 on sse2, 12 or 18 of a centre) lie on the stack. At many stages that takes 0.65 to
 *     0.85 of the time of fewer; at one step from memory up to twice, of a centre on sse2, which keeps its tile at one stage (Zen 4).
 *   The program takes the longer than an instance the cheaper the step and the wider the vector. In rows that are read at run time it takes
 *     0.54 to 0.96 of its time on sse2 at many steps, hence ONE_STEP (Zen 4). */
HOT(semi_implicit_euler_uniform, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, 0,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 3.0 1.8 1.4; 2.3 1.6 2.0 */
HOT(semi_implicit_euler_uniform_ground, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    GROUND, PICK(IN_TURN(REGISTERS(3, 2)), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), REGISTERS(3, 1))) /* 3.6 1.9 1.3; 3.0 2.6 2.7 */
HOT(semi_implicit_euler_spring, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), TILE(1, 24, 4, 1),
         TILE(1, 16, 4, 1))) /* 2.4 1.5 1.0; 2.4 1.8 2.1 */
HOT(semi_implicit_euler_drag, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), REGISTERS(3, 4),
         TILE(1, 16, 4, 1))) /* 2.4 1.5 1.3; 2.3 1.8 1.9 */
HOT(semi_implicit_euler_spring_drag, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    SPRING | DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 24, 2, 2), TILE(1, 24, 4, 1)), TILE(1, 24, 4, 1),
         TILE(1, 16, 4, 1))) /* 1.9 1.2 1.1; 2.4 1.8 2.1 */
HOT(semi_implicit_euler_spring_drag_masses, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false,
    SPRING | DRAG | MASS, PICK(REGISTERS(1, 8), TILE(1, 24, 2, 2), TILE(1, 24, 3, 1), PROGRAM)) /* 1.6 1.0 1.0; 2.2 1.9 2.1 */
HOT(semi_implicit_euler_centre, KDR_SPLITTING, KDR_SEMI_IMPLICIT_EULER, 0, splitting_step, &kdr_row_semi_implicit_euler, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 12, 2, 1), TILE(3, 8, 1, 1))) /* 1.5 1.2 1.0; 2.8 2.1 2.1 */
HOT(velocity_verlet_uniform, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, 0,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 2.6 1.5 1.5; 2.6 2.0 2.7 */
HOT(velocity_verlet_uniform_ground, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, GROUND,
    PICK(IN_TURN(REGISTERS(3, 2)), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), REGISTERS(3, 1))) /* 3.8 2.3 1.9; 3.4 2.9 3.4 */
HOT(velocity_verlet_spring, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(TILE(1, 16, 4, 2)), TILE(1, 24, 2, 1)), TILE(1, 24, 4, 1),
         TILE(1, 16, 4, 1))) /* 2.4 1.5 1.0; 2.7 2.2 2.7 */
HOT(velocity_verlet_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 2, 1)), IN_TURN(TILE(1, 24, 3, 2)),
         TILE(1, 16, 4, 1))) /* 2.5 1.5 1.1; 2.7 2.2 2.7 */
HOT(velocity_verlet_spring_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, SPRING | DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(TILE(1, 16, 4, 2)), TILE(1, 24, 3, 1)), TILE(1, 24, 3, 1),
         TILE(1, 16, 4, 1))) /* 1.9 1.1 1.0; 2.7 2.2 2.5 */
HOT(velocity_verlet_spring_drag_masses, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true,
    SPRING | DRAG | MASS,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), IN_TURN(REGISTERS(1, 12)), PROGRAM)) /* 1.7 1.1 1.1; 2.2 2.4 1.9 */
HOT(velocity_verlet_centre, KDR_SPLITTING, KDR_VELOCITY_VERLET, 0, splitting_step, &kdr_row_velocity_verlet, true, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 2, 1), TILE(3, 8, 1, 1))) /* 1.5 1.3 1.1; 2.8 2.2 1.3 */
HOT(velocity_verlet_pc_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET_PC, 0, splitting_step, &kdr_row_velocity_verlet_pc, true, DRAG,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 2), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1))) /* 3.1 2.1 1.6; 2.9 2.6 3.5 */
HOT(velocity_verlet_pc_spring_drag, KDR_SPLITTING, KDR_VELOCITY_VERLET_PC, 0, splitting_step, &kdr_row_velocity_verlet_pc, true,
    SPRING | DRAG, PICK(TILE(1, 16, 2, 2), IN_TURN(TILE(1, 24, 3, 2)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.4 1.9 1.5; 3.0 2.7 2.8 */
HOT(pefrl_uniform, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, 0,
    PICK(PROGRAM, TILE(1, 24, 4, 1), TILE(1, 24, 2, 2), TILE(1, 16, 4, 1))) /* - 1.9 1.4; - 2.4 2.8 */
HOT(pefrl_spring, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, SPRING,
    PICK(PROGRAM, BY_ARITH(TILE(1, 24, 3, 1), PROGRAM), PROGRAM, TILE(1, 16, 4, 1))) /* - 1.5 -; - 2.7 - */
HOT(pefrl_drag, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, DRAG,
    PICK(PROGRAM, TILE(1, 16, 4, 1), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* - 1.6 1.0; - 2.7 1.6 */
HOT(pefrl_spring_drag, KDR_SPLITTING, KDR_PEFRL, 0, splitting_step, &kdr_row_pefrl, false, SPRING | DRAG,
    PICK(PROGRAM, BY_ARITH(TILE(1, 24, 4, 1), PROGRAM), PROGRAM, TILE(1, 16, 4, 1))) /* - 1.1 -; - 2.0 - */
HOT(splitting_uniform, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), 0,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 3.0 1.6 1.3; 2.9 2.3 1.4 */
HOT(splitting_spring, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 24, 4, 1), ONE_STEP(1, 24, 4)), ONE_STEP(1, 24, 4),
         TILE(1, 16, 4, 1))) /* 2.2 1.2 1.0; 3.1 2.0 1.3 */
HOT(splitting_drag, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), ONE_STEP(1, 16, 4)), ONE_STEP(1, 24, 4),
         TILE(1, 16, 4, 1))) /* 2.3 1.2 1.0; 3.0 2.0 1.6 */
HOT(splitting_spring_drag, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), SPRING | DRAG,
    PICK(REGISTERS(1, 8), ONE_STEP(1, 24, 4), ONE_STEP(1, 24, 4), TILE(1, 16, 4, 1))) /* 1.8 1.0 1.0; 3.0 1.7 1.3 */
HOT(splitting_centre, KDR_SPLITTING, KDR_METHOD_COUNT, 0, splitting_any_step, job->row->data.splitting,
    kdr_splitting_keeps(job->row->data.splitting), CENTRE,
    PICK(REGISTERS(3, 4), BY_ARITH(ONE_STEP(3, 8, 2), REGISTERS(3, 6)), PROGRAM, TILE(3, 8, 1, 1))) /* 1.1 1.0 -; 2.2 1.4 - */
HOT(explicit_euler_uniform, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, 0,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 7)), REGISTERS(3, 2)), REGISTERS(1, 6),
         TILE(1, 16, 4, 1))) /* 7.0 5.0 6.1; 2.8 2.4 3.2 */
HOT(explicit_euler_spring, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 12)), TILE(1, 16, 4, 1))) /* 4.9 3.4 3.2; 2.9 2.4 3.5 */
HOT(explicit_euler_drag, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), REGISTERS(1, 12), TILE(1, 16, 4, 1))) /* 4.9 3.4 3.8; 2.9 2.5 3.1 */
HOT(explicit_euler_spring_drag, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, SPRING | DRAG,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 4)), IN_TURN(REGISTERS(1, 5))), IN_TURN(REGISTERS(1, 8)),
         TILE(1, 16, 4, 1))) /* 3.9 2.8 2.6; 2.8 2.5 3.6 */
HOT(explicit_euler_centre, KDR_RUNGE_KUTTA, KDR_EXPLICIT_EULER, 1, runge_kutta_step, &kdr_row_explicit_euler, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 12, 1, 1), TILE(3, 8, 1, 1))) /* 2.4 2.1 1.9; 3.0 2.7 3.3 */
HOT(rk4_uniform, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, 0,
    PICK(REGISTERS(1, 6), IN_TURN(REGISTERS(1, 6)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1))) /* 7.7 5.2 3.3; 3.8 4.1 5.8 */
HOT(rk4_spring, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.8 2.3 1.3; 3.8 4.3 2.2 */
HOT(rk4_drag, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1))) /* 2.8 2.2 1.1; 3.8 4.2 2.1 */
HOT(rk4_spring_drag, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.5 1.8 1.1; 4.0 3.4 1.7 */
HOT(rk4_spring_drag_masses, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, SPRING | DRAG | MASS,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), REGISTERS(1, 12), PROGRAM)) /* 2.0 1.4 1.0; 3.6 2.5 1.4 */
HOT(rk4_centre, KDR_RUNGE_KUTTA, KDR_RK4, 4, runge_kutta_step, &kdr_row_rk4, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), REGISTERS(3, 4), REGISTERS(3, 4), TILE(3, 8, 1, 1))) /* 1.7 1.3 1.3; 3.4 1.7 1.5 */
HOT(midpoint_uniform, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 8), TILE(1, 16, 4, 1))) /* 6.7 4.6 5.4; 3.2 3.2 4.5 */
HOT(midpoint_spring, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, SPRING,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 3.3 2.8 2.7; 3.3 3.5 4.7 */
HOT(midpoint_drag, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 3.4 3.0 2.5; 3.1 3.2 4.7 */
HOT(midpoint_spring_drag, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.9 2.2 2.1; 3.4 3.5 4.1 */
HOT(midpoint_centre, KDR_RUNGE_KUTTA, KDR_MIDPOINT, 2, runge_kutta_step, &kdr_row_midpoint, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1))) /* 2.2 1.8 1.5; 3.5 3.6 2.6 */
HOT(heun_uniform, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, 0,
    PICK(REGISTERS(1, 8), TILE(1, 16, 4, 4), REGISTERS(1, 8), TILE(1, 16, 4, 1))) /* 5.9 4.1 3.1; 3.1 3.1 4.0 */
HOT(heun_spring, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, SPRING,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.7 2.2 1.8; 3.2 3.2 4.0 */
HOT(heun_drag, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.8 2.4 1.6; 3.2 3.1 3.9 */
HOT(heun_spring_drag, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.3 2.0 1.4; 3.4 3.3 3.1 */
HOT(heun_centre, KDR_RUNGE_KUTTA, KDR_HEUN, 2, runge_kutta_step, &kdr_row_heun, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1))) /* 1.8 1.5 1.1; 3.4 3.4 2.1 */
HOT(ralston_uniform, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 8), TILE(1, 16, 4, 1))) /* 4.6 3.2 3.3; 3.2 3.2 4.1 */
HOT(ralston_spring, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, SPRING,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.3 2.0 1.6; 3.3 3.4 3.5 */
HOT(ralston_drag, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, DRAG,
    PICK(TILE(1, 16, 2, 2), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.5 1.9 1.4; 3.2 3.2 3.5 */
HOT(ralston_spring_drag, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 2), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.1 1.7 1.3; 3.3 3.3 2.9 */
HOT(ralston_centre, KDR_RUNGE_KUTTA, KDR_RALSTON, 2, runge_kutta_step, &kdr_row_ralston, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), TILE(3, 8, 1, 1))) /* 1.7 1.5 1.1; 3.4 3.3 2.0 */
HOT(rk3_uniform, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1))) /* 4.3 3.3 2.7; 3.5 3.9 5.4 */
HOT(rk3_spring, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.3 1.9 1.5; 3.8 4.2 2.8 */
HOT(rk3_drag, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.2 2.1 1.4; 3.7 3.9 2.8 */
HOT(rk3_spring_drag, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.3 1.7 1.3; 3.8 3.8 2.3 */
HOT(rk3_centre, KDR_RUNGE_KUTTA, KDR_RK3, 3, runge_kutta_step, &kdr_row_rk3, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), BY_ARITH(TILE(3, 8, 2, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1),
         TILE(3, 8, 1, 1))) /* 1.6 1.2 1.0; 3.6 2.1 1.5 */
HOT(rk4_38_uniform, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, 0,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1))) /* 4.2 3.6 2.5; 3.9 4.6 4.5 */
HOT(rk4_38_spring, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.9 2.1 1.4; 4.3 3.8 2.1 */
HOT(rk4_38_drag, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.9 2.2 1.1; 3.9 4.3 1.9 */
HOT(rk4_38_spring_drag, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), REGISTERS(1, 12), TILE(1, 16, 4, 1))) /* 2.5 1.8 1.2; 4.4 3.1 1.5 */
HOT(rk4_38_centre, KDR_RUNGE_KUTTA, KDR_RK4_38, 4, runge_kutta_step, &kdr_row_rk4_38, false, CENTRE,
    PICK(TILE(3, 8, 2, 1), BY_ARITH(TILE(3, 8, 1, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1),
         TILE(3, 8, 1, 1))) /* 1.6 1.2 1.1; 2.8 1.9 1.4 */
HOT(dopri_5_uniform, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, 0,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), IN_TURN(REGISTERS(1, 5)), TILE(1, 16, 4, 1))) /* 4.6 3.5 3.3; 5.3 4.9 4.3 */
HOT(dopri_5_spring, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 4)), TILE(1, 16, 4, 1))) /* 2.7 2.0 1.5; 4.1 2.5 1.7 */
HOT(dopri_5_drag, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 3.0 2.2 1.5; 5.0 3.2 1.8 */
HOT(dopri_5_spring_drag, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, SPRING | DRAG,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), IN_TURN(TILE(1, 24, 3, 2)), TILE(1, 16, 4, 1))) /* 2.5 1.8 1.2; 3.7 2.3 1.4 */
HOT(dopri_5_centre, KDR_RUNGE_KUTTA, KDR_DOPRI_5, 6, runge_kutta_step, &kdr_row_dopri_5, false, CENTRE,
    PICK(TILE(3, 8, 1, 1), BY_ARITH(TILE(3, 8, 1, 1), ONE_STEP(3, 8, 1)), TILE(3, 8, 2, 1),
         TILE(3, 8, 1, 1))) /* 1.6 1.3 1.2; 2.4 1.6 1.3 */
HOT(suvat_uniform, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 4.0 2.7 4.5; 3.0 3.1 4.2 */
HOT(suvat_spring, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.6 2.3 2.2; 3.0 2.7 3.8 */
HOT(suvat_drag, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 8)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 3.1 2.3 2.1; 2.9 2.6 3.8 */
HOT(suvat_spring_drag, KDR_NYSTROM, KDR_SUVAT, 1, nystrom_step, &kdr_row_suvat, false, SPRING | DRAG,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.2 2.0 1.9; 3.0 2.8 3.8 */
HOT(nystrom_4_uniform, KDR_NYSTROM, KDR_NYSTROM_4, 3, nystrom_step, &kdr_row_nystrom_4, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 4)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 7.5 5.9 7.3; 4.0 4.0 6.2 */
HOT(nystrom_4_spring, KDR_NYSTROM, KDR_NYSTROM_4, 3, nystrom_step, &kdr_row_nystrom_4, false, SPRING,
    PICK(TILE(1, 16, 2, 1), IN_TURN(REGISTERS(1, 5)), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.4 2.1 1.4; 3.8 4.2 2.5 */
HOT(nystrom_5_uniform, KDR_NYSTROM, KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_nystrom_5, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 6)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 8.9 8.2 9.0; 4.9 4.9 8.0 */
HOT(nystrom_5_spring, KDR_NYSTROM, KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_nystrom_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 4, 1), TILE(1, 16, 4, 1))) /* 2.5 2.0 1.3; 4.4 3.4 2.0 */
HOT(rkn_4_3_uniform, KDR_NYSTROM, KDR_RKN_4_3, 4, nystrom_step, &kdr_row_rkn_4_3, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 6)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 7.9 7.3 7.6; 4.8 4.9 7.3 */
HOT(rkn_4_3_spring, KDR_NYSTROM, KDR_RKN_4_3, 4, nystrom_step, &kdr_row_rkn_4_3, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 24, 3, 1), TILE(1, 16, 4, 1))) /* 2.8 2.0 1.3; - - - */
HOT(dprkn_5_uniform, KDR_NYSTROM, KDR_DPRKN_5, 6, nystrom_step, &kdr_row_dprkn_5, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 11 11 12; 6.5 6.7 12 */
HOT(dprkn_5_spring, KDR_NYSTROM, KDR_DPRKN_5, 6, nystrom_step, &kdr_row_dprkn_5, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.9 2.3 1.2; 5.3 3.4 1.6 */
HOT(dprkn_6_uniform, KDR_NYSTROM, KDR_DPRKN_6, 6, nystrom_step, &kdr_row_dprkn_6, false, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 9.9 10 12; 6.6 7.2 12 */
HOT(dprkn_6_spring, KDR_NYSTROM, KDR_DPRKN_6, 6, nystrom_step, &kdr_row_dprkn_6, false, SPRING,
    PICK(TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 2, 1), TILE(1, 16, 4, 1))) /* 2.8 2.3 1.3; 4.9 3.2 1.7 */
HOT(stormer_verlet_uniform, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, 0,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 12)), IN_TURN(REGISTERS(1, 12)), TILE(1, 16, 4, 1))) /* 2.8 1.5 1.6; - - - */
HOT(stormer_verlet_spring, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, SPRING,
    PICK(REGISTERS(1, 8), BY_ARITH(REGISTERS(1, 4), PROGRAM), PROGRAM, TILE(1, 16, 4, 1))) /* 2.8 1.2 -; - - - */
HOT(stormer_verlet_centre, KDR_MULTISTEP, KDR_STORMER_VERLET, 0, multistep_step, NULL, true, CENTRE,
    PICK(TILE(3, 8, 1, 1), TILE(3, 8, 1, 1), PROGRAM, TILE(3, 8, 1, 1))) /* 1.2 1.2 -; - - - */
HOT(implicit_uniform, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, 0,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* 7.3 6.7 6.1; 6.2 6.9 9.3 */
HOT(implicit_spring, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, SPRING,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1))) /* 2.4 2.7 1.8; 5.5 6.2 4.2 */
HOT(implicit_drag, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, DRAG,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1))) /* 3.1 3.3 2.3; 5.7 6.3 5.5 */
HOT(implicit_spring_drag, KDR_IMPLICIT, KDR_METHOD_COUNT, 0, implicit_step, NULL, false, SPRING | DRAG,
    PICK(REGISTERS(1, 4), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1), TILE(1, 16, 4, 1))) /* 2.2 2.4 1.6; 5.5 6.1 3.4 */
HOT(map, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED,
    PICK(REGISTERS(1, 8), REGISTERS(1, 6), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* - 2.4 2.3; - 2.8 3.3 */
HOT(map_offset, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | OFFSET,
    PICK(REGISTERS(1, 8), BY_ARITH(TILE(1, 16, 4, 4), TILE(1, 24, 4, 1)), IN_TURN(REGISTERS(1, 8)),
         TILE(1, 16, 4, 1))) /* 2.3 1.7 1.2; 2.5 2.3 2.9 */
HOT(map_spring, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | SPRING,
    PICK(REGISTERS(1, 8), IN_TURN(REGISTERS(1, 5)), REGISTERS(1, 6), TILE(1, 16, 4, 1))) /* - 1.3 1.4; - 2.9 3.2 */
HOT(map_spring_offset, KDR_KINEMATIC, KDR_METHOD_COUNT, 0, map_step, NULL, false, MAPPED | SPRING | OFFSET,
    PICK(REGISTERS(1, 8), BY_ARITH(IN_TURN(REGISTERS(1, 12)), TILE(1, 24, 4, 1)), TILE(1, 16, 4, 1),
         TILE(1, 16, 4, 1))) /* 1.6 1.1 1.1; 2.5 2.3 3.2 */
