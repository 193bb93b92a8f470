# The same mistake, with a case that the test has not: an error of the list, and no survivor.
set(likely_canary_case "test_fma no_such_case")
mutant(canary_case include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
