// Matches that miss in tuples, structs and deliveries to a set: what the message had bound is undone.
// expect: 102241 - start
// expect: 102252 - start
// expect: 102260 B or C start
// expect: 102270 B or C start
// expect: 1000004 - def
#include <chorex.h>
#include <stdio.h>

typedef struct {
    int x, y;
    const char *s;
} pt;

choreography(m, (A, B, C),
    def run(A.int how) -> B.int, C.{int, const char *} {
        B.int a = 1;
        B.int b = 2;
        C.int a = 1;
        C.const char *s = "start";
        A.how ~> B.how;
        A.how ~> C.how;
        checkpoint {
            A.{10, how, "abc"} ~> B.{a, (how == 0 ? 99 : how), const char *_t};
            A.((pt){5, how, "def"}) ~> C.{.x = a, .y = (how == 1 ? 99 : how), .s};
            A.(how == 2 ? 4 : 3) ~> {B, C}.(3);
            A.(how == 3 ? "no" : "yes") ~> {B, C}.("yes");
            B.b = how;
        } rescue (f) {
            B.b = f.kind * 1000 + f.line * 10 + (f.role[0] - 'A');
            C.(a + 100) ~> B.c2;
            B.b += c2 == 101 ? 0 : 5000;
        }
        B.(a + b) ~> A.z;
        A.z ~> C.z;
        return B.(a * 100000 + b), C.{a + z, s};
    }
)

#include "m.A.chor.h"
#include "m.B.chor.h"
#include "m.C.chor.h"

int main(void)
{
    for (int i = 0; i < 5; i++) {
        struct m_run_result r;
        if (m_run(&r, NULL, i) != CHX_OK)
            return 1;
        int roles = r.B % 10;
        printf("%d %s %s\n", i == 2 || i == 3 ? r.B - roles : r.B,
               i == 2 || i == 3 ? (roles == 1 || roles == 2 ? "B or C" : "?") : "-", r.C.v1);
        m_run_result_drop(&r);
    }
}
