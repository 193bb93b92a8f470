/* Reads frames from extended XYZ: a line with the count, a line of key=value pairs, then one line per particle. Keys and values are bare
 * words or quoted. The key Properties names the columns. */
#include "frames_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a particle's line. Momenta become velocities if the file has no velocities. */
enum { MOMENTUM = READER_COLUMNS, MASSES = MOMENTUM + 3, SPECIES, ID, PLACES };
static const struct {
    const char *name;
    int first, count;
} known[] = {{"pos", 0, 3},         {"velo", 3, 3},           {"vel", 3, 3},
             {"velocities", 3, 3},  {"velocity", 3, 3},       {"mass", READER_MASS, 1},
             {"masses", MASSES, 1}, {"momenta", MOMENTUM, 3}, {"species", SPECIES, 1},
             {"id", ID, 1}};
enum { KNOWN = sizeof known / sizeof known[0] };

typedef struct xyz_reader {
    char *text; /* the line that was read last */
    size_t text_size;
    size_t source[PLACES]; /* the index of each column in the line; SIZE_MAX: absent */
    size_t columns;        /* number of columns in Properties */
    bool species_are_named;
} xyz_reader;

static bool read_line(frames_reader *r, xyz_reader *x) {
    enum { FIRST = 256 };
    size_t length = 0;
    for (;;) {
        if (length + FIRST > x->text_size) {
            char *const more = realloc(x->text, 2 * x->text_size + FIRST);
            if (!more) {
                return false;
            }
            x->text = more;
            x->text_size = 2 * x->text_size + FIRST;
        }
        const size_t room = x->text_size - length;
        if (!fgets(x->text + length, (int)(room < INT_MAX ? room : INT_MAX), r->stream)) {
            break;
        }
        const size_t got = strlen(x->text + length);
        length += got;
        if (got == 0 || x->text[length - 1] == '\n') {
            break;
        }
    }
    ++r->line;
    r->done += length;
    return length > 0;
}

/* ---- the line of key=value pairs */

static char closing(char opening) { return opening == '{' ? '}' : opening == '[' ? ']' : opening; }

/* Takes a word, in place: bare, quoted, or in brackets, which may contain brackets of the same kind. Returns NULL if they do not close. A
 * bare word also ends at any of the characters in `stops`. */
static char *take_word(char **at, const char *stops) {
    char *from = *at, *to = *at, *const word = *at;
    if (*from != '\0' && strchr("\"'{[", *from)) {
        const char begin = *from++, end = closing(begin);
        for (int depth = 1; (depth -= *from == end) > 0; ++from) {
            depth += begin != end && *from == begin;
            from += *from == '\\' && from[1] != '\0';
            if (*from == '\0') {
                return NULL;
            }
            *to++ = *from;
        }
        *at = from + 1;
        *to = '\0';
        return word;
    }
    while (*from != '\0' && !isspace((unsigned char)*from) && !strchr(stops, *from)) {
        ++from;
    }
    *at = from;
    return word;
}

static char *after_spaces(char *at) { return at + strspn(at, " \t\r\n"); }

/* Reads the columns from the value of Properties, NAME:TYPE:COUNT:... */
static bool take_properties(frames_reader *r, xyz_reader *x, const char *next) {
    x->columns = 0;
    for (int k = 0; k < PLACES; ++k) {
        x->source[k] = SIZE_MAX;
    }
    while (*next) {
        const size_t length = strcspn(next, ":");
        char type = '\0';
        int count = 0, used = 0;
        if (length == 0 || sscanf(next + length, ":%c:%d%n", &type, &count, &used) != 2 || !strchr("RISL", type) || count < 1 ||
            count > 999 || (next[length + (size_t)used] != ':' && next[length + (size_t)used] != '\0')) {
            return reader_complain(r, "Properties: expected NAME:TYPE:COUNT:..., with the types R, I, S, L, found %.60s", next);
        }
        int found = 0;
        while (found < KNOWN && (strlen(known[found].name) != length || strncmp(known[found].name, next, length) != 0)) {
            ++found;
        }
        if (found == KNOWN || known[found].count != count || x->source[known[found].first] != SIZE_MAX) {
            reader_leave_out(r, "%.*s", (int)(length < 60 ? length : 60), next);
        } else {
            for (int k = 0; k < count; ++k) {
                x->source[known[found].first + k] = x->columns + (size_t)k;
            }
        }
        x->columns += (size_t)count;
        next += length + (size_t)used;
        next += *next == ':';
    }
    return x->source[0] != SIZE_MAX || reader_complain(r, "no positions, expected Properties=...:pos:R:3:...");
}

/* The values of a frame's keys; NULL if a key is absent. */
typedef struct about {
    char *properties, *step, *time, *lattice, *pbc;
    int step_rank;
} about;

/* Stores the value of a known key, and names other keys as left out. */
static void take_pair(frames_reader *r, about *to, char *key, char *value) {
    static const char *const steps[] = {"Timestep", "step", "Step"}; /* if a line has several of these keys, the last in this list counts */
    for (int n = 0; n < 3; ++n) {
        if (strcmp(key, steps[n]) == 0) {
            if (to->step && strcmp(to->step, value) != 0) {
                reader_leave_out(r, "%s", to->step_rank < n + 1 ? steps[to->step_rank - 1] : key);
            }
            to->step = to->step_rank < n + 1 ? value : to->step;
            to->step_rank = to->step_rank < n + 1 ? n + 1 : to->step_rank;
            return;
        }
    }
    char **const place = strcmp(key, "Properties") == 0                         ? &to->properties
                         : strcmp(key, "Time") == 0 || strcmp(key, "time") == 0 ? &to->time
                         : strcmp(key, "Lattice") == 0                          ? &to->lattice
                         : strcmp(key, "pbc") == 0                              ? &to->pbc
                                                                                : NULL;
    if (place && !*place) {
        *place = value;
    } else {
        reader_leave_out(r, "%.60s", key);
    }
}

/* Reads the pairs of the line, in place. A line without key=value pairs is a comment, as in plain XYZ. */
static bool take_pairs(frames_reader *r, char *line, about *to) {
    const bool has_pairs = strchr(line, '=') != NULL;
    for (char *at = after_spaces(line); has_pairs && *at;) {
        char *const key = take_word(&at, "=");
        if (!key) {
            return reader_complain(r, "expected quotes that close in the line of key=value");
        }
        char *const key_end = at;
        at = after_spaces(at);
        if (*at != '=') { /* this is a word without a value */
            reader_leave_out(r, "%.*s", (int)(key_end - key < 60 ? key_end - key : 60), key);
            if (at == key_end && *at) {
                ++at;
            }
            continue;
        }
        at = after_spaces(at + 1);
        *key_end = '\0';
        char *const value = take_word(&at, "");
        if (!value) {
            return reader_complain(r, "%.60s: expected quotes that close", key);
        }
        if (isspace((unsigned char)*at)) {
            *at++ = '\0';
        }
        take_pair(r, to, key, value);
        at = after_spaces(at);
    }
    return true;
}

/* Reads the edges of the box: those of a rectangular Lattice, on the axes that pbc names or on all if there is no pbc. */
static bool take_box(frames_reader *r, const about *from) {
    double cell[9];
    char flags[4] = "TTT", more;
    memset(r->frame.box, 0, sizeof r->frame.box);
    if (!from->lattice) {
        return true;
    }
    char *rest = from->lattice, *word;
    int count = 0;
    while ((word = strtok_r(rest, " \t,", &rest)) != NULL) {
        if (count == 9 || number_parse(word, &cell[count++]) != NUMBER_FINITE) {
            return reader_complain(r, "Lattice: expected nine numbers, found %.40s", word);
        }
    }
    if (count != 9) {
        return reader_complain(r, "Lattice: expected nine numbers, found %d", count);
    }
    if (from->pbc && (sscanf(from->pbc, " %c %c %c %c", &flags[0], &flags[1], &flags[2], &more) != 3 || strspn(flags, "TF10") < 3)) {
        return reader_complain(r, "pbc: expected three of T and F, found %.40s", from->pbc);
    }
    bool rectangular = true, any = false;
    for (int k = 0; k < 9; ++k) {
        rectangular = rectangular && (k % 4 == 0 ? cell[k] > 0 || flags[k / 4] == 'F' || flags[k / 4] == '0' : cell[k] == 0);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const bool periodic = flags[axis] == 'T' || flags[axis] == '1';
        any = any || periodic;
        r->frame.box[axis] = rectangular && periodic ? cell[4 * axis] : 0;
    }
    if (!rectangular || !any) {
        reader_leave_out(r, rectangular ? "Lattice, which is not of a periodic box" : "Lattice, which is not of a rectangular box");
    }
    return true;
}

static bool take_clock(frames_reader *r, const about *from) {
    r->frame.step = r->frames > 0 ? r->frame.step + 1 : 0;
    if (from->step && !READER_WHOLE.parse(&READER_WHOLE, from->step, &r->frame.step)) {
        return reader_complain(r, "step: expected a whole number from 0, found %.40s", from->step);
    }
    r->frame.t = (double)r->frame.step;
    return !from->time || number_parse(from->time, &r->frame.t) == NUMBER_FINITE ||
           reader_complain(r, "time: expected a finite number, found %.40s", from->time);
}

/* Finds the step in the comment line of a plain XYZ file that LAMMPS wrote. */
static char *plain_step(char *line) {
    static const char words[] = "Atoms. Timestep: ";
    char *const at = line + sizeof words - 1;
    if (strncmp(line, words, sizeof words - 1) != 0) {
        return NULL;
    }
    at[strcspn(at, " \t\r\n")] = '\0';
    return at;
}

static bool take_line(frames_reader *r, xyz_reader *x) {
    about from = {.step = plain_step(x->text)};
    if (!from.step && !take_pairs(r, x->text, &from)) {
        return false;
    }
    if (!take_clock(r, &from) || !take_box(r, &from) ||
        !take_properties(r, x, from.properties ? from.properties : "species:S:1:pos:R:3")) { /* the columns of plain XYZ */
        return false;
    }
    const size_t *const source = x->source;
    reader_shape shape = {source[3] != SIZE_MAX, source[ID] != SIZE_MAX, source[READER_MASS] != SIZE_MAX || source[MASSES] != SIZE_MAX,
                          false};
    if (source[MOMENTUM] != SIZE_MAX && !shape.velocities) {
        if (!shape.masses) {
            return reader_complain(
                r, "momenta without masses, expected masses:R:1 too, of which velocities are made (ASE writes it after atoms.set_masses)");
        }
        shape.velocities = true;
    }
    return reader_begin_frame(r, shape);
}

/* ---- particles */

/* Splits a line into the words of its columns, in place. Returns false if it has fewer words than Properties says. */
static bool take_words(frames_reader *r, xyz_reader *x, const char *words[PLACES]) {
    size_t count = 0;
    for (char *rest = x->text, *word; (word = strtok_r(rest, " \t\r\n", &rest)) != NULL; ++count) {
        for (int k = 0; k < PLACES; ++k) {
            if (x->source[k] == count) {
                words[k] = word;
            }
        }
    }
    if (count > x->columns) {
        reader_leave_out(r, "columns after those of Properties");
    }
    return count >= x->columns || reader_complain(r, "fewer columns than Properties says, expected %zu, found %zu", x->columns, count);
}

/* Computes velocities from momenta if the file has no velocities. If it has both and they contradict each other, the momenta are named as
 * left out. */
static void take_momenta(frames_reader *r, const double momentum[3], bool has_velocities, reader_row *row) {
    const double mass = row->values[READER_MASS];
    for (int axis = 0; axis < 3; ++axis) {
        double *const v = &row->values[3 + axis];
        if (!has_velocities) {
            *v = momentum[axis] / mass;
        } else if (isfinite(mass) && isfinite(*v) && !(fabs(momentum[axis] - mass * *v) <= 1e-6 * fabs(mass * *v))) {
            reader_leave_out(r, "momenta, which are not mass times velocity");
        }
    }
}

static bool take_atom(frames_reader *r, xyz_reader *x) {
    const char *words[PLACES] = {NULL};
    double others[MASSES + 1 - MOMENTUM];
    reader_row row = {.values = {0, 0, 0, 0, 0, 0, 1}};
    if (!take_words(r, x, words)) {
        return false;
    }
    for (int k = 0; k < SPECIES; ++k) {
        double *const value = k < READER_COLUMNS ? &row.values[k] : &others[k - MOMENTUM];
        if (words[k] && number_parse(words[k], value) == NUMBER_NONE) {
            return reader_complain(r, "expected a number per column, found %.40s", words[k]);
        }
    }
    if (words[MASSES] && words[READER_MASS] && others[MASSES - MOMENTUM] != row.values[READER_MASS]) {
        return reader_complain(r, "mass is %s, and masses is %s, expected one mass", words[READER_MASS], words[MASSES]);
    }
    if (words[MASSES]) {
        row.values[READER_MASS] = others[MASSES - MOMENTUM];
    }
    if (words[MOMENTUM]) {
        take_momenta(r, others, words[3] != NULL, &row);
    }
    if (words[ID] && !READER_WHOLE.parse(&READER_WHOLE, words[ID], &row.id)) {
        return reader_complain(r, "expected a whole number as id, found %.40s", words[ID]);
    }
    if (words[SPECIES] && !x->species_are_named && strcmp(words[SPECIES], "X") != 0) {
        x->species_are_named = true;
        reader_leave_out(r, "species");
    }
    return reader_add(r, &row);
}

/* Skips empty lines, which some writers put between frames. Returns false at the end of the file. */
static bool read_begin(frames_reader *r, xyz_reader *x) {
    do {
        if (!read_line(r, x)) {
            return false;
        }
        if (r->line == 1 && strncmp(x->text, "\xef\xbb\xbf", 3) == 0) {
            memmove(x->text, x->text + 3, strlen(x->text + 3) + 1);
        }
    } while (x->text[strspn(x->text, " \t\r\n")] == '\0');
    return true;
}

static frame_result next_xyz(frames_reader *r) {
    xyz_reader *const x = r->own;
    uint64_t count;
    if (!read_begin(r, x)) {
        return FRAME_END;
    }
    char *const number = after_spaces(x->text);
    number[strcspn(number, "\r\n")] = '\0';
    for (size_t end = strlen(number); end > 0 && isspace((unsigned char)number[end - 1]);) {
        number[--end] = '\0';
    }
    if (!VALUE_UINT64.parse(&VALUE_UINT64, number, &count) || count == 0) {
        reader_complain(r, "expected the number of particles, from 1, and a line about them, found %.40s", number);
        return FRAME_WRONG;
    }
    if (!read_line(r, x)) {
        reader_complain(r, "the file ends within a frame, expected a line about its particles");
        return FRAME_WRONG;
    }
    if (!take_line(r, x)) {
        return FRAME_WRONG;
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!read_line(r, x)) {
            reader_complain(r, "the file ends within a frame, expected %" PRIu64 " particles", count);
            return FRAME_WRONG;
        }
        if (!take_atom(r, x)) {
            return FRAME_WRONG;
        }
    }
    return FRAME_READ;
}

static bool open_xyz(frames_reader *r) {
    r->own = calloc(1, sizeof(xyz_reader));
    return r->own ? reader_open_stream(r) : reader_complain(r, "no memory to read it");
}

static void close_xyz(frames_reader *r) {
    xyz_reader *const x = r->own;
    if (x) {
        free(x->text);
        free(x);
    }
}

const reader_kind reader_xyz = {{".xyz", ".extxyz"}, open_xyz, next_xyz, close_xyz};
