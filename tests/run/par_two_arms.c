// Two arms side by side: what each of them assigns is there behind the par.
//! no-process
// expect: 47 42 <abc>
// expect: 13
// expect: 6
#include <chorex.h>
#include <stdio.h>

choreography(arms, (A, B, C),
    int B.twice(int x);
    void A.show(int n, int b, chx_str t);
    // What arms are given and give back, strings among it.
    def run(A.int n, A.const char *s) -> A.int, B.int {
        B.int b = 1;
        A.int x = 0;
        A.chx_str t;
        par {
            A.n ~> B.m;
            B.b = twice(m);
            B.b ~> A.x;
        } and {
            A.s ~> C.s;
            C.chx_str r = chx_strf("<%s>", s);
            C.r ~> A.t;
        }
        B.b ~> A.copy;
        A.show(x + (int)chx_str_len(t), copy, t);
        return A.(x + (int)chx_str_len(t)), B.b;
    }
    // Arms in arms, in functions and in loops; a role that has no part in some of them.
    def sum[X, Y](X.int n) -> X.int {
        X.int left = 0;
        X.int right = 0;
        if (X.(n > 1)) {
            par { X.left = sum[X, Y](X.(n / 2)); } and { X.right = sum[X, Y](X.(n - n / 2)); }
        } else {
            X.n ~> Y.one;
            Y.one ~> X.left;
        }
        return X.(left + right);
    }
    def recursive(A.int n) -> A.int {
        A.int total = 0;
        for (A.int i = 0; A.(i < 3); A.i++) {
            A.int one = 0;
            par { A.one = sum[A, B](A.(n + i)); } and { B.(1) ~> C.c; C.c ~> B.d; B.twice(d); }
            A.total += one;
        }
        return A.(total - 2);
    }
    def empty(A.int n) -> A.int {
        par { } and { A.n++; }
        par { B.(0) ~> C.m; C.m ~> B._; } and { C.(1) ~> A.k; A.n += k; }
        return A.n;
    }
)

#include "arms.A.chor.h"
#include "arms.B.chor.h"
#include "arms.C.chor.h"

int B_twice(int x)
{
    return 2 * x;
}

void A_show(int n, int b, chx_str t)
{
    printf("%d %d %s\n", n, b, chx_cstr(t));
}

int main(void)
{
    struct arms_run_result result;
    struct arms_recursive_result recursive;
    struct arms_empty_result empty;
    if (arms_run(&result, NULL, 21, "abc") != CHX_OK || arms_recursive(&recursive, NULL, 4) != CHX_OK ||
        arms_empty(&empty, NULL, 4) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d\n%d\n", recursive.A, empty.A);
    return 0;
}
