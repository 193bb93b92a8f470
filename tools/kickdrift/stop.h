/* Signals that ask a run to end: noted, and looked at between steps. */
#ifndef KICKDRIFT_TOOLS_STOP_H
#define KICKDRIFT_TOOLS_STOP_H

/* Notes SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 (of Windows SIGINT, SIGTERM and SIGBREAK) from now on, but for those that are ignored; a
 * second one ends the program at once. */
void stop_begin(void);

/* The signal that was noted, 0: none. */
int stop_asked(void);

/* Its name: "SIGINT". */
const char *stop_name(int number);

/* What the signals did before stop_begin they do again. */
void stop_end(void);

/* Ends the program by the signal, as if it had not been noted; what was printed is written out first. */
void stop_raise(int number);

#endif
