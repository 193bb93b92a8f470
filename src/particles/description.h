/* Descriptions: public structs that begin with their size, and grow at their end from one version of the headers to the next. */
#ifndef KDR_PARTICLES_DESCRIPTION_H
#define KDR_PARTICLES_DESCRIPTION_H

#include <kickdrift/status.h>

enum { KDR_MAX_LAYOUTS = 10 };

/* A member that is new is the last, and begins where the last layout ended: its offset is then that layout's size. */
typedef struct kdr_description {
    const char *name;                    /* "kdr_integrator_desc" */
    const void *defaults;                /* a whole one of this version */
    size_t layout_size[KDR_MAX_LAYOUTS]; /* bytes of every layout that is known, this version's first; behind the last come zeros */
} kdr_description;

extern const kdr_description kdr_integrator_description, kdr_coupled_description, kdr_pairs_description, kdr_distances_description;

/* Writes the defaults into a description of `size` bytes, whatever the version of the header that it is from. */
void kdr_description_init(const kdr_description *kind, void *desc, size_t size);

/* Copies the caller's description, of any layout that is known, into one of this version, whose other members have their defaults.
 * Any other is refused with KDR_ERROR_ARGUMENT, and NULL with KDR_ERROR_NULL. */
kdr_status kdr_description_take(const kdr_description *kind, const void *given, void *taken, kdr_error *error);

#endif
