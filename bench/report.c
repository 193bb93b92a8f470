/* `kickdrift bench report`: puts result files into one page, which draws them without a network (see result.h and report.html). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report_page.h"
#include "result.h"

/* Adds the result in a file to the list. */
static bool add(json_t *results, const char *path, fault *why) {
    kdr_bench_result result;
    const bool done = kdr_bench_result_read(&result, path, why);
    if (done) {
        const char *const slash = strrchr(path, '/');
        json_object_set_new(result.json, "file", json_string(slash ? slash + 1 : path));
        json_array_append(results, result.json);
    }
    kdr_bench_result_free(&result);
    return done;
}

/* Writes JSON into an element of the page. No text of it can end the element, because every < is escaped. */
static bool put(const json_t *results, FILE *stream) {
    char *const text = json_dumps(results, JSON_COMPACT | JSON_REAL_PRECISION(6));
    bool done = text != NULL;
    for (const char *c = text; done && *c; ++c) {
        done = *c == '<' ? fputs("\\u003c", stream) != EOF : fputc((unsigned char)*c, stream) != EOF;
    }
    free(text);
    return done;
}

int kdr_bench_result_report(const char *const *paths, const char *out) {
    static const char page[] = {KDR_BENCH_REPORT_PAGE 0}, mark[] = "/*RESULTS*/";
    const char *const at = strstr(page, mark);
    fault why = {"bench: out of memory"};
    outfile file = {.stream = NULL};
    json_t *const results = json_array();
    bool done = results && at;
    for (size_t i = 0; done && paths[i]; ++i) {
        done = add(results, paths[i], &why);
    }
    done = done && outfile_open(&file, out, &why);
    if (done) {
        const bool written = fwrite(page, 1, (size_t)(at - page), file.stream) == (size_t)(at - page) && put(results, file.stream) &&
                             fputs(at + strlen(mark), file.stream) != EOF;
        done = written ? outfile_commit(&file, &why)
                       : fault_set(&why, "bench: --out: cannot write \"%.400s\": %s, expected room for the page", out, strerror(errno));
    }
    outfile_discard(&file);
    json_decref(results);
    if (!done) {
        return fault_report(&why);
    }
    printf("%s\n", out);
    return KDR_EXIT_OK;
}
