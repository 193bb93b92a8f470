/* Noting signals. */
#include "stop.h"

#include <signal.h>
#include <stdio.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t noted;

static void note(int number) { noted = number; }

void stop_begin(void) {
    noted = 0;
    for (int i = 0; i < SIGNALS; ++i) {
        struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
        if (sigaction(signals[i].number, NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
            sigaction(signals[i].number, &action, NULL);
        }
    }
}

int stop_asked(void) { return noted; }

const char *stop_name(int number) {
    int i = 0;
    while (i + 1 < SIGNALS && signals[i].number != number) {
        ++i;
    }
    return signals[i].name;
}

void stop_end(void) {
    for (int i = 0; i < SIGNALS; ++i) {
        sigaction(signals[i].number, &before[i], NULL);
    }
}

void stop_raise(int number) {
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}
