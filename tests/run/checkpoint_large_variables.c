// Large variables are saved and restored, at each level of a recursion.
// expect: 1
#include <chorex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    unsigned char b[1 << 18];
} page;

static void fill(page *p, int c)
{
    memset(p->b, c, sizeof p->b);
}

static int same(const page *p, int c)
{
    for (size_t i = 0; i < sizeof p->b; i++)
        if (p->b[i] != c)
            return 0;
    return 1;
}

choreography(h, (A, B),
    def deep(A.int n, A.page p) -> A.int {
        A.int ok = 0;
        A.int big[1000];
        A.big[n] = n;
        checkpoint {
            A.(fill(&p, 99));
            A.big[n] = -1;
            if (A.(n > 0)) {
                A.ok = deep(A.(n - 1), A.p);
            }
            A.p ~> B.q;
            B.(same(&q, 99) ? chx_fail("x") : (void)0);
            B.(1) ~> A._;
        } rescue {
            A.ok += same(&p, n == 5 ? 1 : 99) && big[n] == n;
            B.(1) ~> A._;
        }
        return A.ok;
    }

    def run() -> A.int {
        A.page p;
        A.(fill(&p, 1));
        return deep(A.(5), A.p);
    }
)

#include "h.A.chor.h"
#include "h.B.chor.h"

int main(void)
{
    struct h_run_result r;
    if (h_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.A);
}
