/* Text between UTF-8, which the library and the program have, and UTF-16, which Windows has. Only Windows has a use for this header. */
#ifndef KDR_IO_WIDE_H
#define KDR_IO_WIDE_H

#define WIN32_LEAN_AND_MEAN
#include <stdlib.h>
#include <windows.h>

/* Returns the text as UTF-16; to be freed. Returns NULL on failure: GetLastError() is ERROR_NO_UNICODE_TRANSLATION if it is not UTF-8. */
static inline wchar_t *kdr_widened(const char *text) {
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *const wide = length > 0 ? malloc((size_t)length * sizeof *wide) : NULL;
    if (wide) {
        (void)MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, length);
    }
    return wide;
}

/* Returns the text as UTF-8; to be freed. NULL on failure. */
static inline char *kdr_narrowed(const wchar_t *wide) {
    const int length = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *const text = length > 0 ? malloc((size_t)length) : NULL;
    if (text) {
        (void)WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, length, NULL, NULL);
    }
    return text;
}

#endif
