#include "arrays.h"

#include <stddef.h>

#define AT(member) offsetof(kdr_particles, member)
#define AXIS(i)                                                                                                                            \
    {"x", i, AT(x[i]), AT(x_layout), 0, KDR_SET_STATE}, {"v", i, AT(v[i]), AT(v_layout), 0, KDR_SET_STATE},                                \
        {"memory", i, AT(memory[i]), AT(memory_layout), 0, KDR_SET_MEMORY},                                                                \
        {"compensation", i, AT(compensation[i]), AT(compensation_layout), 0, KDR_SET_COMPENSATION},                                        \
        {"compensation", 3 + (i), AT(compensation[3 + (i)]), AT(compensation_layout), 0, KDR_SET_COMPENSATION}, {                          \
        "images", i, AT(images[i]), AT(images_layout), sizeof(int32_t), KDR_SET_IMAGES                                                     \
    }

const kdr_array_row kdr_arrays[KDR_ARRAYS] = {
    AXIS(0),
    AXIS(1),
    AXIS(2),
    {"inverse_mass", 0, AT(inverse_mass), AT(inverse_mass_layout), 0, KDR_SET_NONE},
    {"radius", 0, AT(radius), AT(radius_layout), 0, KDR_SET_NONE},
    {"id", 0, AT(id), AT(id_layout), sizeof(uint64_t), KDR_SET_NONE},
    {"bounces", 0, AT(bounces), AT(bounces_layout), sizeof(uint32_t), KDR_SET_NONE},
    {"nonconverged", 0, AT(nonconverged), AT(nonconverged_layout), sizeof(uint32_t), KDR_SET_NONE},
    {"dissipated_energy", 0, AT(dissipated_energy[0]), AT(dissipated_energy_layout), sizeof(double), KDR_SET_NONE},
    {"dissipated_energy", 1, AT(dissipated_energy[1]), AT(dissipated_energy_layout), sizeof(double), KDR_SET_NONE},
    {"error", 0, AT(error), AT(error_layout), 0, KDR_SET_NONE},
    {"active", 0, AT(active), AT(active_layout), sizeof(uint8_t), KDR_SET_NONE},
    {"level", 0, AT(level), AT(level_layout), sizeof(uint8_t), KDR_SET_NONE},
};
