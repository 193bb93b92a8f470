# This is the mistake of canary_survives.cmake with a judge that is asked for a method that does not exist. The run must report an error of
# the list, not a catch.
set(likely_canary_asks "verify --quick --method explicit-eulr")
mutant(canary_asks include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
