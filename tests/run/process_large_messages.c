// Messages between processes: many, more than the channels hold, and some of several MiB, in both directions.
// expect: 5000 small ones, 12 large ones, 40 in between
//! no-central
//! no-sim
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static chx_str text_new(size_t size, char with)
{
    char *text = malloc(size + 1);
    memset(text, with, size);
    chx_str made = chx_str_new(text, size);
    free(text);
    return made;
}

static int text_is(chx_str text, size_t size, char with)
{
    return chx_str_len(text) == size && chx_cstr(text)[0] == with && chx_cstr(text)[size - 1] == with;
}

choreography(large, (A, B, C),
    def run(A.int small) -> B.{int, int, int} {
        B.int good = 0;
        B.int big = 0;
        B.int between = 0;
        for (A.int i = 0; A.(i < small); A.i++) {
            A.i ~> B.x;
            B.x ~> C.x;
            C.(x + 1) ~> B.y;
            B.good += y == x + 1;
        }
        A.(12) ~> {B, C}.n;
        while ({B, C}.(n > 0)) {
            A.(text_new((size_t)3 << 20, 'a')) ~> B.t;
            B.t ~> C.t;
            C.(chx_strf("%s%d", chx_cstr(t), 7)) ~> B.back;
            B.big += text_is(t, (size_t)3 << 20, 'a') && chx_str_len(back) == ((size_t)3 << 20) + 1;
            {B, C}.n = n - 1;
        }
        for (C.int k = 0; C.(k < 20); C.k++) {
            C.(text_new(60000 + (size_t)k * 1000, 'k')) ~> B.u;
            C.(text_new(1000, 'l')) ~> B.v;
            C.k ~> B.j;
            B.between += text_is(u, 60000 + (size_t)j * 1000, 'k') + text_is(v, 1000, 'l');
        }
        return B.{good, big, between};
    }
)

#include "large.A.chor.h"
#include "large.B.chor.h"
#include "large.C.chor.h"

int main(void)
{
    struct large_cast cast = {
        .A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}, .C = {.isolation = CHX_PROCESS}};
    struct large_run_result r;
    if (large_run(&r, &cast, 5000) != CHX_OK)
        return 1;
    printf("%d small ones, %d large ones, %d in between\n", r.B.v0, r.B.v1, r.B.v2);
    return 0;
}
