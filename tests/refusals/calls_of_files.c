/* The calls of kickdrift-io and kickdrift-check: every public function of theirs that can fail. */
#include "refusals.h"

#define CALL(function, ...)                                                                                                                \
    static kdr_status call_##function(world *w, kdr_error *error) { return kdr_##function(__VA_ARGS__); }

CALL(checkpoint_write, PATH, w->integrator, PARTICLES, CLOCK, "note", 4, error)
CALL(checkpoint_begin, PATH, w->integrator, 1, PARTICLES, w->length, CLOCK, NULL, 0, OUT(writer), error)
CALL(checkpoint_add, HANDLE(writer), PARTICLES, error)
CALL(checkpoint_read, PATH, w->integrator, OUT(checkpoint), error)
CALL(checkpoint_check, STATE(checkpoint), HANDLE(integrator), error)
CALL(checkpoint_write_system, PATH, HANDLE(system), PARTICLES, CLOCK, "note", 4, error)
CALL(checkpoint_read_system, PATH, HANDLE(system), OUT(checkpoint), error)
CALL(checkpoint_check_system, STATE(checkpoint), HANDLE(system), error)
CALL(checkpoint_restore, STATE(checkpoint), PARTICLES, CLOCK, error)
CALL(trajectory_create, PATH, DESC(trajectory_desc), OUT(trajectory), error)
CALL(trajectory_append, HANDLE(trajectory), PARTICLES, CLOCK, GIVEN(w, NO_ARRAYS, w->observables), error)
CALL(trajectory_append_slice, HANDLE(trajectory), PARTICLES, CLOCK, GIVEN(w, NO_ARRAYS, w->observables), error)
CALL(trajectory_pack, DESC(trajectory_desc), PARTICLES, OUT(bytes), GIVEN(w, NO_STATE, w->out.sizes), error)
CALL(trajectory_append_chunk, HANDLE(trajectory), w->begin, GIVEN(w, NO_ARRAYS, (const void *)w->mu),
     GIVEN(w, NO_STATE, ((const size_t[]){64, 64})), CLOCK, w->observables, error)
CALL(trajectory_set_mass, HANDLE(trajectory), w->mu, error)
CALL(trajectory_set_box, HANDLE(trajectory), GIVEN(w, NO_ARRAYS, w->box), error)
CALL(trajectory_commit, HANDLE(trajectory), error)
CALL(trajectory_note, HANDLE(trajectory), NAME, GIVEN(w, NO_STATE, "text"), error)
CALL(trajectory_open, PATH, w->frame, OUT(trajectory), error)
CALL(trajectory_open_group, PATH, NAME, OUT(trajectory), error)
CALL(trajectory_query, HANDLE(trajectory), OUT(trajectory_info), error)
CALL(trajectory_read, HANDLE(trajectory), w->frame, OUT(frame), error)
CALL(stream_open, DESC(stream_desc), OUT(stream), error)
CALL(stream_next, HANDLE(stream), PARTICLES, CLOCK, error)
CALL(stream_query, HANDLE(stream), OUT(stream_info), error)
CALL(check_kernel, DESC(check_desc), OUT(check_report), error)

/* Ending a writer frees it, whether the file was made or not. */
static kdr_status call_checkpoint_end(world *w, kdr_error *error) {
    kdr_checkpoint_writer *const ended = HANDLE(writer);
    const kdr_status status = kdr_checkpoint_end(ended, error);
    w->writer = ended ? NULL : w->writer;
    return ended ? KDR_OK : status;
}

#define ROW(function, needs) {"kdr_" #function, call_##function, needs, false}
const refusal_row refusal_calls_of_files[] = {ROW(checkpoint_write, NEEDS_FILE),
                                              ROW(checkpoint_begin, NEEDS_FILE),
                                              ROW(checkpoint_add, NEEDS_WRITER),
                                              ROW(checkpoint_end, NEEDS_WRITER),
                                              ROW(checkpoint_read, NEEDS_FILE),
                                              ROW(checkpoint_check, NEEDS_FILE),
                                              ROW(checkpoint_write_system, NEEDS_FILE),
                                              ROW(checkpoint_read_system, NEEDS_FILE),
                                              ROW(checkpoint_check_system, NEEDS_FILE),
                                              ROW(checkpoint_restore, NEEDS_FILE),
                                              ROW(trajectory_create, NEEDS_FILE),
                                              ROW(trajectory_append, NEEDS_TRAJECTORY),
                                              ROW(trajectory_append_slice, NEEDS_TRAJECTORY),
                                              ROW(trajectory_pack, 0),
                                              ROW(trajectory_append_chunk, NEEDS_TRAJECTORY),
                                              ROW(trajectory_set_mass, NEEDS_TRAJECTORY),
                                              ROW(trajectory_set_box, NEEDS_TRAJECTORY),
                                              ROW(trajectory_commit, NEEDS_TRAJECTORY),
                                              ROW(trajectory_note, NEEDS_TRAJECTORY),
                                              ROW(trajectory_open, NEEDS_FILE),
                                              ROW(trajectory_open_group, NEEDS_FILE),
                                              ROW(trajectory_query, NEEDS_TRAJECTORY),
                                              ROW(trajectory_read, NEEDS_TRAJECTORY),
                                              ROW(stream_open, NEEDS_FILE | NEEDS_NO_ARRAYS),
                                              ROW(stream_next, NEEDS_STREAM),
                                              ROW(stream_query, NEEDS_STREAM),
                                              ROW(check_kernel, 0),
                                              {0}};
