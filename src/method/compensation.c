#include "compensation.h"

#include <math.h>

static double rounded(double value) { return (double)(float)value; }

double kdr_compensated_scale(double scale, const double *ratio, int stages) {
    double sum = 0.0, kept = 0.0;
    for (int i = 0; i < stages; ++i) {
        sum += ratio[i];
        kept += rounded(ratio[i]);
    }
    return scale * (sum / kept);
}

static const double *times_of(const kdr_row *row, int *stages) {
    *stages = row->data.runge_kutta ? row->data.runge_kutta->stages : row->data.nystrom->stages;
    return row->data.runge_kutta ? row->data.runge_kutta->c : row->data.nystrom->c;
}

int kdr_latest_stage(const kdr_row *row) {
    int stages = 0, latest = 0;
    const double *const c = times_of(row, &stages);
    for (int i = 1; i < stages; ++i) {
        latest = fabs(c[i]) > fabs(c[latest]) ? i : latest;
    }
    return latest;
}

/* Returns what the rounding of h a_ij takes from the sum of b_i c_i, times h. */
static double lost_of_runge_kutta(const kdr_runge_kutta_row *row, double h) {
    const double scale = kdr_compensated_scale(row->scale, row->ratio, row->stages);
    double lost = 0.0;
    for (int i = 0; i < row->stages; ++i) {
        double time = 0.0, kept = 0.0;
        for (int j = 0; j < i; ++j) {
            time += h * row->a[i][j];
            kept += rounded(h * row->a[i][j]);
        }
        lost += row->scale * row->ratio[i] * time - scale * rounded(row->ratio[i]) * kept;
    }
    return lost;
}

/* Returns what the rounding of h c_i and h b_i takes from the sum of b'_i c_i + b_i, times h. */
static double lost_of_nystrom(const kdr_nystrom_row *row, double h) {
    const double scale = kdr_compensated_scale(row->scale, row->ratio, row->stages), *const of_x = kdr_nystrom_weights(row);
    double lost = 0.0;
    for (int i = 0; i < row->stages; ++i) {
        const double time = h * row->c[i], weight = h * of_x[i];
        lost += row->scale * row->ratio[i] * time - scale * rounded(row->ratio[i]) * rounded(time) + (weight - rounded(weight));
    }
    return lost;
}

double kdr_compensated_tilt(const kdr_row *row, double h) {
    int stages = 0;
    const double lost = row->data.runge_kutta ? lost_of_runge_kutta(row->data.runge_kutta, h) : lost_of_nystrom(row->data.nystrom, h);
    return lost / times_of(row, &stages)[kdr_latest_stage(row)];
}
