/* Kickdrift steps very many particles, with the same bits on every processor.
 *
 * A program describes an integrator (kdr_integrator_desc), creates, runs and destroys it. Rules for all headers are in status.h. Several
 * threads may use an object at once in functions that take it as const, with different particles.
 *
 * For every method, field, precision and arithmetic, every backend returns the bits of the scalar reference (reference.h). They do not
 * depend on count, alignment, number of threads, or the division of a run into calls. For divided runs, methods with a memory and
 * compensated runs need arrays (particles.h). The library never prints, exits, allocates inside a step, or keeps global mutable state. It
 * rounds to nearest, restores the caller's mode, and leaves flush-to-zero alone. */
#ifndef KICKDRIFT_KICKDRIFT_H
#define KICKDRIFT_KICKDRIFT_H

#include <kickdrift/abi.h>
#include <kickdrift/backend.h>
#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/composition.h>
#include <kickdrift/constraint.h>
#include <kickdrift/contact.h>
#include <kickdrift/distance_constraints.h>
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
#include <kickdrift/system.h>

#define KDR_VERSION_MAJOR 0
#define KDR_VERSION_MINOR 1
#define KDR_VERSION_PATCH 0
#define KDR_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the running library. */
KDR_API const char *kdr_version(void);

#ifdef __cplusplus
}
#endif
#endif
