/* `kickdrift plot`: calls tools/plot to draw a file of frames. */
#include "commands.h"
#include "host.h"
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <io/files.h>

static const char *const kinds[] = {"overview", "paths", "portrait", "conserved", "distributions", "section", "snapshot", "film"};
static const char *kind_name(int i) { return i < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[i] : NULL; }
enum { FILM = sizeof kinds / sizeof kinds[0] - 1 };

static const value_type KIND = {.parse = value_parse_name, .name = kind_name};

typedef struct plot_options {
    int kind;
    const char *out;
} plot_options;

static const option_row rows[] = {
    {"kind", "KIND", &KIND, offsetof(plot_options, kind), "what is drawn, instead of the overview"},
    {"out", "FILE", &VALUE_TEXT, offsetof(plot_options, out), "a .png or .svg, for a film a .gif, instead of NAME-KIND.png next to FILE"},
};

const options_spec kdr_plot_spec = {
    "plot",
    "FILE",
    1,
    "Draws the frames that a run wrote, or kickdrift convert: FILE.csv, .h5, .xyz or .npy.",
    "Kinds: overview (paths, speeds, energy and momentum against time), paths, portrait (velocity against place), conserved "
    "(energies, the energy's change, momentum, angular momentum), distributions (radii and speeds, at first and at last), section "
    "(Poincare's: x and vx where y goes up through 0), snapshot (places at three moments), film.\n"
    "Potential energies are in H5MD files alone. It runs tools/plot, which is Python's and needs matplotlib, and h5py for .h5.\n"
    "KICKDRIFT_PLOT names it where it is neither installed nor in the sources that this program was built in.\n",
    rows,
    sizeof rows / sizeof rows[0]};

/* Finds the script: the one in KICKDRIFT_PLOT, or the one in the prefix or source tree that this program is in. */
static bool find_script(char path[PATH_MAX], fault *why) {
    static const char *const beside[] = {"/../share/kickdrift/plot", "/../../../tools/plot"};
    const char *const given = getenv("KICKDRIFT_PLOT");
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s", given);
        return kdr_file_can_read(path) || fault_set(why, "plot: KICKDRIFT_PLOT: cannot read %s, expected tools/plot", given);
    }
    char own[PATH_MAX];
    const bool known = host_own_folder(own, sizeof own);
    for (size_t i = 0; known && i < sizeof beside / sizeof beside[0]; ++i) {
        if (snprintf(path, PATH_MAX, "%s%s", own, beside[i]) < PATH_MAX && kdr_file_can_read(path)) {
            return true;
        }
    }
    return fault_set(why, "plot: tools/plot is not next to this program, expected its path in KICKDRIFT_PLOT");
}

/* Returns the path NAME-KIND.png next to the file; to be freed. */
static char *picture_beside(const char *file, int kind) {
    const char *const name = file + kdr_file_folder(file), *const dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - file) : strlen(file);
    char *made;
    return asprintf(&made, "%.*s-%s.%s", (int)stem, file, kinds[kind], kind == FILM ? "gif" : "png") < 0 ? NULL : made;
}

/* Draws the picture and returns the exit status. */
static int draw(char *script, const char *kind, const char *file, const char *picture, fault *why) {
    char python[] = "python3", *const arguments[] = {python, script, strdup(kind), strdup(file), strdup(picture), NULL};
    errno = 0;
    const int status = arguments[2] && arguments[3] && arguments[4] ? host_run(arguments) : -1;
    const bool ran = status >= 0 || errno == 0;
    for (int i = 2; i < 5; ++i) {
        free(arguments[i]);
    }
    if (!ran) {
        fault_set(why, "plot: cannot run python3, expected Python 3 on the path");
        return fault_report(why);
    }
    if (status == 0) {
        printf("%s\n", picture);
    }
    return status == 0 ? KDR_EXIT_OK : KDR_EXIT_REQUEST; /* the script has printed what went wrong */
}

int kdr_plot_main(int argc, char **argv) {
    plot_options options = {0, NULL};
    const char *file;
    char script[PATH_MAX];
    fault why;
    const int ended = options_begin(&kdr_plot_spec, argc, argv, &options, &file, &why);
    if (ended >= 0) {
        return ended;
    }
    if (!find_script(script, &why)) {
        return fault_report(&why);
    }
    char *const picture = options.out ? strdup(options.out) : picture_beside(file, options.kind);
    const int status = draw(script, kinds[options.kind], file, picture ? picture : "", &why);
    free(picture);
    return status;
}
