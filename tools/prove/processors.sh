# Proves the bits of other processors, under qemu, by an eighth of the quick plan, another each day. `tools/dev cross` runs the whole.
. "$root/tools/prove/common.sh"
need aarch64-linux-gnu-gcc s390x-linux-gnu-gcc riscv64-linux-gnu-gcc qemu-aarch64
# The canary exits with status 1 and needs no libraries, because those of that processor may not be there yet.
wrong_program other aarch64-linux-gnu-gcc -static -nostdlib -ffreestanding <<'END'
void _start(void) {
    register long status __asm__("x0") = 1;
    register long call __asm__("x8") = 93;
    __asm__ volatile("svc 0" : : "r"(status), "r"(call));
    for (;;) {
    }
}
END
canary 'a program of another processor that ends badly' qemu-aarch64 "$work/other"
canaries_end
JOBS=$jobs "$root/tools/cross.sh" "$($quick && echo --quick || echo --eighth)" >"$work/table" || failed "$(grep -m 1 -E 'WRONG|DIFFER|not run' "$work/table")"
proved "$(awk '/ refused: / { refused += 1 } / all bits equal/ && !/this one/ { equal += 1; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9a-f]+$/ && length($i) == 16) values += $(i - 1) }
    END { print equal " processors equal, " values " values; " refused " sets of instructions refused where they are not" }' "$work/table")"
