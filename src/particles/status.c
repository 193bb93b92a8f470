/* The texts of statuses, and the version. */
#include <kickdrift/kickdrift.h>

static const char *const texts[] = {
    [KDR_OK] = "ok",
    [KDR_ERROR_NULL] = "null pointer",
    [KDR_ERROR_ARGUMENT] = "argument out of range",
    [KDR_ERROR_NOT_FINITE] = "not finite",
    [KDR_ERROR_OVERFLOW] = "overflow",
    [KDR_ERROR_NO_MEMORY] = "out of memory",
    [KDR_ERROR_UNKNOWN_NAME] = "unknown name",
    [KDR_ERROR_UNAVAILABLE] = "unavailable here",
    [KDR_ERROR_MISMATCH] = "mismatch",
    [KDR_ERROR_UNSUPPORTED] = "unsupported combination",
    [KDR_ERROR_OVERLAP] = "overlapping arrays",
    [KDR_ERROR_FILE] = "file cannot be read or written",
    [KDR_ERROR_FORMAT] = "file of another kind, or damaged",
    [KDR_STOPPED] = "stopped by a watch",
};

const char *kdr_status_string(kdr_status status) {
    const size_t row = (size_t)status;
    return row < sizeof texts / sizeof *texts ? texts[row] : "unknown status";
}

const char *kdr_version(void) { return KDR_VERSION_STRING; }
