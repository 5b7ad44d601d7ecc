// Whole arrays that are fields, of one or more dimensions, of numbers, strings or characters: a delivery, a pattern, a
// result and an assignment can fill them.
// expect: 2 two bob y 3 4 3 lit 4
// expect: 5 one
#include <chorex.h>
#include <stdio.h>
struct parts {
    int a[3];
    const char *s[2];
    int m[2][2];
    char name[8];
    int i;
};
typedef struct {
    struct parts in[2];
} pair;

choreography(fields, (A, B),
    def arrays(A.int n) -> A.struct parts {
        A.struct parts s = {.a = {n, n + 1}, .s = {"x", "y"}, .m = {{1, 2}, {3, 4}}, .name = "name"};
        return A.s;
    }
    def run(A.int n) -> B.struct parts {
        A.int a[3] = {n, 2, 3};
        A.const char *s[2] = {"one", "two"};
        A.char name[8] = "bob";
        B.struct parts b;
        B.pair big;
        A.a ~> B.b.a;
        A.{s, 1, name} ~> B.{b.s, _, b.name};
        A.struct parts t = arrays(A.n);
        A.t ~> B.{.m = b.m, .i = big.in[1].i, .s = big.in[1].s};
        A.t.a = a;
        A.t.m ~> B.big.in[0].m;
        A.t.a ~> B.big.in[b.a[1] - 1].a;
        A.t.name = "lit";
        A.{.a = t.a, .s} = t;
        A.t.s = s;
        A.t.name ~> B.big.in[0].name;
        A.int row[2] = {4, 5};
        A.row ~> B.b.m[0];
        B.(printf("%d %s %s %s %d %d %d %s %d\n", b.a[1], b.s[1], b.name, big.in[1].s[1], b.m[1][0], big.in[0].m[1][1],
                  big.in[1].a[2], big.in[0].name, b.m[0][0]));
        B.(fflush(stdout));
        return B.b;
    }
)
#include "fields.A.chor.h"
#include "fields.B.chor.h"

int main(void)
{
    struct fields_run_result r;
    if (fields_run(&r, NULL, 5) != CHX_OK) {
        puts(chx_last_report()->why);
        return 1;
    }
    printf("%d %s\n", r.B.a[0], r.B.s[0]);
    fields_run_result_drop(&r);
    return 0;
}
