/* The backends, for every module. */
#include "web.h"

#include <kickdrift/kickdrift.h>

static kdr_backend_info info;

EXPORT(backend_last) int backend_last(void) { return KDR_BACKEND_LAST; }

EXPORT(backend_name) const char *backend_name(int backend) {
    return kdr_backend_query((kdr_backend)backend, &info) == KDR_OK ? info.name : "?";
}

/* Returns why a backend cannot run here; "" if it can. */
EXPORT(backend_reason) const char *backend_reason(int backend) {
    return kdr_backend_query((kdr_backend)backend, &info) == KDR_OK ? info.reason : "?";
}
