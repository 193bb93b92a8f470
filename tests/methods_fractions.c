/* The fractions of splitting rows and compositions, which the library has as literals, are those that their authors published. The
 * literature prints half of a palindrome. The tests write out the other half, and compute what is in the middle from the sum, which must
 * be 1. */
#include <kickdrift/composition.h>

#include "method/method.h"
#include "support.h"

/* The error of a sum of fractions by rounding. */
static const double rounding = 2e-15;

enum { HALF = 8 };

/* The first half of a palindrome, up to the middle: x_1 ... x_k. An even one has the rest of 1/2 twice in the middle, an odd one the rest
 * of 1 once. */
typedef enum parity { EVEN, ODD } parity;

typedef struct half {
    parity parity;
    double x[HALF]; /* zeros follow */
} half;

/* A symmetric row. The kicks of one that is composed of position Verlet are the steps; its drifts follow from them. */
typedef struct published {
    kdr_method method;
    bool composed;
    half kick, drift;
} published;

static const published rows[] = {
    /* The number is 1 / (2 - 2^(1/3)). */
    {KDR_FOREST_RUTH, .composed = true, .kick = {ODD, {1.3512071919596576340476878089714601}}},
    /* The numbers are the authors' xi, chi and lambda. */
    {KDR_PEFRL, .kick = {EVEN, {(1.0 - 2.0 * -0.212341831062605580407997088526264347) / 2.0}},
     .drift = {ODD, {0.178617895844809075224587487883709027, -0.0662645826698184313411223091246316663}}},
    {KDR_VEFRL, .kick = {ODD, {0.164498651557575971223926423705932333, 1.23569265113891692491465255413541724}},
     .drift = {EVEN, {(1.0 - 2.0 * -0.0209433391039898855544294016489279098) / 2.0}}},
    /* Both numbers are 1 / (4 - 4^(1/3)). */
    {KDR_SUZUKI_4, .composed = true, .kick = {ODD, {0.414490771794375737142354062860761496, 0.414490771794375737142354062860761496}}},
    /* The numbers are printed to 15 digits. */
    {KDR_BLANES_MOAN_6B, .kick = {ODD, {0.0829844064174052, 0.396309801498368, -0.0390563049223486}},
     .drift = {EVEN, {0.245298957184271, 0.604872665711080}}},
    {KDR_BLANES_MOAN_11B,
     .kick = {EVEN, {0.0414649985182624, 0.198128671918067, -0.0400061921041533, 0.0752539843015807, -0.0115113874206879}},
     .drift = {ODD, {0.123229775946271, 0.290553797799558, -0.127049212625417, -0.246331761062075, 0.357208872795928}}},
    {KDR_BLANES_MOAN_14A,
     .kick = {EVEN,
              {0.0917191526244616, 0.183983170005006, -0.0565343658328883, 0.00491468877471285, 0.143761127168358, 0.328567693746804}},
     .drift = {ODD,
               {0.0378593198406116, 0.102635633102435, -0.0258678882665587, 0.314241403071447, -0.130144459517415, 0.106417700369543,
                -0.00879424312851058}}},
    {KDR_BLANES_MOAN_S6, .kick = {ODD, {0.0792036964311957, 0.353172906049774, -0.0420650803577195}},
     .drift = {EVEN, {0.209515106613362, -0.143851773179818}}},
    {KDR_BLANES_MOAN_S10, .kick = {ODD, {0.0502627644003922, 0.413514300428344, 0.0450798897943977, -0.188054853819569, 0.541960678450780}},
     .drift = {EVEN, {0.148816447901042, -0.132385865767784, 0.067307604692185, 0.432666402578175}}},
    /* The numbers are Yoshida's solution A. */
    {KDR_YOSHIDA_6, .composed = true,
     .kick = {ODD,
              {0.784513610477557263819497633866349876, 0.235573213359358133684793182978534602, -1.17767998417887100694641568096431573}}},
    {KDR_KAHAN_LI_6, .composed = true,
     .kick = {ODD,
              {0.392161444007314139279250557422671404, 0.332599136789359438599748637500049647, -0.706246172557639359809964819549256459,
               0.0822135962935508002314904481020563311}}},
    {KDR_SUZUKI_UMENO_8, .composed = true,
     .kick = {ODD,
              {0.741670364350612953448227801783806316, -0.409100825800031593997300095893563417, 0.190754710296238379953876256450371663,
               -0.573862471116082266656387726635535742, 0.299064181303655923844463540688602988, 0.334624918245298183784957879982182289,
               0.315293092396766596632056663811002431}}},
    {KDR_KAHAN_LI_8, .composed = true,
     .kick = {ODD,
              {0.130202483088890080878817632096700522, 0.561162981775108384561964407700150567, -0.389474962644847286408078598235248389,
               0.158841906555155600896210745707152481, -0.395903894133237577336231539347938936, 0.184539640978315707091832541533375463,
               0.258374387686322047293979109994939472, 0.295011723609310298870966240218228113}}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* McLachlan's nine substeps, solution SS; the first one is a free choice. */
static const half mclachlan_6 = {ODD, {0.1867, 0.55549702371247839916, 0.12946694891347535806, -0.84326562338773460855}};

/* Writes out the palindrome, and returns its length. */
static int write_out(const half *begins, double *to) {
    int count = 0;
    double sum = 0;
    for (; count < HALF && begins->x[count] != 0; ++count) {
        to[count] = begins->x[count];
        sum += begins->x[count];
    }
    const int length = 2 * count + (begins->parity == ODD ? 1 : 2);
    to[count] = begins->parity == ODD ? 1 - 2 * sum : 0.5 - sum;
    for (int i = count + 1; i < length; ++i) {
        to[i] = to[length - 1 - i];
    }
    return length;
}

/* Returns the drifts of position Verlet by these steps, up to the middle: half of the first, and the means of neighbours. */
static half drifts_between(const half *steps) {
    half drifts = {EVEN, {steps->x[0] / 2}};
    for (int i = 1; i < HALF && steps->x[i] != 0; ++i) {
        drifts.x[i] = (steps->x[i - 1] + steps->x[i]) / 2;
    }
    return drifts;
}

/* Rows have the published numbers to the bit. There is no other symmetric row of order above 2. */
Test(methods_fractions, symmetric_rows_are_as_published) {
    bool found[KDR_METHOD_COUNT] = {false};
    for (int r = 0; r < ROWS; ++r) {
        const published *const p = &rows[r];
        const kdr_splitting_row *const row = kdr_row_get(p->method)->data.splitting;
        const half drift = p->composed ? drifts_between(&p->kick) : p->drift;
        kdr_splitting_row expected = {.stages = 0};
        double kicks[KDR_MAX_FRACTIONS] = {0};
        const int kick_count = write_out(&p->kick, kicks), drift_count = write_out(&drift, expected.drift);
        const int first = drift_count > kick_count; /* the row begins with a drift */
        memcpy(expected.kick + first, kicks, (size_t)kick_count * sizeof *kicks);
        expected.stages = first ? drift_count : kick_count;
        found[p->method] = true;
        cr_assert(row);
        cr_expect(row->stages == expected.stages, "%s: %d stages", kdr_method_get(p->method)->name, row->stages);
        for (int i = 0; i < KDR_MAX_FRACTIONS; ++i) {
            cr_expect(row->kick[i] == expected.kick[i], "%s: kick %d is %.17g, expected %.17g", kdr_method_get(p->method)->name, i,
                      row->kick[i], expected.kick[i]);
            cr_expect(row->drift[i] == expected.drift[i], "%s: drift %d is %.17g, expected %.17g", kdr_method_get(p->method)->name, i,
                      row->drift[i], expected.drift[i]);
        }
    }
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        const bool symmetric = info->family == KDR_SPLITTING && info->reversible && info->order > 2;
        cr_expect(symmetric == found[m], "%s: its published numbers are not here", info->name);
    }
}

/* Merges the drifts of position Verlet's steps, one after the other, and compares them with the row's. */
Test(methods_fractions, composed_rows_are_position_verlets) {
    for (int r = 0; r < ROWS; ++r) {
        const kdr_splitting_row *const row = kdr_row_get(rows[r].method)->data.splitting;
        double steps[KDR_MAX_FRACTIONS] = {0}, drifts[KDR_MAX_FRACTIONS + 1] = {0};
        const int count = write_out(&rows[r].kick, steps);
        for (int s = 0; s < count; ++s) {
            drifts[s] += 0.5 * steps[s];
            drifts[s + 1] += 0.5 * steps[s];
        }
        for (int i = 0; i <= count && rows[r].composed; ++i) {
            cr_expect(close_to(row->drift[i], drifts[i], rounding), "%s: drift %d is %.17g, expected %.17g",
                      kdr_method_get(rows[r].method)->name, i, row->drift[i], drifts[i]);
        }
    }
    cr_expect(close_to(kdr_row_get(KDR_FOREST_RUTH)->data.splitting->kick[1], 1 / (2 - cbrt(2)), rounding));
    cr_expect(close_to(kdr_row_get(KDR_SUZUKI_4)->data.splitting->kick[1], 1 / (4 - cbrt(4)), rounding));
}

Test(methods_fractions, mclachlan_6_is_as_published) {
    const kdr_composition_info *const info = kdr_composition_get(KDR_COMPOSE_MCLACHLAN_6);
    double steps[KDR_MAX_FRACTIONS];
    cr_assert(write_out(&mclachlan_6, steps) == info->count);
    for (int s = 0; s < info->count; ++s) {
        cr_expect(info->fraction[s] == steps[s], "substep %d is %.17g, expected %.17g", s, info->fraction[s], steps[s]);
    }
}

/* A kernel makes every kick but the first and every drift but the last of a row, so a fraction may be 0 only at the ends. */
Test(methods_fractions, splitting_rows_have_no_gaps) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_splitting_row *const f = kdr_row_get((kdr_method)m)->data.splitting;
        for (int i = 1; f && i < f->stages; ++i) {
            cr_expect(f->kick[i] != 0.0 && f->drift[i - 1] != 0.0, "%s: 0 at stage %d", kdr_row_get((kdr_method)m)->info.name, i);
        }
    }
}

/* The fractions of symmetric rows are palindromes, to the bit, so that a step backwards undoes a step. Those of the others are not. */
Test(methods_fractions, reversible_rows_are_palindromes) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        if (!row->data.splitting) {
            continue;
        }
        double fraction[2 * KDR_MAX_FRACTIONS];
        int count = 0;
        const kdr_splitting_row *const f = row->data.splitting;
        for (int i = 0; i < 2 * f->stages; ++i) {
            const double next = i % 2 == 0 ? f->kick[i / 2] : f->drift[i / 2];
            if (next != 0) {
                fraction[count++] = next;
            }
        }
        bool palindrome = count % 2 == 1; /* otherwise the row begins with one kind and ends with the other */
        for (int i = 0; i < count; ++i) {
            palindrome = palindrome && fraction[i] == fraction[count - 1 - i];
        }
        cr_expect(palindrome == row->info.reversible, "%s", row->info.name);
    }
}

Test(methods_fractions, add_up_to_1) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_splitting_row *const row = kdr_row_get((kdr_method)m)->data.splitting;
        double kicks = 0, drifts = 0;
        for (int i = 0; row && i < KDR_MAX_FRACTIONS; ++i) {
            kicks += row->kick[i];
            drifts += row->drift[i];
        }
        cr_expect(!row || (close_to(kicks, 1, rounding) && close_to(drifts, 1, rounding)), "%s: 1 + %g, 1 + %g",
                  kdr_method_get((kdr_method)m)->name, kicks - 1, drifts - 1);
    }
}
