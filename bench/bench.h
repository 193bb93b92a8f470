/* The benchmark: the subcommand `kickdrift bench`. README.md says which question each row answers. */
#ifndef KDR_BENCH_BENCH_H
#define KDR_BENCH_BENCH_H

/* argv[0] is the subcommand's name. Returns 0; 1 when a row could not be run; 2, with one line on stderr, when the request was wrong. */
int kdr_bench_main(int argc, char **argv);

#endif
