/* Functions of kickdrift-io, which must be found when the program of the README starts: of checkpoints, and of the part that needs other
 * libraries where it is built. */
#include <kickdrift/io.h>

#include <stdlib.h>

__attribute__((constructor)) static void call(void) {
    kdr_checkpoint saved;
    kdr_trajectory *trajectory;
    const kdr_status status = kdr_trajectory_open("/nonexistent", 0, &trajectory, NULL);
    if (kdr_checkpoint_read("/nonexistent", NULL, &saved, NULL) != KDR_ERROR_FILE ||
        (status != KDR_ERROR_FILE && status != KDR_ERROR_UNAVAILABLE)) {
        exit(1);
    }
}
