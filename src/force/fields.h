/* The fields that the library has by name, in the order of kdr_field_get. Each is a file of force/fields in the vocabulary of custom
 * fields, from which kernels (kernel/fields.inl), reference and table (custom/) are compiled. They are written for three axes: particles
 * in a plane are at z = 0, particles on a line at y = z = 0. */
#ifndef KDR_FORCE_FIELDS_H
#define KDR_FORCE_FIELDS_H

#define KDR_FIELDS(X)                                                                                                                      \
    X(yukawa)                                                                                                                              \
    X(logarithmic_halo)                                                                                                                    \
    X(nfw)                                                                                                                                 \
    X(miyamoto_nagai)                                                                                                                      \
    X(oblate_planet)                                                                                                                       \
    X(rotating_frame)                                                                                                                      \
    X(orbiting_centre)                                                                                                                     \
    X(lennard_jones_wall)                                                                                                                  \
    X(vortex)                                                                                                                              \
    X(grid_acceleration)                                                                                                                   \
    X(grid_wind)                                                                                                                           \
    X(grid_electromagnetic)                                                                                                                \
    X(table_centre)                                                                                                                        \
    X(curl_noise)

enum {
#define KDR_FIELD_NUMBER(field) KDR_NUMBER_OF_##field,
    KDR_FIELDS(KDR_FIELD_NUMBER)
#undef KDR_FIELD_NUMBER
        KDR_FIELD_COUNT
};

#endif
