/* Programs as text. */
#include <stdio.h>

#include "program.h"

size_t kdr_program_text(const kdr_program *program, int index, char *text, size_t size) {
    static const char *const what[KDR_OP_COUNT] = {
#define KDR_WHAT(code, name, words) [KDR_OP_##code] = words,
        KDR_OPERATIONS(KDR_WHAT)};
    if (index < 0 || index >= program->end[KDR_AFTER]) {
        return 0;
    }
    const int length = snprintf(text, size, "%s", what[program->line[index].code]);
    return length < 0 ? 0 : (size_t)length;
}
