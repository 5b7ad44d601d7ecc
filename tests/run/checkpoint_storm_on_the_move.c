// The same as checkpoint_storm, but each session begins on the thread that runs it, and some steps take so long that
// other workers take roles over: sooner or later, or never.
// expect: 30000 rounds, all agree, no wrong message
//! no-central
//! seeds: 2
//! no-process
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>

choreography(moving, (A, B, C, D),
    int A.luck(int x);
    int B.luck(int x);
    int C.luck(int x);
    void B.check(int got, int expected);
    void A.check(int got, int expected);
    void C.check(int got, int expected);

    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned, D.int {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        D.int heard = 0;
        A.rounds ~> {A, B, C, D}.n;
        while ({A, B, C, D}.(n > 0)) {
            D.(n * 7) ~> B.outside;
            checkpoint {
                A.luck(n) ~> B.x;
                B.check(x, n);
                checkpoint retry 1 {
                    B.luck(n + 1) ~> A.y;
                    A.luck(n + 2) ~> B.x;
                    A.check(y, n + 1);
                    B.check(x, n + 2);
                    A.a = a * 31 + 1;
                    B.b = b * 31 + 1;
                } rescue {
                    A.luck(n + 3) ~> B.x;
                    B.check(x, n + 3);
                    A.a = a * 31 + 2;
                    B.b = b * 31 + 2;
                }
                B.luck(n + 4) ~> C.z;
                C.luck(n + 5) ~> A.y;
                C.check(z, n + 4);
                A.check(y, n + 5);
                C.c = c * 31 + 3;
            } rescue {
                C.(n + 6) ~> B.x;
                B.check(x, n + 6);
                A.a = a * 31 + 4;
                B.b = b * 31 + 4;
                C.c = c * 31 + 4;
            }
            A.(a) ~> {C, D}.unsigned history;
            B.check(outside, n * 7);
            C.c = c * 31 + history;
            B.(b) ~> D.unsigned other;
            D.heard += history == other;
            {A, B, C, D}.n = n - 1;
        }
        return A.a, B.b, C.c, D.heard;
    }
)

#include "moving.A.chor.h"
#include "moving.B.chor.h"
#include "moving.C.chor.h"
#include "moving.D.chor.h"

enum { SESSIONS = 1000, ROUNDS = 30 };

static atomic_uint calls, wrong;

static int luck(int x)
{
    unsigned mixed = atomic_fetch_add(&calls, 1) * 2654435761u;
    // Some tens of microseconds.
    if (mixed >> 24 == 7)
        for (volatile int i = 0; i < 30000; i++)
            ;
    if (mixed >> 28 == 3)
        chx_fail("bad luck");
    return x;
}

static void check(int got, int expected)
{
    if (got != expected)
        atomic_fetch_add(&wrong, 1);
}

int A_luck(int x)
{
    return luck(x);
}

int B_luck(int x)
{
    return luck(x);
}

int C_luck(int x)
{
    return luck(x);
}

void A_check(int got, int expected)
{
    check(got, expected);
}

void B_check(int got, int expected)
{
    check(got, expected);
}

void C_check(int got, int expected)
{
    check(got, expected);
}

int main(void)
{
    int rounds = 0, agreements = 0;
    for (int i = 0; i < SESSIONS; i++) {
        struct moving_run_result result;
        if (moving_run(&result, NULL, ROUNDS) != CHX_OK)
            return 1;
        rounds += result.D;
        agreements += result.A == result.B;
    }
    printf("%d rounds, %s, %s\n", rounds, agreements == SESSIONS ? "all agree" : "no agreement",
           atomic_load(&wrong) == 0 ? "no wrong message" : "wrong messages");
    return 0;
}
