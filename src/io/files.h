/* Files and their names, as POSIX systems and Windows have them. The library and the program ask the system for files only here. Names
 * are UTF-8. Contents are bytes: nothing is translated. A function that fails sets errno; EBUSY says that another process holds the lock
 * of the file. */
#ifndef KDR_IO_FILES_H
#define KDR_IO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum kdr_file_use {
    KDR_FILE_READ,   /* an existing file, to be read; opening a pipe does not wait */
    KDR_FILE_UPDATE, /* an existing file, to be read and written */
    KDR_FILE_CREATE, /* as KDR_FILE_UPDATE; the file is made where there is none */
    KDR_FILE_NEW     /* as KDR_FILE_CREATE; EEXIST where there is one */
} kdr_file_use;

typedef struct kdr_file_info {
    bool is_regular, is_folder; /* neither: a device, a pipe, a terminal */
    unsigned mode;              /* the permissions */
    uint64_t size;
    uint64_t device, number;      /* together they are different for different files */
    int64_t seconds, nanoseconds; /* when it was written last */
} kdr_file_info;

/* Opens a file, which child processes do not inherit. Returns the descriptor, -1 on failure. */
int kdr_file_open(const char *path, kdr_file_use use);
bool kdr_file_close(int descriptor);

/* Opens a file as a stream of bytes, to be written from its beginning or to be read. Returns NULL on failure. */
FILE *kdr_file_stream(const char *path, bool writes);

/* Makes a stream for reading and writing from a descriptor, and places it at the end of the file. Closing the stream closes the
 * descriptor. Returns NULL on failure. */
FILE *kdr_file_stream_of(int descriptor);

/* Describes the file of a name, after all links, or an open one. */
bool kdr_file_look(const char *path, kdr_file_info *info);
bool kdr_file_look_at(int descriptor, kdr_file_info *info);
bool kdr_file_is_one(const kdr_file_info *a, const kdr_file_info *b);

/* Returns whether the file exists and this process may read it, or write it. */
bool kdr_file_can_read(const char *path);
bool kdr_file_can_write(const char *path);

/* Reads `size` bytes from byte `at` on, fewer at the end of the file. Returns the number of bytes, -1 on failure. */
ptrdiff_t kdr_file_get(int descriptor, void *bytes, size_t size, uint64_t at);

/* Writes all of the bytes from byte `at` on. */
bool kdr_file_put(int descriptor, const void *bytes, size_t size, uint64_t at);

/* Makes the file `size` bytes long: cuts it, or adds zeros. */
bool kdr_file_cut(int descriptor, uint64_t size);

/* Brings what was written to the disk, with all that is needed to find it again. */
bool kdr_file_flush(int descriptor);

/* Brings the entry of a file in its folder to the disk, where the file system can. */
void kdr_file_flush_folder(const char *path);

/* Renames `from` to `to` in one step: whoever opens `to` finds the old file or the new one. Both are in one folder. */
bool kdr_file_replace(const char *from, const char *to);

/* Removes the name. Signal handlers may call it. */
bool kdr_file_remove(const char *path);

/* Takes the lock of an open file, without waiting. Fails only if another process holds a lock that conflicts; where the file system has
 * no locks, it succeeds without one. Several processes can hold a shared lock. Closing the file releases the lock. */
bool kdr_file_lock(int descriptor, bool shared);
void kdr_file_unlock(int descriptor);

/* Gives the open file the permissions of another, where the file system can. */
void kdr_file_set_mode(int descriptor, const kdr_file_info *as);

/* Calls `each` with every name in the folder; an empty folder is the working directory. */
void kdr_file_list(const char *folder, void (*each)(void *context, const char *name), void *context);

/* Returns the path of an existing file after all links; to be freed. NULL on failure. */
char *kdr_file_resolve(const char *path);

/* Returns the path from the root on; to be freed. NULL on failure. */
char *kdr_file_absolute(const char *path);
bool kdr_file_is_absolute(const char *path);

/* Returns the length of the folder at the beginning of a path, with its last separator; 0: the path is a name alone. */
size_t kdr_file_folder(const char *path);

#endif
