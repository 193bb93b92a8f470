/* Grids for custom fields: interpolation between nodes. custom_field.h includes this header. */
#ifndef KICKDRIFT_CUSTOM_GRID_H
#define KICKDRIFT_CUSTOM_GRID_H

#include <kickdrift/custom_field.h>

/* Returns the offset of a node, wrapped or clamped. */
KDR_CUSTOM_SHARED kdr_places kdr_grid_place(const kdr_grid *grid, int axis, vr node) {
    const vr zero = v_constant(0.0), last = v_constant(grid->nodes[axis] - 1);
    if (grid->edge[axis] == KDR_EDGE_PERIODIC) {
        const vr nodes = v_constant(grid->nodes[axis]);
        node = v_select(v_less(node, zero), v_add(node, nodes), v_select(v_less(last, node), v_sub(node, nodes), node));
    }
    return v_places(v_min(v_max(node, zero), last), (uint32_t)grid->stride[axis]);
}

/* Returns the fraction of the way from *node, at or before x, to the next. */
static inline KDR_CUSTOM_INLINE vr kdr_grid_part(const kdr_grid *grid, int axis, vr x, vr *node) {
    const int nodes = grid->nodes[axis];
    const bool periodic = grid->edge[axis] == KDR_EDGE_PERIODIC;
    const vr zero = v_constant(0.0), length = v_constant(periodic ? nodes : nodes - 1);
    const vr last = v_constant(periodic ? nodes - 1 : nodes - 2);
    vr at = v_mul(v_sub(x, v_constant(grid->origin[axis])), v_constant(1.0 / grid->spacing[axis]));
    if (periodic) {
        at = v_sub(at, v_mul(length, v_floor(v_mul(at, v_constant(1.0 / nodes)))));
        at = v_select(v_less(at, zero), v_add(at, length), at);
        at = v_select(v_less(length, at), v_sub(at, length), at);
    }
    at = v_min(length, v_max(zero, at));
    *node = v_min(v_max(v_floor(at), zero), last);
    return v_sub(at, *node);
}

/* Returns the derivative of kdr_grid_part, 0 beyond the ends of a clamped axis. */
static inline KDR_CUSTOM_INLINE vr kdr_grid_slope(const kdr_grid *grid, int axis, vr x) {
    const vr zero = v_constant(0.0), slope = v_constant(1.0 / grid->spacing[axis]);
    const vr at = v_mul(v_sub(x, v_constant(grid->origin[axis])), slope);
    const vm within = m_and(v_at_most(zero, at), v_at_most(at, v_constant(grid->nodes[axis] - 1)));
    return grid->edge[axis] == KDR_EDGE_PERIODIC ? slope : v_select(within, slope, zero);
}

/* Finds places and weights of the corners of x's cell, lower before upper, x before y before z. Returns their number. On the axis `by` (-1:
 * none) weights are derivatives. */
KDR_CUSTOM_SHARED int kdr_grid_corners(const kdr_at *at, const vr *x, int by, kdr_places *place, vr *weight) {
    const kdr_grid *const grid = at->grid;
    const vr zero = v_constant(0.0), one = v_constant(1.0);
    int corners = 1;
    for (int axis = 0; axis < grid->dims; ++axis) {
        const vr where = axis < at->dims ? x[axis] : zero, last = v_constant(grid->nodes[axis] - 1);
        vr node, part = kdr_grid_part(grid, axis, where, &node), rest = v_sub(one, part);
        const vr next = v_add(node, one);
        if (axis == by) {
            part = kdr_grid_slope(grid, axis, where);
            rest = v_sub(zero, part);
        }
        const bool periodic = grid->edge[axis] == KDR_EDGE_PERIODIC;
        const uint32_t stride = (uint32_t)grid->stride[axis];
        const kdr_places low = v_places(node, stride), high = v_places(periodic ? v_select(v_less(last, next), zero, next) : next, stride);
        for (int k = 0; k < corners; ++k) {
            place[corners + k] = axis == 0 ? high : v_places_sum(&place[k], &high);
            place[k] = axis == 0 ? low : v_places_sum(&place[k], &low);
            weight[corners + k] = axis == 0 ? part : v_mul(weight[k], part);
            weight[k] = axis == 0 ? rest : v_mul(weight[k], rest);
        }
        corners *= 2;
    }
    return corners;
}

static inline KDR_CUSTOM_INLINE void kdr_grid_sum(const kdr_at *at, const vr *x, int by, int first, int count, vr *out) {
    kdr_places place[8];
    vr weight[8], sum[KDR_GRID_COMPONENTS];
    const int corners = kdr_grid_corners(at, x, by, place, weight);
    if (v_grid_rows(at->grid, first, count, corners, place, weight, out)) {
        return;
    }
    KDR_CUSTOM_UNROLL for (int c = 0; c < count; ++c) { sum[c] = v_constant(0.0); }
    for (int k = 0; k < corners; ++k) {
        KDR_CUSTOM_UNROLL for (int c = 0; c < count; ++c) { sum[c] = mul_add(weight[k], v_grid_element(at, first + c, &place[k]), sum[c]); }
    }
    KDR_CUSTOM_UNROLL for (int c = 0; c < count; ++c) { out[c] = sum[c]; }
}

/* Sets out[0 .. count) to the grid's components from `first` on, interpolated linearly at x. `count` must be a constant. */
static inline KDR_CUSTOM_INLINE void v_grid(const kdr_at *at, const vr *x, int first, int count, vr *out) {
    kdr_grid_sum(at, x, -1, first, count, out);
}

/* Sets out[0 .. count) to derivatives of v_grid by x[axis], which jump at nodes. The grid must have the axis. */
static inline KDR_CUSTOM_INLINE void v_grid_slope(const kdr_at *at, const vr *x, int axis, int first, int count, vr *out) {
    kdr_grid_sum(at, x, axis, first, count, out);
}

/* Sets out[0 .. count) to a grid of one axis at u. `cubic` 0 is linear interpolation, 1 cubic (Catmull, Rom 1974), and between is mixed. */
static inline KDR_CUSTOM_INLINE void v_grid_table(const kdr_at *at, vr u, vr cubic, int first, int count, vr *out) {
    const kdr_grid *const grid = at->grid;
    const vr zero = v_constant(0.0), one = v_constant(1.0), half = v_constant(0.5);
    vr node;
    const vr t = kdr_grid_part(grid, 0, u, &node), rest = v_sub(one, t), bend = v_mul(v_mul(half, t), v_mul(cubic, rest));
    /* The weights are the linear ones plus `cubic` t (1 - t) / 2 times -(1 - t), 2 - 3 t, 3 t - 1, -t. */
    const vr weight[4] = {v_sub(zero, v_mul(bend, rest)), mul_add(bend, mul_add(v_constant(-3.0), t, v_constant(2.0)), rest),
                          mul_add(bend, mul_add(v_constant(3.0), t, v_constant(-1.0)), t), v_sub(zero, v_mul(bend, t))};
    for (int c = 0; c < count; ++c) {
        out[c] = zero;
    }
    for (int k = 0; k < 4; ++k) {
        const kdr_places place = kdr_grid_place(grid, 0, v_add(node, v_constant(k - 1)));
        for (int c = 0; c < count; ++c) {
            out[c] = mul_add(weight[k], v_grid_element(at, first + c, &place), out[c]);
        }
    }
}

#endif
