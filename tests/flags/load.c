/* load LIBRARY...: fails if subnormal numbers are flushed to zero in a process that has loaded these libraries. */
#include <dlfcn.h>
#include <stdio.h>
#ifdef __SSE2__
#include <xmmintrin.h>
static unsigned control_word(void) { return _mm_getcsr(); }
#else
static unsigned control_word(void) { return 0; }
#endif

int main(int count, char **names) {
    const unsigned before = control_word();
    for (int i = 1; i < count; ++i) {
        if (!dlopen(names[i], RTLD_NOW)) {
            fprintf(stderr, "load: %s\n", dlerror());
            return 2;
        }
    }
    volatile double smallest = 0x1p-1070;
    const unsigned after = control_word();
    smallest *= 0.5;
    if (before != after || smallest == 0) {
        printf("the control word was %#x and is %#x, 2^-1070 / 2 is %a\n", before, after, smallest);
        return 1;
    }
    return 0;
}
