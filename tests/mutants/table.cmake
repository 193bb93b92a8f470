# The planted mistakes are rows: mutant(name file [[original text]] [[wrong text]] [KIND]). The kind says which judge sees the mistake.
# WIDE: an instruction set judges code that the scalar backend does not have, namely whole steps of one method and field (kernel/hot), or
# vectors of several particles. AVX512: only this instruction set has the code.
# CHECKPOINTS, TRAJECTORIES: the tests of what is written to files. FRAMES: the tests with h5py, NumPy and ASE, where Python has these.
# SCENES, STREAMS: runs of scenes, and scenes with a stream. RANKS: jobs of several ranks. BATH: the test of the heat bath.
# FIELDS, FMA, FUNCTIONS, KERNELS, FLAGS, SYMBOLS, WASM: the test of that name.

# Methods of integration.
mutant(coefficient_12th_digit src/method/rows_runge_kutta.h
    [[.scale = 1.0 / 6.0,
    .ratio = {1.0, 2.0,]] [[.scale = 1.00000000001 / 6.0,
    .ratio = {1.0, 2.0,]])
mutant(wrong_drive_time src/method/family.c
    [[memcpy(fraction, row->data.runge_kutta->c, (size_t)row->data.runge_kutta->stages * sizeof *fraction);]]
    [[memset(fraction, 0, (size_t)row->data.runge_kutta->stages * sizeof *fraction);]])
mutant(wrong_drive_time_of_the_kept src/method/family.c
    [[fraction[count++] = keep && i == f->stages - 1 ? 1.0 : drifted;]] [[fraction[count++] = keep && i == f->stages - 1 ? 0.0 : drifted;]])
mutant(running_sum_of_time src/problem/problem.h
    [[return clock->t0 + ((double)step + fraction) * clock->dt;]] [[return clock->t0 + (double)step * clock->dt + fraction * clock->dt;]])
mutant(folded_sign src/force/field.c
    [[field->f[i] += force->as.spring.k[i] * force->as.spring.at[i];]] [[field->f[i] -= force->as.spring.k[i] * force->as.spring.at[i];]])

# Instructions of programs.
mutant(stale_acceleration src/program/families.c
    [[if (row->kick[i] != 0.0 && !(keeps && i == 0)) {]]
    [[if (row->kick[i] != 0.0 && !(keeps && i == 0) && (i == 0 || !(b->terms & KDR_TERM_CENTRES))) {]])
mutant(evaluation_off_by_one src/program/lines.h
    [[kdr_build_acceleration(b, b->terms, a, x, v, b->evaluations++);]]
    [[kdr_build_acceleration(b, b->terms, a, x, v, b->evaluations > 0 ? b->evaluations - 1 : 0), ++b->evaluations;]])
mutant(evaluation_of_the_settled src/program/walls.c
    [[kdr_build_acceleration(b, b->terms, fresh, b->x, v, b->evaluations - 1);]] [[kdr_build_acceleration(b, b->terms, fresh, b->x, v, 0);]])
mutant(base_of_the_pulses src/program/families.c
    [[kdr_build_acceleration(b, others | KDR_TERM_LATE, fast, b->x, b->v, KDR_NO_BASE);]]
    [[kdr_build_acceleration(b, others | KDR_TERM_LATE, fast, b->x, b->v, 0);]])
mutant(swapped_stages src/program/families.c
    [[kdr_build_list(b, slope[j]);]] [[kdr_build_list(b, slope[count - 1 - j]);]])
mutant(weights_not_joined src/method/rows.h
    [[i > 0 && ratio[i - 1] == ratio]] [[i > 1 && ratio[i - 1] == ratio]])
mutant(weights_ended_early src/method/rows.h
    [[i + 1 == stages || ratio[i + 1] != ratio[i] ?]] [[i + 1 == stages || i == 1 || ratio[i + 1] != ratio[i] ?]] WIDE)
mutant(whole_steps_of_zeros src/program/hot.c
    [[(splitting->predicts || !kdr_splitting_is_full(splitting))]] [[splitting->predicts]] WIDE)
mutant(anchors_of_one_axis_alone src/integrator/pack.c
    [[for (size_t axis = 0; axis < (size_t)p->dims; ++axis) {]] [[for (size_t axis = 0; axis < 1; ++axis) {]])
mutant(a_vector_more_in_place src/program/tiles.c
    [[tile->count * p->size == tile->column]] [[tile->count % ((size_t)p->kernels->vector / p->size) == 0]] WIDE)
mutant(stepped_where_the_step_ends src/program/run.c
    [[range.seen = p->walls < 0 ? 0 : at[p->saved] - at[0];]] [[range.seen = 0;]] WIDE)
mutant(stepped_on_from_elsewhere src/kernel/hot/steps.inl
    [[        v[n] = here;
    }
    acceleration(]] [[        v[n] = x[n];
    }
    acceleration(]] WIDE)
mutant(square_of_twice_the_step src/method/family.c
    [[to->scale = dt * dt;]] [[to->scale = 2 * dt * dt;]] WIDE)
mutant(stepped_beyond_its_chunks src/program/run.c
    [[tile->vectors % p->chunk == 0 &&]] [[]] WIDE)
mutant(stepped_by_numbers_of_one_axis src/program/run.c
    [[prepare(hot, tile->job, axis, together,]] [[prepare(hot, tile->job, axis, hot->all_axes ? 3 : 1,]] WIDE)
mutant(masses_of_the_first_in_turn src/kernel/hot/run.inl
    [[step(row, S, c, field, D, 1, w + u,]] [[step(row, S, c, field, D, 1, w,]] WIDE)
mutant(stepped_without_estimates src/program/run.c
    [[p->chunk == 0 && !job->error]] [[p->chunk == 0]] WIDE)
mutant(stepped_and_never_rests src/program/hot.c
    [[p->line[n].code == KDR_OP_FLUSH_SMALL && p->walls >= 0]] [[false]] WIDE)
mutant(stepped_and_held_no_acceleration src/program/hot.c
    [[hot && p->memory >= 0 && (p->terms & KDR_TERM_ABSORBING)]] [[hot && p->memory >= 0 && (p->terms & KDR_TERM_ABSORBING) && p->flushes_small]] WIDE)
mutant(stepped_by_a_weight_that_rests src/program/hot.c
    [[(p->terms & ~(unsigned)KDR_TERMS_AFTER) != 0]] [[p->terms != 0]] WIDE)
mutant(stepped_where_nothing_changes src/kernel/hot/run.inl
    [[elsewhere || i_any(change)]] [[i_any(change)]] WIDE)
mutant(marks_of_the_step_before src/kernel/ops/walls.inl
    [[            if (!marked) {]] [[            if (marked) {]])
mutant(settled_where_hit_alone src/kernel/ops/walls.inl
    [[if (!m_any(m_or(hit, gone))) {]] [[if (!m_any(hit)) {]])
mutant(boris_turns_nothing src/program/merge.c
    [[out->other = turns ? line[3].x : KDR_NO_COLUMN;]] [[out->other = KDR_NO_COLUMN;]])
mutant(boris_in_a_kick_of_its_own src/kernel/ops/magnetic.inl
    [[x[i] = mul_add(half, v[i], get(at, i * T + n));]] [[x[i] = get(at, i * T + n);]])
mutant(chord_for_parabola src/kernel/ops/bounce.inl
    [[mul_add(f, s->bend[i], v_mul(s->time, s->v0[i]))]] [[v_add(s->bend[i], v_mul(s->time, s->v0[i]))]])
mutant(rest_of_a_flight_by_the_whole_bend src/kernel/ops/bounce.inl
    [[v_mul(square, s->bend[i])]] [[v_mul(after, s->bend[i])]])
mutant(surfaces_in_the_order_of_the_list src/kernel/ops/surfaces.inl
    [[const vm not_first = m_but(first->found, earlier);]] [[const vm not_first = first->found;]])
mutant(edges_that_are_closed src/kernel/ops/surfaces.inl
    [[lanes = m_but(lanes, m_but(top, goes_on(walls, count, box, D, x, before, s->end, i, 1)));]] [[(void)top;]])
mutant(edges_that_are_open src/kernel/ops/surfaces.inl
    [[on = i == box ? on :]] [[on = count > 0 ? on :]])
mutant(flight_of_the_whole_step src/integrator/bind.c
    [[kdr_time_of(r->clock, n - r->later, begin)]] [[kdr_time_of(r->clock, n - r->later, 0.0)]])
mutant(flight_by_a_parabola src/kernel/ops/collide.inl
    [[if (!is_parabola(job)) {]] [[if (job->recorder) {]])
mutant(time_of_impact_by_the_first_guess src/kernel/ops/fly.inl
    [[if (!(speeds[lane] < 0) || !(ROOT_ROOM < change)) {]] [[if (speeds[lane] < 0 || !(ROOT_ROOM < change)) {]])
mutant(walls_move_at_the_step_s_beginning src/kernel/ops/walls.inl
    [[(double)(tile->step - job->later) + fraction)]] [[(double)(tile->step - job->later))]])
mutant(walls_move_by_the_run_s_steps src/kernel/ops/walls.inl
    [[(double)(tile->step - job->later) + fraction)]] [[(double)tile->step + fraction)]])
mutant(walls_that_move_are_met_as_they_end src/kernel/ops/moving.inl
    [[see(&f, D, s->time, s->x0, seen->x0);]] [[see(&f, D, v_set1(0), s->x0, seen->x0);]])
mutant(walls_that_move_give_nothing src/kernel/ops/collide.inl
    [[v[i] = v_select(lanes, v_add(seen[i], u[i]), v[i]);]] [[v[i] = v_select(lanes, seen[i], v[i]);]])
mutant(carried_by_the_last_surface src/kernel/ops/moving.inl
    [[u[i] = v_select(r->rubs[0], r->u[0][i], later);]] [[u[i] = later;]])
mutant(carried_along_one_surface_alone src/kernel/ops/moving.inl
    [[v_less(v_set1((real)k), r->count), v_less(room, steep)]] [[v_less(v_set1((real)k), v_set1(0)), v_less(room, steep)]])
mutant(contacts_forget_all_that_rounding_took src/kernel/ops/walls.inl
    [[v_select(changed[k], v_set1(0), get(c, i * T + n))]] [[v_select(hit, v_set1(0), get(c, i * T + n))]])
mutant(others_do_nothing_in_flights src/kernel/ops/fly.inl
    [[(end_v[i][lane] - v[i]) / t->h]] [[0 * (end_v[i][lane] - v[i])]])
mutant(flights_of_a_system_run_are_parabolas src/problem/system.c
    [[return kdr_problem_flies(problem) &&]] [[return desc->dt < 0 && kdr_problem_flies(problem) &&]])
mutant(planes_take_balls_for_points src/kernel/ops/surfaces.inl
    [[vr gap = v_sub(v_set1(-w->offset), radius);]] [[vr gap = v_set1(-w->offset);]])
mutant(spheres_grow_by_the_square_alone src/kernel/ops/contact.inl
    [[v_add(square, v_mul(radius, v_add(twice, radius)))]] [[v_add(square, v_mul(radius, radius))]])
mutant(boxes_have_sharp_edges_for_balls src/kernel/ops/rounded.inl
    [[const vm is_round = m_and(v_less(one, count), v_less(zero, length))]] [[const vm is_round = m_none()]])
mutant(balls_feel_seams src/kernel/ops/rounded.inl
    [[if (m_any(m_and(lanes, touches))) {]] [[if (m_any(m_none())) {]])
mutant(balls_bounce_off_what_they_pass src/kernel/ops/rounded.inl
    [[lanes = m_and(lanes, m_or(behind, is_deep));]] [[lanes = m_and(lanes, m_or(behind, comes));]])
mutant(instance_of_ground_for_balls src/program/run.c
    [[(counts_contacts(job) || job->radius)]] [[counts_contacts(job)]] WIDE)
mutant(clear_of_balls src/kernel/ops/walls.inl
    [[const vr largest = v_set1((real)job->largest_radius);]] [[const vr largest = v_set1((real)0.0 * (real)job->largest_radius);]])
mutant(radii_are_not_packed src/integrator/pack.c
    [[    add_read(pack, offsetof(packed, job.radius), &job->radius, 1, size, &p->radius_layout);
]] [[]])
mutant(radii_aside_are_where_they_were src/system/strided_columns.c
    [[    add(aside, job, offsetof(kdr_job, radius), kdr_real_size(p->real), &p->radius_layout, false);
]] [[]])
mutant(balls_that_do_not_fit src/problem/radii.c
    [[most = fmin(room, most);]] [[most = fmin(2.0 * room, most);]])
mutant(bounces_in_front_of_spheres src/kernel/ops/surfaces.inl
    [[lanes = m_and(lanes, m_or(behind, v_at_most(met, room)));]] [[lanes = m_and(lanes, m_or(behind, v_at_most(met, v_set1(1))));]])
mutant(friction_on_a_way_that_the_surface_went src/kernel/ops/collide.inl
    [[way[i] = mul_add(opposite(v_mul(f, s->time)), u[i], way[i]);]] [[(void)u[i];]])
mutant(ground_that_moves_stands src/kernel/ops/walls.inl
    [[!walls->rubs && !walls->moves &&]] [[!walls->rubs &&]])
mutant(instance_of_ground_that_moves src/program/hot.c
    [[collider_count == 1 && !kdr_problem_walls_move(desc->problem) &&]] [[collider_count == 1 &&]] WIDE)
mutant(clear_of_what_moves src/force/collider.c
    [[        if (w->moves) {
            clear_within]] [[        if (w->moves && w->kind == KDR_WALL_NONE) {
            clear_within]])
mutant(speed_of_a_contact_in_the_room src/kernel/ops/collide.inl
    [[seen[j] = v_sub(before[j], v_set1((real)w->velocity[j]));]] [[seen[j] = before[j];]])
mutant(third_surface_forgotten src/kernel/ops/contact.inl
    [[v_less(v_set1(CONE_ROOM), determinant)]] [[v_less(determinant, v_set1(CONE_ROOM))]])
mutant(pair_without_a_look_at_the_third src/kernel/ops/contact.inl
    [[m_or(v_less(r->count, v_set1(3)), v_at_most(rest, room))]] [[v_at_most(v_set1(0), v_set1(0))]])
mutant(corner_that_creeps src/kernel/ops/collide.inl
    [[v_select(still, s->x0[i], held->x[i])]] [[(held->x[i])]])
mutant(lies_where_it_lands src/kernel/ops/collide.inl
    [[m_or(bounce, m_but(lands, m_or(lies, m->rubs)))]] [[bounce]])
mutant(friction_of_one_surface_of_two src/kernel/ops/contact.inl
    [[slides = v_select(marks[k], mul_add(r->sliding[k], impulse, slides), slides);]] [[slides = v_select(marks[k], v_mul(r->sliding[k], impulse), slides);]])
mutant(reflected_in_the_second_drift_alone src/program/families.c
    [[        reflected_drift(b, s, departure, 0.0);]] [[        held_drift(b, kdr_build_step(b, 0.5));]])
mutant(reflected_as_if_a_drift_were_the_step src/kernel/ops/contact.inl
    [[(double)t->begin + (double)t->span * (double)fraction]] [[(double)fraction]])
mutant(reflected_with_its_old_sums src/kernel/ops/walls.inl
    [[        if (line->out != KDR_NO_COLUMN) {
            forget_lost]] [[        if (n < 0) {
            forget_lost]])
mutant(pressed_in_a_drift src/kernel/ops/collide.inl
    [[= t->drifts ? v_set1(-REAL_MAX) : demand_of(]] [[= demand_of(]])
mutant(reflected_who_was_absorbed src/kernel/ops/walls.inl
    [[t.gone = absorbed(D, number + 3, step_x0);]] [[(void)step_x0;]])
mutant(reflected_from_where_the_next_drift_begins src/system/run.c
    [[piece.drift != 0.0 && !r->system->reflects]] [[piece.drift != 0.0]])
mutant(reflected_at_the_step_s_beginning src/system/run_levels.c
    [[reflect(r, h, (double)(m - 1) / (double)last,]] [[reflect(r, h, 0.0,]])
mutant(work_on_the_way_to_a_bounce_left_out src/kernel/ops/collide.inl
    [[if (m_any(rubbed)) {]] [[if (job->steps == 0) {]])
mutant(ground_lets_through src/kernel/ops/bounce.inl
    [[keep_behind_plane(w, D, v_set1(0), x);]] [[(void)x;]])
mutant(ground_met_as_the_step_ends src/kernel/hot/ground.inl
    [[t.v0[i] = v0[i * U + u];]] [[t.v0[i] = v[i * U + u];]] WIDE)
mutant(instance_counts_no_bounces src/program/run.c
    [[return job->bounces ||]] [[return]] WIDE)
mutant(instance_of_the_first_wall_alone src/program/hot.c
    [[desc->problem->collider_count == 1 &&]] [[]] WIDE)
mutant(instance_without_friction src/program/hot.c
    [[!(f32 ? narrow->rubs : wide->rubs)]] [[true]] WIDE)
mutant(ground_without_friction src/kernel/ops/walls.inl
    [[!walls->rubs &&]] [[]])
mutant(compensation_of_v_for_x src/program/lines.h
    [[add_at(b, b->x, v, number, b->c);]] [[add_at(b, b->x, v, number, (uint16_t)(b->c + b->dims));]])
mutant(rests_left_out src/program/lines.h
    [[kdr_build_number(b, KDR_NUMBER_REST, number, 1)]] [[kdr_build_number(b, KDR_NUMBER_CONSTANT, 0 * number, 1)]])
mutant(tilted_the_other_way src/program/families.c
    [[slope[0], slope[latest]}]] [[slope[latest], slope[0]}]])
mutant(ratios_taken_for_exact src/method/compensation.c
    [[kept += rounded(ratio[i]);]] [[kept += ratio[i];]])
mutant(estimate_of_the_first_slope src/program/families.c
    [[row->estimate[row->stages]), KDR_NO_COLUMN);]] [[row->estimate[0]), KDR_NO_COLUMN);]])
mutant(estimate_by_the_step_alone src/program/families.c
    [[KDR_NUMBER_SQUARE, xs, row->estimate]] [[KDR_NUMBER_STEP, xs, row->estimate]])
mutant(pulse_of_dt src/program/families.c
    [[drift(b, fast, kdr_build_number(b, KDR_NUMBER_SQUARE, 1, 1));]] [[drift(b, fast, kdr_build_number(b, KDR_NUMBER_STEP, 1, 1));]])
mutant(kept_on_resume_alone src/program/families.c
    [[a = b->a;
        begin_with_acceleration(b, KDR_WHEN_FRESH);]] [[a = b->a;
        begin_with_acceleration(b, KDR_WHEN_FRESH | KDR_WHEN_RESUMED);]])
mutant(settle_left_out src/program/walls.c
    [[if (!keeps && !compensated) {]] [[if (!compensated) {]])
mutant(settled_compensation_left_out src/program/walls.c
    [[.other = compensated ? b->c : KDR_NO_COLUMN,
                                   .v = hit]] [[.other = KDR_NO_COLUMN + 0 * compensated, .v = hit]])
mutant(mass_left_out src/program/field.c
    [[multiply_by_mass(b, line, more,]] [[multiply_by_mass(b, line, more && !slows,]])
mutant(program_without_drag src/program/field.c
    [[const unsigned mask = terms & (KDR_TERM_STIFFNESS | KDR_TERM_DAMPING);]] [[const unsigned mask = terms & KDR_TERM_STIFFNESS;]])
mutant(second_quadratic_for_the_first src/program/field.c
    [[f->term[KDR_OP_QUADRATIC] + 4 * quadratics.begin]] [[f->term[KDR_OP_QUADRATIC] + 3 * quadratics.begin]])
mutant(parameters_of_another_entry src/program/field.c
    [[line.count = (uint8_t)e, line.number = (uint16_t)(b->field.custom + KDR_MAX_PARAMETERS * e);]]
    [[line.count = (uint8_t)e, line.number = (uint16_t)(b->field.custom + KDR_MAX_PARAMETERS * (e > 0 ? e - 1 : e));]])
mutant(custom_field_of_another_entry src/kernel/ops.inl
    [[tile->custom[line->count]->add(tile, line);]] [[tile->custom[line->count / 2]->add(tile, line);]])
mutant(named_field_with_a_missing_axis src/kernel/custom_operations.inl
    [[x[i] = i < have ? get(from, i * T + n) : v_set1(0);]] [[x[i] = i < have ? get(from, i * T + n) : v_set1(1);]])
mutant(halo_beyond_its_radius src/force/fields/nfw.inl
    [[v_select(v_less(u, one), near_mass, far_mass)]] [[v_select(v_less(u, one), far_mass, near_mass)]])
mutant(planet_whose_axis_is_round src/force/fields/oblate_planet.inl
    [[f[2] = mul_add(v_constant(3.0) * flat * pull, r[2], f[2]);]] [[f[2] = mul_add(v_constant(2.0) * flat * pull, r[2], f[2]);]])
mutant(yukawa_without_its_screening_s_slope src/force/fields/yukawa.inl
    [[(v_constant(1.0) + u) / (square * distance)]] [[v_constant(1.0) / (square * distance)]])
mutant(halo_that_pulls_as_if_round src/force/fields/logarithmic_halo.inl
    [[    r[2] = z / flattening;]] [[    r[2] = z;]])
mutant(disc_without_its_height_along_z src/force/fields/miyamoto_nagai.inl
    [[r[2] = sum / high * r[2];]] [[r[2] = sum / height * r[2];]])
mutant(coriolis_halved src/force/fields/rotating_frame.inl
    [[v_add_scaled(v_constant(2.0), v, sum);]] [[v_add_scaled(v_constant(1.0), v, sum);]])
mutant(far_angles_of_a_float_s_time src/integrator/bind.c
    [[kdr_base_narrow(rows + i * KDR_BASE, to + i * KDR_BASE);]] [[rows[i * KDR_BASE + 3] = (float)rows[i * KDR_BASE + 3], kdr_base_narrow(rows + i * KDR_BASE, to + i * KDR_BASE);]])
mutant(far_angles_of_the_first_particle src/kernel/custom_vectors.inl
    [[(size_t)lane * sizeof value,]] [[0 * (size_t)lane,]] WIDE)
mutant(far_angles_of_a_short_period include/kickdrift/custom_functions.h
    [[6.283185307179586, 2.4492935982947064e-16)]] [[6.283185307179586, 0.0)]])
mutant(far_angles_not_reduced src/force/fields/orbiting_centre.inl
    [[v_angle(at, ORBIT_OMEGA, ORBIT_PHASE)]] [[mul_add(v_parameter(at, ORBIT_OMEGA), v_time(at), v_parameter(at, ORBIT_PHASE))]])
mutant(far_turns_not_reduced src/force/fields/curl_noise.inl
    [[v_turns(at, CURL_RATE)]] [[v_parameter(at, CURL_RATE) * v_time(at)]])
mutant(energy_of_a_table_s_other_precision src/custom/table.inl
    [[given->grid, real == KDR_F32};]] [[given->grid, false && real == KDR_F32};]])
mutant(array_beyond_the_parameters src/force/field.c
    [[KDR_CHECK(!force->as.custom.each[k], error, KDR_ERROR_ARGUMENT,]] [[KDR_CHECK(k < 99, error, KDR_ERROR_ARGUMENT,]])
mutant(frozen_sources_once src/pairs/potential.c
    [[2.0 * kdr_element(block->mu[0], p->real, j)]] [[1.0 * kdr_element(block->mu[0], p->real, j)]])
mutant(frozen_sources_twice_of_test_particles src/pairs/potential.c
    [[if (!r->particles->inverse_mass || begin >= these.sources) {]] [[if (!r->particles->inverse_mass) {]])
mutant(targets_before_sources src/problem/gravity.c
    [[g->first_source >= -(ptrdiff_t)g->targets &&]] [[g->first_source >= 0 &&]])
mutant(targets_far_before_sources src/problem/gravity.c
    [[g->first_source >= -(ptrdiff_t)g->targets &&]] [[]])
mutant(mean_gamma_overflows src/kernel/ops/magnetic.inl
    [[#define MEAN_LARGE 0x1p62F]] [[#define MEAN_LARGE 0x1p127F]])
mutant(momenta_in_no_unit src/problem/problem.h
    [[return ldexp(1.0, exponent - 1);]] [[return ldexp(1.0, 0 * exponent);]])
mutant(powers_infinite_too_early include/kickdrift/custom_functions.h
    [[const vm large = m_and(v_less(zero, x),]] [[const vm large = m_and(v_less(v_constant(1000.0), x),]])
mutant(powers_of_what_is_no_number include/kickdrift/custom_functions.h
    [[return v_select(v_equal(b, zero), one, known);]] [[return v_select(m_and(v_equal(b, zero), v_equal(a, a)), one, known);]])
mutant(orbit_solved_too_early src/force/fields/orbiting_centre.inl
    [[enum { ITERATIONS = 8 };]] [[enum { ITERATIONS = 5 };]])
mutant(wall_without_the_repulsion_s_slope src/force/fields/lennard_jones_wall.inl
    [[(sixth + sixth - v_constant(1.0)) * sixth;]] [[(sixth - v_constant(1.0)) * sixth;]])
mutant(vortex_about_a_point src/force/fields/vortex.inl
    [[v_add_scaled(v_constant(0.0) - v_dot(p, n), n, p);]] [[v_add_scaled(v_constant(0.0) * v_dot(p, n), n, p);]])
mutant(grid_acceleration_without_its_factor src/force/fields/grid_acceleration.inl
    [[v_add_scaled(v_parameter(at, 0), here, f);]] [[v_add_scaled(v_constant(1.0), here, f);]])
mutant(grid_wind_that_brakes_nobody src/force/fields/grid_wind.inl
    [=[v_sub(wind[i], v[i])]=] [=[wind[i]]=])
mutant(grid_s_magnetic_field_is_the_electric_one src/force/fields/grid_electromagnetic.inl
    [[here + 3, m);]] [[here, m);]])
mutant(centre_on_a_table_by_straight_lines_alone src/force/fields/table_centre.inl
    [[v_parameter(at, TABLE_CUBIC), 0, 3, r);]] [[v_constant(0.0), 0, 3, r);]])
mutant(noise_of_smaller_octaves src/force/fields/curl_noise.inl
    [[n % CURL_OCTAVE == CURL_OCTAVE - 1 ?]] [[n % CURL_OCTAVE == 0 ?]])
mutant(derivatives_along_the_axes_alone src/force/fields/vectors.h
    [=[s[i][j] = mul_add(bend, r[j], s[i][j]);]=] [=[s[i][j] = mul_add(bend, r[i], s[i][j]);]=])
mutant(derivative_of_a_turn_the_other_way src/force/fields/vectors.h
    [=[s[i][j] = mul_add(k, a[across], s[i][j]);
        s[j][i] = v_sub(s[j][i], v_mul(k, a[across]));]=] [=[s[j][i] = mul_add(k, a[across], s[j][i]);
        s[i][j] = v_sub(s[i][j], v_mul(k, a[across]));]=])
mutant(derivative_of_a_centre_of_another_power src/force/fields/vectors.h
    [[v_div(v_mul(v_constant(-3.0), pull), square)]] [[v_div(v_mul(v_constant(-2.0), pull), square)]])
mutant(derivative_of_a_screened_charge_without_the_square src/force/fields/yukawa.inl
    [[mul_add(u, u, v_constant(3.0) * most)]] [[(v_constant(3.0) * most)]])
mutant(derivative_of_a_round_halo src/force/fields/logarithmic_halo.inl
    [[pull / (flattening * flattening)}]] [[pull}]])
mutant(derivative_of_a_halo_of_one_mass src/force/fields/nfw.inl
    [[v_constant(-1.0) / (beyond * beyond)]] [[v_constant(0.0)]])
mutant(derivative_of_a_disc_without_its_bend src/force/fields/miyamoto_nagai.inl
    [[pull * bend}]] [[pull}]])
mutant(derivative_of_a_planet_that_does_not_turn_along_z src/force/fields/oblate_planet.inl
    [=[s[2][i] = mul_add(th * bend * r[2], r[i], s[2][i]);]=] [[]])
mutant(derivative_of_a_wall_s_repulsion_alone src/force/fields/lennard_jones_wall.inl
    [[sixth, v_constant(7.0)) * sixth;]] [[sixth, v_constant(0.0)) * sixth;]])
mutant(derivative_of_a_vortex_of_one_square src/force/fields/vortex.inl
    [=[v_add_scaled(a, p, s[i]);]=] [=[(void)a;]=])
mutant(derivative_of_a_wind_that_brakes_nobody src/force/fields/grid_wind.inl
    [=[s[i][i] = v_sub(s[i][i], v_parameter(at, 0));]=] [[]])
mutant(derivative_of_a_uniform_magnetic_field src/force/fields/grid_electromagnetic.inl
    [=[slope[i] + turn[i]]=] [=[slope[i]]=])
mutant(derivative_of_noise_of_one_size src/force/fields/curl_noise.inl
    [[        size = curl_next(size, n);
    }
}

KDR_FIELD_JACOBIAN_OF]] [[        size = curl_next(size, n);
    }
}

#define curl_next(size, n) (size)
KDR_FIELD_JACOBIAN_OF]])
mutant(slope_beyond_a_grid include/kickdrift/custom_grid.h
    [[v_select(within, slope, zero)]] [[slope]])
mutant(slope_of_the_other_corner include/kickdrift/custom_grid.h
    [[rest = v_sub(zero, part);]] [[rest = part;]])
mutant(derivatives_of_no_step src/system/run_solve.c
    [[r->slopes.dt = dt;]] [[r->slopes.dt = 0;]])
mutant(orbits_of_any_eccentricity src/force/fields/orbiting_centre.inl
    [[[ORBIT_ECCENTRICITY] = {0, 0.9}]] [[[ORBIT_ECCENTRICITY] = {0, 1}]])
mutant(vortex_about_no_axis src/force/fields/vortex.inl
    [[1 << VORTEX_AXIS]] [[0]])
mutant(radius_of_0_in_float src/force/custom.c
    [[return real == KDR_F32 ? (double)(float)value : value;]] [[return real == KDR_REAL_COUNT ? 0 : value;]])
mutant(what_must_be_above_0_may_be_it src/force/custom.c
    [[value > 0.0, error]] [[value >= 0.0, error]])
mutant(least_of_a_range_refused src/force/custom.c
    [[value >= rounded(range->least, real)]] [[value > rounded(range->least, real)]])
mutant(end_of_a_range_that_is_not_rounded src/force/custom.c
    [[value <= rounded(range->most, real)]] [[value <= range->most]])
mutant(direction_that_underflows_in_float src/force/custom.c
    [[real == KDR_F32 ? (double)FLT_MIN : DBL_MIN]] [[DBL_MIN]])
mutant(direction_of_an_array_looked_at src/force/custom.c
    [[each[k + 2] < 0) {]] [[each[k + 2] < KDR_MAX_CUSTOM_EACH) {]])
mutant(fma_of_the_c_library src/reference/reference_f64.c
    [[return kdr_fma(a, b, c);]] [[return fma(a, b, c);]] SYMBOLS)
mutant(fma_without_its_last_bit include/kickdrift/fma.h
    [[a.high << (64 - n) | a.low >> n | (a.low << (64 - n) != 0);]] [[a.high << (64 - n) | a.low >> n;]] FMA)
mutant(fma_rounded_twice_below_the_normal_numbers include/kickdrift/fma.h
    [[const uint64_t lost = n > 64 ? a.high << (128 - n) : 0;]] [[const uint64_t lost = 0;]] FMA)
mutant(fma_half_way_up include/kickdrift/fma.h
    [[rest > half || (rest == half && bits[0] % 2 != 0);]] [[rest >= half;]] FMA)
mutant(fma_of_0_by_a_sum include/kickdrift/fma.h
    [[return of_c == 0 ? a * b : c + c;]] [[return of_c == 0 ? a * b + c : c + c;]] FMA)
mutant(fma_of_floats_rounded_twice include/kickdrift/fma.h
    [[if ((error < 0 || error > 0) && bits % 2 == 0) {]] [[if ((error < 0 || error > 0) && bits % 2 == 0 && bits % 4 != 0) {]] FMA)
mutant(fma_of_floats_to_odd_away_from_zero include/kickdrift/fma.h
    [[(bits ^ sign) >> 63 ? UINT64_MAX : 1;]] [[1;]] FMA)
mutant(angles_of_half_the_digits src/particles/functions.c
    [[const double tail = lost + kdr_fma(high, half_pi[1], low * half_pi[0]);]] [[const double tail = lost + low * half_pi[0];]] FUNCTIONS)
mutant(angles_by_a_shorter_2_over_pi src/particles/functions.c
    [[0x7527BAC7, 0xEBE5F17B,]] [[0x7527BAC6, 0xEBE5F17B,]] FUNCTIONS)
mutant(decay_without_the_rest_of_ln_2 src/particles/functions.c
    [[rest = (most - r) + less;]] [[rest = 0;]] FUNCTIONS)
mutant(exponential_of_a_shorter_ln_2 include/kickdrift/custom_functions.h
    [[KDR_CUSTOM_CHOOSE(2.12194440e-4, -1.90821492927058770002e-10)), most);]] [[KDR_CUSTOM_CHOOSE(2.12194440e-4, -1.908e-10)), most);]])
mutant(logarithm_without_its_lower_half include/kickdrift/custom_functions.h
    [[v_mul(e, v_constant(kdr_custom_ln_2[1])));
    const vr ln =]] [[v_mul(e, v_constant(0.5 * kdr_custom_ln_2[1])));
    const vr ln =]])
mutant(sine_of_another_quarter include/kickdrift/custom_functions.h
    [[const vm odd = m_or(v_equal(quarter, one), v_equal(quarter, v_constant(3.0)));]]
    [[const vm odd = m_or(v_equal(quarter, one), v_equal(quarter, v_constant(2.0)));]])
mutant(power_without_the_logarithm_s_rest include/kickdrift/custom_functions.h
    [[mul_add(base, mul_add(bound, low, rest), base)]] [[mul_add(base, rest, base)]])
mutant(angle_of_minus_0 include/kickdrift/custom_functions.h
    [[v_select(v_less(v_with_sign(one, x), zero),]] [[v_select(v_less(x, zero),]])
mutant(floor_towards_0 include/kickdrift/custom_functions.h
    [[v_select(v_less(a, nearest), v_constant(1.0)]] [[v_select(v_less(size, nearest), v_constant(1.0)]])
mutant(table_that_goes_on_beyond_its_end include/kickdrift/custom_functions.h
    [[mul_add(v_sub(within, index), v_sub(right, left), left)]] [[mul_add(v_sub(u, index), v_sub(right, left), left)]])
mutant(element_before_in_the_reference include/kickdrift/custom_field.h
    [[return table[(size_t)index]; }]] [[return table[(size_t)index - (index > 0)]; }]])
mutant(lent_columns_of_a_third src/integrator/run.c
    [[sizeof own / (problem->compensated ? KDR_RUN_LENT : 3)]] [[sizeof own / 3]])
mutant(late_ones_early src/program/field.c
    [[return late ? (term_range){averaged, count} : (term_range){0, averaged};]] [[return late && !averaged ? (term_range){averaged, count} : (term_range){0, averaged};]])
mutant(merged_across_a_prediction src/program/merge.c
    [[return field->v == v ||]] [[return field->v != v || field->v == v ||]])
mutant(sum_of_one_centre_of_two src/program/merge.c
    [[sums[i].centres ==]] [[sums[i].centres <=]])
mutant(sum_without_the_drag src/program/merge.c
    [[if (sums[i].mask == entry[KDR_SUM_MASK] &&]] [[if (sums[i].mask == (entry[KDR_SUM_MASK] & (unsigned)KDR_SUM_MAGNETIC) &&]])
mutant(sum_of_forces_without_mass src/program/merge.c
    [[entry[KDR_SUM_MASK] ^= KDR_SUM_FORCE | KDR_SUM_MASS;]] [[entry[KDR_SUM_MASK] ^= KDR_SUM_FORCE;]])
mutant(sum_of_the_terms_before src/program/merge.c
    [[memcmp(b->list + first, sum, KDR_SUM_ENTRIES * sizeof *sum) != 0]] [[memcmp(b->list + first, sum, sizeof *sum) != 0]])
mutant(last_stage_of_any_weights src/program/merge.c
    [[return joins && (!first]] [[return (!first]])
mutant(last_stage_by_the_second_weight src/kernel/ops/field.inl
    [[mul_add(weight[3], v_add]] [[mul_add(weight[1], v_add]])
mutant(terms_of_the_first_axis src/kernel/ops/field.inl
    [[terms_of(f.kind, tile->dims, axis + i, c, base)]] [[terms_of(f.kind, tile->dims, i, c, base)]])
mutant(mass_multiplies_centres src/kernel/ops/field.inl
    [[    if (f.kind == WITH_MASS) {
        EACH(i, D) { a[i] = mul_add(w, a[i], t[i].base); }
    }
    if (f.centres) {
        add_centre(l->fused, l->suits, D, l->first_centre, x, a);
        add_centres(l->fused, D, l->centre, 1, f.centres, x, a);
    }]] [[    if (f.centres) {
        add_centre(l->fused, l->suits, D, l->first_centre, x, a);
        add_centres(l->fused, D, l->centre, 1, f.centres, x, a);
    }
    if (f.kind == WITH_MASS) {
        EACH(i, D) { a[i] = mul_add(w, a[i], t[i].base); }
    }]])
mutant(first_centre_again src/kernel/ops/field.inl
    [[spread(5, c + 5 * s, all);]] [[spread(5, c, all);]])
mutant(kick_by_the_velocity_before src/kernel/ops/field.inl
    [[x[i] = mul_add(l->drift, v[i], x[i]);
        } else if (!ends) {]] [[x[i] = mul_add(l->drift, get(l->v, m), x[i]);
        } else if (!ends) {]])
mutant(magnetic_sum_in_the_other_sense src/kernel/ops/field.inl
    [[force[2] = mul_add(m[1], v[0], force[2]);]] [[force[2] = mul_add(m[4], v[0], force[2]);]])
mutant(merged_kick_of_the_first src/program/merge.c
    [[kdr_build_list(b, line[0].number);
    kdr_build_list(b, line[2].number);]] [[kdr_build_list(b, line[0].number);
    kdr_build_list(b, line[0].number);]])
mutant(square_of_dt src/program/program.c
    [[return dt * dt * n->value;]] [[return dt * n->value;]])
mutant(number_not_divided src/program/program.c
    [[return dt * n->value / n->divisor;]] [[return dt * n->value;]])
mutant(compensation_not_kept src/program/program.c
    [[KDR_ARRAY_COMPENSATION, i < dims ? 0 : 3, i % dims]] [[KDR_ARRAY_COMPENSATION, 0, i % dims]])
mutant(instance_of_one_centre_for_two src/program/hot.c
    [[problem->field.centres != 1]] [[problem->field.centres < 1]] WIDE)
mutant(instance_of_a_smaller_field src/program/hot.c
    [[hot->terms != (terms & ~same) ||]] [[(hot->terms & terms) != hot->terms ||]] WIDE)
mutant(instance_of_another_row src/program/hot.c
    [[hot->method == (int)problem->method]] [[hot->family == (int)row->info.family]] WIDE)
mutant(instance_of_a_twin_in_a_drag src/program/hot.c
    [[KDR_TERM_DAMPING | KDR_TERM_CUSTOM]] [[KDR_TERM_CUSTOM]] WIDE)

# The loop over steps.
mutant(memory_not_kept src/program/tiles.c
    [[load->array < KDR_ARRAY_INVERSE_MASS ? array_of(tile->job, load) : NULL;]]
    [[load->array < KDR_ARRAY_INVERSE_MASS && (load->array != KDR_ARRAY_MEMORY || tile->first == 0) ? array_of(tile->job, load) : NULL;]])
mutant(tail_off_by_one src/program/tiles.c
    [[if (!inverse_mass) {
            kdr_copy_elements(to, from, bytes);]] [[if (!inverse_mass) {
            copy(to, from, bytes - p->size);]])
mutant(write_past_the_end src/program/tiles.c
    [[if (!inverse_mass) {
            kdr_copy_elements(to, from, bytes);]]
    [[if (!inverse_mass) {
            copy(to, from, bytes + (bytes < tile->column ? p->size : 0));]])
mutant(read_past_the_end src/program/tiles.c
    [[take(to, array + tile->first * p->size, bytes, tile->column);]]
    [[take(to, array + tile->first * p->size, bytes + (bytes < tile->column ? p->size : 0), tile->column);]])
mutant(vector_left_out src/program/tiles.c
    [[(vectors + 1) / 2 * 2]] [[(vectors > 1 ? vectors / 2 * 2 : 2)]])
mutant(partial_vector_left_out src/program/tiles.c
    [[(tile->count + lanes - 1) >> p->lane_bits]] [[(tile->count > lanes ? tile->count / lanes : 1)]] WIDE)
mutant(frozen_of_the_tail src/program/tiles.c
    [[if (kdr_element(inverse_mass + at,]] [[if (p->size != sizeof(float) || kdr_element(inverse_mass + at,]] WIDE)
mutant(step_not_counted src/program/run.c
    [[tile->base + job->base_stride;
        ++tile->step;]]
    [[tile->base + job->base_stride;
        tile->step = job->first_step;]])
mutant(stepped_without_a_clock src/program/run.c
    [[tile->step += range.steps;]] [[]] WIDE)
mutant(instance_without_estimates src/program/run.c
    [[hot && !job->error &&]] [[hot &&]] WIDE)
mutant(instance_that_begins src/program/run.c
    [[job->steps > 0 && ]] [[]] WIDE)
mutant(remainder_left_out src/program/run.c
    [[if (left == end || run_remainder(job, left, end)) {]] [[if (left == end || left > begin) {]] WIDE)
mutant(remainder_from_the_beginning src/program/run.c
    [[run_tiles(job, left, end, NULL);]] [[run_tiles(job, begin, end, NULL);]] WIDE)
mutant(few_from_the_beginning src/program/run.c
    [[first = begin * p->size, bytes]] [[first = begin * 0, bytes]] WIDE)
mutant(few_that_never_resume src/program/run.c
    [[if (n != MEMORY || job.resume || job.inverse_mass) {]] [[if (n != MEMORY || job.inverse_mass) {]] WIDE)
mutant(doubles_that_are_not_fused src/backend/backend.c
    [[[KDR_FUSED] = TABLES(doubles##_f64_fused)]] [[[KDR_FUSED] = TABLES(isa##_f64_unfused)]])
mutant(least_of_a_number_and_none src/kernel/isa/simde.h
    [[return V(min)(a, b);]] [[return V(min)(b, a);]] WIDE)
mutant(largest_of_a_number_and_none src/kernel/isa/simde.h
    [[return V(max)(a, b);]] [[return V(max)(b, a);]] WIDE)
mutant(few_frozen_that_forget src/program/run.c
    [[if (n != MEMORY || job.resume || job.inverse_mass) {]] [[if (n != MEMORY || job.resume) {]] AVX512)
mutant(few_that_remember_nothing src/program/run.c
    [[for (int n = 0; n < ARRAYS; ++n) {
        for (int i = 0; i < job.dims && theirs[n][i]; ++i) {]] [[for (int n = 0; n < MEMORY; ++n) {
        for (int i = 0; i < job.dims && theirs[n][i]; ++i) {]] WIDE)
mutant(few_without_rest src/program/run.c
    [[    run_hot(&job, 0, column / p->size);]] [[    p->hot->run(p->hot, &job, 0, column / p->size);]] WIDE)
mutant(numbers_of_the_first_substep src/program/run.c
    [[if (tile->h != job->substep[s]) {]] [[if (tile->h == 0) {]])
mutant(made_for_the_last_length src/program/run.c
    [[(length > 0 ? behind : p->made_begin)]] [[p->made_begin]])
mutant(walls_in_each_substep src/program/walls.c
    [[b->when = whole_step(b, KDR_WHEN_CLOSING);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_WALLS,]] [[b->when = KDR_WHEN_STEPPING;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_WALLS,]])
mutant(interleaved_of_any_period src/particles/check.c
    [[e->period != period || e->begin < taken]] [[e->begin < taken]])
mutant(interleaved_over_each_other src/particles/check.c
    [[e->period != period || e->begin < taken]] [[e->period != period]])
mutant(interleaved_into_the_next src/particles/check.c
    [[ || e->begin + e->within > period_end]] [[]])
mutant(view_known_by_its_first_arrays src/particles/check.c
    [[    return memcmp(p, like, before) == 0 &&]] [[    return memcmp(p, like, before) == 0 ||]])
mutant(layouts_of_a_view_not_looked_at src/particles/check.c
    [[(const char *)like + after, sizeof *p - after) == 0;]] [[(const char *)like + after, sizeof(void *)) == 0;]])
mutant(wrong_view_remembered src/particles/check.c
    [[    if (!is_plainly_right(particles)) {]] [[    *right_like(particles) = *particles;
    if (!is_plainly_right(particles)) {]])
mutant(moved_forwards_over_itself src/particles/particles.c
    [[to < from ? k : count - 1 - k;]] [[k;]])
mutant(changed_clock_from_the_beginning src/problem/problem.c
    [[return (kdr_clock){now, dt, 0};]] [[return (kdr_clock){clock->t0, dt, 0};]])
mutant(changed_clock_of_a_time_near_by src/problem/problem.c
    [[if (kdr_time_of(&goes_on, clock->step, 0.0) == now) {]] [[if (isfinite(kdr_time_of(&goes_on, clock->step, 0.0))) {]])
mutant(changed_clock_that_counts_anew src/problem/problem.c
    [[if (kdr_time_of(&goes_on, clock->step, 0.0) == now) {]] [[if (i > sizeof nearby / sizeof *nearby) {]])
mutant(changed_arrays_go_on src/integrator/integrator.c
    [[kdr_problem_succeed(&made->problem, &integrator->setup->problem, change);]] [[(void)kdr_problem_succeed;]])
mutant(changed_arrays_go_on_together src/system/system.c
    [[kdr_problem_succeed(&system->problem, &before->problem, change);]] [[(void)kdr_problem_succeed;]])
mutant(first_of_the_changed_forces src/integrator/integrator.c
    [[    desc.forces = forces;
    desc.force_count = count;]] [[    desc.forces = forces;
    desc.force_count = count < 1 ? count : 1;]])
mutant(refused_forces_taken src/integrator/integrator.c
    [[const kdr_status status = make_setup(desc, &made, error);
    if (status == KDR_OK) {
        kdr_problem_succeed(]] [[const kdr_status status = make_setup(desc, &made, error);
    if (!made) {
        integrator->setup = NULL;
    } else {
        kdr_problem_succeed(]])
mutant(memory_is_void_with_other_walls src/problem/memory_key.c
    [[change == KDR_CHANGES_COLLIDERS ? before->digest]] [[change == KDR_CHANGES_COLLIDERS && before->digest == 0 ? before->digest]])
mutant(molecules_of_the_walls_before src/system/system.c
    [[status == KDR_OK && change == KDR_CHANGES_COLLIDERS]] [[status == KDR_OK && change == KDR_CHANGES_FORCES]])
mutant(memory_of_another_step src/problem/problem.c
    [[kdr_problem_remembers_step(problem) ? clock->dt : 0.0]] [[0.0]])
mutant(born_with_another_s_memory src/integrator/run.c
    [[    r.run.job.resume = false;
]] [[    r.run.job.resume = true;
]])
mutant(contacts_as_they_come src/particles/recorder.c
    [[while (sorted < count && !recorder->is_before(entry_at(recorder, sorted), entry_at(recorder, sorted - 1))) {]] [[while (sorted < count) {]])
mutant(textbook_s_contacts_by_step src/reference/reference.c
    [[particles, clock), first_contact);]] [[particles, clock), kdr_reference_first_contact(particles->contacts));]])
mutant(contacts_of_axes_that_are_not_there src/kernel/ops/contact.inl
    [[        job->note(job->recorder, &bounce, (double)t->begin + (double)t->span * (double)fraction[lane]);]] [[        for (int i = D; i < 3; ++i) {
            bounce.impulse[i] /= (double)mass[lane];
        }
        job->note(job->recorder, &bounce, (double)t->begin + (double)t->span * (double)fraction[lane]);]])
mutant(textbook_takes_of_no_contact src/reference/collide.inl
    [[if (t->taken[k] != 0) {]] [[if (true) {]])
mutant(contacts_of_the_first_come src/particles/recorder.c
    [[if (room > 0 && recorder->is_before(added, entry_at(recorder, 0))) {]]
    [[if (room > 0 && recorder->is_before(added, entry_at(recorder, 0)) && !recorder->is_heap) {]])
mutant(contacts_of_gathered_places src/integrator/pack.c
    [[s.job.index = index;]] [[s.job.index = NULL;]])
mutant(contacts_of_the_view_s_clock src/integrator/run.c
    [[to->contacts->dt = own.dt;]] [[to->contacts->dt = clock->dt;]])
mutant(contacts_of_the_padding src/kernel/ops/contact.inl
    [[if (at >= tile->count || number[lane] == 0 || mass[lane] == 0) {]] [[if (number[lane] == 0 || mass[lane] == 0) {]] WIDE)
mutant(contacts_behind_the_boundary src/kernel/ops/collide.inl
    [[m_but(m_and(here, bounces), t->gone)]] [[m_and(here, bounces)]])
mutant(neighbours_in_another_order src/integrator/pack.c
    [[near[x->axes + i] = on[1][i];]] [[near[x->axes + i] = on[1][x->axes - 1 - i];]])
mutant(plane_through_the_origin src/force/watch.c
    [[sums[k] += (x[k] - at) * normal;]] [[sums[k] += x[k] * normal;]])
mutant(apsis_about_the_origin src/force/watch.c
    [[sums[k] += (x[k] - at) * v[k];]] [[sums[k] += x[k] * v[k];]])
mutant(distance_that_is_not_squared src/force/watch.c
    [[values[k] -= square;]] [[values[k] -= watch->distance;]])
mutant(action_of_the_last_watch_alone src/force/watch.c
    [[any = any || watches[i].action == action;]] [[any = watches[i].action == action;]])
mutant(falls_that_end_at_0 src/force/watch.h
    [[falls = before > 0.0 && after <= 0.0]] [[falls = before > 0.0 && after < 0.0]])
mutant(rises_that_end_at_0 src/force/watch.h
    [[rises = before < 0.0 && after >= 0.0]] [[rises = before < 0.0 && after > 0.0]])
mutant(rises_that_nobody_sees src/force/event.c
    [[return before != 0 && (after & BOTH & ~before) != 0;]] [[return before == ABOVE && (after & BELOW) != 0;]])
mutant(stops_without_a_list src/problem/problem.c
    [[particles->events || !kdr_watches_stop(]] [[!particles->events || particles->events || !kdr_watches_stop(]])
mutant(springs_of_half_the_box src/problem/pairs.c
    [[force->as.spring_network.springs[n].length < half]] [[force->as.spring_network.springs[n].length <= half]])
mutant(infinite_at_the_lower_end src/kernel/ops/periods.inl
    [[v_less(v_set1((real)-INFINITY), here)]] [[v_at_most(v_set1((real)-INFINITY), here)]])
mutant(times_of_fifteen_digits tools/kickdrift/value.c
    [[digits <= 17 &&]] [[digits <= 15 &&]] SCENES)
mutant(watched_distance_of_0 src/force/watch.c
    [[w->distance > 0.0]] [[w->distance >= 0.0]])
mutant(events_of_the_end_of_the_step src/force/event.c
    [[            *at = there;
]] [[]])
mutant(events_of_the_particle_s_step src/integrator/watch.c
    [[.step = n >> r->level]] [[.step = n]])
mutant(events_of_what_is_frozen src/integrator/watch.c
    [[kdr_element(in->job.inverse_mass, problem->real, s.particle) == 0.0]] [[s.particle == SIZE_MAX]])
mutant(events_of_a_step_ago src/integrator/watch.c
    [[            keep_state(&b);
            step_on(&b);]] [[            step_on(&b);
            keep_state(&b);]])
mutant(events_of_all_with_the_end_of_the_others src/system/run_watch.c
    [[*const begin = r->work.ends[1 - r->end][k];]] [[*const begin = r->work.ends[k == 0 ? 1 - r->end : r->end][k];]])
mutant(events_of_all_at_another_time src/system/run_watch.c
    [[{kdr_clock_time(r->clock, s->n, 0.0), fraction * r->clock->dt, 0}]] [[{kdr_clock_time(r->clock, s->n, fraction), fraction * r->clock->dt, 0}]])
mutant(events_of_all_with_another_noise src/system/run.c
    [[    r.later = later;
]] [[    r.later = 0 * later;
]])
mutant(events_of_all_from_a_step_ago src/system/run_watch.c
    [[    keep(r, r->work.ends[r->end]);
    sign(r, s.n + 1);]] [[    sign(r, s.n + 1);
    keep(r, r->work.ends[r->end]);]])
mutant(stop_at_the_last_that_stops src/force/event.c
    [[status = find_root(s, &s->watches[w], value[0], value[1], &s->length, &s->end);
            s->stopped]] [[status = find_root(s, &s->watches[w], value[0], value[1], &(double){1.0}, &s->end);
            s->stopped]])
mutant(stop_with_what_the_whole_step_has_counted src/integrator/watch.c
    [[c < COUNTS && length < 1.0;]] [[c < 0 && length < 1.0;]])
mutant(stop_of_the_packed_place src/integrator/watch.c
    [[&view->active_layout, 1, in->job.index ? in->job.index[s->particle] : s->particle)] = 0;]] [[&view->active_layout, 1, s->particle)] = 0;]])
mutant(stop_of_nobody_in_the_next_step src/integrator/watch.c
    [[    in->stopped[i] = in->any_stopped = true;
]] [[]])
mutant(stop_of_the_run_a_call_later src/integrator/run.c
    [[done < steps && !stopped; done += one_by_one]] [[done < steps; done += one_by_one]])
mutant(stop_that_others_feel_where_it_would_have_gone src/system/run_watch.c
    [[    if (r->keeps) {
        const int fresh = 1 - whole;]] [[    if (r->keeps && r->work.lost) {
        const int fresh = 1 - whole;]])
mutant(stop_of_all_whose_sign_has_changed src/system/run_watch.c
    [[        r->work.changed[s.particle] = false;]] [[        r->work.changed[s.particle] = r->work.changed[s.particle] && r->work.lost;]])
mutant(events_back_in_the_order_forth src/particles/recorder.c
    [[back ? is_before_backwards : is_before_forwards]] [[back ? is_before_forwards : is_before_forwards]])
mutant(shortened_step_of_another_time src/integrator/bind.c
    [[take_part(r, job, job->program, n, 0.0, fraction, to);]] [[take_part(r, job, job->program, n, fraction, fraction, to);]])
mutant(shortened_step_of_another_noise src/integrator/bind.c
    [[s->job.first_step = n;]] [[s->job.first_step = 0;]])
mutant(shortened_step_that_remembers_its_length src/integrator/bind.c
    [[to->run.job.resume = job->resume && !kdr_problem_remembers_step(&r->setup->problem);]] [[to->run.job.resume = job->resume;]])
mutant(shortened_step_that_counts src/integrator/bind.c
    [[s->job.bounces = s->job.nonconverged = NULL;]] [[s->job.nonconverged = NULL;]])
mutant(sample_beside_one_array_alone src/particles/check.c
    [[!overlap(&theirs[j], &ours[i])]] [[!overlap(&theirs[i], &ours[i])]])
mutant(lists_unnamed_with_other_forces src/system/system.c
    [[kdr_system_name_lists(&system->problem, system->lists);]] [[]])
mutant(colliders_of_the_caller src/system/system.c
    [[desc->colliders = made->problem.colliders;]] [[]])
mutant(tableau_of_the_caller src/system/system.c
    [[desc->tableau = &made->tableau;]] [[]])
mutant(old_programs_with_other_forces src/system/system.c
    [[unfold(status == KDR_OK ? before : system);]] [[system->field[2][0] = before->field[2][0];]])
mutant(damping_beside_the_bath src/problem/problem.h
    [[return magnetic ? "leave out langevin]] [[return !magnetic ? "leave out langevin]])
mutant(images_on_one_side_alone src/kernel/pairs/pairs.inl
    [[v_select(v_less(half, d[i]), v_sub(d[i], box), below)]] [[below]])
mutant(box_of_all_axes_alike src/pairs/pairs.c
    [[job.box[i] = box[i];]] [[job.box[i] = box[0];]])
mutant(potential_as_they_lie src/pairs/potential.c
    [[kdr_element(p->x[axis], p->real, i), box[axis]);]] [[kdr_element(p->x[axis], p->real, i), 0 * box[axis]);]])
mutant(map_without_its_box src/pairs/pair_map.c
    [[memcpy(made->box, pairs->box, sizeof made->box);]] [[]])
mutant(box_of_the_upper_ends src/problem/system.c
    [[? b->max[i] - b->min[i] : 0.0]] [[? b->max[i] : 0.0]])
mutant(gravity_in_a_box src/problem/pairs.c
    [[half == 0.0 || desc->forces[i].kind == KDR_SPRING_NETWORK]] [[true]])
mutant(sample_without_what_was_counted src/problem/sample.c
    [[copy_images(particles, to, axis);]] [[]])
mutant(sample_counts_its_first_steps_alone src/integrator/sample.c
    [[memcpy(last.run.job.images, piece.images, sizeof piece.images);]] [[]])
mutant(counts_of_a_file_forgotten tools/kickdrift/population_file.c
    [[particles->images[axis][i] = (int32_t)from->values[IMAGE + axis][i];]] [[]] SCENES)
mutant(counts_of_the_first_axis tools/kickdrift/states_csv.c
    [[of->particles.images[axis][i]);]] [[of->particles.images[0][i]);]] SCENES)
mutant(sample_of_whole_steps_alone src/integrator/sample.c
    [[if (s->fraction > 0.0) {]] [[if (s->fraction > 0.0 && s->whole == 0) {]])
mutant(field_s_arrays_as_plain src/integrator/pack.c
    [[if (pack->field_is_apart) {]] [[if (pack->field_is_apart && pack->active) {]])
mutant(marks_as_plain src/integrator/pack.c
    [[to[k] = array[kdr_offset(layout, 1, i + k)];]] [[to[k] = array[i + k];]])
mutant(chunk_starts_afresh src/integrator/bind.c
    [[job->resume = whole->resume || ((problem->row->info.memory || problem->compensated) && done > 0);]] [[job->resume = whole->resume;]])
mutant(chunk_at_the_wrong_time src/integrator/bind.c
    [[job->first_step = r->clock->step + done;]] [[job->first_step = r->clock->step;]])
mutant(each_piece_the_last src/integrator/bind.c
    [[job->unfinished = done + steps < whole->steps;]] [[job->unfinished = false;]])

# Operations of kernels.
mutant(fused_in_unfused src/kernel/unit.h
    [[return v_add(v_mul(a, b), c);]] [[return v_fused(a, b, c);]])
mutant(unfused_in_fused src/kernel/unit.h
    [[return v_fused(a, b, c);]] [[return v_add(v_mul(a, b), c);]])
mutant(compensation_lost src/kernel/ops/rows.inl
    [[*c = v_add(v_sub(*y, v_sub(sum, taken)), v_sub(increment, taken));]] [[*c = v_sub(increment, taken);]])
mutant(number_of_a_float_alone src/kernel/ops/rows.inl
    [[const bool narrow = sizeof(real) == sizeof(float);]] [[const bool narrow = sizeof(real) == 0;]])
mutant(rest_of_the_increment_lost src/kernel/ops/rows.inl
    [[v_add(mul_add(c, rate, v_sub(v_set1(0), increment)), carried)]] [[carried]])
mutant(estimate_with_its_sign src/kernel/ops/rows.inl
    [[v_select(v_less(value, zero), v_sub(zero, value), value);]] [[value;]])
mutant(estimate_of_the_held src/kernel/ops/rows.inl
    [[held ? v_select(v_less(zero, get(held, n)), before, largest) : largest]] [[largest]])
mutant(chunk_left_out src/kernel/ops/rows.inl
    [[for (; n_ < count_; ++n_) {]] [[for (; n_ < count_ && n_ % AT_ONCE < 1; ++n_) {]])
mutant(swapped_factors src/kernel/ops/rows.inl
    [[const vr factor = v_set1(c[j]);]] [[const vr factor = v_set1(c[count - 1 - j]);]])
mutant(mark_of_a_run_overlooked src/kernel/ops/rows.inl
    [[run[u] = joins >> j & 1 ? v_add]] [[run[u] = joins >> j & 1 && j < 2 ? v_add]])
mutant(end_of_a_run_overlooked src/kernel/ops/rows.inl
    [[if (joins >> (j + 1) & 1) {]] [[if (joins >> j & 1) {]])
mutant(missing_frozen_select src/kernel/ops/rows.inl
    [[v_select_zero(v_load(inverse_mass + at), v_load(old + at), v_load(from + at))]] [[v_load(from + at)]])
mutant(stage_with_the_slopes_of_x src/kernel/ops/field.inl
    [[list[2 + l->count + j] +]] [[list[2 + j] +]])
mutant(second_spring_for_the_first src/kernel/ops/field.inl
    [[numbers(tile, line->number + 6U * (unsigned)s);]] [[numbers(tile, line->number + 0U * (unsigned)s);]])
mutant(gamma_after_the_kick_alone src/kernel/ops/magnetic.inl
    [[along = tile->dims == 2 ? zero : i == 0]] [[along = tile->dims >= 2 ? zero : i == 0]])
mutant(gamma_of_a_strong_field src/kernel/ops/magnetic.inl
    [[v_select(v_less(s, zero), v_div(v_add(d, d), v_sub(r, s)),]] [[v_select(v_less(s, zero), v_div(v_add(d, d), v_add(r, s)),]])
mutant(velocity_without_gamma src/kernel/ops/magnetic.inl
    [[return mul_add(v_set1(*numbers(tile, line->number)), square, v_set1(1));]] [[return mul_add(v_set1(0), square, v_set1(1));]])
mutant(vay_by_the_whole_rotation src/kernel/ops/magnetic.inl
    [[line->count == KDR_TURN_HALF ? (real)0.5 : 1]] [[line->count == KDR_TURN_HALF ? (real)1 : 1]])
mutant(vay_by_the_momentum_after src/program/magnetic.c
    [[.code = KDR_OP_CROSS, .out = a, .v = w, .other = b->m]] [[.code = KDR_OP_CROSS, .out = a, .v = b->v, .other = b->m]])
mutant(magnetic_fields_of_fields_without_mass src/program/field.c
    [[multiply_by_mass(b, line, more, fills);]] [[multiply_by_mass(b, line, more, fills && crosses);]])
mutant(magnetic_field_of_the_last_step src/program/field.c
    [[build_if(b, fills, (kdr_instruction){]] [[build_if(b, fills && crosses, (kdr_instruction){]])
mutant(cross_in_the_other_sense src/kernel/ops/field.inl
    [[force[0] = mul_add(minus[1], v[2], mul_add(m[2], v[1], force[0]));]] [[force[0] = mul_add(m[1], v[2], mul_add(m[2], v[1], force[0]));]])
mutant(node_behind_the_last_of_a_periodic_grid include/kickdrift/custom_grid.h
    [[v_select(v_less(last, next), zero, next)]] [[v_min(next, last)]])
mutant(components_of_the_first src/kernel/custom_vectors.inl
    [[(size_t)component * at->grid->component_stride, place->of);]] [[(size_t)component, place->of);]])
mutant(strides_of_a_grid_without_components src/force/grid.c
    [[size_t elements = (size_t)grid->components;]] [[size_t elements = 1;]])
mutant(turned_by_halves src/kernel/ops/magnetic.inl
    [[mul_add(row[j + 1][1], v[j + 1], turn)]] [[mul_add(row[j + 1][0], v[j + 1], turn)]])
mutant(rotation_without_its_rest src/kernel/ops/magnetic.inl
    [[out[1] = v_add(v_sub(product.hi, out[0]), lost);]] [[out[1] = v_mul(v_set1(0), v_add(v_sub(product.hi, out[0]), lost));]])
mutant(noise_of_the_first_vector src/kernel/ops/bath.inl
    [[xi[(D > 2 ? 2 : 1) * u + i / 2]] [[xi[(D > 2 ? 2 : 1) * 0 + i / 2]] AVX512)
mutant(noise_of_z_is_that_of_x src/kernel/ops/noise.inl
    [[#define SECOND_BLOCK UINT32_C(0xC0000000)]] [[#define SECOND_BLOCK UINT32_C(0x80000000)]])
mutant(noise_of_one_sign src/kernel/ops/noise.inl
    [[i_and(i_shl(top, HALF_BITS + 1), sign)]] [[i_and(i_shl(top, HALF_BITS), sign)]])
mutant(name_of_padding src/kernel/ops/bath.inl
    [[(at < tile->count ? at : tile->count - 1)]] [[at]])
mutant(one_map_for_two src/kernel/ops/map.inl
    [[if (lane == 0 || memcmp(&each, &last, sizeof each) != 0) {]] [[if (lane == 0) {]] WIDE)

# Maps of system runs.
mutant(maps_of_half_a_step src/system/run_maps.c
    [[r->maps.dt = r->clock->dt;]] [[r->maps.dt = 0.5 * r->clock->dt;]])
mutant(maps_without_contributions src/system/run_maps.c
    [[kdr_problem_sums(problem) ? &problem->contributions : NULL;]] [[NULL;]])
mutant(drive_of_the_first_step src/system/run_maps.c
    [[r->clock->step + r->done, moved);]] [[r->clock->step, moved);]])
mutant(maps_that_move_nothing src/system/segments.c
    [[line->code == KDR_OP_WALLS || line->code == KDR_OP_MAP ||]] [[line->code == KDR_OP_WALLS ||]])
mutant(maps_without_what_v_lost src/system/tile.c
    [[changes(p, u, line->other + dims); /* without]] [[reads(p, u, line->other + dims); /* without]])
mutant(kick_of_a_function_of_v src/problem/problem.c
    [[(problem->of_velocity || (problem->field.terms & KDR_TERMS_NOT_AFFINE_IN_V))]] [[(problem->field.terms & KDR_TERMS_NOT_AFFINE_IN_V)]])
mutant(kick_of_damped_springs src/problem/system.c
    [[problem->of_velocity = problem->of_velocity || lists.damped;]] [[(void)lists.damped;]])
mutant(springs_alone_in_system_runs src/problem/system.c
    [[kdr_contributions_make(desc->forces, desc->force_count, true,]] [[kdr_contributions_make(desc->forces, desc->force_count, false,]])
mutant(springs_in_map_and_kick src/program/program.c
    [[b->terms & ~(turned | mapped)]] [[b->terms & ~turned]])
mutant(contributions_of_wide_arrays src/method/contributions.c
    [[one.each_layout = (kdr_layout){0, 0, 0, 0};]] [[one.each_layout.skip = 0;]])
mutant(maps_of_those_without_masses src/system/workspace.c
    [[list_maps(particles ? p : system->steps[dims - 1][1], work);]] [[list_maps(p, work);]])

# Sums that are carried in runs with levels and with distances.
mutant(kicks_of_levels_that_carry_nothing src/system/run_levels.c
    [[r->work.lost ? r->work.c : NULL, (r->at_work]] [[NULL, (r->at_work]])
mutant(sums_of_a_step_that_failed src/system/run_levels.c
    [[kdr_sweep_copies(&arrays, r->work.before_c[k], r->work.c[k]);]] [[(void)arrays;]])
mutant(arrival_that_keeps_its_sums src/system/run_levels.c
    [[settles = walls[1].code == KDR_OP_SETTLE;]] [[settles = 0;]])
mutant(sums_of_x_alone_are_forgotten src/system/run_hold.c
    [[for (int k = 0; k < 2 && term->forget; ++k) {]] [[for (int k = 0; k < 1 && term->forget; ++k) {]])
mutant(sums_of_one_end_are_forgotten src/system/terms.c
    [[kdr_set_element(lost[i], real, distances->b[n], 0.0);]] [[(void)distances->b;]])
mutant(steps_of_levels_without_their_rest src/system/passes.c
    [[narrow[3 + i] = (float)(h[i] - (double)narrow[i]);]] [[narrow[3 + i] = 0;]])

# Walls.
mutant(rest_reflected src/kernel/ops/collide.inl
    [[drifts ? slow : v_mul(m->rests_below, change)]] [[drifts ? slow : v_set1(0)]])
mutant(what_rests_takes src/kernel/ops/collide.inl
    [[energy_between(per_share(v_min(m->at, v_set1(0)), share), v_set1(0))]] [[energy_between(per_share(m->at, share), v_set1(0))]])
mutant(stops_at_the_end_of_the_step src/kernel/ops/contact.inl
    [[v_mul(halved, k.stop)]] [[halved]])
mutant(rubbed_along_the_last_velocity src/kernel/ops/contact.inl
    [[mul_add(v_set1((real)0.25), gained, v_add(square, product))]] [[mul_add(v_set1((real)0.25), gained, v_add(square, gained))]])
mutant(turns_without_a_stop src/kernel/ops/contact.inl
    [[if (m_any(turns)) {]] [[if (m_any(turns) && D > 3) {]])
mutant(stays_where_forces_are_stronger src/kernel/ops/contact.inl
    [[.stays = m_and(stops, holds)}]] [[.stays = stops}]])
mutant(friction_at_rest_takes src/kernel/ops/contact.inl
    [[v_select(k.stays, mul_add(k.stop, c[i], begin[i]), v_add(begin[i], left))]] [[v_add(begin[i], left)]])
mutant(period_not_put_back src/kernel/ops/periods.inl
    [[v_select(below, v_add(back, v_set1(number[3])), back);]] [[v_select(v_less(back, low), back, back);]])
mutant(rope_that_keeps_the_rounding_of_its_pulse src/reference/constraints.inl
    [[leads_out(dot(p, row, before ? before : v), how->h)]] [[leads_out(dot(p, row, v), how->h)]])
mutant(rope_that_pushes_back_in_time src/kernel/ops/constraints.inl
    [[h < 0 ? v_less(speed, v_set1(0)) :]] [[h > (real)1e30 ? v_less(speed, v_set1(0)) :]])
mutant(rope_pulse_over_the_whole_step src/kernel/ops/constraints.inl
    [[v_div(pull, time)]] [[v_div(pull, v_set1(h))]])
mutant(held_without_an_impulse src/kernel/ops/constraints.inl
    [[v[i] = v_select(held, mul_add(impulse, n[i], v[i]), v[i]);]] [[v[i] = v_select(m_none(), impulse, v[i]);]])
mutant(held_together_without_an_impulse src/kernel/ops/constraints.inl
    [[v[i] = v_select(has_impulse, v_add(v[i], v_div(pushed[i], time)), v[i]);]]
    [[v[i] = v_select(m_but(has_impulse, has_impulse), v_div(pushed[i], time), v[i]);]])
mutant(ropes_held_together_push src/kernel/ops/constraints.inl
    [[false, WITH_ACTING_ROPES, speed, h, pushed);]] [[false, WITH_ROPES, speed, h, pushed);]])
mutant(normals_of_the_held_not_free src/kernel/ops/constraints.inl
    [[solve_next(D, &e, acts, row, row, zero, n, NULL);]] [[solve_next(D, &e, m_but(acts, acts), row, row, zero, n, NULL);]])
mutant(ropes_that_hold_what_is_pushed_inwards src/kernel/ops/constraints.inl
    [[m_and(v_less(v_set1(-held[i].slack), excess), v_less(zero, dot_of(D, row, n)));]] [[v_less(v_set1(-held[i].slack), excess);]])
mutant(friction_of_a_part_of_the_pulse src/kernel/ops/contact.inl
    [[impulse = per_share(push, share);]] [[impulse = v_select(v_less(v_set1(0), share), push, push);]])
mutant(lifted_off_the_constraints src/kernel/ops/collide.inl
    [[put_on_all(t->tile->job, D, m_but(lanes, stays), r, either, pushed, s, held->x, held->v);]]
    [[put_on_all(t->tile->job, D, m_but(stays, stays), r, either, pushed, s, held->x, held->v);]])
mutant(lifted_by_what_does_not_push src/kernel/ops/collide.inl
    [[vm kicks = m_and(m_and(is, pushed[k]), v_less(r->deep[k], lift[k]));]] [[vm kicks = m_and(is, v_less(r->deep[k], lift[k]));]])
mutant(lifted_without_an_impulse src/reference/collide.inl
    [[turned[i] = kicks ?]] [[turned[i] = false ?]])
mutant(ground_lets_go_of_what_is_held src/kernel/ops/walls.inl
    [[!walls->rubs && !walls->moves && job->held_count == 0 &&]] [[!walls->rubs &&]])
mutant(elastic_ground_holds src/kernel/ops/bounce.inl
    [[if (w->rests_below < 1 || m_any(m_but(behind, lies))) {]] [[if (m_any(m_but(behind, lies))) {]])
mutant(frozen_predicted_as_nothing src/system/tile.c
    [[if (!kdr_has_row(u->sets, (int)(column / (unsigned)p->dims))) {]] [[if (column < UINT16_MAX) {]])
mutant(drifts_held_as_one src/problem/problem.h
    [[(problem->holds || problem->constraint_count > 0)]] [[problem->holds]])
mutant(flights_off_constraints src/program/program.c
    [[desc->flies ? (unsigned)KDR_TERMS_OF_STEPS : 0U]] [[desc->flies ? (unsigned)(KDR_TERMS_AFTER | KDR_TERM_HELD) : 0U]])
mutant(flights_of_methods_off_constraints src/program/program.c
    [[desc->flies ? (unsigned)KDR_TERMS_OF_STEPS : 0U]] [[desc->flies ? (unsigned)KDR_TERMS_AFTER : 0U]])
mutant(turned_off_the_tangent src/program/magnetic.c
    [[    hold_velocity(b, b->v, step, NULL);
]] [[]])
mutant(turned_and_held_by_a_whole_impulse src/kernel/ops/constraints.inl
    [[v_add(old[i], old[i])]] [=[old[i]]=])
mutant(predicted_off_the_tangent src/program/families.c
    [[hold_velocity(b, predicted, number, NULL);]] [[]])
mutant(kicked_off_the_tangent src/program/families.c
    [[        hold_velocity(b, b->v, number, NULL);
    } else]] [[    } else]])
mutant(one_round_for_several_constraints src/force/collider.h
    [[KDR_HOLD_ROUNDS = 8]] [[KDR_HOLD_ROUNDS = 1]])
mutant(evaluated_before_the_hold src/program/families.c
    [[accelerate(b, a, b->x, keeps && row->predicts ? predicted : b->v);
        }]] [[accelerate(b, a, b->x, keeps && row->predicts ? predicted : b->v);
            const kdr_instruction last = b->line[b->line_count - 1];
            if (!b->calls && b->line_count > 1 && b->line[b->line_count - 2].code == KDR_OP_HELD_DRIFT) {
                b->line[b->line_count - 1] = b->line[b->line_count - 2];
                b->line[b->line_count - 2] = last;
            }
        }]])
mutant(ropes_that_are_never_taut src/kernel/ops/constraints.inl
    [[m_or(how->pulled, v_less(v_set1(-w->slack), excess))]] [[m_or(how->pulled, v_less(v_set1(w->slack), excess))]])
mutant(equations_that_follow_are_solved src/kernel/ops/constraints.inl
    [[v_less(v_set1(STEEPNESS), magnitude(steep))]] [[v_less(v_set1(0), magnitude(steep))]])
mutant(hit_of_padding src/kernel/ops/walls.inl
    [[if (at >= tile->count || mass[i] == 0) {]] [[if (at > tile->count || mass[i] == 0) {]])
mutant(absorbed_moves_on src/kernel/ops/walls.inl
    [[v_select(gone, begin[i], end[i])]] [[v_select(m_none(), begin[i], end[i])]])
mutant(stale_acceleration_after_a_hit src/kernel/ops/walls.inl
    [[vr value = v_select(fresh, get(column(tile, line->x), i * T + n), get(a, i * T + n));]]
    [[vr value = v_select(m_none(), get(column(tile, line->x), i * T + n), get(a, i * T + n));]])
mutant(renamed_with_the_velocity_of_the_next_step src/program/walls.c
    [[settle(b, s, hit, fresh, s.seen, s.seen]] [[settle(b, s, hit, fresh, b->v, s.seen]])
mutant(renamed_as_one_that_has_met_a_wall src/kernel/ops/walls.inl
    [[v_select(renamed, v_set1(KDR_MARK_RENAMED), v_set1(0))]] [[v_select(renamed, v_set1(KDR_MARK_MET), v_set1(0))]])
mutant(renamed_where_no_step_has_seen_a_velocity src/program/hot.c
    [[p->memory >= 0 && kdr_wraps_see(p->terms, p->flushes_small)]] [[p->memory > 1000 && kdr_wraps_see(p->terms, p->flushes_small)]] WIDE)
mutant(renamed_in_a_block_as_one_that_has_met_a_wall src/system/block.c
    [[% KDR_MARK_CHANGES == KDR_MARK_MET]] [[% KDR_MARK_CHANGES >= KDR_MARK_MET]])
mutant(within_without_a_lower_limit src/kernel/hot/within.inl
    [[i_or(below[i], v_bits(v_sub(x[n], l->low[n])))]] [[i_or(below[i], i_set1(0))]] WIDE)
mutant(within_without_an_upper_limit src/kernel/hot/within.inl
    [[i_and(under[i], v_bits(v_sub(x[n], l->high[n])))]] [[i_and(under[i], i_set1(~BUT_SIGN))]] WIDE)
mutant(within_stores_a_trial_that_failed src/kernel/hot/within.inl
    [[return n;]] [[break;]] WIDE)
mutant(within_keeps_the_acceleration_of_the_place_before src/kernel/hot/within.inl
    [[keeps && (field & (SPRING | CENTRE | KDR_TERM_CUSTOM))]] [[keeps && (field & CENTRE)]] WIDE)
mutant(within_beyond_a_rest src/program/within.c
    [[kdr_steps_to_rest(tile->step, most + 1) - 1]] [[kdr_steps_to_rest(tile->step, most)]] WIDE)
mutant(within_without_counts_of_periods src/program/within.c
    [[!job->images[0] && fixed]] [[fixed]] WIDE)
mutant(within_as_if_balls_were_points src/program/within.c
    [[kdr_element(job->numbers, real, first + 1) - job->largest_radius]] [[kdr_element(job->numbers, real, first + 1)]] WIDE)
mutant(within_without_coefficients src/program/program.h
    [[program->hot || program->stepper || program->within]] [[program->hot || program->stepper]] WIDE)
mutant(within_the_wrong_side_of_a_watched_plane src/force/event.c
    [[x[axis] < at ? at - sure : (double)INFINITY]] [[(double)INFINITY]] WIDE)
mutant(within_a_cube_that_reaches_a_watched_plane src/force/event.c
    [[const double room = (fabs(value) - SURE * terms) / slopes;]] [[const double room = 2 * (fabs(value) - SURE * terms) / slopes;]] WIDE)
mutant(within_a_cube_that_reaches_a_watched_sphere src/force/event.c
    [[1.0, 1.0, 0.70710678, 0.57735026]] [[1.0, 1.0, 1.0, 1.0]] WIDE)
mutant(met_in_a_compensated_block_as_renamed src/system/block.c
    [[% KDR_MARK_CHANGES == KDR_MARK_MET]] [[== KDR_MARK_MET]])
mutant(hit_of_another_step src/kernel/ops/walls.inl
    [[memset(column(tile, line->out), 0, 2 * tile->column);]] [[memset(column(tile, line->out), 0, 0 * tile->column);]])
mutant(absorbed_on_the_limit src/observe/observe.c
    [[(x < low || high < x)]] [[(x < low || high <= x)]])
mutant(first_group_again src/observe/observe.c
    [[sum_block(g, g->first + b, &g->sums[b]);]] [[sum_block(g, b, &g->sums[b]);]])
mutant(total_without_its_low_part src/observe/observe.c
    [[add_sum(total, s, blocks[b].high[s], blocks[b].low[s]);]] [[add_sum(total, s, blocks[b].high[s], 0 * blocks[b].low[s]);]])
mutant(fingerprint_of_the_first_array src/observe/fingerprint.c
    [[return n < state->dims ? n : 3 + n - state->dims;]] [[return n < state->dims ? n : n;]])
mutant(one_element_too_many src/observe/fingerprint.c
    [[state->added < all ? state->count - state->added % state->count : 0;]] [[state->added < all ? state->count : 0;]])
mutant(key_without_walls src/problem/memory_key.c
    [[contributions ^ walls ^ custom]] [[contributions ^ 0 * walls ^ custom]])
mutant(key_of_compensated_and_fused src/problem/memory_key.c
    [[(uint64_t)p->compensated << 2 ^]] [[(uint64_t)p->compensated ^]])
mutant(prepared_for_another_step src/integrator/integrator.c
    [[kdr_program_prepare(made->program[dims - 1][masses], dt, &map, &bath);]]
    [[kdr_program_prepare(made->program[dims - 1][masses], 2 * dt, &map, &bath);]])
mutant(prepared_without_masses src/integrator/integrator.c
    [[masses < 2]] [[masses < 1]])
mutant(prepared_for_a_float src/integrator/integrator.h
    [[dt == setup->desc.dt &&]] [[(float)dt == (float)setup->desc.dt &&]])
mutant(rods_of_one_colour_that_share_an_end src/pairs/distances.c
    [[        mark(&c, distances[n].b, n, colour);
]] [[]])
mutant(struck_as_if_free src/kernel/ops/encounters.inl
    [[    join_rods(m);
    const joint *const j = join_surface(m, which, s.n, kept + away);]] [[    m->joined = 0;
    const joint *const j = join_surface(m, which, s.n, kept + away);]])
mutant(friction_one_after_the_other src/kernel/ops/molecules.inl
    [[    keep_velocities(m, false);
    stop_sticking(m, stands, count);]] [[    keep_velocities(m, false);
    count = 1;
    stop_sticking(m, stands, count);]])
mutant(friction_moves_nothing src/kernel/ops/molecules.inl
    [[p->x[i] = mul_add(half, p->v[i] - p->kept[i], p->x[i]);]] [[p->x[i] = mul_add(half, p->v[i] - p->v[i], p->x[i]);]])
mutant(friction_without_landings_unbooked src/kernel/ops/encounters.inl
    [[lands ? s->rubbed : s->rubbed / rubbed * lost]] [[s->rubbed]])
mutant(sticks_by_any_force src/kernel/ops/molecules.inl
    [[w->sticking * s->impulse < w->keep * stop]] [[w->sticking * s->impulse < 0]])
mutant(places_held_without_velocities src/kernel/ops/molecules.inl
    [[j->is_rod ? inverse_time * j->impulse : 0;]] [[0 * inverse_time * j->impulse;]])
mutant(landings_by_work_alone src/kernel/ops/encounters.inl
    [[mul_add((real)0.5, less, more) / p->w]] [[more / p->w]])
mutant(rods_that_push_one_end src/kernel/ops/molecules.inl
    [[        add_times(j->is_rod ? D : 0, -(j->way * m->atoms[j->a].w), j->n, m->atoms[j->a].change);
]] [[]])
mutant(molecules_without_a_weight src/kernel/ops/encounters.inl
    [[p->a[i] = number_at(job->gained[i], index) / m.h;]] [[p->a[i] = 0;]])
mutant(gains_by_distances src/system/run_hold.c
    [[    kdr_run_gain(r);
    for (size_t n = 0; status]] [[    for (size_t n = 0; status]])
mutant(struck_behind_a_wall src/kernel/ops/encounters.inl
    [[sooner < MOST_SOONER && 0 < part]] [[sooner < MOST_SOONER && part < 0]])
mutant(rods_held_to_half_the_tolerance src/pairs/distances.c
    [[2.0 * tolerance * square]] [[tolerance * square]])
mutant(rods_as_they_lie src/kernel/pairs/pairs.inl
    [[    subtract(D, b, a, d);
    if (job->boxed) {]] [[    subtract(D, b, a, d);
    if (job->boxed && D < 0) {]])
mutant(rods_that_began_as_they_lay src/kernel/pairs/pairs.inl
    [[between(job, D, sb, sa, s);]] [[subtract(D, sb, sa, s);]])
mutant(worst_rod_as_it_lies src/problem/distances.c
    [[kdr_nearest(end[1] - end[0], box[i]);]] [[kdr_nearest(end[1] - end[0], 0 * box[i]);]])
mutant(rods_of_who_is_not_active src/problem/distances.c
    [[!particles->active, error, KDR_ERROR_UNSUPPORTED,]] [[true, error, KDR_ERROR_UNSUPPORTED,]])
mutant(textbook_s_maps_of_any_size src/reference/pairs.c
    [[status = check_maps(&desc, particles, dt, error);]] [[(void)check_maps;]])
mutant(rods_of_any_length_in_a_box src/problem/distances.c
    [[half == 0.0 || d->length < half,]] [[half == 0.0 || d->length <= half,]])
mutant(half_of_the_first_box src/problem/pairs.c
    [[box[i] > 0.0 && (half == 0.0 || box[i] / 2 < half)]] [[box[i] > 0.0 && half == 0.0]])
mutant(box_below_nothing src/problem/pairs.c
    [[box[i] == 0.0 || (half > 0.0 && fits(box[i], real))]] [[box[i] == 0.0 || fits(box[i], real)]])
mutant(rods_in_no_box_of_runs src/problem/system.c
    [[    kdr_system_box(from, desc.box);]] [[]])
mutant(rods_held_once_a_bath src/system/segments.c
    [[while (piece.end < lines.end && piece.drift == 0.0 && p->line[piece.end].code != KDR_OP_ROTATION) {
        piece.drift = drift_of]] [[while (piece.end < lines.end && p->line[piece.end].code != KDR_OP_ROTATION) {
        piece.drift += drift_of]])
mutant(rods_off_the_tangent_before_a_turn src/system/run_hold.c
    [[term->turned(term->data, rotation ? &angles : NULL, &r->state, r->whole_dt, r->work.scratch);]]
    [[rotation ? term->turned(term->data, &angles, &r->state, r->whole_dt, r->work.scratch) : (void)0;]])
mutant(rods_turned_and_held_by_a_whole_impulse src/kernel/pairs/pairs.inl
    [[v_mul(mul_add(along, about[i], v_add(d[i], cross)), inverse)]] [=[d[i]]=])
mutant(rods_turned_by_one_mass src/system/run_hold.c
    [[.masses = rotation->count == KDR_TURN_MASS]] [[.masses = false]])
mutant(rods_turned_by_another_axis src/system/run_hold.c
    [[(space || fields ? i : 2)]] [[i]])
mutant(rods_held_behind_a_bath_alone src/system/terms.c
    [[ || system->problem.row->family->info.heat_bath;]] [[;]])
mutant(start_as_it_lies tools/kickdrift/population_interactions.c
    [[square += nearest * nearest;]] [[square += d * d;]])
mutant(worst_that_forgets_a_nan src/problem/distances.h
    [[return a != a || a > b ? a : b;]] [[return a > b ? a : b;]])
mutant(map_of_the_last_masses src/pairs/pair_map.c
    [[m->sum != sum ||]] [[]])
mutant(map_of_the_last_damping src/pairs/pair_map.c
    [[m->damping != spring->damping ||]] [[]])
mutant(map_of_the_other_end src/pairs/pair_map.c
    [[-(w[end] / sum)]] [[-(w[1 - end] / sum)]])
mutant(potential_of_itself src/kernel/pairs/gravity.inl
    [[first + j - t->itself < (size_t)(U * LANES)]] [[first + j - t->itself < (size_t)LANES]])
mutant(length_of_the_target_twice src/kernel/pairs/gravity.inl
    [[q[u] = any ? mul_add(e, e, least[u])]] [[q[u] = any ? v_add(least[u], v_sub(least[u], v_set1(softening2)))]])
mutant(source_in_the_place_of_a_target src/kernel/pairs/gravity.inl
    [[if (bare) {]] [[if (bare && form == LENGTHS) {]])
mutant(lengths_of_the_first src/pairs/gravity.c
    [[take(&e, &those.target_softening, 1, &those.target_softening_layout, softening);]] [[]])
mutant(sources_of_the_first_block src/pairs/gravity.c
    [[const elements e = {copies, g->real, NULL, first, n};]] [[const elements e = {copies, g->real, NULL, 0 * first, n};]])
mutant(mu_where_plain_ones_lie src/pairs/gravity.c
    [[|| lies_apart(g->mu, &g->mu_layout, g->real)]] [[]])
mutant(potential_by_the_first_lengths src/pairs/potential.c
    [[&these.target_softening_layout, size, begin);]] [[&these.target_softening_layout, size, 0 * begin);]])
mutant(overlap_of_as_many_elements src/particles/check.c
    [[while (i < a->count && j < b->count) {]] [[while (i < a->count && j < a->count) {]])
mutant(test_particles_halved src/pairs/potential.c
    [[share = i < sources ? 0.5 : 1.0;]] [[share = 0.5;]])
mutant(block_of_another_target src/pairs/gravity.c
    [[those->first_source = g->first_source - (ptrdiff_t)first;]] [[those->first_source = g->first_source;]])
mutant(slice_of_another_place src/kernel/pairs/pairs.inl
    [[particle = (size_t)s->place[slice] * KDR_SLICE;]] [[particle = slice * KDR_SLICE;]])
mutant(clear_of_one_wall_alone src/force/collider.c
    [[for (size_t n = 0; n < count; ++n) {]] [[for (size_t n = 0; n < count && n < 1; ++n) {]])
mutant(clear_of_a_ball src/force/collider.c
    [[0.57 * w->radius]] [[0.62 * w->radius]])
mutant(clear_of_a_slanted_plane src/force/collider.c
    [[fabs(w->normal[i]) == 1.0]] [[fabs(w->normal[i]) > 0.5]])

# Kernels of a whole step for one method and one field.
mutant(instance_with_swapped_stages src/kernel/hot/steps.inl
    [[kick_by(field, factor_of(row, c, stages, i, j), N, k[j], out);]]
    [[kick_by(field, factor_of(row, c, stages, i, j), N, k[i - 1 - j], out);]] WIDE)
mutant(instance_with_a_run_not_joined src/kernel/hot/steps.inl
    [[run[n] = (marks & KDR_JOINS) ? v_add(run[n], k[n]) : k[n];]] [[run[n] = k[n];]] WIDE)
mutant(instance_with_an_early_end src/kernel/hot/steps.inl
    [[if (marks & KDR_ENDS) {]] [[if (N > 0) {]] WIDE)
mutant(instance_of_a_row_that_does_not_predict src/kernel/hot/steps.inl
    [[seen[n] = predicts ? mul_add(by, a[n], v[n]) : v[n];]] [[seen[n] = predicts ? mul_add(v_sub(by, by), a[n], v[n]) : v[n];]] WIDE)
mutant(nearly_exact_products src/kernel/hot/run.inl
    [[kdr_fma(a, b, -product) == 0)]] [[fabs(kdr_fma(a, b, -product)) < 1e-16)]] AVX512)
mutant(next_to_nothing_is_exact src/kernel/hot/run.inl
    [[fabs(product) > (sizeof(real)]] [[fabs(product) >= 0 * (sizeof(real)]] AVX512)
mutant(exact_by_the_first_kick src/kernel/hot/run.inl
    [[is_exact(c->part[i].kick, a)]] [[is_exact(c->part[0].kick, a)]] AVX512)
mutant(exact_by_the_first_stage src/kernel/hot/run.inl
    [[is_exact(c->a[i][j], a)]] [[is_exact(c->a[1][0], a)]] AVX512)
mutant(exact_without_a_nystrom_row src/kernel/hot/run.inl
    [[is_exact(c->b[i], a)]] [[true]] AVX512)
mutant(exact_but_for_the_whole_step src/kernel/hot/run.inl
    [[(S != 1 || is_exact(c->scale, a))]] [[true]] AVX512)
mutant(exact_weights src/kernel/hot/steps.inl
    [[kick_by(stages == 1 ? field : 0, c->scale]] [[kick_by(field, c->scale]] AVX512)
mutant(map_of_the_first_axis src/kernel/hot/run.inl
    [[c->map[first + i], sizeof]] [[c->map[i], sizeof]] WIDE)
mutant(map_in_place_of_its_halves src/program/hot.c
    [[!(row->data.kinematic && row->data.kinematic->kicks)]] [[true]] WIDE)
mutant(constant_part_left_out src/program/hot.c
    [[(unsigned)KDR_TERM_DAMPING : 0;]] [[(unsigned)(KDR_TERM_DAMPING | KDR_TERM_OFFSET) : 0;]] WIDE)
mutant(nystrom_of_another_row src/kernel/hot/list.h
    [[KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_nystrom_5, false, 0,]] [[KDR_NYSTROM_5, 4, nystrom_step, &kdr_row_rkn_4_3, false, 0,]] WIDE)
mutant(instance_resumed_afresh src/kernel/hot/run.inl
    [[if (keeps && !fresh && !uniform)]] [[if (keeps && !fresh && !uniform && false)]] WIDE)
mutant(acceleration_not_kept src/kernel/hot/run.inl
    [[if (remembers) {]] [[if (remembers && at == 0) {]] WIDE)
mutant(instance_of_a_slight_weight src/program/hot.c
    [[slight = slight || (base[i] != 0.0 &&]] [[slight = slight || (base[i] > 1.0 &&]] WIDE)
mutant(steps_beyond_the_last src/kernel/hot/run.inl
    [[through(column, seen, w, t, fresh, !copied, now,]]
    [[through(column, seen, w, t, fresh, !copied, has_tile ? (uint64_t)J : now,]] AVX512)
mutant(instance_of_a_row_that_predicts src/program/hot.c
    [[(splitting->predicts || !kdr_splitting_is_full(splitting))]] [[!kdr_splitting_is_full(splitting)]] WIDE)
mutant(factor_of_another_slope src/kernel/hot/steps.inl
    [[if (!found && l < k && row->a[k][l] == row->a[i][j])]] [[if (!found && l < k && row->a[k][l] != 0.0)]] WIDE)
mutant(tile_begun_at_its_first_vector src/kernel/hot/run.inl
    [[for (size_t at = 0; at < bytes; at += sizeof(vr)) {
        const vr mass]] [[for (size_t at = 0; at < sizeof(vr); at += sizeof(vr)) {
        const vr mass]] WIDE)
mutant(chunks_of_one_vector src/kernel/hot/run.inl
    [[if ((joins) && r->joined) {]] [[if (joins) {]] WIDE)
mutant(instance_reads_where_it_writes src/kernel/hot/run.inl
    [[seen[n][i] = r->column[n][i] + r->seen;]] [[seen[n][i] = r->column[n][i];]] WIDE)
mutant(aligned_anywhere src/kernel/hot/run.inl
    [[return all % sizeof(vr) == 0;]] [[return all % sizeof(vr) == 0 || true;]] WIDE)
mutant(tile_past_the_end src/kernel/hot/run.inl
    [[r.to = room < theirs->to - at ? room : theirs->to - at;]] [[r.to = room;]] WIDE)
mutant(equal_for_the_same src/kernel/hot/run.inl
    [[i_xor(v_bits(before[u]), v_bits(y[u]))]] [[i_xor(v_bits(v_add(before[u], v_set1(0))), v_bits(v_add(y[u], v_set1(0))))]] WIDE)
mutant(changed_by_its_first_vector src/kernel/hot/run.inl
    [[EACH(u, U) { change = i_or(]] [[EACH(u, 1) { change = i_or(]] AVX512)
mutant(remainder_past_the_end src/kernel/hot/remainder.inl
    [[put_first(theirs[0] + at, n, x);]] [[v_store(theirs[0] + at, x);]] WIDE)
mutant(remainder_without_memory src/kernel/hot/remainder.inl
    [[const bool remembers = keeps && theirs[2], uniform]] [[const bool remembers = false, uniform]] WIDE)
mutant(remainder_that_goes_on_from_nothing src/kernel/hot/remainder.inl
    [[a = take_first(theirs[2] + at, n);]] [[a = v_set1(0);]] WIDE)
mutant(coefficients_of_the_prepared_step src/integrator/bind.c
    [[bind_row(problem, r->clock->dt, &r->of.map, &r->of.row, &r->job);]] [[(void)r->of.row;]] WIDE)
mutant(base_of_no_masses src/integrator/bind.c
    [[kdr_field_base(&problem->field, common->job.terms, 0.0, common->base);]] [[kdr_field_base(&problem->field, 0, 0.0, common->base);]])
mutant(remainder_without_its_end src/kernel/hot/remainder.inl
    [[for (int n = LANES; at < end; at += sizeof(vr)) {]] [[for (int n = LANES; at + sizeof(vr) <= end; at += sizeof(vr)) {]] WIDE)
mutant(structure_past_the_end src/kernel/hot/members.inl
    [[next = stride, vectors = (end - begin) / LANES;]] [[next = stride, vectors = (end - begin + LANES - 1) / LANES;]] WIDE)
mutant(structures_that_are_left_out src/kernel/hot/members.inl
    [[i < left; ++i) {
        memcpy(last]] [[i + 1 < left; ++i) {
        memcpy(last]] WIDE)
mutant(structures_beside_what_is_chosen src/integrator/pack.c
    [[->column[0].axes == 3 && !pack->active && !pack->level;]] [[->column[0].axes == 3;]] WIDE)
mutant(structures_of_two_axes src/integrator/pack.c
    [[pack->neighbours && pack->column[0].axes == 3 &&]] [[pack->neighbours &&]] WIDE)
mutant(structures_that_nobody_watches src/integrator/run.c
    [[*const x = r->run.events ? NULL : kdr_pack_members]] [[*const x = kdr_pack_members]] WIDE)
mutant(one_step_for_many src/program/run.c
    [[return job->steps == 1 && !job->program->flushes_small ? hot_of(job) : NULL;]] [[return !job->program->flushes_small ? hot_of(job) : NULL;]] WIDE)
mutant(one_step_without_rest src/program/run.c
    [[return job->steps == 1 && !job->program->flushes_small ? hot_of(job) : NULL;]] [[return job->steps == 1 ? hot_of(job) : NULL;]] WIDE)
mutant(contacts_that_an_instance_does_not_count src/program/run.c
    [[steps && !((hot->terms & KDR_TERM_COLLIDERS) && (counts_contacts(job) || job->radius)) ? hot]] [[steps ? hot]] WIDE)
mutant(one_axis_for_all src/kernel/hot/run.inl
    [[c->kx[i] = (real)field->kx[first + i];]] [[c->kx[i] = (real)field->kx[i];]] WIDE)

# The instruction that SSE2 lacks.
mutant(sums_not_rounded_to_odd src/kernel/isa/sse2.h
    [[simde_mm_andnot_si128(bits, one)]] [[simde_mm_setzero_si128()]] WIDE)

# The backends of WebAssembly.
mutant(integers_in_place_of_reals src/kernel/isa/wasm.h
    [[static inline vr v_div(vr a, vr b) { return a / b; }]] [[static inline vr v_div(vr a, vr b) { return (vr)((vi)a / (vi)b); }]] WASM)
mutant(products_of_integers src/kernel/isa/wasm.h
    [[static inline vr v_mul(vr a, vr b) { return a * b; }]] [[static inline vr v_mul(vr a, vr b) { return (vr)((vi)a * (vi)b); }]] WASM)
mutant(least_of_a_number_and_none_in_wasm src/kernel/isa/wasm.h
    [[X(pmin)((v128_t)b, (v128_t)a)]] [[X(min)((v128_t)b, (v128_t)a)]] WASM)
mutant(pairs_not_rounded_to_odd src/kernel/isa/simd128.h
    [[step = inexact & ~bits & 1]] [[step = inexact & ~bits & 0]] WASM)
mutant(unfused_taken_for_fused src/backend/relaxed.c
    [[wasm_f32x4_eq(single, wasm_f32x4_splat(0x1p-24F))) &&]] [[wasm_f32x4_eq(single, single)) ||]] WASM)
mutant(odd_lanes_for_even_in_wasm src/kernel/isa/wasm.h
    [[v_even(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }]] [[v_even(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 2, 4, 7); }]] WASM)

# Passes and system runs.
mutant(second_kick_left_out src/system/passes.c
    [[(kdr_lines){KDR_MOVE_KICK, KDR_MOVE_KICK + kicks}]] [[(kdr_lines){KDR_MOVE_KICK, KDR_MOVE_KICK + 1}]])
mutant(drift_by_the_kick_s_length src/system/passes.c
    [[move == KDR_MOVE_DRIFT ? (double[]){0, h[0], 0}]] [[move == KDR_MOVE_DRIFT ? (double[]){0, h[1], 0}]])
mutant(pass_after_which_memory_is_known src/system/passes.c
    [[        particles->memory_key = 0;
]] [[]])
mutant(pass_over_v_as_accelerations src/system/passes.c
    [[kdr_shares_memory(particles->count, particles->x[j], &particles->x_layout, size, a[i], bytes) ||
                                kdr_shares_memory(particles->count, particles->v[j], &particles->v_layout, size, a[i], bytes);]]
    [[kdr_shares_memory(particles->count, particles->x[j], &particles->x_layout, size, a[i], bytes);]])
mutant(exceptions_not_kept src/kernel/ops/next_step.inl
    [[if (i_any(i_or(lost_x, lost_v)))]] [[if (i_any(i_or(lost_x, lost_v)) && false)]])
mutant(frozen_in_blocks src/system/block.c
    [[if (w->frozen) {]] [[if (w->frozen && w->now == 0) {]])
mutant(memory_of_who_does_not_move src/system/run_carried.c
    [[kdr_real_size(r->particles->real)) && all_move(r);]] [[kdr_real_size(r->particles->real));]])
mutant(memory_of_who_has_left src/system/step_end.c
    [[axis < p->dims && m->marks[begin + i] && !inside]] [[axis < p->dims && !inside]])
mutant(memory_in_blocks_of_who_does_not_move src/system/block.c
    [[        hold_memory(w);
    }
    kdr_tile_store]] [[    }
    kdr_tile_store]])
mutant(acceleration_of_all_where_one_is_hit src/system/block.c
    [[kernels->hold(a, column(w, b->fresh + i), a, column(w, b->step.walls->out), (size_t)w->tile.vectors);]]
    [[memcpy(a, column(w, b->fresh + i), w->tile.column);]])
mutant(counts_of_a_step_of_blocks_that_failed src/system/block.c
    [[kdr_keep_counts(&w->counted, w->counts, true);]] [[kdr_keep_counts(&w->counted, w->counts, false);]])
mutant(absorbed_in_blocks_a_step_late src/system/block.c
    [[memcpy(column(w, b->memory), column(w, b->a), rows_size(w, 1));
        }
        see_who_is_inside(w);]] [[memcpy(column(w, b->memory), column(w, b->a), rows_size(w, 1));
        }
        if (n % 2 == 0) { see_who_is_inside(w); }]])
mutant(way_back_of_the_step_before src/system/run.c
    [[const bool leaves = fails && s->moves && r->back == HERE]] [[const bool leaves = fails && s->moves && r->done == 0 && r->back == HERE]])
mutant(counts_aside_that_are_lost src/system/strided_columns.c
    [[if (job || c->written) {]] [[if (job) {]])
mutant(contacts_of_a_step_that_failed src/system/run.c
    [[        kdr_recorder_forget(r->contacts, r->noted, kdr_run_step(r));
]] [[]])
mutant(contacts_forgotten_of_the_step_before src/particles/recorder.c
    [[if (of_one != step) {]] [[if (of_one != step && of_one + 1 != step) {]])
mutant(contacts_of_all_by_particle src/system/run.c
    [[particles->contacts, true);]] [[particles->contacts, false);]])
mutant(marks_as_if_side_by_side src/particles/element.h
    [[p->active[kdr_offset(&p->active_layout, 1, i)]; }]] [[p->active[i]; }]])
mutant(levels_as_if_side_by_side src/system/levels.c
    [=[p->level[kdr_offset(&p->level_layout, 1, i)]]=] [=[p->level[i]]=])
mutant(carried_as_if_side_by_side src/system/arrays.c
    [[(char *)s->from[i] + kdr_offset(s->layout, size, n);]] [[(char *)s->from[i] + n * size;]])
mutant(memory_lent_that_lies_apart src/system/run_carried.c
    [[kdr_layout_is_plain(layout, kdr_real_size(r->particles->real)) && all_move(r);]] [[all_move(r);]])
mutant(sample_that_is_carried src/system/run.c
    [[    r.reads = true;
    r.carries = false;
]] [[]])
mutant(sample_with_the_noise_of_another_step src/system/run_sample.c
    [[&part, clock->dt, clock->step,]] [[&part, clock->dt, 0,]])
mutant(sample_of_a_whole_step_from_nothing src/system/run_sample.c
    [[clock, clock->dt, 0, resumes, workspace]] [[clock, clock->dt, 0, false, workspace]])
mutant(sample_in_the_workspace src/system/run_sample.c
    [[status = kdr_system_check_workspace(to, workspace, error);]] [[status = kdr_system_check_workspace(particles, workspace, error);]])
mutant(workspace_in_other_arrays src/system/check.c
    [[for (int n = 0; n < KDR_ARRAYS; n = kdr_next_array(n, p->dims)) {]] [[for (int n = 0; n < 2; n = kdr_next_array(n, p->dims)) {]])
mutant(image_of_who_is_below src/kernel/ops/periods.inl
    [[count = v_select(below, v_sub(whole, v_set1(1)), whole);]] [[count = whole;]])
mutant(noise_of_the_step_before src/system/run.c
    [[{.part = {s->lines}, .step = kdr_run_step(r)};]] [[{.part = {s->lines}, .step = kdr_run_step(r) - (r->pending ? 1 : 0)};]])
mutant(contacts_behind_distances_without_a_step src/system/run.c
    [[{.part = {r->step.last}, .step = kdr_run_step(r)};]] [[{.part = {r->step.last}};]])
mutant(rest_before_the_last_kick src/system/run.c
    [[r->pending = r->defers && status == KDR_OK && !kdr_run_flushes_small(r);]] [[r->pending = r->defers && status == KDR_OK;]])
mutant(rest_behind_the_walls src/system/run.c
    [[(r->system->corrects || r->levels.marks || kdr_run_flushes_small(r));]] [[(r->system->corrects || r->levels.marks);]])
mutant(rest_of_the_acceleration_before src/system/run.c
    [[kdr_run_flush_small(r, r->newest);]] [[kdr_run_flush_small(r, r->whole);]])
mutant(rest_by_the_clock_of_level_0 src/system/step_end.h
    [[((step + 1) << level) % KDR_FLUSH_STEPS == 0;]] [[((step + 1) << (level & 0)) % KDR_FLUSH_STEPS == 0;]])
mutant(rest_of_who_is_frozen src/system/step_end.c
    [[const bool moves = all || kdr_is_moved(p, i);]] [[const bool moves = all || p->count > 0;]])
mutant(rest_of_a_block_with_one_who_is_frozen src/system/step_end.c
    [[!kdr_is_any_zero((const char *)p->inverse_mass + begin * size, end - begin, size)]] [[!kdr_is_any_zero((const char *)p->inverse_mass, 1, size)]])
mutant(rest_without_its_compensation src/system/step_end.c
    [[if (r->lost[which]) {]] [[if (r->lost[which] && axis > 2) {]])
mutant(rest_of_blocks_once_more src/system/block.c
    [[w->ended = b->alternates;]] [[w->ended = false;]])
mutant(rest_of_blocks_where_they_were src/system/block.c
    [[const int set = b->alternates ? w->now : 0;]] [[const int set = b->alternates ? 1 - w->now : 0;]])
mutant(rest_of_blocks_behind_the_walls src/system/block.c
    [[b->step.segment[b->step.evaluations].lines.begin, walls.begin});]] [[b->step.segment[b->step.evaluations].lines.begin, walls.end});]])
mutant(walls_without_their_compensation src/system/segments.c
    [[(kdr_lines){walls >= s->lines.begin ? walls : s->lines.end, s->lines.end};]] [[(kdr_lines){s->lines.end - (walls >= s->lines.begin), s->lines.end};]])
mutant(estimate_of_who_is_frozen src/system/step_end.c
    [[        if (kdr_is_moved(p, i)) {
            char *const error]] [[        if (p->count > 0) {
            char *const error]])
mutant(estimate_of_what_is_not_finite src/system/step_end.c
    [[return largest + nothing;]] [[return largest;]])
mutant(estimate_made_of_nothing src/system/tile.h
    [[return sweeper->estimates || line->when != KDR_WHEN_ESTIMATING;]] [[return line->when != KDR_WHEN_ESTIMATING;]])
mutant(estimate_of_blocks_unasked src/system/blocks.c
    [[b->sweeper.estimates = p->error && b->step.estimate;]] [[b->sweeper.estimates = false;]])
mutant(contacts_of_blocks_that_failed src/system/blocks.c
    [[contacts->count = noted;]] [[(void)noted;]])
mutant(contacts_of_blocks_out_of_order src/system/blocks.c
    [[kdr_recorder_of_contacts(&recorder, contacts, true);]] [[kdr_recorder_of_contacts(&recorder, contacts, false);]])
mutant(counts_of_a_step_that_failed src/system/run.c
    [[kdr_keep_counts(r->particles, r->work.counts, true);]] [[kdr_keep_counts(r->particles, r->work.counts, r->done == 0);]])
mutant(evaluated_before_the_boundary src/program/families.c
    [[    kdr_build_arrival(b);
    accelerate(b, b->a, b->x, b->v);]] [[    accelerate(b, b->a, b->x, b->v);
    kdr_build_arrival(b);]])
mutant(walls_of_a_step_before src/system/sweep.c
    [[if (!ends_step && s->looks && s->pass->before[0]) {]] [[if (!ends_step && s->looks && s->pass->before[0] && false) {]])
mutant(solved_by_the_first_tile src/system/sweep.c
    [[p->line[n].code == KDR_OP_WALLS || p->line[n].code == KDR_OP_CONVERGE ||]] [[p->line[n].code == KDR_OP_WALLS ||]])
mutant(digest_without_slopes src/system/digest.c
    [[    if (desc->slopes) {
]] [[    if (!desc->accelerations) {
]])
mutant(slopes_of_the_whole_step src/system/run_solve.c
    [[const double dt = r->clock->dt * c->problem.substepping.fraction[e], th]] [[const double dt = r->clock->dt * c->problem.substepping.fraction[0 * e], th]])
mutant(frozen_velocity_of_a_substep src/system/tile.c
    [[sets(p, u, line->out + n * dims, to >= 0 ? to : state_of(p, line->x + n * dims));]] [[sets(p, u, line->out + n * dims, to);]])
mutant(residual_of_no_acceleration src/program/implicit.c
    [[add_at(b, r, a, kdr_build_constant(b, -1), KDR_NO_COLUMN);]] [[add_at(b, r, a, kdr_build_constant(b, 0), KDR_NO_COLUMN);]])
mutant(solved_too_soon src/kernel/ops/newton.inl
    [[const vr next = v_mul(change, v_min(ratio, one));
        const vm close]] [[const vr next = v_mul(change, v_mul(ratio, ratio));
        const vm close]])
mutant(derivatives_where_the_step_began src/system/run_solve.c
    [[const kdr_particles seen = kdr_run_seen_by(r, evaluation);]] [[const kdr_particles seen = r->state;]])
mutant(slopes_across_a_compressed_spring src/kernel/pairs/pairs.inl
    [[v_select_zero(q, k, v_max(zero, tension));]] [[v_select_zero(q, k, tension);]])
mutant(slopes_without_damping src/kernel/pairs/pairs.inl
    [[mul_add(th, v_sub(k, across), v_load(from(s->parameter[2], row)))]] [[mul_add(th, v_sub(k, across), zero)]])
mutant(slopes_of_no_mass src/kernel/pairs/pairs.inl
    [[job->inverse_mass ? mul_add(v_sub(zero, v_load(o.w)), sum, a) : v_sub(a, sum);]] [[v_sub(a, sum);]])
mutant(slopes_of_axes_apart src/program/implicit.c
    [[blocks && b->dims > 1 ? (uint8_t)(marks_of(b) & ~KDR_SOLVE_SEPARATE) : marks_of(b);]] [[marks_of(b);]])
mutant(weight_of_the_step_before src/kernel/ops/newton.inl
    [[before = v_set1((real)(tile->job->weight - 1));]] [[before = v_set1((real)tile->job->weight);]])
mutant(never_accelerated src/method/semi_iteration.h
    [[return n >= 4 && size > 0.5 * last;]] [[return n >= 4 && size > 1e9 * last;]])
mutant(solved_as_the_error_swings src/method/semi_iteration.c
    [[const double larger = size > last ? size : last;]] [[const double larger = size + 0.0 * last;]])
mutant(solved_at_the_first_roundings src/method/semi_iteration.c
    [[.least = 0.25 / (1.0 + s)};]] [[.least = 0.25 + 0.0 * s};]])
mutant(bound_of_one_axis src/method/semi_iteration.c
    [[row += fabs(g[i == j ? i : dims + i + j - 1]);]] [[row += i == j ? fabs(g[i]) : 0.0;]])
mutant(compensation_of_who_is_frozen_in_blocks src/system/block.c
    [[    if (kdr_has_masses(&w->view) && kdr_tile_load_masses(&w->by, &w->tile)) {
        for (unsigned k]] [[    if (kdr_has_masses(&w->view) && kdr_tile_load_masses(&w->by, &w->tile) && false) {
        for (unsigned k]])
mutant(compensation_of_a_block_from_0 src/system/block.c
    [[if (b->lost && !b->resumes_lost) {]] [[if (b->lost) {]])
mutant(compensation_of_a_block_that_failed src/system/block.c
    [[memcpy(column(w, w->b->lost), column(w, w->b->before_lost), rows_size(w, 2));]] [[memcpy(column(w, w->b->before_lost), column(w, w->b->lost), rows_size(w, 2));]])
mutant(times_of_the_first_substep_alone src/system/run.c
    [[(void)kdr_problem_times(&system->problem, r->fraction);]] [[(void)system->problem.row->family->times(system->problem.row, r->fraction);]])
mutant(substeps_all_of_one_length src/program/lines.h
    [[b->length = b->calls ? b->problem->substepping.fraction[s] : 1.0;]] [[b->length = b->calls ? b->problem->substepping.fraction[s > 0] : 1.0;]])
mutant(field_of_the_axes_mixed_up src/kernel/ops/magnetic.inl
    [[const int axis = tile->dims == 3 ? i : i - 2;]] [[const int axis = tile->dims == 3 ? (i + 1) % 3 : i - 2;]])
mutant(compensation_not_taken_back src/system/run.c
    [[kdr_sweep_copies(&arrays, r->work.c[k], r->work.before_c[k]);]] [[kdr_sweep_copies(&arrays, r->work.c[k], r->work.c[k]);]])
mutant(compensation_of_who_is_frozen src/system/tile.c
    [[return at < 2 * dims ? (int)(at / dims) : lost ?]] [[return at < 2 * dims ? (int)(at / dims) : lost && dims > 3 ?]])
mutant(noise_of_the_first_step_in_blocks src/system/block.c
    [[w->tile.step = b->clock->step + n;]] [[w->tile.step = b->clock->step;]])
mutant(energy_of_the_field_alone src/observe/observe.c
    [[observables->potential += between;]] [[observables->potential += 0 * between;]])
mutant(acceleration_of_the_part_before src/system/run_levels.c
    [=[r->work.a[part == 0 ? r->whole : fresh]]=] [=[r->work.a[r->whole]]=])
mutant(time_of_the_first_part src/system/run_levels.c
    [[kdr_substep_time(&by->substepping, part, within)]] [[kdr_substep_time(&by->substepping, 0 * part, within)]])
mutant(kick_of_another_level src/system/levels.c
    [[kdr_problem_clock(&(kdr_clock){.dt = dt}, level).dt;]] [[kdr_problem_clock(&(kdr_clock){.dt = dt}, levels->highest).dt;]])
mutant(middle_of_another_level src/system/levels.c
    [[(kdr_level_range){lowest - 1, lowest - 1}]] [[(kdr_level_range){lowest - 1, highest}]])
mutant(middles_left_unseen src/system/levels.c
    [[mark(levels, range, 1);]] [[mark(levels, (kdr_level_range){range.lowest, levels->highest}, 1);]])
mutant(evaluations_of_nobody_s_middles src/system/levels.c
    [[sum += kdr_levels_are_any(inhabited, kdr_levels_wanted(by, highest, UINT64_C(1) << twos, keeps)) ? like : 0;]] [[sum += like;]])
mutant(bath_by_the_clock_s_step src/system/run_levels.c
    [[const double own = kdr_problem_clock(r->clock, level).dt;]] [[const double own = kdr_problem_clock(r->clock, level & 0).dt;]])
mutant(turn_of_the_first_part src/system/run_levels.c
    [[const int evaluation = evaluation_of(p, part);]] [[const int evaluation = evaluation_of(p, 0 * part);]])
mutant(turns_of_levels_without_a_field src/system/run_levels.c
    [[line->count > 0 ? turns_by : NULL]] [[line->count > 8 ? turns_by : NULL]])
mutant(second_half_of_a_kick_left_out src/system/run_levels.c
    [[end - (p->line[end - 1].code == KDR_OP_VELOCITY)]] [[end - 1]])
mutant(relativistic_drift_of_a_whole_step src/system/run_levels.c
    [[carry_out(r, &r->state, r->levels.highest, DRIFT, part, NULL, 0);]] [[carry_out(r, &r->state, 0, DRIFT, part, NULL, 0);]])
mutant(turning_drift_by_momentum src/system/run_levels.c
    [[if (r->system->problem.speed_of_light != 0.0) {]] [[if (r->system->problem.speed_of_light < 0.0) {]])
mutant(noise_of_another_step_of_its_own src/system/run_levels.c
    [[(m >> (r->levels.highest - level + 1))]] [[(m >> (r->levels.highest - level + 2))]])
mutant(noise_of_levels_from_the_sample_s_clock src/system/run_levels.c
    [[(kdr_run_step(r) << level)]] [[((r->clock->step + r->done) << level)]])
mutant(noise_of_levels_by_the_call src/system/run_levels.c
    [[(kdr_run_step(r) << level)]] [[(r->done << level)]])
mutant(next_step_s_kick_first src/system/levels.c
    [[order[KDR_TURNS] = {KDR_ENDING, KDR_MIDDLE, KDR_BEGINNING}]] [[order[KDR_TURNS] = {KDR_BEGINNING, KDR_MIDDLE, KDR_ENDING}]])
mutant(evaluated_where_a_step_begins src/system/levels.c
    [[!(keeps && turn == KDR_BEGINNING)]] [[!(keeps && turn == KDR_TURNS)]])
mutant(middles_that_are_none src/problem/system.c
    [[(to->drifts == 1 && (to->drift != 0.5 || s->drift[k] != 0.5))]] [[(to->drifts == 1 && to->drift != to->drift)]])
mutant(field_at_the_start src/system/run.c
    [[    r->base[3] = t;
    kdr_field_base(&c->problem.field, r->job.terms, t, r->base);]]
    [[    r->base[3] = r->clock->t0;
    kdr_field_base(&c->problem.field, r->job.terms, r->clock->t0, r->base);]])

# Newton's iteration of implicit methods.
mutant(newton_takes_everything src/kernel/ops/newton.inl
    [[v_at_most(v_mul(v_set1((real)-0.5), p.slope), inner_product(D, p.r, p.old));]]
    [[v_at_most(v_set1((real)-INFINITY), inner_product(D, p.r, p.old));]])
mutant(newton_not_shifted src/kernel/ops/newton.inl
    [[if (m_any(m_but(taken, positive))) {]] [[if (m_any(m_but(positive, positive))) {]])
mutant(newton_shifts_neighbours src/kernel/ops/newton.inl
    [[v_select(positive, v_set1(0), v_mul(v_set1((real)1.5), most))]] [[v_mul(v_set1((real)1.5), most)]] WIDE)
mutant(newton_ends_with_the_last_vector src/kernel/ops/newton.inl
    [[newton_vector(D, tile, line, n, open)) {]] [[newton_vector(D, tile, line, n, open) && n == tile->vectors - 1) {]])
mutant(newton_goes_on_where_solved src/kernel/ops/newton.inl
    [[const vm taken = m_and(open, m_and(]] [[const vm taken = m_and(v_at_most(zero, was_open), m_and(]] WIDE)
mutant(newton_ends_early src/method/rows_implicit.h
    [[KDR_NEWTON_ITERATIONS = 64]] [[KDR_NEWTON_ITERATIONS = 5]])
mutant(nonconverged_not_counted_when_stuck src/kernel/ops/newton.inl
    [[if (lane != 0) {]] [[if (lane > 0) {]])
mutant(nonconverged_counted_where_held src/program/implicit.c
    [[        line.x = held;
]] [[        line.x = KDR_NO_COLUMN;
]])

# Values that are set to rest.
mutant(rest_at_the_bound src/kernel/ops/rows.inl
    [[return v_less(magnitude(value), v_set1(NOTHING));]] [[return v_at_most(magnitude(value), v_set1(NOTHING));]])
mutant(rest_by_the_run src/program/run.c
    [[if ((job.first_step + job.steps) % KDR_FLUSH_STEPS == 0) {]] [[if (job.steps == KDR_FLUSH_STEPS) {]] WIDE)
mutant(rest_of_a_lent_memory src/program/run.c
    [[job.resume = whole->resume || (remembers && done > 0);]] [[job.resume = whole->resume;]] WIDE)
mutant(rest_without_memory src/program/walls.c
    [[.out = b->keeps ? b->a : KDR_NO_COLUMN,
                                   .other = (b->terms]] [[.out = KDR_NO_COLUMN,
                                   .other = (b->terms]])
mutant(rest_without_compensation src/reference/step.inl
    [[y[i] = lost[i] = 0;]] [[y[i] = 0;]])
mutant(rest_of_substeps src/program/run.c
    [[++n, ++tile->step) {]] [[++n) {]])
mutant(key_without_rest src/problem/memory_key.c
    [[(uint64_t)p->flushes_small << 3 ^]] [[]])
mutant(instance_thaws_the_frozen src/kernel/hot/run.inl
    [[put_all(column[0][i] + here, seen[0][i] + here, masses && held,]] [[put_all(column[0][i] + here, seen[0][i] + here, false,]] AVX512)
mutant(tile_thaws_the_frozen src/kernel/hot/run.inl
    [[move(theirs + at, ours, w, bytes);]] [[move(theirs + at, ours, NULL, bytes);]] AVX512)
mutant(masses_of_the_first_chunk src/kernel/hot/run.inl
    [[load(inverse_mass + at + (size_t)u]] [[load(inverse_mass + (size_t)u]] AVX512)
mutant(threads_round_as_they_do src/particles/executor.c
    [[    KDR_ROUND_TO_NEAREST;
]] [[]])
mutant(observes_as_the_caller_rounds src/observe/observe.c
    [[    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(observables,]] [[    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(observables,]])
mutant(rounded_as_a_function_leaves_it src/particles/rounding.h
    [[    (void)kdr_round_to_nearest();
    return status;]] [[    return status;]])
mutant(rounded_as_a_watch_leaves_it src/force/watch.c
    [[        (void)kdr_round_to_nearest();]] [[]])
mutant(rounded_as_the_textbook_s_watch_leaves_it src/reference/watch.inl
    [[        (void)kdr_round_to_nearest();]] [[]])
mutant(rounded_as_an_executor_leaves_it src/particles/executor.c
    [[        (void)kdr_round_to_nearest();]] [[]])
mutant(description_of_no_size src/particles/description.c
    [[if (!desc || size < sizeof size) {]] [[if (!desc) {]])
mutant(mode_left_behind src/particles/rounding.h
    [[(_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | (*found & _MM_ROUND_MASK)]] [[_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK]])

# Checkpoints and other files.
mutant(checksum_not_looked_at src/io/checkpoint.c
    [=[kdr_word_decode(checksum) != expected]=] [=[expected == 0]=] CHECKPOINTS)
mutant(stream_of_what_is_damaged src/io/stream.c
    [=[KDR_CHECK(*checksum == expected]=] [=[KDR_CHECK(expected]=] CHECKPOINTS)
mutant(stream_without_ids src/io/stream.c
    [=[s->header.first_id + s->begin]=] [=[s->header.first_id]=] CHECKPOINTS)
mutant(stream_of_any_particles src/io/stream.c
    [[kdr_word_encode(desc->key, bytes]] [[kdr_word_encode(0, bytes]] CHECKPOINTS)
mutant(stream_that_begins_anew src/io/stream.c
    [=[s->begin = (size_t)end[i];]=] [=[s->begin = 0;]=] CHECKPOINTS)
mutant(stream_goes_on_from_what_is_damaged src/io/stream.c
    [=[status == KDR_OK && sum_of_done(s) == expected;]=] [=[status == KDR_OK;]=] CHECKPOINTS)
mutant(stream_without_the_record_before src/io/stream.c
    [=[k < RECORDS && s->begin == 0; ++k]=] [=[k < 1; ++k]=] CHECKPOINTS)
mutant(stream_of_anything src/io/stream.c
    [=[kdr_word_decode(bytes[i]) == s->identity]=] [=[kdr_word_decode(bytes[i]) != 0]=] CHECKPOINTS)
mutant(memory_without_its_key src/io/restore.c
    [=[checkpoint->carried ? kdr_subject_memory_key]=] [=[0 ? kdr_subject_memory_key]=] CHECKPOINTS)
mutant(last_arrays_left_out src/io/arrays.h
    [=[KDR_ARRAYS = 28]=] [=[KDR_ARRAYS = 26]=] CHECKPOINTS)
mutant(written_in_place src/io/atomic_file.c
    [=[file->descriptor = open_part(file->part);]=] [=[free(file->part), file->part = strdup(file->target), file->descriptor = open_part(file->part);]=] CHECKPOINTS)
mutant(journal_not_carried_out src/io/journal.c
    [=[if (read_journal(journal, head, &pages)) {]=] [=[if (read_journal(journal, head, &pages) && head[COUNT] == 0) {]=] TRAJECTORIES)
mutant(no_journal src/io/journal.c
    [=[bool good = f->count == 0 || write_journal(f);]=] [=[bool good = true;]=] TRAJECTORIES)
mutant(overwritten_at_once src/io/journal.c
    [=[while (size > 0 && at < f->committed) {]=] [=[while (size > 0 && at < f->committed && f->journal < 0) {]=] TRAJECTORIES)
mutant(planes_out_of_order src/io/planes.c
    [=[shuffled[place * count + i] = numbers[i * size + place];]=] [=[shuffled[place * count + i] = numbers[i * size + (size - 1 - place)];]=] TRAJECTORIES)
mutant(digest_without_mu src/system/terms.c
    [=[size, term->force.as.gravity.sources);]=] [=[size, 0);]=] CHECKPOINTS)
mutant(digest_without_lengths src/system/terms.c
    [=[kdr_digest_doubles(digest, &distances->length[n], 1);]=] [=[]=] CHECKPOINTS)
mutant(digest_of_a_grid_without_its_numbers src/problem/digest.c
    [=[kdr_digest_doubles(digest, &number, 1);]=] [=[kdr_digest_doubles(digest, &number, 0);]=] CHECKPOINTS)
mutant(digest_without_the_parameters_of_fields src/problem/digest.c
    [=[entry->parameter, (size_t)entry->field->parameter_count);]=] [=[entry->parameter, 0 * (size_t)entry->field->parameter_count);]=] CHECKPOINTS)
mutant(digest_without_the_speed_of_light src/problem/digest.c
    [=[kdr_digest_doubles(digest, &p->speed_of_light, 1);]=] [=[kdr_digest_doubles(digest, &p->speed_of_light, 0);]=] CHECKPOINTS)
mutant(digest_without_rest src/problem/digest.c
    [=[    if (p->flushes_small) {]=] [=[    if (p->flushes_small && false) {]=] CHECKPOINTS)
mutant(digest_of_watches_that_stop_the_run src/problem/digest.c
    [=[if (watch->action == KDR_ACTION_STOP_PARTICLE) {]=] [=[if (watch->action == KDR_ACTION_STOP_RUN) {]=] CHECKPOINTS)
mutant(digest_without_the_function src/system/digest.c
    [=[kdr_digest_word(&digest, desc->accelerations != NULL, 1);]=] [=[]=] CHECKPOINTS)
mutant(system_memory_without_its_key src/io/subject.h
    [=[of->system ? kdr_system_memory_key(of->system, particles, clock)]=] [=[of->system ? 0]=] CHECKPOINTS)

# Scenes with interactions.
mutant(squared_rest_lengths tools/kickdrift/population_interactions.c
    [=[isnan(ties->from->length) ? sqrt(square)]=] [=[isnan(ties->from->length) ? square]=] SCENES)
mutant(grid_one_too_far tools/kickdrift/population_interactions.c
    [=[(uint64_t)at[axis] < size[axis]]=] [=[(uint64_t)at[axis] <= size[axis]]=] SCENES)
mutant(gravity_without_mass tools/kickdrift/population_interactions.c
    [=[given->g * mass;]=] [=[given->g;]=] SCENES)
mutant(escape_without_a_root tools/kickdrift/draw.c
    [=[sqrt(2 / sqrt(1 + r * r))]=] [=[sqrt(2 / (1 + r * r))]=] SCENES)
mutant(evaluations_of_the_stopped tools/kickdrift/run_steps.c
    [[event->step - from->step + 1) : 0;]] [[event->step - from->step) : 0;]] SCENES)
mutant(order_of_damped_springs tools/kickdrift/converge.c
    [=[order = from->interactions[i].damping != 0 ? info->order_velocity : order;]=] [=[order = from->interactions[i].damping != 0 ? order : info->order_velocity;]=] SCENES)

# Threads that share out work.
mutant(targets_behind_the_last src/pairs/pairs.c
    [=[&pairs->executor, begin < count ? begin : count,]=] [=[&pairs->executor, begin,]=])
mutant(energy_of_the_first_ranges src/pairs/potential.c
    [=[for (size_t range = r->own + from; range < r->own + to; ++range) {]=] [=[for (size_t range = from; range < to; ++range) {]=])
mutant(one_array_not_brought src/pairs/pairs.c
    [=[kdr_communicator_broadcast(&pairs->communicator, a[i],]=] [=[i == 2 ? KDR_OK : kdr_communicator_broadcast(&pairs->communicator, a[i],]=])
mutant(what_is_not_brought_is_not_told src/pairs/communicator.c
    [=[kdr_called(communicator->broadcast(communicator->context, from, (char *)array + begin, end - begin)) : KDR_OK;]=] [=[(void)kdr_called(communicator->broadcast(communicator->context, from, (char *)array + begin, end - begin)), KDR_OK : KDR_OK;]=])

# Jobs of several ranks.
mutant(slices_of_uneven_blocks src/mpi/ranks.c
    [=[*begin = first < blocks ? first * KDR_OBSERVE_BLOCK : r->count;]=] [=[*begin = first < blocks ? first * (KDR_OBSERVE_BLOCK - 1) : r->count;]=] RANKS)
mutant(only_the_first_rank_is_asked src/mpi/ranks.c
    [=[const int mine = status == KDR_OK ? ranks->ranks : ranks->rank;]=] [=[const int mine = status == KDR_OK || ranks->rank > 0 ? ranks->ranks : ranks->rank;]=] RANKS)
mutant(total_of_the_last_rank src/mpi/observe.c
    [=[kdr_sums_add(&total, ranks->sums,]=] [=[total = (kdr_sums){{0}, {0}}, kdr_sums_add(&total, ranks->sums,]=] RANKS)
mutant(gathered_into_the_first_slice src/mpi/ranks.c
    [=[? gathered + (first - of->begin) * of->size : own;]=] [=[? gathered + (gathers ? 0 : first - of->begin) * of->size : own;]=] RANKS)
mutant(lengths_of_ones_own_sources src/mpi/gravity.c
    [=[g->source_softening = of->lengths ? lengths : NULL;]=] [=[g->source_softening = of->lengths ? g->source_softening : NULL;]=] RANKS)
mutant(own_sources_as_if_plain src/mpi/gravity.c
    [=[kdr_at(*array, layout, real, j)]=] [=[kdr_at(*array, &(kdr_layout){0 * layout->stride, 0, 0, 0}, real, j)]=] RANKS)
mutant(brought_from_the_first_rank src/mpi/ranks.c
    [=[return cast(context, from, data, size, NULL);]=] [=[return cast(context, 0 * from, data, size, NULL);]=] RANKS)
mutant(noise_of_the_first_slice tools/kickdrift/population.c
    [=[b->built->particles.first_id = first;]=] [=[b->built->particles.first_id = 0 * first;]=] RANKS)
mutant(noise_of_the_first_slice_of_a_stream tools/kickdrift/ranks.c
    [=[w->population.particles.first_id = h->first_id + begin;]=] [=[w->population.particles.first_id = begin;]=] RANKS)
mutant(digest_of_one_round src/mpi/observe.c
    [=[return ((const kdr_digest_state *)state)->next >= 0; }]=] [=[return ((const kdr_digest_state *)state)->next == 0; }]=] RANKS)
mutant(window_of_the_first_particles tools/kickdrift/ranks_orders.c
    [=[window->count = count, window->first_id = begin;]=] [=[window->count = count, window->first_id = 0;]=] RANKS)
mutant(window_of_all_particles tools/kickdrift/ranks.c
    [=[desc.count = of->total < RANKS_AT_ONCE ? of->total : RANKS_AT_ONCE;]=] [=[desc.count = of->total;]=] RANKS)
mutant(rows_of_every_slice tools/kickdrift/population_file.c
    [=[into->count += into->rows >= b->first && into->rows - b->first < b->most;]=] [=[into->count += into->rows >= b->first && into->count < b->most;
    into->count -= into->rows == b->first && b->first > 0;]=] RANKS)
mutant(held_of_any_slice tools/kickdrift/population_grid.c
    [=[(b->built, (size_t)(index - particles->first_id), (double)INFINITY, 0);]=] [=[(b->built, (size_t)(index % particles->count), (double)INFINITY, 0);]=] RANKS)
mutant(what_is_sampled_is_not_shown tools/kickdrift/ranks_orders.c
    [=[return o->flag ? run_sampled(r) : r->population; }]=] [=[return o->flag && is_first(r) ? run_sampled(r) : r->population; }]=] RANKS)
mutant(memory_of_the_first_rank_alone tools/kickdrift/ranks_orders.c
    [=[own->memory_key = o->flag ?]=] [=[own->memory_key = o->flag && is_first(r) ?]=] RANKS)

# Files written in slices.
mutant(digest_of_a_slice_s_length src/problem/digest.c
    [=[array && all < SIZE_MAX ? all : *taken, 8);]=] [=[*taken, 8);]=] CHECKPOINTS)
mutant(what_is_missing_is_not_missed src/io/checkpoint.c
    [=[if (status == KDR_OK && kdr_checkpoint_needs_more(w)) {]=] [=[if (status == KDR_OK && w->added > 0) {]=] CHECKPOINTS)
mutant(last_chunk_of_a_frame src/io/frames.c
    [=[if (end == t->chunk || t->placed + taken == t->count) {]=] [=[if (end == t->chunk) {]=] TRAJECTORIES)
mutant(constants_of_the_first_frame src/io/constants.c
    [=[if (memcmp(words, held, count * sizeof *words) == 0 ||]=] [=[if (t->frames > 0 ||]=] TRAJECTORIES)
mutant(constants_without_the_slices_before src/io/constants.c
    [=[for (uint64_t frame = 0; good && frame <= t->frames; ++frame) {]=] [=[for (uint64_t frame = 0; good && frame < t->frames; ++frame) {]=] TRAJECTORIES)
mutant(chunks_of_other_ids src/io/constants.c
    [=[return good && (!mark[HAS_IDS] || memcmp(held, mark, 8) == 0) &&]=] [=[return good &&]=] TRAJECTORIES)
mutant(lent_masses_of_the_first_block src/io/constants.c
    [=[memcpy(words, t->mass + begin, count * sizeof *words);]=] [=[memcpy(words, t->mass, count * sizeof *words);]=] TRAJECTORIES)
mutant(box_of_the_first_frame src/io/frames.c
    [=[memcpy(t->box, box, (size_t)t->dims * sizeof *box);]=] [=[memcpy(t->box, t->frames > 0 ? t->box : box, (size_t)t->dims * sizeof *box);]=] TRAJECTORIES)
mutant(elements_by_their_rows src/io/moments.c
    [=[rows[i] = i < same ? i : row_at(own, &positions->at[i], timed);]=] [=[rows[i] = i < own->count ? i : row_at(own, &positions->at[i], timed);]=] FRAMES)
mutant(boxes_of_any_boundary src/io/elements.c
    [=[box[i] = t->periodic[i] ? edge : 0;]=] [=[box[i] = edge;]=] FRAMES)
mutant(what_is_left_is_not_named src/io/h5md_open.c
    [=[            kdr_elements_leave_out(t, "%s%s", prefix, name);]=] [=[            (void)prefix;]=] FRAMES)
mutant(momenta_are_velocities tools/kickdrift/frames_read_xyz.c
    [=[*v = momentum[axis] / mass;]=] [=[*v = momentum[axis];]=] FRAMES)
mutant(rows_as_they_come tools/kickdrift/frames_read_csv.c
    [=[if (c->waits && count == 1 && r->frames == 0) {]=] [=[if (c->waits && count == 0 && r->frames == 0) {]=] FRAMES)
mutant(fields_in_one_order tools/kickdrift/npy.c
    [=[word = word << 8 | bytes[type->swaps ? i : type->size - 1 - i];]=] [=[word = word << 8 | bytes[type->size - 1 - i];]=] FRAMES)
mutant(species_of_others src/io/constants.c
    [=[KDR_CHECK(words[i] == held[i], error, KDR_ERROR_MISMATCH,]=] [=[KDR_CHECK(words[i] == held[i] || begin > 0, error, KDR_ERROR_MISMATCH,]=] TRAJECTORIES)
mutant(nearest_numbers_of_hdf5 src/io/elements.c
    [=[H5T_CONV_UNHANDLED : H5T_CONV_ABORT;]=] [=[H5T_CONV_UNHANDLED : H5T_CONV_UNHANDLED;]=] FRAMES)
mutant(units_that_nobody_names src/io/h5md_open.c
    [=[    name_units(t, all);]=] [=[    (void)name_units;]=] FRAMES)
mutant(increments_from_0 src/io/moments.c
    [=[scalar ? offset + (double)i * numbers[0] : numbers[i];]=] [=[scalar ? (double)i * numbers[0] : numbers[i];]=] FRAMES)
mutant(momenta_that_contradict tools/kickdrift/frames_read_xyz.c
    [=[<= 1e-6 * fabs(mass * *v)]=] [=[<= HUGE_VAL * fabs(mass * *v)]=] FRAMES)
mutant(words_alone tools/kickdrift/frames_read_xyz.c
    [=[            reader_leave_out(r, "%.*s", (int)(key_end - key < 60 ? key_end - key : 60), key);]=] [=[]=] FRAMES)
mutant(ids_that_are_equal src/particles/ids.c
    [=[        twice = table[at];]=] [=[        twice = 0;]=] BATH)
mutant(half_a_frame_is_kept src/io/frames.c
    [=[    trajectory->placed = 0;
    const kdr_status status]=] [=[    const kdr_status status]=] TRAJECTORIES)

mutant(chunks_as_they_come src/io/frames.c
    [=[store(t, t->position.value, begin, bytes, sizes[0])]=] [=[store(t, t->position.value, t->placed, bytes, sizes[0])]=] TRAJECTORIES)
mutant(checkpoint_of_any_size src/io/checkpoint.c
    [=[const bool fits = w->header.file_size > 0 && w->header.file_size < INT64_MAX;]=] [=[const bool fits = true;]=] CHECKPOINTS)
mutant(digest_of_no_state src/integrator/digest.c
    [=[state->next < 0 && state->added == 0]=] [=[state->next < 0]=] CHECKPOINTS)
mutant(frames_at_any_time src/io/frames.c
    [=[isfinite(kdr_clock_time(clock, clock->step, 0))]=] [=[true]=] TRAJECTORIES)
mutant(observables_of_one_name src/io/h5md.c
    [=[strcmp(name, desc->observables[j]) != 0]=] [=[true]=] TRAJECTORIES)
mutant(observable_that_is_its_group src/io/h5md.c
    [=[strcmp(name, ".") != 0]=] [=[true]=] TRAJECTORIES)
mutant(last_chunk_is_on_several_ranks tools/kickdrift/ranks_orders.c
    [=[*end = begin + count == c->total ? (c->total + c->each - 1) / c->each : (begin + count) / c->each;]=] [=[*end = (begin + count) / c->each;]=] RANKS)

# Levels together with what is done once a step.
mutant(positions_of_levels_stay_outside src/system/run_levels.c
    [[            arrive(r);]] [[]])
mutant(walls_of_levels_are_not_met src/system/run.c
    [[ || r->levels.marks || kdr_run_flushes_small(r)]] [[ || kdr_run_flushes_small(r)]])
mutant(rods_of_levels_drift src/system/run_levels.c
    [[const kdr_status status = holds ? kdr_run_hold(r, h) : KDR_OK;]] [[const kdr_status status = KDR_OK;]])
mutant(rods_of_levels_from_the_step_s_start src/system/run_levels.c
    [[    if (holds || r->system->reflects) {
        kdr_run_before_drift(r);]] [[    if (r->system->holds && r->hit) {
        kdr_run_before_drift(r);]])
mutant(levels_of_those_outside src/system/run_levels.c
    [[        if (r->work.inside) {]] [[        if (r->work.inside && r->done > 0) {]])
mutant(counts_of_levels_are_kept src/system/run_levels.c
    [[        kdr_run_begin_step(r);]] [[        r->hit = false;]])
mutant(contacts_of_levels_without_a_way_back src/system/run_levels.c
    [[r->system->fails || r->system->meets]] [[r->system->fails]])

# Levels in scenes.
mutant(levels_in_name_alone tools/kickdrift/population.c
    [=[levels[i] = (uint8_t)level;]=] [=[levels[i] = 0;]=])
mutant(levels_and_a_half tools/kickdrift/population.c
    [=[level <= KDR_MAX_LEVEL && level == floor(level)]=] [=[level <= KDR_MAX_LEVEL]=])
mutant(levels_of_any_height tools/kickdrift/population.c
    [=[level >= 0 && level <= KDR_MAX_LEVEL &&]=] [=[level >= 0 && level <= 64 &&]=])
mutant(evaluations_of_the_highest_level tools/kickdrift/motion.c
    [=[memset(m->same_level, level, particles->count);]=] [=[memset(m->same_level, 4, particles->count);]=])
mutant(levels_are_not_told tools/kickdrift/run.c
    [=[fputs(p->level ?]=] [=[fputs(p->level && p->dissipated_energy[0] ?]=])

# User-defined fields, and the lists that runs write.
mutant(field_for_any_axes src/force/field.c
    [[custom->dims == 0 || custom->dims == dims]] [[dims > 0]] FIELDS)
mutant(parameters_of_any_size src/force/custom.c
    [[*least = positive && !(*least > 0)]] [[*least = positive && *least > 0]] FIELDS)
mutant(fields_compiled_for_everything src/force/custom.c
    [=[known && fits(field) && field->operations[backend][KDR_F32][KDR_FUSED]]=] [=[known && fits(field)]=] FIELDS)
mutant(table_of_more_than_times src/force/grid.c
    [[field->grid_dims == 0 || grid->dims == field->grid_dims]] [[grid->dims > 0]])
mutant(list_over_the_last_array src/particles/check.c
    [=[for (int i = 0; i < n && status == KDR_OK; ++i) {
        KDR_CHECK(!overlap(&arrays[i], &ours)]=] [=[for (int i = 0; i < 1 && status == KDR_OK; ++i) {
        KDR_CHECK(!overlap(&arrays[i], &ours)]=])
mutant(teams_of_fewer_than_none src/pairs/pairs.c
    [[(desc.communicator.count >= 0 && desc.communicator.index == 0)]] [[desc.communicator.index == 0]])

mutant(memory_of_those_that_were_there src/problem/system.c
    [[problem->is_of_all = lists.digest != 0;]] [[problem->is_of_all = false;]])

# Streams in scenes.
mutant(sums_of_the_first_blocks tools/kickdrift/run_stream.c
    [=[kdr_sums_add(total, s->blocks, count, &error)]=] [=[kdr_sums_add(total, s->blocks, count > 1 ? 1 : count, &error)]=] STREAMS)
mutant(slices_of_any_size src/io/stream.c
    [=[s->most > KDR_OBSERVE_BLOCK ? s->most % KDR_OBSERVE_BLOCK : 0;]=] [=[0;]=] STREAMS)
mutant(rows_of_the_first_slice tools/kickdrift/population_npy.c
    [=[frames_read_rows(reader, p->first_id + i, most)]=] [=[frames_read_rows(reader, i, most)]=] STREAMS)
mutant(stream_of_any_file tools/kickdrift/run_stream.c
    [=[r->scene.tree.length, r->population.source)]=] [=[r->scene.tree.length, 0)]=] STREAMS)
mutant(rows_behind_a_grid src/kernel/custom_vectors.inl
    [[(uint64_t)last + (uint64_t)(first + row) > end]] [[last > end]] WIDE)
mutant(farthest_of_the_first_corner src/kernel/custom_vectors.inl
    [=[? place[k].of[i] : farthest]=] [=[? place[0].of[i] : farthest]=] WIDE)
mutant(rows_of_components_apart src/kernel/custom_vectors.inl
    [[ || grid->component_stride != 1]] [[]] WIDE)
mutant(magnetic_field_of_the_forces_alone src/system/run.c
    [[c->desc.magnetic != NULL}};]] [[false}};]])
mutant(magnetic_field_of_the_forces_alone_in_blocks src/system/block.c
    [[desc->magnetic != NULL}};]] [[false}};]])
mutant(magnetic_field_along_one_axis_of_a_block src/system/block.c
    [[line->count == 0 ? 0 : dims == 3 ? 3 : 1;]] [[line->count == 0 ? 0 : 1;]])
mutant(acceleration_for_a_magnetic_field src/program/program.c
    [[add.x = b->m;]] [[add.x = b->a;]])
mutant(force_beside_the_turn src/program/program.c
    [[desc->problem->row->data.magnetic ? (unsigned)KDR_TERMS_MAGNETIC : 0;]]
    [[desc->problem->row->data.magnetic ? (unsigned)KDR_TERM_MAGNETIC : 0;]])
mutant(turned_by_the_function_alone src/program/program.c
    [[row->data.magnetic ? (unsigned)KDR_TERMS_MAGNETIC : 0U;]] [[row->data.magnetic ? (unsigned)KDR_TERM_MAGNETIC : 0U;]])
mutant(forces_added_in_space_alone src/program/run.c
    [[i < p->dims && to[i] && adds; ++i]] [[i < 3 && to[2] && adds; ++i]])
mutant(events_of_a_step_that_failed src/system/run_watch.c
    [[kdr_recorder_forget(r->events, seen, kdr_run_step(r));]] [[(void)seen;]])
mutant(stopped_though_it_failed src/system/run_watch.c
    [[mark(r, 1);]] [[mark(r, 0);]])
mutant(memory_of_a_step_that_failed src/system/run_watch.c
    [[kdr_sweep_copies(&arrays, r->work.a[r->whole], begin[2]);]] [[(void)begin[2];]])
mutant(times_of_a_clock_that_begins_at_0 tools/kickdrift/run_steps.c
    [[fabs(t - (t0 + nearest * dt)) <= 0x1p-50 * fmax(fabs(t), fabs(t0))]] [[fabs(steps - nearest) <= 0x1p-50 * fabs(nearest)]] SCENES)
mutant(drifts_of_two_substeps_held_as_one src/problem/problem.h
    [[problem->row == &problem->caller.row && problem->caller.joint[0][i] != 0.0;]] [[false;]])
mutant(drifts_of_two_substeps_the_other_way_round src/program/families.c
    [[joins ? b->problem->caller.joint[0][i] : row->drift[i];]] [[joins ? b->problem->caller.joint[1][i] : row->drift[i];]])
mutant(rods_nearer_than_rounding src/kernel/pairs/pairs.inl
    [[return v_select(v_less(tolerance, rounding), rounding, tolerance);]] [[return v_select(v_less(tolerance, rounding), tolerance, tolerance);]])
mutant(rods_that_cannot_be_kept_go_on src/system/terms.c
    [[const kdr_status status = made > 0 ? kdr_distance_constraints_are_kept(data, &held, made, error) : KDR_OK;]] [[const kdr_status status = KDR_OK;]])
mutant(rods_that_need_all_sweeps_are_kept src/problem/distances.c
    [[KDR_CHECK(off < 0.5, error,]] [[KDR_CHECK(off < 0.01, error,]])
mutant(contributions_between_particles src/problem/system.c
    [[KDR_CHECK(spring->contribution == KDR_CONTRIBUTION_DEFAULT, error,]] [[KDR_CHECK(spring->contribution != KDR_CONTRIBUTION_FIRST_ORDER, error,]])
mutant(noise_of_no_seed src/force/fields/curl_noise.inl
    [[v_parameter(at, CURL_SEED) + v_constant(0.5)]] [[v_parameter(at, CURL_SEED) + v_constant(0.0)]])
mutant(advice_in_a_circle src/problem/problem.h
    [[problem->speed_of_light != 0.0 ? "leave out]] [[problem->speed_of_light < 0.0 ? "leave out]])
mutant(vector_of_one_axis tools/kickdrift/population.c
    [[for (int axis = 0; each->source != EACH_NONE && axis < each->axes; ++axis) {]] [[for (int axis = 0; each->source != EACH_NONE && axis < 1; ++axis) {]] SCENES)
mutant(map_of_any_step src/system/run.c
    [[if (r->clock->dt != c->desc.dt) {]] [[if (c->desc.dt == 0.0) {]])
mutant(counts_of_a_watched_step src/system/workspace.c
    [[const bool fails_behind = system->problem.watch_count > 0 ||]] [[const bool fails_behind =]])
mutant(errors_of_a_step_that_was_none src/system/step_end.c
    [[{p->error, kdr_real_size(p->real), &p->error_layout, NULL},]] [[{NULL, kdr_real_size(p->real), &p->error_layout, NULL},]])
mutant(memory_of_who_was_outside src/system/run_carried.c
    [[if (r->keeps && r->carries && r->work.inside) {]] [[if (r->lends) {]])
mutant(stopped_with_the_counts_of_the_whole_step src/system/run_watch.c
    [[            if (step.length < 1.0) {
]] [[            if (step.length < 0.0) {
]])
mutant(trials_that_count_from_nothing src/system/run_watch.c
    [[memcpy(r->work.counted, r->work.counts, view.count * KDR_COUNTS_SIZE);]] [[memset(r->work.counted, 0, view.count * KDR_COUNTS_SIZE);]])
mutant(stopped_before_it_is_known src/system/run_watch.c
    [[    const int whole = r->whole;
    if (r->keeps) {]] [[    const int whole = r->whole;
    carry_no_further(r, whole);
    if (r->keeps) {]])
mutant(memory_of_who_leaves_at_once src/system/step_end.c
    [[memcpy((char *)m->left[axis] + (begin + i) * size,]] [[memcpy((char *)m->given->memory[axis] + kdr_offset(&m->given->memory_layout, size, begin + i),]])
mutant(worst_of_no_rods tools/kickdrift/motion.c
    [[return kept ? kdr_distance_constraints_max_violation(kept, particles, dt, position, velocity, error) : KDR_OK;]] [[return kept ? kdr_distance_constraints_max_violation(kept, particles, dt, NULL, NULL, error) : KDR_OK;]] SCENES)
mutant(compensations_of_no_step src/system/run_carried.c
    [[const bool gives = r->work.lost && r->done > 0 &&]] [[const bool gives = r->work.lost &&]])
mutant(memory_of_no_step src/system/run_carried.c
    [[const bool keeps = r->carries && r->begun && r->done > 0;]] [[const bool keeps = r->carries && r->begun;]])
mutant(baoab_remembers_its_step src/problem/problem.h
    [[info.memory && !problem->row->family->info.heat_bath &&]] [[info.memory &&]])
mutant(one_range_is_many_s src/particles/executor.c
    [[executor->parallel_for && count > 1]] [[executor->parallel_for]])
mutant(worst_of_plain_arrays src/problem/distances.c
    [[kdr_offset(&particles->x_layout, kdr_real_size(particles->real), b ? distance->b : distance->a)]] [[kdr_real_size(particles->real) * (b ? distance->b : distance->a)]])
mutant(driver_let_go_before_its_file src/io/h5md.c
    [=[    const bool good = t->file < 0 || H5Fclose(t->file) >= 0;
    H5Pclose(t->access);]=] [=[    H5Pclose(t->access);
    const bool good = t->file < 0 || H5Fclose(t->file) >= 0;]=] TRAJECTORIES)
mutant(observables_by_name src/io/elements.c
    [=[flags & H5P_CRT_ORDER_TRACKED;]=] [=[flags & H5P_CRT_ORDER_TRACKED && flags == 0;]=] TRAJECTORIES)
mutant(times_of_objects src/io/h5md.c
    [=[H5Pset_obj_track_times(made, false);]=] [=[H5Pset_obj_track_times(made, true);]=] TRAJECTORIES)
mutant(journal_stays_behind src/io/journal.c
    [=[about.size == 0) {
            (void)kdr_file_remove]=] [=[about.size == 1) {
            (void)kdr_file_remove]=] TRAJECTORIES)
mutant(failures_without_a_reason src/io/journal.c
    [=[        return told(false);]=] [=[        return false;]=] TRAJECTORIES)
mutant(inputs_of_other_names tools/kickdrift/outfile.c
    [=[return of_a.is_regular && kdr_file_is_one(&of_a, &of_b);]=] [=[return false;]=])
mutant(outputs_of_other_names tools/kickdrift/outfile.c
    [=[return name_a && name_b && strcmp(name_a, name_b) == 0]=] [=[return name_a && name_b && name_a == name_b]=])
mutant(inputs_of_the_scene_alone tools/kickdrift/scene.c
    [=[reads = reads || outfile_is_same(loaded->tree.inputs[i], path);]=] [=[reads = reads || !loaded->tree.inputs[i];]=])
mutant(scene_is_no_input tools/kickdrift/scene.c
    [=[bool reads = outfile_is_same(loaded->tree.file, path);]=] [=[bool reads = false;]=])
mutant(options_over_inputs tools/kickdrift/run_steps.c
    [=[if (options[i].path && scene_reads(]=] [=[if (options[i].path && i > 1 && scene_reads(]=])
mutant(any_ending_is_csv tools/kickdrift/frames.c
    [=[if (!dot || dot == name ||]=] [=[if (!dot || dot != name ||]=])
mutant(frames_are_one_population tools/kickdrift/population_file.c
    [=[if (strncmp(found, into->moment[k], sizeof into->moment[k] - 1) != 0) {]=] [=[if (k > 1) {]=])
mutant(particles_of_any_kind tools/kickdrift/population_file.c
    [=[if (!frames_is_csv(path)) {]=] [=[if (!frames_is_csv(path) && !*path) {]=])
mutant(fewer_vectors_than_sizes tools/kickdrift/population_grid.c
    [=[if (spec.vectors != spec.grid.axes) {]=] [=[if (spec.vectors > spec.grid.axes) {]=])
mutant(counts_as_they_round tools/kickdrift/value.c
    [=[ || strtold(text, NULL) != (long double)value]=] [=[]=])
mutant(ids_of_some tools/kickdrift/population_state.c
    [=[return has == 0 || has == count ||]=] [=[return has == 0 || has > 0 ||]=])
mutant(times_behind_an_early_end tools/kickdrift/run_steps.c
    [=[(resumed || steps <= (double)r->last_step)]=] [=[((resumed && i > 9) || steps <= (double)r->last_step)]=])
mutant(names_of_the_library tools/kickdrift/motion.c
    [=[*message += strlen(others[i].begins);]=] [=[*named = "";]=])
mutant(contacts_of_the_clock_s_steps tools/kickdrift/records.c
    [=[sum += (size_t)1 << particles->level[i];]=] [=[sum += (size_t)1 << (particles->level[i] & 0);]=])
mutant(levels_in_a_stream tools/kickdrift/population.c
    [=[    if (b->from->stream_file) {
        return each_complain(b, each, "expected none]=] [=[    if (b->from->tree.length == 0) {
        return each_complain(b, each, "expected none]=])
mutant(doubles_aligned_as_floats src/particles/element.h
    [=[_Alignof(float) : _Alignof(double)]=] [=[_Alignof(float) : _Alignof(float)]=])
mutant(flag_of_contraction cmake/kickdriftArithmetic.cmake
    [=["SHELL:-fno-math-errno -ffp-contract=off"]=] [=["SHELL:-fno-math-errno"]=] FLAGS)
mutant(flag_of_constants cmake/kickdriftArithmetic.cmake
    [=[ -fno-single-precision-constant"]=] [=["]=] FLAGS)
mutant(flag_that_the_directory_has cmake/kickdriftArithmetic.cmake
    [=["SHELL:-fno-math-errno -ffp-contract=off"]=] [=[-fno-math-errno -ffp-contract=off]=] FLAGS)
mutant(flags_before_those_of_a_field cmake/kickdriftFields.cmake
    [=[    target_compile_options(${target}_${name} PRIVATE ${ARGN})
    kickdrift_arithmetic(${target}_${name} PRIVATE)]=] [=[    kickdrift_arithmetic(${target}_${name} PRIVATE)
    target_compile_options(${target}_${name} PRIVATE ${ARGN})]=] FLAGS)
mutant(link_without_a_level cmake/kickdriftArithmetic.cmake
    [=["-O2 -fno-fast-math]=] [=["-fno-fast-math]=] FLAGS)
mutant(link_of_files_left_out src/io/CMakeLists.txt
    [=[    kickdrift_link(${target} PRIVATE)
]=] [=[]=] FLAGS)
mutant(flags_never_refused cmake/kickdriftArithmetic.cmake
    [=[        if(complaint)
            kickdrift_find]=] [=[        if(complaint STREQUAL "any")
            kickdrift_find]=] FLAGS)
mutant(start_counts_as_an_impulse src/kernel/ops/constraints.inl
    [=[    begin_on_all(job, D, x0, x);
]=] [=[]=])
mutant(rounds_of_a_start src/force/collider.h
    [=[KDR_START_ROUNDS = 64]=] [=[KDR_START_ROUNDS = 2]=])
mutant(tolerance_of_a_part src/system/run_sample.c
    [=[&part, clock->dt, clock->step]=] [=[&part, part.dt, clock->step]=])
mutant(struck_as_at_rest src/kernel/ops/encounters.inl
    [=[kept + away);]=] [=[kept);]=])
mutant(work_of_what_moves_lost src/kernel/ops/encounters.inl
    [=[energy_lost(m) + energy_given(m), rest]=] [=[energy_lost(m), rest]=])
mutant(end_of_a_part_of_a_flight src/kernel/ops/molecules.inl
    [=[m->end = m->job->end - ((double)(m->h * m->left) - (double)time);]=] [=[m->end = m->job->end;]=])

# Checks of kernels (src/check).
mutant(check_looks_at_no_paint src/check/kernel.c
    [[if (c->slot == i && !kdr_check_is_painted(]] [[if (c->slot == i && c->name < 0 && !kdr_check_is_painted(]] KERNELS)
mutant(check_of_no_control_word src/check/call.c
    [[!call->has_faulted && !same_control(]] [[call->has_faulted && !same_control(]] KERNELS)
mutant(check_accepts_an_ulp src/check/kernel.c
    [[if (distance > w->desc->max_ulp)]] [[if (distance > w->desc->max_ulp + 1)]] KERNELS)
mutant(check_without_remainders src/check/cases.c
    [[return (size_t)number;]] [[return (size_t)number / 4 * 4;]] KERNELS)
mutant(check_reports_the_last_case src/check/kernel.c
    [[part->case_number < sum->case_number]] [[part->case_number > sum->case_number]] KERNELS)
mutant(check_of_no_clock src/check/kernel.c
    [[clock->step != expected->step || ]] [[]] KERNELS)
mutant(check_of_no_registers src/check/kernel.c
    [[if (call->changed_registers)]] [[if (call->changed_registers > 99)]] KERNELS)
mutant(check_of_signs_of_zero src/check/kernel.c
    [[-(int64_t)(bits & ~sign) - 1 :]] [[-(int64_t)(bits & ~sign) :]] KERNELS)
