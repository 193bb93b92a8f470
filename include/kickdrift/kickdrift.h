/* Kickdrift: steps very many particles as fast as the processor can, with the same bits on every processor.
 *
 * Describe (kdr_integrator_desc), create, run, destroy. Every description is made by its own `_default()` and then changed: it begins
 * with its size, by which the library takes those of older headers, whose missing members have their defaults, and refuses what was made
 * by hand or by a newer header (KDR_ERROR_ARGUMENT). A *kick* changes velocities by an acceleration, a *drift* changes positions by a
 * velocity; the integrators are built from the two.
 *
 * The contract. For every method, field, precision and arithmetic, every backend returns the same bits as the scalar reference, for every
 * count, alignment and thread count, and however a run of steps is cut into calls (a method with memory, a compensated run: when the
 * particles carry what these keep). The library never prints, exits, reads past `count`, allocates inside a step, or keeps global mutable
 * state. Whatever the caller's rounding mode, it rounds to the nearest (the caller's functions are called so too) and leaves the mode as it
 * was; flush-to-zero it does not touch. Every entry point that can fail returns kdr_status and leaves its outputs untouched on failure. */
#ifndef KICKDRIFT_KICKDRIFT_H
#define KICKDRIFT_KICKDRIFT_H

#include <kickdrift/abi.h>
#include <kickdrift/backend.h>
#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/composition.h>
#include <kickdrift/constraint.h>
#include <kickdrift/contact.h>
#include <kickdrift/coupled.h>
#include <kickdrift/distances.h>
#include <kickdrift/event.h>
#include <kickdrift/executor.h>
#include <kickdrift/force.h>
#include <kickdrift/gravity.h>
#include <kickdrift/integrator.h>
#include <kickdrift/layout.h>
#include <kickdrift/method.h>
#include <kickdrift/observe.h>
#include <kickdrift/pairs.h>
#include <kickdrift/particles.h>
#include <kickdrift/reference.h>
#include <kickdrift/status.h>

#define KDR_VERSION_MAJOR 0
#define KDR_VERSION_MINOR 1
#define KDR_VERSION_PATCH 0
#define KDR_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs; compare with KDR_VERSION_STRING, that of the header. */
KDR_API const char *kdr_version(void);

#ifdef __cplusplus
}
#endif
#endif
