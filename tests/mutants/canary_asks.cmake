# The same mistake, with a judge that is asked for a method that there is not: an error of the list, and no catch.
set(likely_canary_asks "verify --quick --method explicit-eulr")
mutant(canary_asks include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
