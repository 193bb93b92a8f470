/* Splitting methods, as kick and drift fractions: included by rows.h.
 *
 * A time-symmetric method is a palindrome, and its literature prints half of it. So does this file: the macros below write out the other
 * half and compute the fraction in the middle from the sum, which must be 1. */
#ifndef KDR_METHOD_ROWS_SPLITTING_H
#define KDR_METHOD_ROWS_SPLITTING_H

/* For lists of one to eight elements: their number; their sum; the reversed list. */
#define KDR_PICK(a, b, c, d, e, f, g, h, n, ...) n
#define KDR_COUNT(...) KDR_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define KDR_JOIN_(a, b) a##b
#define KDR_JOIN(a, b) KDR_JOIN_(a, b)
#define KDR_SUM(...) (KDR_JOIN(KDR_SUM_, KDR_COUNT(__VA_ARGS__))(__VA_ARGS__))
#define KDR_REVERSE(...) KDR_JOIN(KDR_REVERSE_, KDR_COUNT(__VA_ARGS__))(__VA_ARGS__)

#define KDR_SUM_1(a) (a)
#define KDR_SUM_2(a, b) KDR_SUM_1(a) + (b)
#define KDR_SUM_3(a, b, c) KDR_SUM_2(a, b) + (c)
#define KDR_SUM_4(a, b, c, d) KDR_SUM_3(a, b, c) + (d)
#define KDR_SUM_5(a, b, c, d, e) KDR_SUM_4(a, b, c, d) + (e)
#define KDR_SUM_6(a, b, c, d, e, f) KDR_SUM_5(a, b, c, d, e) + (f)
#define KDR_SUM_7(a, b, c, d, e, f, g) KDR_SUM_6(a, b, c, d, e, f) + (g)
#define KDR_SUM_8(a, b, c, d, e, f, g, h) KDR_SUM_7(a, b, c, d, e, f, g) + (h)

#define KDR_REVERSE_1(a) (a)
#define KDR_REVERSE_2(a, ...) KDR_REVERSE_1(__VA_ARGS__), (a)
#define KDR_REVERSE_3(a, ...) KDR_REVERSE_2(__VA_ARGS__), (a)
#define KDR_REVERSE_4(a, ...) KDR_REVERSE_3(__VA_ARGS__), (a)
#define KDR_REVERSE_5(a, ...) KDR_REVERSE_4(__VA_ARGS__), (a)
#define KDR_REVERSE_6(a, ...) KDR_REVERSE_5(__VA_ARGS__), (a)
#define KDR_REVERSE_7(a, ...) KDR_REVERSE_6(__VA_ARGS__), (a)
#define KDR_REVERSE_8(a, ...) KDR_REVERSE_7(__VA_ARGS__), (a)

/* Half the sum of each element and the one before it. */
#define KDR_MEANS_1(last, a) ((last) + (a)) / 2.0
#define KDR_MEANS_2(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_1(a, __VA_ARGS__)
#define KDR_MEANS_3(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_2(a, __VA_ARGS__)
#define KDR_MEANS_4(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_3(a, __VA_ARGS__)
#define KDR_MEANS_5(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_4(a, __VA_ARGS__)
#define KDR_MEANS_6(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_5(a, __VA_ARGS__)
#define KDR_MEANS_7(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_6(a, __VA_ARGS__)
#define KDR_MEANS_8(last, a, ...) KDR_MEANS_1(last, a), KDR_MEANS_7(a, __VA_ARGS__)
#define KDR_MEANS(...) KDR_JOIN(KDR_MEANS_, KDR_COUNT(__VA_ARGS__))(0.0, __VA_ARGS__)

/* Palindromes of odd length, x_1 ... x_k, 1 - 2 (x_1 + ... + x_k), x_k ... x_1, and of even length, with the rest of 1/2 twice. */
#define KDR_ODD(...) __VA_ARGS__, 1.0 - 2.0 * KDR_SUM(__VA_ARGS__), KDR_REVERSE(__VA_ARGS__)
#define KDR_EVEN(...) __VA_ARGS__, 0.5 - KDR_SUM(__VA_ARGS__), 0.5 - KDR_SUM(__VA_ARGS__), KDR_REVERSE(__VA_ARGS__)

/* The composition of position Verlet with steps w_1 h, w_2 h, ..., a palindrome of odd length. Drifts that meet are merged. */
#define KDR_COMPOSED(steps, ...)                                                                                                           \
    {                                                                                                                                      \
        .stages = (steps) + 1, .kick = {0.0, KDR_ODD(__VA_ARGS__)}, .drift = { KDR_EVEN(KDR_MEANS(__VA_ARGS__)) }                          \
    }

static const kdr_splitting_row kdr_row_semi_implicit_euler = {.stages = 1, .kick = {1.0}, .drift = {1.0}};

static const kdr_splitting_row kdr_row_drift_kick_euler = {.stages = 2, .kick = {0.0, 1.0}, .drift = {1.0, 0.0}};

static const kdr_splitting_row kdr_row_velocity_verlet = {.stages = 2, .kick = {0.5, 0.5}, .drift = {1.0, 0.0}};

static const kdr_splitting_row kdr_row_velocity_verlet_pc = {.stages = 2, .kick = {0.5, 0.5}, .drift = {1.0, 0.0}, .predicts = true};

static const kdr_splitting_row kdr_row_position_verlet = {.stages = 2, .kick = {0.0, 1.0}, .drift = {0.5, 0.5}};

/* The methods of order 3 with three stages, and McLachlan and Atela's, are not symmetric: the kick comes first. */
static const kdr_splitting_row kdr_row_ruth3 = {
    .stages = 3, .kick = {7.0 / 24.0, 3.0 / 4.0, -1.0 / 24.0}, .drift = {2.0 / 3.0, -2.0 / 3.0, 1.0}};

/* The kicks are the drifts in reverse. */
static const kdr_splitting_row kdr_row_mclachlan_atela_3 = {
    .stages = 3,
    .kick = {0.268330095781759924956955229925499, -0.187991618799159782007852868078882, 0.919661523017399857050897638153383},
    .drift = {0.919661523017399857050897638153383, -0.187991618799159782007852868078882, 0.268330095781759924956955229925499},
};

static const kdr_splitting_row kdr_row_mclachlan_atela_4 = {
    .stages = 4,
    .kick = {0.134496199277431089, -0.224819803079420806, 0.756320000515668291, 0.334003603286321425},
    .drift = {0.515352837431122936, -0.085782019412973646, 0.441583023616466524, 0.128846158365384185},
};

static const kdr_splitting_row kdr_row_mclachlan_atela_5 = {
    .stages = 6,
    .kick = {0.1193900292875672758, 0.6989273703824752308, -0.1713123582716007754, 0.4012695022513534480, 0.0107050818482359840,
             -0.0589796254980311632},
    .drift = {0.339839625839110000, -0.088601336903027329, 0.5858564768259621188, -0.603039356536491888, 0.3235807965546976394,
              0.4423637942197494587},
};

/* The number is 1 / (2 - 2^(1/3)). */
static const kdr_splitting_row kdr_row_forest_ruth = KDR_COMPOSED(3, 1.3512071919596576340476878089714601);

/* The numbers are the authors' xi, chi and lambda. */
static const kdr_splitting_row kdr_row_pefrl = {
    .stages = 5,
    .kick = {0.0, KDR_EVEN((1.0 - 2.0 * -0.212341831062605580407997088526264347) / 2.0)},
    .drift = {KDR_ODD(0.178617895844809075224587487883709027, -0.0662645826698184313411223091246316663)},
};

static const kdr_splitting_row kdr_row_vefrl = {
    .stages = 5,
    .kick = {KDR_ODD(0.164498651557575971223926423705932333, 1.23569265113891692491465255413541724)},
    .drift = {KDR_EVEN((1.0 - 2.0 * -0.0209433391039898855544294016489279098) / 2.0)},
};

/* Both numbers are 1 / (4 - 4^(1/3)). */
static const kdr_splitting_row kdr_row_suzuki_4 =
    KDR_COMPOSED(5, 0.414490771794375737142354062860761496, 0.414490771794375737142354062860761496);

/* The numbers are printed to 15 digits. Versions "a" drift first. */
static const kdr_splitting_row kdr_row_blanes_moan_6b = {
    .stages = 7,
    .kick = {KDR_ODD(0.0829844064174052, 0.396309801498368, -0.0390563049223486)},
    .drift = {KDR_EVEN(0.245298957184271, 0.604872665711080)},
};

static const kdr_splitting_row kdr_row_blanes_moan_11b = {
    .stages = 12,
    .kick = {KDR_EVEN(0.0414649985182624, 0.198128671918067, -0.0400061921041533, 0.0752539843015807, -0.0115113874206879)},
    .drift = {KDR_ODD(0.123229775946271, 0.290553797799558, -0.127049212625417, -0.246331761062075, 0.357208872795928)},
};

static const kdr_splitting_row kdr_row_blanes_moan_14a = {
    .stages = 15,
    .kick = {0.0, KDR_EVEN(0.0917191526244616, 0.183983170005006, -0.0565343658328883, 0.00491468877471285, 0.143761127168358,
                           0.328567693746804)},
    .drift = {KDR_ODD(0.0378593198406116, 0.102635633102435, -0.0258678882665587, 0.314241403071447, -0.130144459517415, 0.106417700369543,
                      -0.00879424312851058)},
};

static const kdr_splitting_row kdr_row_blanes_moan_s6 = {
    .stages = 7,
    .kick = {KDR_ODD(0.0792036964311957, 0.353172906049774, -0.0420650803577195)},
    .drift = {KDR_EVEN(0.209515106613362, -0.143851773179818)},
};

static const kdr_splitting_row kdr_row_blanes_moan_s10 = {
    .stages = 11,
    .kick = {KDR_ODD(0.0502627644003922, 0.413514300428344, 0.0450798897943977, -0.188054853819569, 0.541960678450780)},
    .drift = {KDR_EVEN(0.148816447901042, -0.132385865767784, 0.067307604692185, 0.432666402578175)},
};

/* The numbers are Yoshida's solution A. */
static const kdr_splitting_row kdr_row_yoshida_6 =
    KDR_COMPOSED(7, 0.784513610477557263819497633866349876, 0.235573213359358133684793182978534602, -1.17767998417887100694641568096431573);

static const kdr_splitting_row kdr_row_kahan_li_6 =
    KDR_COMPOSED(9, 0.392161444007314139279250557422671404, 0.332599136789359438599748637500049647, -0.706246172557639359809964819549256459,
                 0.0822135962935508002314904481020563311);

static const kdr_splitting_row kdr_row_suzuki_umeno_8 =
    KDR_COMPOSED(15, 0.741670364350612953448227801783806316, -0.409100825800031593997300095893563417,
                 0.190754710296238379953876256450371663, -0.573862471116082266656387726635535742, 0.299064181303655923844463540688602988,
                 0.334624918245298183784957879982182289, 0.315293092396766596632056663811002431);

static const kdr_splitting_row kdr_row_kahan_li_8 =
    KDR_COMPOSED(17, 0.130202483088890080878817632096700522, 0.561162981775108384561964407700150567,
                 -0.389474962644847286408078598235248389, 0.158841906555155600896210745707152481, -0.395903894133237577336231539347938936,
                 0.184539640978315707091832541533375463, 0.258374387686322047293979109994939472, 0.295011723609310298870966240218228113);

#endif
