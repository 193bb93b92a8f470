# Finds wrong addresses and undefined behaviour: runs all tests in C under gcc's sanitizers, with scalar and one vector backend. The checks
# `null` and `object-size` are off, because the address sanitizer finds the same mistakes. So is use after scope. Without them compiling
# takes half the time.
. "$root/tools/prove/common.sh"
flags='-O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer'
export LSAN_OPTIONS="suppressions=$root/tools/prove/leaks:print_suppressions=0"
# shellcheck disable=SC2086 # a list of words
wrong_program overflows cc $flags <<'END'
int main(int count, char **names) { (void)names; return 2147483647 + count == 7; }
END
# shellcheck disable=SC2086
wrong_program beyond cc $flags <<'END'
#include <stdlib.h>
int main(int count, char **names) { (void)names; volatile char *a = malloc(7); const int last = a[6 + count]; free((void *)a); return last & 0; }
END
# shellcheck disable=SC2086
wrong_program leaks cc $flags <<'END'
#include <stdlib.h>
static void lose(void) { volatile char *a = malloc(7); a[0] = 1; }
int main(void) { lose(); volatile char other[256]; for (int i = 0; i < 256; ++i) other[i] = 0; return 0; }
END
# shellcheck disable=SC2086
echo 'int main(void) { return 0; }' | wrong_program right cc $flags
control 'a program that is right' "$work/right"
canary 'a sum that overflows' "$work/overflows"
canary 'one byte too far' "$work/beyond"
canary 'memory that is lost' "$work/leaks"
canaries_end
# equality_engine and environment are left out: they run cases of the plan again, of which an eighth runs here.
tests_of_c sanitizers "$flags -fno-sanitize-address-use-after-scope" '' 'environment|equality_engine'
proved "$ran"
