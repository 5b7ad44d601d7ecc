# CHX_CODEC on the same line of two headers, and twice on one line: each type has its own. Companions don't depend on what
# else a file includes. C++ may include such headers.
set -eu
. "$(dirname "$0")/common.bash"
for type in one two three; do
    cat >$type.h <<END_OF_HEADER
#ifndef H_$type
#define H_$type
#include <chorex.h>
#include <stdlib.h>
struct $type { int *cell; };
static inline void ${type}_encode(chx_writer *w, const void *v) { chx_write_u64(w, (uint64_t)*((const struct $type *)v)->cell); }
static inline bool ${type}_decode(chx_reader *r, void *v)
{
    uint64_t u;
    struct $type *it = (struct $type *)v;
    it->cell = (int *)malloc(sizeof(int));
    if (it->cell == NULL || !chx_read_u64(r, &u)) { free(it->cell); return false; }
    *it->cell = (int)u;
    return true;
}
static inline void ${type}_drop(void *v) { free(((struct $type *)v)->cell); }
CHX_CODEC(struct $type, ${type}_encode, ${type}_decode, ${type}_drop);
#endif
END_OF_HEADER
done
cat >codecs.h <<'END_OF_HEADER'
#ifndef CODECS_H
#define CODECS_H
#include "one.h"
#include "two.h"
typedef struct one first; typedef struct two second; struct pair { struct one one; struct two two; };
struct four { int *cell; }; struct five { int *cell; };
CHX_CODEC(struct four, one_encode, one_decode, one_drop); CHX_CODEC(struct five, &two_encode, (two_decode), two_drop);
choreography(codecs, (Alice, Bob),
    struct one Alice.one(int n);
    struct two Alice.two(int n);
    struct four Alice.four(int n);
    struct five Alice.five(int n);
    def run(Alice.int n) -> Bob.struct two {
        Alice.one(n) ~> Bob.one;
        Alice.two(n + 1) ~> Bob.two;
        Alice.four(n + 2) ~> Bob.four;
        Alice.five(n + 3) ~> Bob.five;
        Bob.(*one.cell) ~> Alice._;
        Bob.(*two.cell += *one.cell + *four.cell + *five.cell);
        return Bob.two;
    }
)
#endif
END_OF_HEADER
cat >alice.c <<'END_OF_SOURCE'
#include "codecs.h"
#include "codecs.Alice.chor.h"
struct one Alice_one(int n) { struct one v = {malloc(sizeof(int))}; *v.cell = n; return v; }
struct two Alice_two(int n) { struct two v = {malloc(sizeof(int))}; *v.cell = n; return v; }
struct four Alice_four(int n) { struct four v = {malloc(sizeof(int))}; *v.cell = n; return v; }
struct five Alice_five(int n) { struct five v = {malloc(sizeof(int))}; *v.cell = n; return v; }
END_OF_SOURCE
cat >bob.c <<'END_OF_SOURCE'
#include "three.h"
#include "codecs.h"
#include "codecs.Bob.chor.h"
END_OF_SOURCE
cat >main.cc <<'END_OF_SOURCE'
#include "three.h"
#include "codecs.h"
#include "codecs.chor.h"
#include <cstdio>
int main()
{
    struct codecs_run_result result;
    if (codecs_run(&result, nullptr, 10) != CHX_OK)
        return 1;
    std::printf("%d\n", *result.Bob.cell);
    codecs_run_result_drop(&result);
    return 0;
}
END_OF_SOURCE
for compiler in gcc clang; do
    export CHORCC_CC=$compiler
    "$CHORCC" -Wall -Wextra -Wpedantic -Werror -c alice.c
    cp codecs.chor.h before.chor.h
    "$CHORCC" -Wall -Wextra -Wpedantic -Werror -c bob.c
    cmp codecs.chor.h before.chor.h || fail "the companion depends on what else is included"
    g++ -Wall -Wextra -Wpedantic -Werror $("$CHORCC" --cflags) main.cc alice.o bob.o $("$CHORCC" --libs) -o program
    prints 46 ./program
done
