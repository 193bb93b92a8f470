/* Declarations for all modules of the web client. A module exports functions of numbers and texts, which JavaScript calls. */
#ifndef KDR_WEB_H
#define KDR_WEB_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name)
#endif

enum { HEX_LENGTH = 17 };

int backend_last(void);
const char *backend_name(int backend);
const char *backend_reason(int backend);

/* Writes 16 hexadecimal digits, the form in which the program prints fingerprints. */
static inline const char *hex(uint64_t bits, char text[HEX_LENGTH]) {
    snprintf(text, HEX_LENGTH, "%016" PRIx64, bits);
    return text;
}

#endif
