/* Notes signals that ask a run to end. */
#include "stop.h"

#include <signal.h>
#include <stdio.h>

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGINT, "SIGINT"},     {SIGTERM, "SIGTERM"},
#ifdef SIGHUP
    {SIGHUP, "SIGHUP"},
#endif
#ifdef SIGUSR1 /* batch systems send it some time before the limit */
    {SIGUSR1, "SIGUSR1"},   {SIGUSR2, "SIGUSR2"},
#endif
#ifdef SIGBREAK /* Ctrl-Break on Windows */
    {SIGBREAK, "SIGBREAK"},
#endif
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void (*before[SIGNALS])(int);
static volatile sig_atomic_t noted;

/* Notes a signal. A second one ends the program. */
static void note(int number) {
    noted = number;
    signal(number, SIG_DFL);
}

void stop_begin(void) {
    noted = 0;
    for (int i = 0; i < SIGNALS; ++i) {
        before[i] = signal(signals[i].number, note);
        if (before[i] == SIG_IGN) {
            signal(signals[i].number, SIG_IGN);
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
        signal(signals[i].number, before[i] == SIG_ERR ? SIG_DFL : before[i]);
    }
}

void stop_raise(int number) {
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}
