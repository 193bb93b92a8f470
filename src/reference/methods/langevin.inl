/* Langevin dynamics: the heat bath, and BAOAB. */
#include "../noise.inl"

/* Makes the step O, an exact Ornstein-Uhlenbeck process: v -> c v + sqrt((1 - c^2) k_B T / mass) xi, c = exp(-friction h), as v += (c -
 * 1) v + ... */
static void heat_bath(particle *p, uint64_t n) {
    const kdr_bath bath = kdr_problem_bath(p->problem, p->h);
    const real decay = (real)bath.decay, noise = (real)bath.noise;
    if (decay == 0 || noise == 0) {
        for (int i = 0; i < p->dims && decay != 0; ++i) {
            p->v[i] = advance(p, bath.decay, p->v[i], p->v[i], &p->cv[i]);
        }
        return;
    }
    real xi[4];
    normals(p, p->later + n, xi);
    const real sigma = (p->terms & KDR_TERM_MASS) ? square_root(p->w) * noise : noise;
    for (int i = 0; i < p->dims; ++i) {
        const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0;
        const real push = compensated ? mul_add(p, sigma, xi[i], p->cv[i]) : sigma * xi[i];
        const real change = mul_add(p, decay, p->v[i], push);
        p->v[i] = compensated ? exact_sum(p->v[i], change, &p->cv[i]) : p->v[i] + change;
    }
}

/* Makes a drift, reflected by the colliders that it meets. */
static void reflected_drift(particle *p, drift_of d) {
    const real x0[3] = {p->x[0], p->x[1], p->x[2]}, v0[3] = {p->v[0], p->v[1], p->v[2]};
    drift(p, d.h);
    if (p->terms & KDR_TERM_REFLECTING) {
        reflect_drift(p, x0, v0, d);
    }
}

/* Makes a step of BAOAB (Leimkuhler, Matthews, "Molecular Dynamics" (2015), 7.3): half a kick, half a drift, the heat bath, half a
 * drift, half a kick with the acceleration that the next step begins with. */
static void baoab(particle *p, uint64_t n) {
    const double half = p->h * 0.5;
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    kick(p, half, p->a);
    reflected_drift(p, (drift_of){n, half, 0.0, 0.5});
    heat_bath(p, n);
    reflected_drift(p, (drift_of){n, half, 0.5, 0.5});
    memcpy(p->seen, p->v, sizeof p->seen);
    acceleration(p, p->x, p->v, n, 1.0, p->a);
    kick(p, half, p->a);
    hold_velocity(p, half, false);
}
