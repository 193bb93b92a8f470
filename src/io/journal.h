/* A file of HDF5's that is whole after every commit, whenever the process or the machine stops: an HDF5 file driver with a journal.
 *
 * HDF5 writes new data behind the end of the file, and overwrites what says where they are. What it writes behind the end of the last
 * commit goes into the file: until the next commit nothing speaks of it. What it overwrites is kept in memory, in pages. A commit
 * flushes the new data to the disk, writes the pages to PATH.journal with a checksum, flushes that, and only then overwrites them in the
 * file. Who opens the file finds no whole journal, and the file of the last commit, or a whole one, and carries it out once more. */
#ifndef KDR_IO_JOURNAL_H
#define KDR_IO_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "../particles/error.h"

/* A file access property list with the driver, to be closed behind the file: HDF5 calls the driver once more when nothing else of the file
 * holds it. Negative on failure. */
hid_t kdr_journal_access(void);

/* Carries out what a process that was stopped has left beside the file. KDR_ERROR_FILE where that cannot be, or another process holds
 * it. */
kdr_status kdr_journal_recover(const char *path, kdr_error *error);

/* Cuts off what was written behind the last commit; after a file was opened. */
bool kdr_journal_settle(hid_t file);

/* Makes all that was written part of the file, on the disk. A file that was never committed, or that is closed without, stays as it was. */
bool kdr_journal_commit(hid_t file);

/* The pages in memory are many, 32 MB: chunks go where those of frames lay that were cut off. */
bool kdr_journal_is_long(hid_t file);

#endif
