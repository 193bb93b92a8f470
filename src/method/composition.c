/* The table of compositions. Fractions that compose position Verlet to a splitting row are the kicks of that row. */
#include <kickdrift/composition.h>

#include <string.h>

#include "rows.h"

static const double whole[] = {1.0};

/* Nine substeps, solution SS; the first one is a free choice. */
static const double mclachlan_6[] = {0.1867,
                                     0.5554970237124784,
                                     0.12946694891347535,
                                     -0.8432656233877346,
                                     0.9432033015235617,
                                     -0.8432656233877346,
                                     0.12946694891347535,
                                     0.5554970237124784,
                                     0.1867};

static const kdr_composition_info compositions[KDR_COMPOSITION_COUNT] = {
    [KDR_COMPOSE_NONE] = {"none", 2, 1, whole, "the method alone"},
    [KDR_COMPOSE_SUZUKI_4] = {"suzuki-4", 4, 5, kdr_row_suzuki_4.kick + 1, "Suzuki, Phys. Lett. A 146 (1990) 319"},
    [KDR_COMPOSE_YOSHIDA_6] = {"yoshida-6", 6, 7, kdr_row_yoshida_6.kick + 1, "Yoshida, Phys. Lett. A 150 (1990) 262"},
    [KDR_COMPOSE_KAHAN_LI_6] = {"kahan-li-6", 6, 9, kdr_row_kahan_li_6.kick + 1, "Kahan, Li, Math. Comp. 66 (1997) 1089"},
    [KDR_COMPOSE_MCLACHLAN_6] = {"mclachlan-6", 6, 9, mclachlan_6, "McLachlan, SIAM J. Sci. Comput. 16 (1995) 151"},
    [KDR_COMPOSE_SUZUKI_UMENO_8] = {"suzuki-umeno-8", 8, 15, kdr_row_suzuki_umeno_8.kick + 1,
                                    "Suzuki, Umeno 1993; McLachlan, SIAM J. Sci. Comput. 16 (1995) 151"},
    [KDR_COMPOSE_KAHAN_LI_8] = {"kahan-li-8", 8, 17, kdr_row_kahan_li_8.kick + 1, "Kahan, Li, Math. Comp. 66 (1997) 1089"},
};

const kdr_composition_info *kdr_composition_get(kdr_composition composition) {
    return (unsigned)composition < KDR_COMPOSITION_COUNT ? &compositions[composition] : NULL;
}

kdr_status kdr_composition_from_name(const char *name, kdr_composition *composition) {
    if (!name || !composition) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_COMPOSITION_COUNT; ++i) {
        if (strcmp(name, compositions[i].name) == 0) {
            *composition = (kdr_composition)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}
