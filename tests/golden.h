/* Bits are a contract: the fingerprint of `kickdrift verify --quick` with the default seed.
 *
 * It changes when any bit of any result changes, and when the plan of cases does. A changed bit is noted in CHANGELOG.md, in the same
 * commit that changes the constant here. The program prints the present value. */
#ifndef KDR_TESTS_GOLDEN_H
#define KDR_TESTS_GOLDEN_H

#include <stdint.h>

#define KDR_GOLDEN_VERIFY_QUICK UINT64_C(0xf3c6ad382bf3af93)

#endif
