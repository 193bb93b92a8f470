# The planted mistakes: mutant(name file [[what is there]] [[what is put there]]).

mutant(coefficient_12th_digit src/method/rows_runge_kutta.h
    [[.scale = 1.0 / 6.0,
    .ratio = {1.0, 2.0,]] [[.scale = 1.00000000001 / 6.0,
    .ratio = {1.0, 2.0,]])
mutant(stale_acceleration src/kernel/splitting.inl
    [[if (!(keep && i == 0)) {]] [[if (!(keep && i == 0) && (i == 0 || !(terms & KDR_TERM_CENTRES))) {]])
mutant(memory_not_kept src/kernel/tile.inl
    [[if (HOOK(remembers)(keep) && p->memory[0]) {]] [[if (HOOK(remembers)(keep) && p->memory[0] && vectors == 0) {]])
mutant(compensation_not_kept src/kernel/tile.inl
    [[tile_store(p, p->cv, D, T, U, vectors, s->cv);]] [[tile_store(p, p->cv, D, T, U, vectors, s->cx);]])
mutant(compensation_lost src/kernel/kernels.inl
    [[*c = v_add(v_sub(*y, v_sub(sum, taken)), v_sub(increment, taken));]] [[*c = v_sub(increment, taken);]])
mutant(acceleration_not_kept src/kernel/tile.inl
    [[            if (keep) {
                chunk_put(s.a]] [[            if (keep && n == 0) {
                chunk_put(s.a]])
mutant(chunk_left_out src/kernel/kernels.inl
    [[return (int)((count + chunk - 1) / chunk) * U;]] [[return (int)((count + chunk - 1 - (count > chunk)) / chunk) * U;]])
mutant(swapped_stages src/kernel/runge_kutta.inl
    [[out[n] = mul_add(factor, k[j][n], out[n]);]] [[out[n] = mul_add(factor, k[i - 1 - j][n], out[n]);]])
mutant(swapped_stages_of_the_callers_own src/kernel/runge_kutta_read.inl
    [[vs[m] = mul_add(factor, kv[j][m], vs[m]);]] [[vs[m] = mul_add(factor, kv[i - 1 - j][m], vs[m]);]])
mutant(weights_not_joined src/kernel/coefficients.inl
    [[const bool joins = i > 0 && row->ratio[i - 1] == ratio,]] [[const bool joins = i > 1 && row->ratio[i - 1] == ratio,]])
mutant(tail_off_by_one src/kernel/kernels.inl
    [[lanes_unpad(&q, &p, D, count);]] [[lanes_unpad(&q, &p, D, count - 1);]])
mutant(write_past_the_end src/kernel/kernels.inl
    [[lanes_unpad(&q, &p, D, count);]] [[lanes_unpad(&q, &p, D, count + 1);]])
mutant(read_past_the_end src/kernel/kernels.inl
    [[memcpy(to, array, count * sizeof(real));]] [[memcpy(to, array, (count + 1) * sizeof(real));]])
mutant(fused_in_unfused src/kernel/unit.h
    [[return v_add(v_mul(a, b), c);]] [[return v_fused(a, b, c);]])
mutant(unfused_in_fused src/kernel/unit.h
    [[return v_fused(a, b, c);]] [[return v_add(v_mul(a, b), c);]])
mutant(missing_frozen_select src/kernel/kernels.inl
    [[value = v_select_zero(part(p->inverse_mass, at + u), part(array[i], at + u), value);]]
    [[value = in[i * T + at + u];]])
mutant(wrong_drive_time src/method/method.c
    [[fraction[i] = tableau->c[i];]] [[fraction[i] = 0.0;]])
mutant(wrong_drive_time_of_the_kept src/method/method.c
    [[fraction[count++] = keep && i == f->stages - 1 ? 1.0 : drifted;]] [[fraction[count++] = keep && i == f->stages - 1 ? 0.0 : drifted;]])
mutant(running_sum_of_time src/method/problem.c
    [[return clock->t0 + ((double)step + fraction) * clock->dt;]] [[return clock->t0 + (double)step * clock->dt + fraction * clock->dt;]])
mutant(folded_sign src/force/field.c
    [[field->f[i] += force->as.spring.k[i] * force->as.spring.at[i];]] [[field->f[i] -= force->as.spring.k[i] * force->as.spring.at[i];]])
mutant(family_kernel_without_drag src/kernel/kernels.inl
    [[name##_of_mask[job->terms] : (other)]] [[name##_of_mask[job->terms & ~(unsigned)KDR_TERM_DAMPING] : (other)]])
mutant(chunk_starts_afresh src/integrator/run.c
    [[job.resume = whole->resume || ((remembers || compensated) && done > 0);]] [[job.resume = whole->resume;]])
mutant(chunk_at_the_wrong_time src/integrator/run.c
    [[job.first_step = r->clock->step + done;]] [[job.first_step = r->clock->step;]])
mutant(rest_reflected src/kernel/collide.inl
    [[m_and(v_less(at, zero), v_less(at, change))]] [[v_less(at, zero)]])
mutant(stale_acceleration_after_a_hit src/kernel/tile.inl
    [[a[n] = v_select(hit[n % U], fresh[n], a[n]);]] [[a[n] = v_select(m_none(), fresh[n], a[n]);]])
mutant(hit_of_padding src/kernel/collide.inl
    [[if (at >= p->left || mass[i] == 0) {]] [[if (at > p->left || mass[i] == 0) {]])
mutant(clear_of_one_wall_alone src/kernel/field.inl
    [[for (size_t n = 0; n < job->wall_count; ++n) {]] [[for (size_t n = 0; n < job->wall_count && n < 1; ++n) {]])
mutant(clear_of_a_ball src/kernel/field.inl
    [[0.57 * w->radius]] [[0.62 * w->radius]])
mutant(what_rests_takes src/kernel/collide.inl
    [[v_select(v_less(at, zero), at, zero)]] [[at]])
mutant(late_ones_early src/kernel/field.inl
    [[late = (terms & KDR_TERM_LATE) != 0;]] [[late = false;]])
mutant(period_not_put_back src/kernel/collide.inl
    [[back = v_select(v_less(back, low), v_add(back, size), back);]] [[(void)size;]])
mutant(rope_pulse_over_the_whole_step src/kernel/collide.inl
    [[v_div(pull, time)]] [[v_div(pull, v_set1(h))]])
mutant(absorbed_moves_on src/kernel/tile.inl
    [[x[n] = v_select(gone[u], s->x[m], x[n]);]] [[x[n] = v_select(m_none(), s->x[m], x[n]);]])
mutant(exceptions_not_kept src/kernel/passes.inl
    [[keep == KDR_KEEP_EXCEPTIONS && i_any(lost)]] [[keep == KDR_KEEP_EXCEPTIONS && false]])
mutant(kick_of_another_level src/coupled/levels.c
    [[kdr_problem_clock(&(kdr_clock){.dt = dt}, level).dt;]] [[kdr_problem_clock(&(kdr_clock){.dt = dt}, lowest).dt;]])
mutant(field_at_the_start src/coupled/run.c
    [[double base[KDR_BASE] = {0, 0, 0, t};
        kdr_field_base(&c->problem.field, r->job.terms, t, base);]] [[double base[KDR_BASE] = {0, 0, 0, t};
        kdr_field_base(&c->problem.field, r->job.terms, 0.0, base);]])
