#include "description.h"

#include <kickdrift/kickdrift.h>

#include <string.h>

#include "error.h"

void kdr_description_init(const kdr_description *kind, void *desc, size_t size) {
    if (!desc || size < sizeof size) {
        return;
    }
    const size_t known = kind->layout_size[0];
    memset(desc, 0, size);
    memcpy(desc, kind->defaults, size < known ? size : known);
    memcpy(desc, &size, sizeof size);
}

kdr_status kdr_description_take(const kdr_description *kind, const void *given, void *taken, kdr_error *error) {
    KDR_CHECK(given, error, KDR_ERROR_NULL, "description: expected a pointer, got NULL");
    const size_t known = kind->layout_size[0];
    size_t size;
    memcpy(&size, given, sizeof size);
    bool is_known = false;
    for (int i = 0; i < KDR_MAX_LAYOUTS; ++i) {
        is_known = is_known || (size > 0 && size == kind->layout_size[i]);
    }
    KDR_CHECK(is_known, error, KDR_ERROR_ARGUMENT,
              "description was not made by %s_default() of headers up to " KDR_VERSION_STRING ": its size is %zu, expected %zu", kind->name,
              size, known);
    memcpy(taken, kind->defaults, known);
    memcpy(taken, given, size);
    memcpy(taken, &known, sizeof known);
    return KDR_OK;
}
