# Process isolation is refused in clear words, not ignored.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed -i -e 's/struct hello_run_result result;/struct hello_run_result result; struct hello_cast cast = {.Bob = {.isolation = CHX_PROCESS}};/' \
    -e 's/if (hello_run(&result, NULL, 41) != CHX_OK)/if (hello_run(\&result, \&cast, 41) == CHX_INVALID \&\& printf("%s\\n", chx_last_report()->why))/' hello.c
"$CHORCC" hello.c -o hello
status 1 ./hello
[ -s output ] || fail "no reason is given"
