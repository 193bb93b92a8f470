/* The file driver with a journal. */
#include "journal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { PAGE = 4096, WORD = 8 };
static const unsigned char magic[WORD] = {0x89, 'K', 'D', 'R', 'J', '\n', 0x1a, '\n'};

/* A page of the file as it will be after the next commit. */
typedef struct page {
    uint64_t number;
    unsigned char bytes[PAGE];
} page;

typedef struct journaled {
    H5FD_t pub;
    int file, journal; /* descriptors */
    char *path;        /* path of the journal */
    haddr_t eoa;       /* end of the allocated file, set by HDF5 */
    haddr_t eof;       /* end of the written bytes */
    haddr_t committed; /* end of the file at the last commit */
    page **pages;      /* sorted by number */
    size_t count, room;
} journaled;

/* Puts the system's error message on HDF5's stack as its first entry, unless `good`. */
static bool told(bool good) {
    if (!good) {
        H5Epush2(H5E_DEFAULT, "journal.c", __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_WRITEERROR, "%s", strerror(errno));
    }
    return good;
}

static bool write_at(int to, const void *bytes, size_t size, uint64_t at) {
    if (!kdr_file_put(to, bytes, size, at)) {
        return told(false);
    }
    return true;
}

/* Reads bytes of a file; bytes after the end of the file are 0. */
static bool read_at(int from, void *bytes, size_t size, uint64_t at) {
    const ptrdiff_t got = kdr_file_get(from, bytes, size, at);
    if (got >= 0) {
        memset((char *)bytes + got, 0, size - (size_t)got);
    }
    return got >= 0;
}

static char *journal_path(const char *path) {
    char *made;
    return asprintf(&made, "%s.journal", path) < 0 ? NULL : made;
}

/* Returns the place of the first page whose number is at least `number`. */
static size_t find(const journaled *f, uint64_t number) {
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->pages[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns the page, and loads it if it is not in memory. Returns NULL if there is no memory or the page cannot be read. */
static page *take_page(journaled *f, uint64_t number) {
    const size_t at = find(f, number);
    if (at < f->count && f->pages[at]->number == number) {
        return f->pages[at];
    }
    if (f->count == f->room) {
        const size_t room = f->room ? 2 * f->room : 16;
        page **const more = realloc(f->pages, room * sizeof(page *));
        if (!more) {
            return NULL;
        }
        f->pages = more;
        f->room = room;
    }
    page *const made = malloc(sizeof *made);
    if (!made || !read_at(f->file, made->bytes, PAGE, number * PAGE)) {
        free(made);
        return NULL;
    }
    made->number = number;
    memmove(f->pages + at + 1, f->pages + at, (f->count - at) * sizeof(page *));
    f->pages[at] = made;
    ++f->count;
    return made;
}

static void drop_pages(journaled *f) {
    for (size_t i = 0; i < f->count; ++i) {
        free(f->pages[i]);
    }
    f->count = 0;
}

/* ---- The journal has: the magic word; the ends of the file after and before the commit, and the number of pages; the number and the
 * bytes of each page; the checksum. All numbers are in the byte order of this machine. */

enum { AFTER, COUNT, BEFORE, HEAD };

static bool write_journal(const journaled *f) {
    const uint64_t head[HEAD] = {[AFTER] = f->eoa, [COUNT] = f->count, [BEFORE] = f->committed};
    XXH64_state_t sum;
    uint64_t at = 0;
    (void)XXH64_reset(&sum, 0);
    (void)XXH64_update(&sum, head, sizeof head);
    bool good = write_at(f->journal, magic, sizeof magic, at) && write_at(f->journal, head, sizeof head, at + sizeof magic);
    at += sizeof magic + sizeof head;
    for (size_t i = 0; good && i < f->count; ++i) {
        (void)XXH64_update(&sum, f->pages[i], sizeof(page));
        good = write_at(f->journal, f->pages[i], sizeof(page), at);
        at += sizeof(page);
    }
    const uint64_t checksum = XXH64_digest(&sum);
    return good && write_at(f->journal, &checksum, sizeof checksum, at) && kdr_file_flush(f->journal);
}

/* Reads a whole journal: its head and its pages. Returns false if the journal is not whole. */
static bool read_journal(int journal, uint64_t head[HEAD], page **pages) {
    kdr_file_info about;
    unsigned char found[WORD];
    uint64_t checksum;
    *pages = NULL;
    if (!kdr_file_look_at(journal, &about) || about.size < (HEAD + 2) * WORD || !read_at(journal, found, WORD, 0) ||
        memcmp(found, magic, WORD) != 0 || !read_at(journal, head, HEAD * WORD, WORD) || head[COUNT] > about.size / sizeof(page)) {
        return false;
    }
    const size_t size = (size_t)head[COUNT] * sizeof(page);
    *pages = malloc(size + 1);
    if (!*pages || !read_at(journal, *pages, size, (HEAD + 1) * WORD) || !read_at(journal, &checksum, WORD, (HEAD + 1) * WORD + size)) {
        return false;
    }
    XXH64_state_t sum;
    (void)XXH64_reset(&sum, 0);
    (void)XXH64_update(&sum, head, HEAD * WORD);
    (void)XXH64_update(&sum, *pages, size);
    return XXH64_digest(&sum) == checksum;
}

/* Writes a page to the file up to byte `end`. The bytes of the page after `end` were written to the file before. */
static bool apply(int file, const page *pages, uint64_t end) {
    const uint64_t at = pages->number * PAGE;
    return at >= end || write_at(file, pages->bytes, end - at < PAGE ? (size_t)(end - at) : PAGE, at);
}

static bool recover(int file, int journal) {
    uint64_t head[HEAD];
    page *pages;
    bool good = true;
    if (read_journal(journal, head, &pages)) {
        for (uint64_t i = 0; good && i < head[COUNT]; ++i) {
            good = apply(file, &pages[i], head[BEFORE]);
        }
        good = good && kdr_file_cut(file, head[AFTER]) && kdr_file_flush(file);
    }
    free(pages);
    return good && kdr_file_cut(journal, 0);
}

kdr_status kdr_journal_recover(const char *path, kdr_error *error) {
    char *const name = journal_path(path);
    const int journal = name ? kdr_file_open(name, KDR_FILE_UPDATE) : -1;
    free(name);
    if (journal < 0) {
        return KDR_OK;
    }
    kdr_file_info about;
    const int file = kdr_file_open(path, KDR_FILE_UPDATE);
    const bool held = file >= 0 && !kdr_file_lock(file, false);
    const bool good = !held && kdr_file_look_at(journal, &about) && (about.size == 0 || (file >= 0 && recover(file, journal)));
    if (file >= 0) {
        kdr_file_close(file);
    }
    kdr_file_close(journal);
    return good ? KDR_OK
                : kdr_fail(error, KDR_ERROR_FILE, "%.120s: %s", path,
                           held ? "another process writes it, expected a file that nobody does"
                                : "what a stopped process left cannot be mended");
}

/* ---- the driver */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t maxaddr) {
    (void)access, (void)maxaddr;
    const kdr_file_use made = flags & H5F_ACC_EXCL ? KDR_FILE_NEW : flags & H5F_ACC_CREAT ? KDR_FILE_CREATE : KDR_FILE_UPDATE;
    const bool writes = flags & H5F_ACC_RDWR;
    kdr_file_info about;
    journaled *const f = calloc(1, sizeof *f);
    char *const path = journal_path(name);
    if (!f || !path) {
        free(path);
        free(f);
        return NULL;
    }
    f->file = kdr_file_open(name, writes ? made : KDR_FILE_READ);
    const bool locked = f->file >= 0 && kdr_file_lock(f->file, !writes);
    f->journal = locked && writes ? kdr_file_open(path, KDR_FILE_CREATE) : -1;
    f->path = path;
    if (!locked || (writes && (f->journal < 0 || !kdr_file_cut(f->journal, 0))) || ((flags & H5F_ACC_TRUNC) && !kdr_file_cut(f->file, 0)) ||
        !kdr_file_look_at(f->file, &about)) {
        if (f->file >= 0) {
            kdr_file_close(f->file);
        }
        if (f->journal >= 0) {
            kdr_file_close(f->journal);
        }
        free(f->path);
        free(f);
        return NULL;
    }
    f->eof = f->committed = about.size;
    return &f->pub;
}

static herr_t driver_close(H5FD_t *file) {
    journaled *const f = (journaled *)file;
    drop_pages(f);
    free(f->pages);
    kdr_file_info about;
    if (f->journal >= 0) {
        if (kdr_file_look_at(f->journal, &about) && about.size == 0) {
            (void)kdr_file_remove(f->path); /* an empty journal says nothing, and no other process has the file open */
        }
        kdr_file_close(f->journal);
    }
    const bool good = kdr_file_close(f->file);
    free(f->path);
    free(f);
    return good ? 0 : -1;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const journaled *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa) {
    (void)type;
    ((journaled *)file)->eoa = eoa;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    const journaled *const f = (const journaled *)file;
    return f->eof > f->eoa ? f->eof : f->eoa; /* a commit makes the file this long */
}

static herr_t driver_get_handle(H5FD_t *file, hid_t access, void **handle) {
    (void)access;
    *handle = file;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *buffer) {
    (void)type, (void)transfer;
    const journaled *const f = (const journaled *)file;
    if (!read_at(f->file, buffer, size, at)) {
        return -1;
    }
    const haddr_t end = at + size < f->committed ? at + size : f->committed;
    for (size_t i = find(f, at / PAGE); i < f->count && f->pages[i]->number * PAGE < end; ++i) {
        const haddr_t first = f->pages[i]->number * PAGE, from = first > at ? first : at, to = first + PAGE < end ? first + PAGE : end;
        if (from < to) {
            memcpy((char *)buffer + (from - at), f->pages[i]->bytes + (from - first), (size_t)(to - from));
        }
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *buffer) {
    (void)type, (void)transfer;
    journaled *const f = (journaled *)file;
    const char *from = buffer;
    while (size > 0 && at < f->committed) {
        const haddr_t offset = at % PAGE, left = f->committed - at;
        size_t taken = PAGE - (size_t)offset;
        taken = taken < size ? taken : size;
        taken = taken < left ? taken : (size_t)left;
        page *const kept = take_page(f, at / PAGE);
        if (!kept) {
            return -1;
        }
        memcpy(kept->bytes + offset, from, taken);
        from += taken;
        at += taken;
        size -= taken;
    }
    if (size > 0 && !write_at(f->file, from, size, at)) {
        return -1;
    }
    f->eof = at + size > f->eof ? at + size : f->eof;
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)file, (void)transfer, (void)closing;
    return 0; /* a commit sets the length */
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)514,
#endif
    .name = "kickdrift-journal",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t kdr_journal_access(void) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = H5FDregister(&driver);
    const bool good = access >= 0 && id >= 0 && H5Pset_driver(access, id, NULL) >= 0;
    if (id >= 0) {
        H5FDunregister(id); /* the property list holds the driver */
    }
    if (!good && access >= 0) {
        H5Pclose(access);
    }
    return good ? access : -1;
}

static journaled *of(hid_t file) {
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

bool kdr_journal_settle(hid_t file) {
    journaled *const f = of(file);
    if (!f || (f->eoa < f->eof && !kdr_file_cut(f->file, f->eoa))) {
        return false;
    }
    f->eof = f->committed = f->eoa;
    return true;
}

bool kdr_journal_commit(hid_t file) {
    journaled *const f = of(file);
    if (!f || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ||
        !told((f->eof >= f->eoa || kdr_file_cut(f->file, f->eoa)) && kdr_file_flush(f->file))) {
        return false;
    }
    bool good = f->count == 0 || write_journal(f);
    if (!good) {
        (void)kdr_file_cut(f->journal, 0); /* an incomplete journal is emptied */
    }
    for (size_t i = 0; good && i < f->count; ++i) {
        good = apply(f->file, f->pages[i], f->committed);
    }
    good = good && (f->count == 0 || (kdr_file_flush(f->file) && kdr_file_cut(f->journal, 0)));
    if (good) {
        drop_pages(f);
        f->eof = f->committed = f->eoa > f->eof ? f->eoa : f->eof;
    }
    return good;
}

bool kdr_journal_is_long(hid_t file) {
    enum { MOST = (32 << 20) / PAGE };
    const journaled *const f = of(file);
    return f && f->count >= MOST;
}
