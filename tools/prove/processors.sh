# The bits of other processors, under qemu: of the quick plan another eighth each day. `tools/dev cross` does the whole.
. "$root/tools/prove/common.sh"
need aarch64-linux-gnu-gcc s390x-linux-gnu-gcc riscv64-linux-gnu-gcc qemu-aarch64
wrong_program other aarch64-linux-gnu-gcc -static <<'END'
int main(void) { return 1; }
END
canary 'a program of another processor that ends badly' qemu-aarch64 "$work/other"
canaries_end
JOBS=$jobs "$root/tools/cross.sh" "$($quick && echo --quick || echo --eighth)" >"$work/table" || failed "$(grep -m 1 -E 'WRONG|DIFFER|not run' "$work/table")"
proved "$(awk '/ refused: / { refused += 1 } / all bits equal/ && !/this one/ { equal += 1; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9a-f]+$/ && length($i) == 16) values += $(i - 1) }
    END { print equal " processors equal, " values " values; " refused " sets of instructions refused where they are not" }' "$work/table")"
