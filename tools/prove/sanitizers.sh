# Addresses and undefined behaviour: gcc's sanitizers over all tests of C, with the scalar backend and one of vectors. What a null pointer points to and what
# lies behind an object the address sanitizer sees too; large functions ask it by calls. Both, and to know no names out of scope, spare most of the compiling.
. "$root/tools/prove/common.sh"
flags='-O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer'
tests_of_c sanitizers "$flags --param asan-instrumentation-with-call-threshold=100 -fno-sanitize-address-use-after-scope" ''
proved "$ran"
