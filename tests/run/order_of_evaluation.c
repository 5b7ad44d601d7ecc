// What one role computes for a statement it computes from left to right: elements of a tuple, arguments, results. A value
// is there before the place that it goes to; all values to match are compared before anything is bound.
// expect: A: tuple 1 2 3 args 1 2 3 return 1 2 tail 1 2 3 place 2 1 text 2 1 fields 1 2
// expect: B: args 1 2 return 1 2 tail 1 2 match 1 2 places 1 2 3
// expect: 5 6 7
#include <chorex.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int x, y;
};

choreography(order, (A, B),
    void A.says(const char *what);
    int A.n(int n);
    const char *A.text(int n);
    const char *A.log(void);
    void B.says(const char *what);
    int B.n(int n);
    const char *B.log(void);
    def three(A.int a, B.int b, A.int c, B.int d, A.int e) -> A.{int, int} {
        B.says("return");
        B.{n(1), n(2)} ~> A.{_, _};
        A.says("return");
        return A.{n(1) + (a + c + e) * 0, n(2)};
    }
    def tail(A.int a, A.int b, B.int c, B.int d, A.int e, A.bool again) {
        if (A.again) {
            A.says("tail");
            B.says("tail");
            return tail(A.n(b), A.n(a), B.n(d), B.n(c), A.n(e), A.(false));
        }
    }
    def run() -> A.const char *, B.{const char *, int, int, int} {
        A.says("tuple");
        A.{n(1), n(2), n(3)} ~> B.{_, _, _};
        A.says("args");
        B.says("args");
        A.{_, _} = three(A.n(1), B.n(1), A.n(2), B.n(2), A.n(3));
        tail(A.(2), A.(1), B.(2), B.(1), A.(3), A.(true));

        // A variable that is bound first is seen by what is bound after it, but not by a value to match.
        B.says("match");
        B.int i = 1;
        B.int a[4] = {0};
        A.{2, 5, 1, 6, 2} ~> B.{i, a[i], (n(i)), a[i + 1], (n(i + 1))};
        B.says("places");
        A.{1, 7, 8, 9} ~> B.{i, a[n(i)], _, a[n(2) - 2]};
        A.(1) ~> B.a[n(3)];

        A.says("place");
        A.int p[3] = {0};
        A.p[n(1)] = n(2);
        A.says("text");
        A.const char *t[2] = {0};
        A.t[n(1)] = text(2);
        A.says("fields");
        A.int q[3] = {0};
        A.{.x = q[n(1)], .y = q[n(2)]} = (struct pair){1, 2};
        if (A.(p[1] != 2 || q[1] != 1 || t[1] == NULL)) {
            A.says("wrong");
        }
        return A.log(), B.{log(), a[2], a[3] + 5, a[1]};
    }
)

#include "order.A.chor.h"
#include "order.B.chor.h"

static char a_log[400], b_log[400];

void A_says(const char *what) { sprintf(a_log + strlen(a_log), " %s", what); }
int A_n(int n) { sprintf(a_log + strlen(a_log), " %d", n); return n; }
const char *A_text(int n) { return A_n(n) == 2 ? "two" : "other"; }
const char *A_log(void) { return a_log; }
void B_says(const char *what) { sprintf(b_log + strlen(b_log), " %s", what); }
int B_n(int n) { sprintf(b_log + strlen(b_log), " %d", n); return n; }
const char *B_log(void) { return b_log; }

int main(void)
{
    struct order_run_result r;
    if (order_run(&r, NULL) != CHX_OK) {
        puts(chx_last_report()->why);
        return 1;
    }
    printf("A:%s\nB:%s\n%d %d %d\n", r.A, r.B.v0, r.B.v1, r.B.v2, r.B.v3);
    order_run_result_drop(&r);
    return 0;
}
