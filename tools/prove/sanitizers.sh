# Addresses and undefined behaviour: gcc's sanitizers over all tests of C, with the scalar backend and one of vectors. What a null pointer points to and what
# lies behind an object the address sanitizer sees too; without these two, and without the ends of the scopes of names, compiling takes half the time.
. "$root/tools/prove/common.sh"
flags='-O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer'
export LSAN_OPTIONS="suppressions=$root/tools/prove/leaks:print_suppressions=0"
# These two step cases of the plan again, of which an eighth is run here; environment does so in other modes of the processor.
tests_of_c sanitizers "$flags -fno-sanitize-address-use-after-scope" '' 'environment|equality_engine'
proved "$ran"
