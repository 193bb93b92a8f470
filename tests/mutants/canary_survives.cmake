# This mistake changes nothing: no judge can see it, and the run must report that it survived. It is in a comment of the fused
# multiply-add's header, whose test is small.
mutant(canary_survives include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
