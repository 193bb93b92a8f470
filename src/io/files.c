/* This file makes all calls to the system that concern files. The bodies for Windows come first. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

#include <io.h>

#include "wide.h"

/* Sets errno to the number that corresponds to the system's last error. */
static void note_error(void) {
    static const struct {
        DWORD system;
        int number;
    } errors[] = {{ERROR_FILE_NOT_FOUND, ENOENT},   {ERROR_PATH_NOT_FOUND, ENOENT},    {ERROR_INVALID_NAME, ENOENT},
                  {ERROR_BAD_NETPATH, ENOENT},      {ERROR_ACCESS_DENIED, EACCES},     {ERROR_WRITE_PROTECT, EROFS},
                  {ERROR_SHARING_VIOLATION, EBUSY}, {ERROR_LOCK_VIOLATION, EBUSY},     {ERROR_IO_PENDING, EBUSY},
                  {ERROR_FILE_EXISTS, EEXIST},      {ERROR_ALREADY_EXISTS, EEXIST},    {ERROR_DISK_FULL, ENOSPC},
                  {ERROR_HANDLE_DISK_FULL, ENOSPC}, {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_DIRECTORY, ENOTDIR},
                  {ERROR_NOT_SUPPORTED, ENOSYS},    {ERROR_INVALID_FUNCTION, ENOSYS},  {ERROR_TOO_MANY_OPEN_FILES, EMFILE}};
    const DWORD system = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
        if (errors[i].system == system) {
            errno = errors[i].number;
        }
    }
}

static bool noted(BOOL good) {
    if (!good) {
        note_error();
    }
    return good;
}

/* Returns the text as UTF-16; to be freed. NULL on failure, and errno says why. */
static wchar_t *widened(const char *text) {
    wchar_t *const wide = kdr_widened(text);
    if (!wide) {
        errno = GetLastError() == ERROR_NO_UNICODE_TRANSLATION ? EILSEQ : ENOMEM;
    }
    return wide;
}

/* Returns the path as UTF-8, with slashes; to be freed. NULL on failure. */
static char *narrowed(const wchar_t *wide) {
    char *const text = kdr_narrowed(wide);
    for (char *c = text; c && *c; ++c) {
        *c = *c == '\\' ? '/' : *c;
    }
    return text;
}

/* Opens a file so that others may rename and remove it meanwhile, as they may on other systems. */
static HANDLE open_handle(const char *path, DWORD access, DWORD how, DWORD flags) {
    wchar_t *const wide = widened(path);
    if (!wide) {
        return INVALID_HANDLE_VALUE;
    }
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = CreateFileW(wide, access, share, NULL, how, FILE_ATTRIBUTE_NORMAL | flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        note_error();
    }
    free(wide);
    return handle;
}

static HANDLE handle_of(int descriptor) { return (HANDLE)_get_osfhandle(descriptor); }

int kdr_file_open(const char *path, kdr_file_use use) {
    const DWORD access = GENERIC_READ | (use == KDR_FILE_READ ? 0 : GENERIC_WRITE | DELETE);
    const HANDLE handle = open_handle(path, access,
                                      use == KDR_FILE_NEW      ? CREATE_NEW
                                      : use == KDR_FILE_CREATE ? OPEN_ALWAYS
                                                               : OPEN_EXISTING,
                                      FILE_ATTRIBUTE_NORMAL);
    if (handle == INVALID_HANDLE_VALUE) {
        return -1;
    }
    const int descriptor = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT | (use == KDR_FILE_READ ? _O_RDONLY : _O_RDWR));
    if (descriptor < 0) {
        CloseHandle(handle);
        errno = EMFILE;
    }
    return descriptor;
}

bool kdr_file_close(int descriptor) { return _close(descriptor) == 0; }

FILE *kdr_file_stream(const char *path, bool writes) {
    const HANDLE handle = open_handle(path, writes ? GENERIC_WRITE : GENERIC_READ, writes ? CREATE_ALWAYS : OPEN_EXISTING, 0);
    const int descriptor = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    FILE *const stream = descriptor < 0 ? NULL : _fdopen(descriptor, writes ? "wb" : "rb");
    if (descriptor >= 0 && !stream) {
        _close(descriptor);
    }
    return stream;
}

FILE *kdr_file_stream_of(int descriptor) { return _lseeki64(descriptor, 0, SEEK_END) < 0 ? NULL : _fdopen(descriptor, "r+b"); }

static bool look(HANDLE handle, kdr_file_info *info) {
    BY_HANDLE_FILE_INFORMATION about;
    *info = (kdr_file_info){.mode = 0666};
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        return true;
    }
    if (!noted(GetFileInformationByHandle(handle, &about))) {
        return false;
    }
    info->is_folder = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    info->is_regular = !info->is_folder;
    info->size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    info->device = about.dwVolumeSerialNumber;
    info->number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    const uint64_t written = (uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime;
    info->seconds = (int64_t)(written / 10000000);
    info->nanoseconds = (int64_t)(written % 10000000) * 100;
    return true;
}

bool kdr_file_look(const char *path, kdr_file_info *info) {
    const HANDLE handle = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS); /* the flag opens folders too */
    const bool good = handle != INVALID_HANDLE_VALUE && look(handle, info);
    if (handle != INVALID_HANDLE_VALUE) {
        CloseHandle(handle);
    }
    return good;
}

bool kdr_file_look_at(int descriptor, kdr_file_info *info) { return look(handle_of(descriptor), info); }

static bool can(const char *path, int what) {
    wchar_t *const wide = widened(path);
    const bool good = wide && _waccess(wide, what) == 0;
    free(wide);
    return good;
}

bool kdr_file_can_read(const char *path) { return can(path, 4); }
bool kdr_file_can_write(const char *path) { return can(path, 2); }

enum { AT_ONCE = 1 << 30 };

static OVERLAPPED place(uint64_t at) { return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)}; }

/* Reads up to `size` bytes. Returns 0 at the end of the file, -1 on failure. */
static ptrdiff_t get_some(int descriptor, void *bytes, size_t size, uint64_t at) {
    OVERLAPPED from = place(at);
    DWORD got = 0;
    if (ReadFile(handle_of(descriptor), bytes, size < AT_ONCE ? (DWORD)size : AT_ONCE, &got, &from)) {
        return got;
    }
    return GetLastError() == ERROR_HANDLE_EOF || noted(FALSE) ? 0 : -1;
}

static ptrdiff_t put_some(int descriptor, const void *bytes, size_t size, uint64_t at) {
    OVERLAPPED to = place(at);
    DWORD written = 0;
    return noted(WriteFile(handle_of(descriptor), bytes, size < AT_ONCE ? (DWORD)size : AT_ONCE, &written, &to)) ? (ptrdiff_t)written : -1;
}

bool kdr_file_cut(int descriptor, uint64_t size) {
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    return noted(SetFileInformationByHandle(handle_of(descriptor), FileEndOfFileInfo, &end, sizeof end));
}

bool kdr_file_flush(int descriptor) { return noted(FlushFileBuffers(handle_of(descriptor))); }

void kdr_file_flush_folder(const char *path) { (void)path; /* kdr_file_replace writes through */ }

bool kdr_file_replace(const char *from, const char *to) {
    wchar_t *const old = widened(from), *const new = widened(to);
    const bool good = old && new && noted(MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
    free(old);
    free(new);
    return good;
}

bool kdr_file_remove(const char *path) {
    wchar_t *const wide = widened(path);
    const bool good = wide && noted(DeleteFileW(wide));
    free(wide);
    return good;
}

/* Returns the place of the byte that is locked. No file has it, because others can neither read nor write what is locked. */
static OVERLAPPED locked_byte(void) { return place(INT64_MAX - 1); }

bool kdr_file_lock(int descriptor, bool shared) {
    OVERLAPPED byte = locked_byte();
    const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (shared ? 0 : LOCKFILE_EXCLUSIVE_LOCK);
    return noted(LockFileEx(handle_of(descriptor), flags, 0, 1, 0, &byte)) || errno != EBUSY;
}

void kdr_file_unlock(int descriptor) {
    OVERLAPPED byte = locked_byte();
    (void)UnlockFileEx(handle_of(descriptor), 0, 1, 0, &byte);
}

void kdr_file_set_mode(int descriptor, const kdr_file_info *as) { (void)descriptor, (void)as; /* a new file has those of its folder */ }

void kdr_file_list(const char *folder, void (*each)(void *context, const char *name), void *context) {
    char pattern[4 * MAX_PATH];
    (void)snprintf(pattern, sizeof pattern, "%s*", folder);
    wchar_t *const wide = widened(pattern);
    WIN32_FIND_DATAW found;
    const HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    free(wide);
    for (bool more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileW(search, &found)) {
        char *const name = narrowed(found.cFileName);
        if (name) {
            each(context, name);
        }
        free(name);
    }
    if (search != INVALID_HANDLE_VALUE) {
        FindClose(search);
    }
}

/* Returns the name without the prefix that lifts the system's limit of its length. */
static const wchar_t *without_prefix(const wchar_t *path) { return wcsncmp(path, L"\\\\?\\", 4) == 0 && path[4] != L'U' ? path + 4 : path; }

char *kdr_file_resolve(const char *path) {
    wchar_t wide[4 * MAX_PATH];
    const HANDLE handle = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    const DWORD room = sizeof wide / sizeof *wide;
    const DWORD length = handle == INVALID_HANDLE_VALUE ? 0 : GetFinalPathNameByHandleW(handle, wide, room, FILE_NAME_NORMALIZED);
    if (handle != INVALID_HANDLE_VALUE) {
        CloseHandle(handle);
    }
    return length > 0 && length < room ? narrowed(without_prefix(wide)) : strdup(path);
}

char *kdr_file_absolute(const char *path) {
    wchar_t *const wide = widened(path), whole[4 * MAX_PATH];
    const DWORD room = sizeof whole / sizeof *whole, length = wide ? GetFullPathNameW(wide, room, whole, NULL) : 0;
    free(wide);
    return length > 0 && length < room ? narrowed(whole) : NULL;
}

static bool is_separator(char c) { return c == '/' || c == '\\' || c == ':'; }

bool kdr_file_is_absolute(const char *path) { return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':'); }

#else

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int kdr_file_open(const char *path, kdr_file_use use) {
    static const int flags[] = {[KDR_FILE_READ] = O_RDONLY | O_NONBLOCK,
                                [KDR_FILE_UPDATE] = O_RDWR,
                                [KDR_FILE_CREATE] = O_RDWR | O_CREAT,
                                [KDR_FILE_NEW] = O_RDWR | O_CREAT | O_EXCL};
    return open(path, flags[use] | O_CLOEXEC, 0666);
}

bool kdr_file_close(int descriptor) { return close(descriptor) == 0; }

FILE *kdr_file_stream(const char *path, bool writes) {
    const int descriptor = open(path, (writes ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0666);
    FILE *const stream = descriptor < 0 ? NULL : fdopen(descriptor, writes ? "w" : "r");
    if (descriptor >= 0 && !stream) {
        close(descriptor);
    }
    return stream;
}

FILE *kdr_file_stream_of(int descriptor) { return lseek(descriptor, 0, SEEK_END) < 0 ? NULL : fdopen(descriptor, "r+"); }

static bool look(int failed, const struct stat *about, kdr_file_info *info) {
#if defined(__APPLE__)
    const struct timespec written = about->st_mtimespec;
#else
    const struct timespec written = about->st_mtim;
#endif
    *info = failed ? (kdr_file_info){.mode = 0}
                   : (kdr_file_info){S_ISREG(about->st_mode), S_ISDIR(about->st_mode), about->st_mode & 07777,  (uint64_t)about->st_size,
                                     (uint64_t)about->st_dev, (uint64_t)about->st_ino, (int64_t)written.tv_sec, (int64_t)written.tv_nsec};
    return !failed;
}

bool kdr_file_look(const char *path, kdr_file_info *info) {
    struct stat about = {.st_mode = 0};
    return look(stat(path, &about), &about, info);
}

bool kdr_file_look_at(int descriptor, kdr_file_info *info) {
    struct stat about = {.st_mode = 0};
    return look(fstat(descriptor, &about), &about, info);
}

bool kdr_file_can_read(const char *path) { return access(path, R_OK) == 0; }
bool kdr_file_can_write(const char *path) { return access(path, W_OK) == 0; }

static ptrdiff_t get_some(int descriptor, void *bytes, size_t size, uint64_t at) { return pread(descriptor, bytes, size, (off_t)at); }
static ptrdiff_t put_some(int descriptor, const void *bytes, size_t size, uint64_t at) {
    return pwrite(descriptor, bytes, size, (off_t)at);
}

bool kdr_file_cut(int descriptor, uint64_t size) { return ftruncate(descriptor, (off_t)size) == 0; }

bool kdr_file_flush(int descriptor) {
#if defined(__APPLE__)
    return fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0; /* fsync alone leaves it in the disk's own memory */
#else
    return fdatasync(descriptor) == 0;
#endif
}

/* Opens the folder of a path; -1 on failure. */
static int open_folder(const char *path, size_t length) {
    char folder[PATH_MAX] = "."; /* a file in a folder of a longer name cannot be opened */
    if (length > 0 && length < sizeof folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void kdr_file_flush_folder(const char *path) {
    const int descriptor = open_folder(path, kdr_file_folder(path));
    if (descriptor >= 0) {
        (void)fsync(descriptor); /* a file system that cannot is no reason to fail */
        close(descriptor);
    }
}

bool kdr_file_replace(const char *from, const char *to) { return rename(from, to) == 0; }

bool kdr_file_remove(const char *path) { return unlink(path) == 0; }

bool kdr_file_lock(int descriptor, bool shared) {
    const bool good = flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    errno = good ? errno : EBUSY;
    return good;
}

void kdr_file_unlock(int descriptor) { (void)flock(descriptor, LOCK_UN); }

void kdr_file_set_mode(int descriptor, const kdr_file_info *as) { (void)!fchmod(descriptor, (mode_t)as->mode); }

void kdr_file_list(const char *folder, void (*each)(void *context, const char *name), void *context) {
    const int descriptor = open_folder(folder, strlen(folder));
    DIR *const listing = descriptor < 0 ? NULL : fdopendir(descriptor);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)) != NULL) {
        each(context, entry->d_name);
    }
    if (listing) {
        closedir(listing);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
}

char *kdr_file_resolve(const char *path) { return realpath(path, NULL); }

char *kdr_file_absolute(const char *path) {
    char *const here = kdr_file_is_absolute(path) ? strdup("") : getcwd(NULL, 0);
    const size_t size = here ? strlen(here) + strlen(path) + sizeof "/" : 0;
    char *const made = here ? malloc(size) : NULL;
    if (made) {
        (void)snprintf(made, size, "%s%s%s", here, *here ? "/" : "", path);
    }
    free(here);
    return made;
}

static bool is_separator(char c) { return c == '/'; }

bool kdr_file_is_absolute(const char *path) { return is_separator(*path); }

#endif

bool kdr_file_is_one(const kdr_file_info *a, const kdr_file_info *b) { return a->device == b->device && a->number == b->number; }

ptrdiff_t kdr_file_get(int descriptor, void *bytes, size_t size, uint64_t at) {
    size_t done = 0;
    while (done < size) {
        const ptrdiff_t got = get_some(descriptor, (char *)bytes + done, size - done, at + done);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ptrdiff_t)done;
}

bool kdr_file_put(int descriptor, const void *bytes, size_t size, uint64_t at) {
    for (size_t done = 0; done < size;) {
        const ptrdiff_t written = put_some(descriptor, (const char *)bytes + done, size - done, at + done);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

size_t kdr_file_folder(const char *path) {
    size_t length = strlen(path);
    while (length > 0 && !is_separator(path[length - 1])) {
        --length;
    }
    return length;
}
