# Compares every backend with the reference, built with clang, every source at -O2: the quick plan, and a sixteenth of the whole plan,
# another with each commit. The fingerprints must be those of gcc's build.
. "$root/tools/prove/common.sh"
need clang clang++
canaries_of_verified
canaries_end
build clang kickdrift_program -- -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DKICKDRIFT_TESTS=OFF
clang=$root/build/prove/clang/tools/kickdrift
verified "$clang" "$work/quick" "$golden" --quick
part=$(turn 16)/16
$quick || verified "$clang" "$work/part" "$(here --part "$part")" --part "$part"
cat "$work/quick" "$work/part" >"$work/log" 2>/dev/null || :
proved "$(count_values "$work/log"): the quick plan and part $part of the whole, fingerprint $golden"
