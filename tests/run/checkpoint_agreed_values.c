// Agreed values decide in blocks; a rescue starts with the agreement at the entry.
// expect: 1006 2086 1210
// expect: 36 66 21
#include <chorex.h>
#include <stdio.h>

choreography(g, (A, B, C),
    def run(A.int n) -> A.int, B.int, C.int {
        A.n ~> {A, B, C}.k;
        {A, B}.int i = 0;
        A.int a = 0;
        B.int b = 0;
        C.int c = 0;
        while ({A, B}.(i < 6)) {
            {A, B}.i = i + 1;
            checkpoint {
                {A, B}.i++;
                A.k = 100;  // A leaves the agreement inside
                A.(k + i) ~> {B, C}.w;
                if ({B, C}.(k % 2 == 1)) {
                    B.(i == 4 ? chx_fail("four") : (void)0);
                    C.c += 1;
                } else {
                    C.(chx_fail("even"));
                    B.b += 1000;
                }
                B.(b += w);
                C.c += w;
            } rescue (f) {
                if ({A, B, C}.(k % 2 == 0 && f.kind == CHX_FAULT_FAIL)) {
                    A.a += 1;
                    C.i2 = 7;
                    C.c += i2;
                    B.b += 2;
                } else {
                    A.a += 100;
                    B.i ~> A.(i);
                    C.c += 1000;
                }
                {A, B}.i += f.kind == CHX_FAULT_FAIL ? 1 : 2;
            }
            A.k = n;
            A.k ~> {A, B, C}.k;
        }
        return A.(a * 10 + i), B.(b * 10 + i), C.c;
    }
)

#include "g.A.chor.h"
#include "g.B.chor.h"
#include "g.C.chor.h"

int main(void)
{
    for (int n = 1; n < 3; n++) {
        struct g_run_result r;
        if (g_run(&r, NULL, n) != CHX_OK)
            return 1;
        printf("%d %d %d\n", r.A, r.B, r.C);
    }
}
