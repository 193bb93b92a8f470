/* The results of this version: one row per method, as tools/check/check.h explains. A row changes if a bit of a result does, which
 * CHANGELOG.md says in the same commit, or if the plan of cases does. `kickdrift verify --quick --json` prints the rows, as "methods". */
#include "check.h"

#include <string.h>

static const struct shipped {
    const char *method;
    uint64_t fingerprint;
} shipped[] = {
    {"explicit-euler", UINT64_C(0x94f3181b1a713f32)},
    {"midpoint", UINT64_C(0x3af17a245b56e924)},
    {"heun", UINT64_C(0xe6997b6e3614e1b2)},
    {"ralston", UINT64_C(0x75573b8e8ab8633f)},
    {"rk3", UINT64_C(0xf250cc69be495ba9)},
    {"rk4", UINT64_C(0xcc59d119c9d91cff)},
    {"rk4-38", UINT64_C(0x585314de3b903115)},
    {"dopri-5", UINT64_C(0xe81c38bb5ca88b8d)},
    {"semi-implicit-euler", UINT64_C(0x87c14ecc0190cb95)},
    {"drift-kick-euler", UINT64_C(0x65879bdf5c4ca595)},
    {"velocity-verlet", UINT64_C(0x5c3caf84bc1060eb)},
    {"velocity-verlet-pc", UINT64_C(0x04c026fb46f6892a)},
    {"position-verlet", UINT64_C(0x620ae0263046bc7a)},
    {"ruth3", UINT64_C(0x798109b4a4eaf2ae)},
    {"mclachlan-atela-3", UINT64_C(0xa24b95dc68f645ad)},
    {"mclachlan-atela-4", UINT64_C(0x9bc612f300ab70b8)},
    {"mclachlan-atela-5", UINT64_C(0xa655ba3129a2bd5d)},
    {"forest-ruth", UINT64_C(0x04d4bffe9cfefc20)},
    {"pefrl", UINT64_C(0xea98440ed732125a)},
    {"vefrl", UINT64_C(0xcc0f38e20306788c)},
    {"suzuki-4", UINT64_C(0x1b105cb51a8e30bb)},
    {"blanes-moan-6b", UINT64_C(0xc4713c34201abfd1)},
    {"blanes-moan-11b", UINT64_C(0xeb8c6ddbf23164e6)},
    {"blanes-moan-14a", UINT64_C(0x945596077faab8bb)},
    {"blanes-moan-s6", UINT64_C(0x90d836cc4f52eb2e)},
    {"blanes-moan-s10", UINT64_C(0x14d979174b88bc72)},
    {"yoshida-6", UINT64_C(0x14ae79441c890128)},
    {"kahan-li-6", UINT64_C(0xb69739cd9d2b7d99)},
    {"suzuki-umeno-8", UINT64_C(0xffe8ef044a015d55)},
    {"kahan-li-8", UINT64_C(0xf36318e4a700165a)},
    {"suvat", UINT64_C(0xeec5821328bf25c0)},
    {"nystrom-4", UINT64_C(0x5ebc0aca72617939)},
    {"nystrom-5", UINT64_C(0xf9d5f52974db0838)},
    {"rkn-4-3", UINT64_C(0x5b8ade728c4a8882)},
    {"dprkn-5", UINT64_C(0xb15b1ede798bc6e9)},
    {"dprkn-6", UINT64_C(0x9fc013eb049563be)},
    {"implicit-euler", UINT64_C(0xb3f4d4c1a1bd9352)},
    {"implicit-midpoint", UINT64_C(0x4de0930d6172cfd3)},
    {"stormer-verlet", UINT64_C(0xdd76849ecdec551e)},
    {"boris", UINT64_C(0x4f160a2f769f55e6)},
    {"higuera-cary", UINT64_C(0xab3ad9251046f4f8)},
    {"baoab", UINT64_C(0x555ddfc9b7ae9f4e)},
    {"exact-affine", UINT64_C(0xe5f51039fdd05e9b)},
    {"strang-affine", UINT64_C(0x93967ea89d732d1d)},
    {"kinematic", UINT64_C(0x7771375595d4e0af)},
    {"vay", UINT64_C(0xdab68eca4fc4f93b)},
    {"own-tableau", UINT64_C(0x7d0313d1931956a1)},
    {"own-fractions", UINT64_C(0xce7df74cdb04980b)},
    {"gravity", UINT64_C(0x9f9b01387effda2e)},
    {"nets", UINT64_C(0x8fdfee38b893b16a)},
    {"distances", UINT64_C(0x4d09866aff729bc4)},
    {"coupled", UINT64_C(0x366750b45aaab218)},
    {"levels", UINT64_C(0xc8976dd3edb492cf)},
    {"blocks", UINT64_C(0x0f43594fc0a3a640)},
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
