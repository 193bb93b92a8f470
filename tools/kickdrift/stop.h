/* Signals that ask a run to end. They are noted, and looked at between steps. */
#ifndef KICKDRIFT_TOOLS_STOP_H
#define KICKDRIFT_TOOLS_STOP_H

/* Notes SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 (on Windows SIGINT, SIGTERM and SIGBREAK) from now on, unless they are ignored. A
 * second one ends the program at once. */
void stop_begin(void);

/* Returns the signal that was noted; 0: none. */
int stop_asked(void);

/* Returns the name of a signal, such as "SIGINT". */
const char *stop_name(int number);

/* Restores what the signals did before stop_begin. */
void stop_end(void);

/* Ends the program by the signal, as if it had not been noted, after flushing what was printed. */
void stop_raise(int number);

#endif
