/* The results of this version: one row per method, as tools/check/check.h explains. A row changes if a bit of a result does, which
 * CHANGELOG.md says in the same commit, or if the plan of cases does. `kickdrift verify --quick --json` prints the rows, as "methods". */
#include "check.h"

#include <string.h>

static const struct shipped {
    const char *method;
    uint64_t fingerprint;
} shipped[] = {
    {"explicit-euler", UINT64_C(0xd68465e1271c4040)},
    {"midpoint", UINT64_C(0xe482ccfb83f5fb1c)},
    {"heun", UINT64_C(0x5da20b569eb08db9)},
    {"ralston", UINT64_C(0xf1f40f1e9200c48c)},
    {"rk3", UINT64_C(0x045138b98886eb19)},
    {"rk4", UINT64_C(0xffa578373d2246ed)},
    {"rk4-38", UINT64_C(0x8a9b6e8fa4d49bfc)},
    {"dopri-5", UINT64_C(0xc1c951d5954ff589)},
    {"semi-implicit-euler", UINT64_C(0xf8fdd6a0865dc412)},
    {"drift-kick-euler", UINT64_C(0xbc7c4bf7fbf773ff)},
    {"velocity-verlet", UINT64_C(0x126057c351317502)},
    {"velocity-verlet-pc", UINT64_C(0x8c7c81445c08930f)},
    {"position-verlet", UINT64_C(0x3a5178bd3a2e5e8a)},
    {"ruth3", UINT64_C(0x71a3058b5d8718eb)},
    {"mclachlan-atela-3", UINT64_C(0x97ad7852861817bf)},
    {"mclachlan-atela-4", UINT64_C(0x1d179802f78a85de)},
    {"mclachlan-atela-5", UINT64_C(0x1c9007ceb6af7824)},
    {"forest-ruth", UINT64_C(0x41bbd18d0e9630f3)},
    {"pefrl", UINT64_C(0x4d4e1f05041ec648)},
    {"vefrl", UINT64_C(0xe271941364a96dd0)},
    {"suzuki-4", UINT64_C(0x1e7724a2b4683c94)},
    {"blanes-moan-6b", UINT64_C(0x0e64d7c5ea489b2d)},
    {"blanes-moan-11b", UINT64_C(0x19d6d64870104503)},
    {"blanes-moan-14a", UINT64_C(0x8d52182e60c8dbd5)},
    {"blanes-moan-s6", UINT64_C(0x1b206aae7f313391)},
    {"blanes-moan-s10", UINT64_C(0xffb06f607474b42c)},
    {"yoshida-6", UINT64_C(0xc8df665b49308203)},
    {"kahan-li-6", UINT64_C(0x526af36c8ab069ce)},
    {"suzuki-umeno-8", UINT64_C(0x7d5ce738613116ea)},
    {"kahan-li-8", UINT64_C(0x0ea23239bd502522)},
    {"suvat", UINT64_C(0x464e2665daf09abb)},
    {"nystrom-4", UINT64_C(0x5f3261ec038463c6)},
    {"nystrom-5", UINT64_C(0x7bbbcee4975c410f)},
    {"rkn-4-3", UINT64_C(0x1b1d65fa95dc7a3a)},
    {"dprkn-5", UINT64_C(0x0903c6e18a01a051)},
    {"dprkn-6", UINT64_C(0x4c3934f90fcf399e)},
    {"implicit-euler", UINT64_C(0xd54e362fbfc150a2)},
    {"implicit-midpoint", UINT64_C(0xe3fa1e30f3fec717)},
    {"stormer-verlet", UINT64_C(0xdd76849ecdec551e)},
    {"boris", UINT64_C(0xe74a7a09bb50cffd)},
    {"higuera-cary", UINT64_C(0xd43d84d608534087)},
    {"baoab", UINT64_C(0x555ddfc9b7ae9f4e)},
    {"exact-affine", UINT64_C(0xdafeaec25aa5bf9a)},
    {"strang-affine", UINT64_C(0xedb564de5e42f7b4)},
    {"kinematic", UINT64_C(0x57ced1a47028383d)},
    {"vay", UINT64_C(0x6033c668f80cdd53)},
    {"own-tableau", UINT64_C(0xd19fb660ccb10a54)},
    {"own-fractions", UINT64_C(0xfd87109992f29e2e)},
    {"gravity", UINT64_C(0x9f9b01387effda2e)},
    {"nets", UINT64_C(0x8fdfee38b893b16a)},
    {"distances", UINT64_C(0x4d09866aff729bc4)},
    {"coupled", UINT64_C(0x66221c9e1e087337)},
    {"levels", UINT64_C(0x6d16be79ae081097)},
    {"blocks", UINT64_C(0xe76b0ffd6b4ef5d1)},
    {"observables", UINT64_C(0xb1f2b11f1ce41f1a)},
};

uint64_t kdr_check_shipped(int method) {
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; ++i) {
        if (strcmp(shipped[i].method, kdr_check_method_name(method)) == 0) {
            return shipped[i].fingerprint;
        }
    }
    return 0;
}
