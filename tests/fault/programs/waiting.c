// Roles that wait for the outside, for a time or for a descriptor, and are called back meanwhile or fail themselves.
// matrix arguments: 3
// matrix crash: 0.02 0.05
#define _GNU_SOURCE
#include <chorex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static unsigned calls;

// Most calls wait: for a descriptor that is ready all the time, or for so long that others fail meanwhile. In a sequential program
// nobody can wait.
static void wait_now_and_then(void)
{
    if (getenv("FAULT_OUTCOMES") != NULL)
        return;
    switch ((calls++ * 2654435761U >> 24) % 4) {
    case 0:
        chx_again_when(ends[1], POLLOUT);
    case 1:
        chx_again_after(10000);
    case 2:
        chx_again_after(100000);
    }
}

choreography(waiting, (A, B, C),
    int A.patient(int n);
    int B.patient(int n);
    int C.patient(int n);
    def run(A.int rounds) -> A.int, B.int, C.int {
        B.int y = 0;
        C.int z = 0;
        checkpoint retry 2 {
            A.int i = 0;
            checkpoint while (A.(patient(i) < rounds)) {
                checkpoint retry 1 {
                    A.i ~> B.x;
                    A.i++;
                    A.patient(i) ~> B._;
                    B.y += patient(x);
                    B.(y % 1009) ~> C.x;
                    B.y++;
                    C.z += patient(x);
                } rescue {
                    A.i ~> B.y;
                    A.i++;
                    B.y = patient(y);
                }
            } rescue {
                A.i ~> C.x;
                A.i++;
                B.patient(y) ~> C.z;
                C.z += patient(x);
            }
            return A.i, B.y, C.z;
        } rescue {
            return A.(-1), B.(-1), C.(-1);
        }
    }
)

#include "waiting.A.chor.h"
#include "waiting.B.chor.h"
#include "waiting.C.chor.h"

int A_patient(int n)
{
    wait_now_and_then();
    return n;
}

int B_patient(int n)
{
    wait_now_and_then();
    return n;
}

int C_patient(int n)
{
    wait_now_and_then();
    return n;
}

int main(int argc, char **argv)
{
    struct waiting_run_result result;
    if (pipe(ends) != 0)
        return 1;
    if (waiting_run(&result, NULL, argc > 1 ? atoi(argv[1]) : 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
