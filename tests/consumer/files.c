/* Added to the program of the README: it needs a function of kickdrift-io, which must be found when the program starts. */
#include <kickdrift/io.h>

#include <stdlib.h>

__attribute__((constructor)) static void call(void) {
    kdr_checkpoint saved;
    if (kdr_checkpoint_read("/nonexistent", NULL, &saved, NULL) != KDR_ERROR_FILE) {
        exit(1);
    }
}
