/* Saves a run for the process that continues it: a checkpoint, and a note in it that has the rest.
 *
 * The note is lines of a key and a value, then an empty line, then the text of the scene. In texts every byte that is not a plain letter is
 * % and two hexadecimal digits. Numbers are their 64 bits in hexadecimal. Paths below the checkpoint's folder are relative to it, so that
 * the folder can be moved. */
#include "ranks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

static const char first_line[] = "kickdrift run 1\n";

/* A row for members that consist of 64-bit numbers. */
#define WORDS(key, structure, member) {key, offsetof(structure, member), sizeof(((structure *)0)->member) / sizeof(uint64_t)}
typedef struct words {
    const char *key;
    size_t offset, count;
} words;
static const words record_words[] = {
    WORDS("evaluations", run_record, evaluations),
    WORDS("seconds", run_record, seconds),
    WORDS("first", run_record, first),
    WORDS("largest-error", run_record, largest_error),
    WORDS("lost", run_record, lost),
    WORDS("lost-step", run_record, lost_step),
    WORDS("events", run_record, events),
    WORDS("contacts", run_record, contacts),
};
static const words mark_words[] = {WORDS("size", outfile_mark, size), WORDS("sum", outfile_mark, sum),
                                   WORDS("frames", outfile_mark, frames), WORDS("whole", outfile_mark, is_whole)};

/* Returns the prefix of the keys of a file's mark. */
static const char *file_key(int file) { return file == 0 ? "output" : records_names[file - 1]; }

/* ---- paths */

/* Returns the path as the checkpoint keeps it: relative if it is below the checkpoint's folder. To be freed. */
static char *kept_path(const char *checkpoint, const char *path) {
    char *const base = kdr_file_absolute(checkpoint), *const whole = kdr_file_absolute(path);
    if (base && whole) {
        const size_t folder = kdr_file_folder(base);
        if (strncmp(base, whole, folder) == 0) {
            memmove(whole, whole + folder, strlen(whole + folder) + 1);
        }
    }
    free(base);
    return whole;
}

/* ---- writing */

/* A text that grows as words are added. */
typedef struct growing {
    char *text; /* ends with a 0; to be freed */
    size_t size, room;
    bool failed; /* there was no memory, and some of the text is missing */
} growing;

static void put_bytes(growing *to, const void *bytes, size_t size) {
    if (to->room - to->size <= size) {
        const size_t room = 2 * (to->size + size) + 256;
        char *const more = realloc(to->text, room);
        if (!more) {
            to->failed = true;
            return;
        }
        to->text = more, to->room = room;
    }
    memcpy(to->text + to->size, bytes, size);
    to->size += size;
    to->text[to->size] = '\0';
}

__attribute__((format(printf, 2, 3))) static void put(growing *to, const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    to->failed = to->failed || length < 0;
    if (length >= 0) {
        put_bytes(to, text, (size_t)length);
        free(text);
    }
}

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("/._-+,=:@", c));
}

static void put_text(growing *note, const char *key, const char *text) {
    put(note, "%s ", key);
    for (const char *c = text; *c; ++c) {
        put(note, is_plain(*c) ? "%c" : "%%%02x", (unsigned char)*c);
    }
    put(note, "\n");
}

/* Adds one line per row. `file` is the prefix of the keys; "": none. */
static void put_words(growing *note, const char *file, const words *rows, size_t count, const void *record) {
    for (const words *row = rows; row < rows + count; ++row) {
        put(note, "%s%s%s", file, *file ? "-" : "", row->key);
        for (size_t i = 0; i < row->count; ++i) {
            uint64_t word;
            memcpy(&word, (const char *)record + row->offset + i * sizeof word, sizeof word);
            put(note, " %016" PRIx64, word);
        }
        put(note, "\n");
    }
}

/* Adds an option that was given, in the form in which it is typed. */
static bool put_option(growing *note, const run *r, const option_row *row) {
    const void *const value = (const char *)&r->options + row->offset;
    if (!row->type && *(const bool *)value) {
        put_text(note, row->name, "");
    } else if (row->type && row->type->name && *(const int *)value >= 0) {
        put_text(note, row->name, row->type->name(*(const int *)value));
    } else if (row->type == &VALUE_STEP && *(const double *)value != 0) {
        char text[32];
        snprintf(text, sizeof text, "%.17g", *(const double *)value);
        put_text(note, row->name, text);
    } else if (row->type == &VALUE_TEXT && *(const char *const *)value) {
        char *const path = kept_path(r->checkpoint_path, *(const char *const *)value);
        put_text(note, row->name, path ? path : "");
        free(path);
        return path;
    }
    return true;
}

static bool put_note(growing *note, const run *r, const outfile_mark marks[RUN_FILES]) {
    char *const path = kept_path(r->checkpoint_path, r->file);
    bool good = path;
    put(note, "%s", first_line);
    put_text(note, "scene", path ? path : "");
    free(path);
    put(note, "steps %" PRIu64 "\n", r->scene.steps);
    const option_row *row;
    for (size_t i = 0; good && (row = run_kept_option(i)) != NULL; ++i) {
        good = put_option(note, r, row);
    }
    put_words(note, "", record_words, sizeof record_words / sizeof record_words[0], &r->record);
    for (int i = 0; i < RUN_FILES; ++i) {
        if (i == 0 ? r->frames.format != NULL : r->records.path[i - 1] != NULL) {
            char key[32];
            snprintf(key, sizeof key, "%s-part", file_key(i));
            put_text(note, key, marks[i].part);
            put_words(note, file_key(i), mark_words, sizeof mark_words / sizeof mark_words[0], &marks[i]);
        }
    }
    put(note, "\n");
    put_bytes(note, r->scene.tree.text, r->scene.tree.length);
    return !note->failed && good;
}

static bool write_failed(run *r, const kdr_error *error) { return fault_set(&r->why, "checkpoint: %s", error->message); }

typedef struct state_writer {
    run *r;
    kdr_checkpoint_writer *writer;
} state_writer;

static bool add_slice(void *context, const population *slice) {
    const state_writer *const w = context;
    kdr_error error;
    return kdr_checkpoint_add(w->writer, &slice->particles, &error) == KDR_OK || write_failed(w->r, &error);
}

/* Writes the particles of all ranks array by array, the order of the file. */
static bool write_slices(run *r, const char *note, size_t size) {
    state_writer w = {.r = r};
    kdr_error error;
    uint64_t digest;
    if (!ranks_tell(r, RANKS_DIGEST, &digest)) {
        return false;
    }
    if (kdr_checkpoint_begin(r->checkpoint_path, r->motion.integrator, digest, &r->population.particles, r->population.total, &r->clock,
                             note, size, &w.writer, &error) != KDR_OK) {
        return write_failed(r, &error);
    }
    bool good = true;
    for (uint32_t array = 1; good && array & SLICE_ALL; array <<= 1) {
        good = !ranks_have(r, array) || ranks_each(r, false, array, add_slice, &w);
    }
    return kdr_checkpoint_end(w.writer, &error) == KDR_OK ? good : good && write_failed(r, &error);
}

static bool write_state(run *r, const char *note, size_t size) {
    kdr_error error;
    if (run_is_sliced(r)) {
        return write_slices(r, note, size);
    }
    return motion_write_checkpoint(&r->motion, r->checkpoint_path, &r->population.particles, &r->clock, note, size, &error) == KDR_OK ||
           write_failed(r, &error);
}

bool run_write_checkpoint(run *r) {
    outfile_mark marks[RUN_FILES] = {{.size = 0}};
    if ((r->frames.format && !frames_mark_now(&r->frames, &marks[0], &r->why)) || !records_mark_now(&r->records, marks + 1, &r->why)) {
        return false;
    }
    growing note = {.text = NULL};
    bool good = r->checkpoint_path && put_note(&note, r, marks);
    if (!good) {
        fault_set(&r->why, "%s: no memory for a checkpoint, expected some", r->file);
    } else {
        good = write_state(r, note.text, note.size);
    }
    free(note.text);
    r->checkpoint_step = good ? r->clock.step : r->checkpoint_step;
    r->checkpoint_written = progress_now();
    return good;
}

/* ---- reading */

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* Decodes a text in place. */
static bool decode(char *text) {
    char *to = text;
    for (const char *c = text; *c; ++c) {
        if (*c == '%') {
            const int high = digit(c[1]), low = high < 0 ? -1 : digit(c[2]);
            if (low < 0) {
                return false;
            }
            *to++ = (char)(high * 16 + low);
            c += 2;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
    return true;
}

/* Reads a value. Returns true if one of the rows has the key and the value is valid. */
static bool take_words(const words *rows, size_t count, const char *key, const char *value, void *record) {
    for (const words *row = rows; row < rows + count; ++row) {
        if (strcmp(row->key, key) != 0) {
            continue;
        }
        for (size_t i = 0; i < row->count; ++i) {
            char *end;
            const uint64_t word = strtoull(value, &end, 16);
            if (end == value) {
                return false;
            }
            memcpy((char *)record + row->offset + i * sizeof word, &word, sizeof word);
            value = end;
        }
        return true;
    }
    return false;
}

static bool take_option(run *r, run_saved *saved, const char *checkpoint, const char *key, const char *value) {
    const option_row *row;
    for (size_t i = 0; (row = run_kept_option(i)) != NULL; ++i) {
        void *const destination = (char *)&r->options + row->offset;
        if (strcmp(row->name, key) != 0) {
            continue;
        }
        if (!row->type) {
            *(bool *)destination = true;
            return true;
        }
        if (row->type == &VALUE_TEXT) {
            saved->out = scene_beside(checkpoint, value);
            return saved->out && row->type->parse(row->type, saved->out, destination);
        }
        return row->type->parse(row->type, value, destination);
    }
    return false;
}

static bool take_mark(outfile_mark *mark, const char *key, char *value) {
    if (take_words(mark_words, sizeof mark_words / sizeof mark_words[0], key, value, mark)) {
        return true;
    }
    return strcmp(key, "part") == 0 && decode(value) && !strchr(value, '/') &&
           snprintf(mark->part, sizeof mark->part, "%s", value) < (int)sizeof mark->part;
}

static bool take_line(run *r, run_saved *saved, const char *checkpoint, char *line) {
    char *value = strchr(line, ' ');
    if (!value) {
        return false;
    }
    *value++ = '\0';
    if (take_words(record_words, sizeof record_words / sizeof record_words[0], line, value, &saved->record)) {
        return true;
    }
    for (int i = 0; i < RUN_FILES; ++i) {
        const size_t length = strlen(file_key(i));
        if (strncmp(line, file_key(i), length) == 0 && line[length] == '-') {
            return take_mark(&saved->marks[i], line + length + 1, value);
        }
    }
    if (!decode(value)) {
        return false;
    }
    if (strcmp(line, "scene") == 0) {
        free(saved->scene);
        saved->scene = scene_beside(checkpoint, value);
        return saved->scene;
    }
    if (strcmp(line, "steps") == 0) {
        return r->options.steps != UINT64_MAX || VALUE_COUNT.parse(&VALUE_COUNT, value, &r->options.steps);
    }
    return take_option(r, saved, checkpoint, line, value);
}

static bool take_note(run *r, run_saved *saved, const char *checkpoint) {
    char *line = saved->note, *const end = line + saved->info.note_size;
    if (strncmp(line, first_line, sizeof first_line - 1) != 0) {
        return fault_set(&r->why, "%s: not of a run of this program, expected a checkpoint that kickdrift run wrote", checkpoint);
    }
    line += sizeof first_line - 1;
    bool good = true;
    while (good && line < end && *line != '\n') {
        char *const newline = memchr(line, '\n', (size_t)(end - line));
        good = newline;
        if (good) {
            *newline = '\0';
            good = take_line(r, saved, checkpoint, line);
            line = newline + 1;
        }
    }
    saved->text = line + 1;
    saved->length = good && line < end ? (size_t)(end - line) - 1 : 0;
    return (good && line < end && saved->scene) ||
           fault_set(&r->why, "%s: a run of a later version of this program wrote it, expected this version or an earlier one", checkpoint);
}

bool run_read_checkpoint(run *r, const char *path, run_saved *saved) {
    enum { AT_ONCE = 4 << 20 };
    kdr_stream_desc desc = kdr_stream_desc_default();
    kdr_error error;
    desc.from = path, desc.memory = AT_ONCE;
    if (kdr_stream_open(&desc, &saved->checkpoint, &error) != KDR_OK ||
        kdr_stream_query(saved->checkpoint, &saved->info, &error) != KDR_OK) {
        return fault_set(&r->why, "%s", error.message);
    }
    saved->note = malloc(saved->info.note_size + 1);
    if (!saved->note) {
        return fault_set(&r->why, "%s: no memory for its note, expected some", path);
    }
    memcpy(saved->note, saved->info.note, saved->info.note_size + 1);
    return take_note(r, saved, path);
}

void run_saved_release(run_saved *saved) {
    if (saved) {
        kdr_stream_close(saved->checkpoint);
        free(saved->note);
        free(saved->scene);
        free(saved->out);
    }
}

char *run_resume_command(const char *path) {
    growing command = {.text = NULL};
    bool quoted = false;
    for (const char *c = path; *c; ++c) {
        quoted = quoted || !is_plain(*c);
    }
    put(&command, quoted ? "kickdrift resume '" : "kickdrift resume ");
    for (const char *c = path; *c; ++c) {
        put_bytes(&command, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
    }
    put(&command, quoted ? "'" : "");
    if (command.failed) {
        free(command.text);
        return NULL;
    }
    return command.text;
}
