# This is the mistake of canary_survives.cmake with a case that the test does not have. The run must report an error of the list, not a
# survivor.
set(likely_canary_case "test_fma no_such_case")
mutant(canary_case include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
