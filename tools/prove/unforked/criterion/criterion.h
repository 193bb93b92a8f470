/* Replaces Criterion's header in a build with the thread sanitizer. Criterion runs each test in a process of its own, and uses memory at an
 * address that the sanitizer does not leave free. Here the tests whose names contain the first argument run in this process, one after the
 * other. */
#ifndef KDR_UNFORKED_H
#define KDR_UNFORKED_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNFORKED_TESTS = 64 };

static struct {
    const char *name;
    void (*run)(void);
} unforked[UNFORKED_TESTS];
static int unforked_count, unforked_failures;

static inline void unforked_failed(int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAIL: line %d:", line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    ++unforked_failures;
}

#define Test(suite, test, ...)                                                                                                             \
    static void suite##_##test(void);                                                                                                      \
    __attribute__((constructor)) static void suite##_##test##_is_known(void) {                                                             \
        if (unforked_count == UNFORKED_TESTS) {                                                                                            \
            abort();                                                                                                                       \
        }                                                                                                                                  \
        unforked[unforked_count].name = #suite "/" #test;                                                                                  \
        unforked[unforked_count++].run = suite##_##test;                                                                                   \
    }                                                                                                                                      \
    static void suite##_##test(void)
#define cr_expect(condition, ...) ((condition) ? (void)0 : unforked_failed(__LINE__, " " __VA_ARGS__))
#define cr_assert(condition, ...) ((condition) ? (void)0 : (unforked_failed(__LINE__, " " __VA_ARGS__), exit(1)))
#define cr_skip_test(...) return

int main(int count, char **arguments) {
    int run = 0;
    for (int i = 0; i < unforked_count; ++i) {
        if (count < 2 || strstr(unforked[i].name, arguments[1])) {
            unforked[i].run();
            ++run;
        }
    }
    printf("%d tests, %d failures\n", run, unforked_failures);
    return run == 0 || unforked_failures > 0;
}

#endif
