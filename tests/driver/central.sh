# --central writes the choreography as one sequential program that prints the same.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --central hello hello.c >central.c
lacks central.c '#include "hello.Alice.chor.h"'
gcc -w $("$CHORCC" --cflags) central.c $("$CHORCC" --libs) -o central
prints 42 ./central
"$CHORCC" --central hello hello.c -o other.c
cmp central.c other.c
status 1 "$CHORCC" --central nothing hello.c
contains messages "nothing"

# One with blocks, too, has nothing that a compiler warns about.
cat >shop.c <<'C'
#include <chorex.h>
#include <stdio.h>
choreography(shop, (A, B),
    def run(A.chx_str name, A.int n) -> B.chx_str {
        B.chx_str s;
        checkpoint retry 1 {
            A.{name, n} ~> B.{s, k};
            B.(k > 1 ? chx_fail("%d", k) : (void)0);
        } rescue (fault) {
            A.(n - 1) ~> B.int k;
            B.s = chx_strf("%s and %d", fault.why, k);
        }
        return B.s;
    }
)
#include "shop.A.chor.h"
#include "shop.B.chor.h"
int main(void)
{
    chx_str name = chx_strf("name");
    struct shop_run_result result;
    if (shop_run(&result, NULL, name, 2) != CHX_OK)
        return 1;
    puts(chx_cstr(result.B));
    shop_run_result_drop(&result);
    chx_str_drop(name);
    return 0;
}
C
"$CHORCC" --central shop shop.c -o shop.central.c
for compiler in gcc clang; do
    "$compiler" -Wall -Wextra -Wpedantic -Werror $("$CHORCC" --cflags) shop.central.c $("$CHORCC" --libs) -o shop
    prints "2 and 1" ./shop
done

# A program of several files: once for each.
pingpong
status 2 "$CHORCC" --central pingpong main.c ping.c pong.c -o all.c
contains messages "'--central' writes one file at a time: call it for each file of the program"
status 1 "$CHORCC" --central pingpong pingpong.h
contains messages "'pingpong.h' does not include a companion of 'pingpong' itself"
for file in main ping pong; do
    "$CHORCC" --central pingpong $file.c -o $file.central.c
done
gcc -w $("$CHORCC" --cflags) main.central.c ping.central.c pong.central.c $("$CHORCC" --libs) -o together
prints 42 ./together
# With a file that is compiled as usual they don't make a program.
"$CHORCC" -c pong.c
gcc -w $("$CHORCC" --cflags) main.central.c ping.central.c pong.o $("$CHORCC" --libs) -o mixed
status 1 ./mixed
contains output "pingpong_Pong is no part of a sequential program: write its file with 'chorcc --central' too"
