/* Methods compared with results in exact arithmetic and with closed forms, on the oscillator, Kepler's problem and falls. */
#include "method/method.h"
#include "support.h"

static const char *where(int runner, kdr_method method, kdr_arithmetic arithmetic) {
    static char text[96];
    snprintf(text, sizeof text, "%s %s %s", runner == BY_REFERENCE ? "reference" : "integrator", kdr_method_get(method)->name,
             kdr_arithmetic_name(arithmetic));
    return text;
}

/* Runs a case by both runners in both arithmetics and compares the axes that the case names. */
static void expect(kdr_method method, const kdr_force *forces, size_t count, state start, double dt, uint64_t steps, state end, int axes,
                   double tolerance) {
    for (int runner = 0; runner < RUNNERS; ++runner) {
        for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
            const kdr_integrator_desc desc = describe(method, KDR_F64, (kdr_arithmetic)a, forces, count);
            const state got = advance_one(runner, &desc, start, dt, steps);
            for (int axis = 0; axis < axes; ++axis) {
                cr_expect(close_to(got.x[axis], end.x[axis], tolerance), "%s: x[%d] = %.17g, expected %.17g, off by %.3g",
                          where(runner, method, desc.arithmetic), axis, got.x[axis], end.x[axis], got.x[axis] - end.x[axis]);
                cr_expect(close_to(got.v[axis], end.v[axis], tolerance), "%s: v[%d] = %.17g, expected %.17g, off by %.3g",
                          where(runner, method, desc.arithmetic), axis, got.v[axis], end.v[axis], got.v[axis] - end.v[axis]);
            }
        }
    }
}

/* Results of the methods in 50 digits for Kepler's problem, e = 1/2, from (1/2, 0) with velocity (0, sqrt 3), h = 1/64, t = 1. `dh` is the
 * method's own energy error, to four digits; that of the best methods is below the rounding of a double. The largest rounding error is
 * 6e-15, in Suzuki and Umeno's 960 evaluations. */
static const struct {
    kdr_method method;
    double x[2], v[2], dh;
} kepler[] = {
    {KDR_EXPLICIT_EULER,
     {-0.4291452495661813210876, 0.9248603818683805139483},
     {-1.065872983872860965368, 0.1604206105581139351888},
     0.1001},
    {KDR_MIDPOINT,
     {-0.4276830109609157733175, 0.8640365379832950403765},
     {-1.034169352729528393888, 0.06522133090959226352158},
     -0.0003662},
    {KDR_HEUN, {-0.4271862876187939844674, 0.8653100499842930890909}, {-1.034224452017275420536, 0.06761256581715312081259}, 0.0008401},
    {KDR_RALSTON, {-0.4275145799823745996901, 0.8644588784809638342796}, {-1.034185273026440888036, 0.06601455347985488663562}, 2.912e-5},
    {KDR_RK3, {-0.4279584357259625774211, 0.8637684953884956350678}, {-1.034660774873788959513, 0.06469653470127615713168}, -1.89e-5},
    {KDR_RK4, {-0.4279673038526582950215, 0.8637755991908449825397}, {-1.03466727132253117209, 0.06471274824900205396544}, -4.119e-8},
    {KDR_RK4_38, {-0.4279674203185754567402, 0.8637754084051166987267}, {-1.034667338058137225688, 0.06471241204679978301378}, -1.222e-7},
    {KDR_DOPRI_5, {-0.427967245798665148141, 0.8637757010298027430902}, {-1.034667232484905449423, 0.06471292021936860669611}, 2.157e-10},
    {KDR_SEMI_IMPLICIT_EULER,
     {-0.4580938121417272966524, 0.8399905461913035506753},
     {-1.048761724544228077427, 0.03257963684386881655727},
     0.005312},
    {KDR_DRIFT_KICK_EULER,
     {-0.3969485977425302935622, 0.8882698915997134516476},
     {-1.019315658460953189708, 0.09926223668919420546587},
     -0.003395},
    {KDR_VELOCITY_VERLET,
     {-0.4278698151961049636014, 0.8642632807848244033012},
     {-1.034521513816169670292, 0.06561237271654764274361},
     0.0003313},
    {KDR_VELOCITY_VERLET_PC,
     {-0.4278698151961049636014, 0.8642632807848244033012},
     {-1.034521513816169670292, 0.06561237271654764274361},
     0.0003313},
    {KDR_POSITION_VERLET,
     {-0.427660090007677770988, 0.8640464376151574489379},
     {-1.034582218978847025135, 0.06524264853360046784286},
     6.085e-5},
    {KDR_RUTH3, {-0.4279680274591274220947, 0.8637755634127778030112}, {-1.034667241626946521758, 0.06471248789552803237839}, 2.224e-7},
    {KDR_MCLACHLAN_ATELA_3,
     {-0.4279627682998931394049, 0.8637797081001366209667},
     {-1.034665220014048051615, 0.06471922324151937227511},
     5.061e-8},
    {KDR_MCLACHLAN_ATELA_4,
     {-0.4279672226653597961464, 0.8637757228360111663752},
     {-1.03466722376037069858, 0.06471295895377487521384},
     3.67e-9},
    {KDR_MCLACHLAN_ATELA_5,
     {-0.4279672456536479613045, 0.8637757009709578306268},
     {-1.034667232418698351228, 0.06471292009135885569734},
     1.293e-11},
    {KDR_FOREST_RUTH,
     {-0.4279665059112536599596, 0.8637765184980814756471},
     {-1.034666983757224348171, 0.06471450655073178021294},
     2.803e-7},
    {KDR_PEFRL, {-0.4279672300744407637843, 0.8637757435361651502897}, {-1.034667217484949952205, 0.06471299521297882758944}, 2.302e-8},
    {KDR_VEFRL, {-0.4279671899612453757903, 0.8637757552170975978706}, {-1.034667211704716760148, 0.06471301785232555967524}, 1.061e-8},
    {KDR_SUZUKI_4, {-0.4279672363468664776573, 0.863775713467239451912}, {-1.03466722862508787827, 0.06471294405331823772637}, 5.242e-9},
    {KDR_BLANES_MOAN_6B,
     {-0.4279672454908981153565, 0.8637757009807261587921},
     {-1.034667232404730331309, 0.06471292011139251653867},
     -6.856e-11},
    {KDR_BLANES_MOAN_11B,
     {-0.4279672455609182014561, 0.8637757010452939263647},
     {-1.034667232373370841277, 0.06471292019361232194849},
     2.216e-14},
    {KDR_BLANES_MOAN_14A,
     {-0.4279672455610900270273, 0.8637757010451114021055},
     {-1.034667232373451896779, 0.06471292019330865985157},
     -7.536e-15},
    {KDR_BLANES_MOAN_S6,
     {-0.4279672423841929310246, 0.8637757094679264457383},
     {-1.03466722942113801401, 0.06471293507823294535452},
     4.513e-9},
    {KDR_BLANES_MOAN_S10,
     {-0.4279672455611499995384, 0.8637757010467698308243},
     {-1.034667232372893534416, 0.06471292019618210642294},
     1.228e-12},
    {KDR_YOSHIDA_6, {-0.4279672454416944621062, 0.8637757011710075575829}, {-1.03466723232617681638, 0.06471292042031667911792}, 3.012e-11},
    {KDR_KAHAN_LI_6, {-0.427967245554321345237, 0.8637757010507003039777}, {-1.03466723237114567127, 0.06471292020318935348981}, 4.011e-13},
    {KDR_SUZUKI_UMENO_8,
     {-0.4279672455611122628233, 0.8637757010451039974312},
     {-1.03466723237345610932, 0.0647129201932958980651},
     -5.196e-16},
    {KDR_KAHAN_LI_8,
     {-0.4279672455611134219816, 0.863775701045103744104},
     {-1.034667232373456308718, 0.06471292019329551278651},
     -2.875e-17},
};

Test(physics_oracle, kepler_to_rounding) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    for (size_t i = 0; i < sizeof kepler / sizeof *kepler; ++i) {
        const state end = {{kepler[i].x[0], kepler[i].x[1], 0}, {kepler[i].v[0], kepler[i].v[1], 0}};
        expect(kepler[i].method, &sun, 1, start, 0x1p-6, 64, end, 3, kdr_method_get(kepler[i].method)->evaluations == 1 ? 2e-15 : 7e-15);
    }
}

Test(physics_oracle, every_explicit_method_is_in_the_table) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        size_t i = 0;
        while (i < sizeof kepler / sizeof *kepler && kepler[i].method != (kdr_method)m) {
            ++i;
        }
        cr_expect(i < sizeof kepler / sizeof *kepler || !(row->data.runge_kutta || row->data.splitting), "%s", row->info.name);
    }
}

Test(physics_oracle, kepler_energy_error) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof kepler / sizeof *kepler; ++i) {
        const kdr_integrator_desc desc = describe(kepler[i].method, KDR_F64, KDR_FUSED, &sun, 1);
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        kdr_particles p = make_particles(1, 2, KDR_F64, false, true);
        put_state(&p, 0, &(state){{0.5, 0, 0}, {0, 1.7320508075688772, 0}});
        kdr_clock clock = {0, 0x1p-6, 0};
        kdr_observables first, last;
        cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 64, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &last, NULL) == KDR_OK);
        cr_expect(close_to(first.energy, -0.5, 1e-15));
        cr_expect(close_to(last.energy - first.energy, kepler[i].dh, 6e-4 * fabs(kepler[i].dh) + 1e-14), "%s: %.6g, expected %.4g",
                  kdr_method_get(kepler[i].method)->name, last.energy - first.energy, kepler[i].dh);
        kdr_particles_destroy(&p);
        kdr_integrator_destroy(integrator);
    }
}

/* An oscillator of frequency 1 from rest at x = 1, h = 1/16, t = 64: powers of the step's matrix in exact arithmetic. */
Test(physics_oracle, oscillator_to_rounding) {
    static const struct {
        kdr_method method;
        double x, v;
    } rows[] = {
        {KDR_EXPLICIT_EULER, 3.4365741174686078483732231567, -6.50878799347124948324241944132},
        {KDR_MIDPOINT, 0.353930136931975508429806584401, -0.937361904511773053829793111684},
        {KDR_HEUN, 0.353930136931975508429806584401, -0.937361904511773053829793111684},
        {KDR_RALSTON, 0.353930136931975508429806584401, -0.937361904511773053829793111684},
        {KDR_RK3, 0.391572614267824850573588634238, -0.919440777949567100152104400738},
        {KDR_RK4, 0.391864541152245193661028261837, -0.920022463905809535895097500672},
        {KDR_RK4_38, 0.391864541152245193661028261837, -0.920022463905809535895097500672},
        {KDR_DOPRI_5, 0.391857222145547369487564682806, -0.920026023378090386011320191242},
        {KDR_SEMI_IMPLICIT_EULER, 0.353357332948023680858935922808, -0.924511178933266751901036911984},
        {KDR_DRIFT_KICK_EULER, 0.411139281631352852852750729807, -0.924511178933266751901036911984},
        {KDR_VELOCITY_VERLET, 0.382248307289688266855843326308, -0.923608335985089733588633555625},
        {KDR_VELOCITY_VERLET_PC, 0.382248307289688266855843326308, -0.923608335985089733588633555625},
        {KDR_POSITION_VERLET, 0.382248307289688266855843326308, -0.924511178933266751901036911984},
        {KDR_RUTH3, 0.391862899644733610556215384491, -0.920026212913272805578822739042},
        {KDR_MCLACHLAN_ATELA_3, 0.391860157471571686294916132771, -0.920025918453507917336766308742},
        {KDR_MCLACHLAN_ATELA_4, 0.391857330661163438996042793567, -0.920025988892306269354421072942},
        {KDR_MCLACHLAN_ATELA_5, 0.391857230266514112299451260762, -0.920026038197292504029917261936},
        {KDR_FOREST_RUTH, 0.391916695373901854131433027018, -0.92000017312296202056772799846},
        {KDR_PEFRL, 0.391857284820544719309410688668, -0.920025994692608933234478095788},
        {KDR_VEFRL, 0.391858020867929026834196926902, -0.920025709090922675229527785448},
        {KDR_SUZUKI_4, 0.391858065458434988877013074275, -0.920025632266045535690742732434},
        {KDR_BLANES_MOAN_6B, 0.391857243660963040739914725418, -0.92002603254996656881562322188},
        {KDR_BLANES_MOAN_11B, 0.391857230429832265054537003129, -0.920026038196678249250415137398},
        {KDR_BLANES_MOAN_14A, 0.391857230429479672485012942579, -0.920026038196821228800981226413},
        {KDR_BLANES_MOAN_S6, 0.391857242418487478508316541148, -0.920026035053247115709389764541},
        {KDR_BLANES_MOAN_S10, 0.391857230430078872415357231644, -0.920026038196356381723533969009},
        {KDR_YOSHIDA_6, 0.391857217204397257205580907927, -0.920026043938292414164678553643},
        {KDR_KAHAN_LI_6, 0.391857228999200781247175654976, -0.92002603881894082833376737683},
        {KDR_SUZUKI_UMENO_8, 0.39185723042948478902254352313, -0.920026038196817408136478783988},
        {KDR_KAHAN_LI_8, 0.391857230429532991830451213987, -0.920026038196797794036982020713},
    };
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const state end = {{rows[i].x, 0, 0}, {rows[i].v, 0, 0}};
        expect(rows[i].method, &spring, 1, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-4, 1024, end, 3, 2e-14);
    }
}

/* The same with drag 3/8, t = 16, which shows the velocity that each method's force uses. */
Test(physics_oracle, damped_oscillator_to_rounding) {
    static const struct {
        kdr_method method;
        double x, v;
    } rows[] = {
        {KDR_EXPLICIT_EULER, -0.0815168323409283334977245, 0.01413166910149020279892624},
        {KDR_MIDPOINT, -0.04968482117072615618487053, 0.0008768317575794873737338462},
        {KDR_HEUN, -0.04968482117072615618487053, 0.0008768317575794873737338462},
        {KDR_RALSTON, -0.04968482117072615618487053, 0.0008768317575794873737338462},
        {KDR_RK3, -0.04985675799975945416252676, 0.0004137377666588511189154678},
        {KDR_RK4, -0.04986403135758268557277199, 0.000419122904272887924422808},
        {KDR_RK4_38, -0.04986403135758268557277199, 0.000419122904272887924422808},
        {KDR_DOPRI_5, -0.04986396321401668673074529, 0.0004191874288248107673882367},
        {KDR_SEMI_IMPLICIT_EULER, -0.0485705773316392012001637, 0.004955063583872827835921361},
        {KDR_DRIFT_KICK_EULER, -0.04888026880563125293990879, 0.004955063583872827835921361},
        {KDR_VELOCITY_VERLET, -0.04872542306863522707003624, 0.004932591359606072424049805},
        {KDR_VELOCITY_VERLET_PC, -0.04959990310354464051656284, 0.0004138596640859580746477066},
        {KDR_POSITION_VERLET, -0.04872542306863522707003624, 0.004955063583872827835921361},
    };
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(0.375, 0, 0, 0)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const state end = {{rows[i].x, 0, 0}, {rows[i].v, 0, 0}};
        expect(rows[i].method, forces, 2, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-4, 256, end, 3, 1e-15);
    }
}

/* Returns the distance from rest of x'' = -x - 2 zeta x' after 1e4 steps from (1, 0), with `piece` steps per call, without memory. */
static double distance(kdr_method method, double zeta, double dt, uint64_t piece) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(2 * zeta, 0, 0, 0)};
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, 2);
    state s = {{1, 0, 0}, {0, 0, 0}};
    for (uint64_t step = 0; step < 10000 && isfinite(s.x[0]); step += piece) {
        s = advance_one(BY_INTEGRATOR, &desc, s, dt, piece);
    }
    return isfinite(s.x[0]) ? hypot(s.x[0], s.v[0]) : INFINITY;
}

/* The predictor keeps order 2 with drag and loses half of the stability of velocity Verlet: (omega h)^2 + 8 zeta omega h < 4 with the
 * acceleration kept. Runs that start afresh at each step are stable for larger steps: their limits follow from the spectral radius of their
 * matrix. */
Test(physics_oracle, damped_limits_of_the_predictor) {
    static const struct {
        double zeta, afresh;
    } rows[] = {{0.01, 1.980492}, {0.1, 1.843512}, {0.5, 2}, {1, 1}, {2, 0.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double zeta = rows[i].zeta, kept = -4 * zeta + sqrt(16 * zeta * zeta + 4);
        cr_expect(distance(KDR_VELOCITY_VERLET_PC, zeta, 0.99 * kept, 10000) < 1e-3, "zeta %g: kept, below %g", zeta, kept);
        cr_expect(distance(KDR_VELOCITY_VERLET_PC, zeta, 1.01 * kept, 10000) > 1e3, "zeta %g: kept, above %g", zeta, kept);
        cr_expect(distance(KDR_VELOCITY_VERLET_PC, zeta, 0.99 * rows[i].afresh, 1) < 1e-3, "zeta %g: afresh, below", zeta);
        cr_expect(distance(KDR_VELOCITY_VERLET_PC, zeta, 1.01 * rows[i].afresh, 1) > 1e3, "zeta %g: afresh, above", zeta);
    }
}

/* Compares with closed forms, by RK4 with a step whose error is below rounding. */
Test(physics_oracle, damped_springs) {
    static const struct {
        double zeta, x, v;
    } rows[] = {
        {0, 0.960170286650366020545652297923, 0.558830996397851745623110893224},
        {0.1, 0.505105559266270756363882117301, 0.339950098864755686891531952895},
        {0.5, -0.00228949400771824909926548003992, 0.101784636392818137864087731177},
        {1, 0.0173512652366645089613161720157, -0.0297450261199963010765420091698},
        {1.5, 0.118352053622824157877585679506, -0.0904128085929652711275471917515},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(4 * rows[i].zeta, 0, 0, 0)};
        const state end = {{rows[i].x, 0, 0}, {rows[i].v, 0, 0}};
        expect(KDR_RK4, forces, 2, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-11, 3 << 11, end, 3, 3e-13);
    }
}

Test(physics_oracle, fall_with_linear_drag) {
    const kdr_force forces[] = {kdr_force_uniform_acceleration(-9.81, 0, 0), kdr_force_drag(0.5, 0, 0, 0)};
    const state end = {{3.82700541562228874914212232212, 0, 0}, {-5.62850270781114437457106116106, 0, 0}};
    expect(KDR_RK4, forces, 2, (state){{2, 0, 0}, {10, 0, 0}}, 0x1p-10, 3 << 9, end, 3, 1e-13);
}

Test(physics_oracle, fall_with_quadratic_drag) {
    const kdr_force forces[] = {kdr_force_uniform_force(0, 0, -9.81), kdr_force_quadratic_drag(0.02, 0, 0, 0)};
    const state end = {{0, 0, -76.6713431640062467734185620985}, {0, 0, -21.6254172540569927399745793488}};
    expect(KDR_RK4, forces, 2, (state){{0, 0, 0}, {0, 0, 0}}, 0x1p-10, 5 << 10, end, 3, 5e-13);
}

Test(physics_oracle, driven_spring) {
    const kdr_force forces[] = {kdr_force_driven(0, 1, 0, 1.5, 0), kdr_force_spring(4, 0, 0, 0)};
    const state end = {{0, -0.349870940687900645584423066755, 0}, {0, 1.88614762934128329301627007730, 0}};
    expect(KDR_RK4, forces, 2, (state){{0, 0, 0}, {0, 0, 0}}, 0x1p-11, 7 << 11, end, 3, 3e-13);
}

Test(physics_oracle, gyration) {
    const kdr_force magnet = kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 3});
    const state end = {{-0.0931384993996419576038518155373, -0.0132765711165446598181159006924, 1},
                       {0.960170286650366020545652297923, 0.279415498198925872811555446612, 0.5}};
    expect(KDR_RK4, &magnet, 1, (state){{0, 0, 0}, {1, 0, 0.5}}, 0x1p-11, 2 << 11, end, 3, 1e-12);
}

/* DETEST D1 and D3 (Hull, Enright, Fellen, Sedgwick 1972) at t = 20, by Kepler's equation. */
Test(physics_oracle, detest_orbits) {
    static const struct {
        double e, x[2], v[2], tolerance;
    } rows[] = {
        {0.1,
         {0.2198835352008396612849470, 0.9427076846341813085211993},
         {-0.9787659841058176514576667, 0.3287977990962036082625254},
         3e-11},
        {0.5,
         {-0.5780432953035361232751458, 0.8633840009194192801335731},
         {-0.9595083730380727356264490, -0.06504915126712090167719355},
         2e-9},
    };
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double e = rows[i].e;
        const state start = {{1 - e, 0, 0}, {0, sqrt((1 + e) / (1 - e)), 0}};
        const state end = {{rows[i].x[0], rows[i].x[1], 0}, {rows[i].v[0], rows[i].v[1], 0}};
        expect(KDR_RK4, &sun, 1, start, 0x1p-9, 20 << 9, end, 3, rows[i].tolerance);
    }
}

/* With constant acceleration 10 from rest and h = 1, explicit Euler arrives at 450, less than 500 by the fall of half a step. */
Test(physics_oracle, constant_acceleration_table) {
    static const double table[] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    const kdr_force force = kdr_force_uniform_acceleration(10, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
            for (int r = 0; r < KDR_REAL_COUNT; ++r) {
                const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, (kdr_real)r, (kdr_arithmetic)a, &force, 1);
                for (uint64_t step = 0; step < sizeof table / sizeof *table; ++step) {
                    const state end = advance_one(runner, &desc, (state){{0}, {0}}, 1, step);
                    cr_expect(end.x[0] == table[step], "step %" PRIu64 ": %g, expected %g", step, end.x[0], table[step]);
                    cr_expect(end.v[0] == 10 * (double)step);
                }
            }
        }
    }
}

/* The same in float with h = 0.01f shows the rounding errors of 1000 steps. */
Test(physics_oracle, constant_acceleration_in_float) {
    const kdr_force lists[] = {kdr_force_uniform_acceleration(10, 0, 0), kdr_force_uniform_force(10, 0, 0)};
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT * 2; ++i) {
        const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, KDR_F32, (kdr_arithmetic)(i / 2 % 2), &lists[i / 4], 1);
        const state end = advance_one(i % 2, &desc, (state){{0}, {0}}, (double)0.01f, 1000);
        char x[32], v[32];
        snprintf(x, sizeof x, "%f", end.x[0]);
        snprintf(v, sizeof v, "%f", end.v[0]);
        cr_expect(strcmp(x, "499.497070") == 0 && strcmp(v, "99.999046") == 0, "case %d: %s %s", i, x, v);
    }
}
