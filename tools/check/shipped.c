/* The results of this version: one row per method, as tools/check/check.h explains. A row changes if a bit of a result does, which
 * CHANGELOG.md says in the same commit, or if the plan of cases does. `kickdrift verify --quick --json` prints the rows, as "methods". */
#include "check.h"

#include <string.h>

static const struct shipped {
    const char *method;
    uint64_t fingerprint;
} shipped[] = {
    {"explicit-euler", UINT64_C(0x9036632d7cd1ecdc)},
    {"midpoint", UINT64_C(0x8459c725b2d5f227)},
    {"heun", UINT64_C(0x792cb478d8e48a02)},
    {"ralston", UINT64_C(0xfa41815c2e484343)},
    {"rk3", UINT64_C(0xcc0a8159f2f6ed9c)},
    {"rk4", UINT64_C(0x7aa9a995a48b1546)},
    {"rk4-38", UINT64_C(0x17f154b84e6b550b)},
    {"dopri-5", UINT64_C(0x3e3a67e01968b14e)},
    {"semi-implicit-euler", UINT64_C(0x70ef818e84292dd3)},
    {"drift-kick-euler", UINT64_C(0x18d441ffd2656364)},
    {"velocity-verlet", UINT64_C(0x490c6704d277115a)},
    {"velocity-verlet-pc", UINT64_C(0x8f73f82db81c8126)},
    {"position-verlet", UINT64_C(0x3ef9992e2991e14f)},
    {"ruth3", UINT64_C(0x62450ac6b9c3d2b2)},
    {"mclachlan-atela-3", UINT64_C(0xf471b5db0898c758)},
    {"mclachlan-atela-4", UINT64_C(0x736df88eb50c4a5e)},
    {"mclachlan-atela-5", UINT64_C(0x65af0ba0ac329527)},
    {"forest-ruth", UINT64_C(0xdd5c416bf9d9a49a)},
    {"pefrl", UINT64_C(0x0f24b5c536f985d9)},
    {"vefrl", UINT64_C(0x2407acbaaa07c106)},
    {"suzuki-4", UINT64_C(0xe4a4750771eb351f)},
    {"blanes-moan-6b", UINT64_C(0x950c0058964467d2)},
    {"blanes-moan-11b", UINT64_C(0xd7eabe09ff1a2301)},
    {"blanes-moan-14a", UINT64_C(0x08a4c7858ce28875)},
    {"blanes-moan-s6", UINT64_C(0x5b8ed333a0c8b4bc)},
    {"blanes-moan-s10", UINT64_C(0x840149d9b245fcdf)},
    {"yoshida-6", UINT64_C(0x4d5a317820cd5ee5)},
    {"kahan-li-6", UINT64_C(0x354302343c5e1655)},
    {"suzuki-umeno-8", UINT64_C(0xfa178cdcc40dff8c)},
    {"kahan-li-8", UINT64_C(0x25448ac1e622e495)},
    {"suvat", UINT64_C(0xbad211d14dd6f50f)},
    {"nystrom-4", UINT64_C(0xbb7ca77c9ec98525)},
    {"nystrom-5", UINT64_C(0x14aa6fba8b3e2f16)},
    {"rkn-4-3", UINT64_C(0xc2da94dacc93b399)},
    {"dprkn-5", UINT64_C(0x084a0fcef7eaea69)},
    {"dprkn-6", UINT64_C(0x3f22deef9b79d872)},
    {"implicit-euler", UINT64_C(0xbf229dd2811ccb9c)},
    {"implicit-midpoint", UINT64_C(0x09e8af186fdd8af4)},
    {"stormer-verlet", UINT64_C(0xdd76849ecdec551e)},
    {"boris", UINT64_C(0x7f204ae8b92783eb)},
    {"higuera-cary", UINT64_C(0xeebb2f0246d85249)},
    {"baoab", UINT64_C(0x6655e70b31664b1a)},
    {"exact-affine", UINT64_C(0xaf533296a1ce9469)},
    {"strang-affine", UINT64_C(0x78ab43d212db16f8)},
    {"kinematic", UINT64_C(0xe2ec949b13d4e608)},
    {"vay", UINT64_C(0x8eb13bd55717af95)},
    {"own-tableau", UINT64_C(0x7684f457b36d7480)},
    {"own-fractions", UINT64_C(0xc7c56adc233af4db)},
    {"gravity", UINT64_C(0x9f9b01387effda2e)},
    {"spring-networks", UINT64_C(0x8fdfee38b893b16a)},
    {"distances", UINT64_C(0x4d09866aff729bc4)},
    {"system", UINT64_C(0xb1851904d1c00143)},
    {"levels", UINT64_C(0x257e99f5b8eb6ee8)},
    {"blocks", UINT64_C(0x5da97f67845692ed)},
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
