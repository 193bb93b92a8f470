# The bits of other processors, under qemu: of the quick plan another eighth each day. `tools/dev cross` does the whole.
. "$root/tools/prove/common.sh"
need aarch64-linux-gnu-gcc s390x-linux-gnu-gcc riscv64-linux-gnu-gcc qemu-aarch64
JOBS=$jobs "$root/tools/cross.sh" "$($quick && echo --quick || echo --eighth)" >"$work/table" || failed "$(grep -m 1 -E 'WRONG|DIFFER|not run' "$work/table")"
proved "$(awk '$3 ~ /^[0-9]+$/ { rows += 1; values += $4 } / all bits equal/ { rows += 0 } END { print rows " rows, " values " values" }' "$work/table")"
