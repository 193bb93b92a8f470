/* An HDF5 file driver with a journal. The file is whole after every commit, even if the process or the machine stops at any moment.
 *
 * HDF5 writes new data after the end of the file, and overwrites the metadata that say where data are. Bytes after the end of the last
 * commit go straight into the file: until the next commit no metadata refer to them. Overwritten bytes are kept in memory, in pages. A
 * commit flushes the new data to the disk, writes the pages to PATH.journal with a checksum, flushes the journal, and only then
 * overwrites the pages in the file. A process that opens the file finds no whole journal, and so the file of the last commit; or it
 * finds a whole journal, and writes its pages to the file again. */
#ifndef KDR_IO_JOURNAL_H
#define KDR_IO_JOURNAL_H

#include <hdf5.h>
#include <stdbool.h>

#include "../particles/error.h"

/* Makes a file access property list with the driver. It must be closed after the file, because HDF5 calls the driver once more when it
 * closes the file. Returns a negative number on failure. */
hid_t kdr_journal_access(void);

/* Writes the pages of a journal that a stopped process has left. Fails with KDR_ERROR_FILE if that is impossible, or if another process
 * holds the file. */
kdr_status kdr_journal_recover(const char *path, kdr_error *error);

/* Cuts off bytes after the last commit. It is called after a file was opened. */
bool kdr_journal_settle(hid_t file);

/* Makes everything that was written part of the file, on the disk. A file that is closed without a commit keeps its contents of the last
 * commit. */
bool kdr_journal_commit(hid_t file);

/* Returns whether the pages in memory exceed 32 MB. That happens when chunks are written where frames were that have been cut off. */
bool kdr_journal_is_long(hid_t file);

#endif
