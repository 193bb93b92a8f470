/* The periodic boundary. */

/* Moves the finite positions of a vector on one axis back by whole periods, and returns the lanes that were moved. `number` has low, high,
 * minus the size, the size and the inverse of the size; `taken` becomes the number of periods. */
INLINE vm wrap_axis(const real *number, vr *x, vr *taken) {
    const vr low = v_set1(number[0]), high = v_set1(number[1]), here = *x;
    const vm finite = m_and(v_less(v_set1((real)-INFINITY), here), v_less(here, v_set1((real)INFINITY)));
    const vm out = m_and(finite, m_or(v_less(here, low), v_at_most(high, here)));
    const vr rounder = v_set1(ROUNDER), periods = v_mul(v_sub(here, low), v_set1(number[4]));
    const vr whole = v_sub(v_add(periods, rounder), rounder);
    vr back = mul_add(v_set1(number[2]), whole, here);
    const vm below = v_less(back, low);
    back = v_select(below, v_add(back, v_set1(number[3])), back);
    vr count = v_select(below, v_sub(whole, v_set1(1)), whole);
    count = v_select(v_at_most(high, back), v_add(count, v_set1(1)), count); /* the position becomes `low` */
    *taken = v_select(out, count, v_set1(0));
    back = v_select(m_and(v_at_most(low, back), v_less(back, high)), back, low);
    *x = v_select(out, back, here);
    return out;
}
