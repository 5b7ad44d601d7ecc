# C++ includes the interface, starts sessions and reads results; a role's companion is C only.
set -eu
. "$(dirname "$0")/common.bash"
cat >mixed.h <<'END'
#ifndef MIXED_H
#define MIXED_H
#include <chorex.h>
struct point { int x, y; };
choreography(mixed, (Alice, Bob),
    def run(Alice.struct point p, Alice.const char *s) -> Bob.{struct point, chx_str}, Alice.int {
        Alice.{p, s} ~> Bob.{p, s};
        return Bob.{p, chx_strf("%s!", s)}, Alice.(p.x);
    }
    def nothing(Alice.int a[2]) {
        Alice.a ~> Bob._;
    }
)
#endif
END
cat >roles.c <<'END'
#include "mixed.h"
#include "mixed.Alice.chor.h"
#include "mixed.Bob.chor.h"
END
cat >main.cc <<'END'
#include "mixed.h"
#include "mixed.chor.h"
#include <cstdio>
int main()
{
    struct mixed_run_result r;
    struct point p = {3, 4};
    int a[2] = {1, 2};
    mixed_cast cast = {};
    if (mixed_run(&r, &cast, p, "text") != CHX_OK || mixed_nothing(nullptr, a) != CHX_OK)
        return 1;
    std::printf("%d %d %s %d\n", r.Bob.v0.x, r.Bob.v0.y, chx_cstr(r.Bob.v1), r.Alice);
    mixed_run_result_drop(&r);
    return 0;
}
END
"$CHORCC" -c roles.c
for standard in c++11 c++17 c++20; do
    g++ -std=$standard -Wall -Wextra -Wpedantic -Werror $("$CHORCC" --cflags) -c main.cc -o main.o
    g++ main.o roles.o $("$CHORCC" --libs) -o program
    prints "3 4 text! 3" ./program
done
echo '#include "mixed.h"
#include "mixed.Alice.chor.h"' >bad.cc
! g++ $("$CHORCC" --cflags) -c bad.cc 2>messages || fail "a role's companion compiles as C++"
contains messages "#error"
