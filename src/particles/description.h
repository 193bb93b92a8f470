/* Descriptions: public structs that begin with their size, and grow at their end from one version of the headers to the next. */
#ifndef KDR_PARTICLES_DESCRIPTION_H
#define KDR_PARTICLES_DESCRIPTION_H

#include <kickdrift/status.h>

enum { KDR_MAX_LAYOUTS = 10 };

/* A new member is the last, and begins where the layout before it ended. Its offset is the size of that layout. */
typedef struct kdr_description {
    const char *name;                    /* "kdr_integrator_desc" */
    const void *defaults;                /* a complete description of this version */
    size_t layout_size[KDR_MAX_LAYOUTS]; /* bytes of every known layout, this version's first; zeros follow the last */
} kdr_description;

extern const kdr_description kdr_integrator_description, kdr_system_description, kdr_pairs_description,
    kdr_distance_constraints_description;

/* Writes the defaults into a description of `size` bytes, for any version of the header. */
void kdr_description_init(const kdr_description *kind, void *desc, size_t size);

/* Copies the user's description, of any known layout, into one of this version; members that it does not have get their defaults. Fails
 * with KDR_ERROR_ARGUMENT for an unknown layout, with KDR_ERROR_NULL for NULL. */
kdr_status kdr_description_take(const kdr_description *kind, const void *given, void *taken, kdr_error *error);

#endif
