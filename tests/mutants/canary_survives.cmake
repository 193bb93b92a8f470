# A mistake that is none: no judge can see it, and the run must say that it has survived. A comment of the fused multiply-add's header, whose test is small.
mutant(canary_survives include/kickdrift/fma.h [[#define KICKDRIFT_FMA_H]] [[#define KICKDRIFT_FMA_H /* and nothing else */]] FMA)
