// Sessions with isolated roles: many at once, of several runtimes, one inside another's role, cancelled, watched.
// expect: inside a role: 42
// expect: 200 at once: 199 * 100
// expect: cancelled, and the descriptor says so
// expect: 5 runtimes
//! no-central
//! no-sim
#include <chorex.h>
#include <poll.h>
#include <stdio.h>

choreography(inner, (X, Y),
    def run(X.int n) -> Y.int {
        X.(n * 2) ~> Y.m;
        return Y.m;
    }
)
#include "inner.X.chor.h"
#include "inner.Y.chor.h"

choreography(outer, (A, B),
    int B.nested(int n);
    def run(A.int n) -> A.int {
        A.n ~> B.n;
        A.int m = 0;
        checkpoint {
            B.nested(n) ~> A.m;
        } rescue {
            A.m = -1;
        }
        return A.m;
    }
    def plain(A.int n) -> A.int {
        A.n ~> B.n;
        B.(n * 100) ~> A.m;
        return A.m;
    }
    def endless(A.int n) -> A.int {
        while (A.(n != 0)) {
            A.n ~> B.n;
            B.n ~> A.n;
        }
        return A.n;
    }
)
#include "outer.A.chor.h"
#include "outer.B.chor.h"

int B_nested(int n)
{
    struct inner_cast cast = {.X = {.isolation = CHX_PROCESS}};
    struct inner_run_result r;
    return inner_run(&r, &cast, n) == CHX_OK ? r.Y : -2;
}

int main(void)
{
    struct outer_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    struct outer_run_result r;
    if (outer_run(&r, &cast, 21) != CHX_OK)
        return 1;
    printf("inside a role: %d\n", r.A);

    enum { MANY = 200 };
    chx_session *sessions[MANY];
    int last = 0;
    cast.A.isolation = CHX_THREAD;
    for (int i = 0; i < MANY; i++)
        if ((sessions[i] = outer_plain_start(NULL, &cast, i)) == NULL)
            return 2;
    for (int i = 0; i < MANY; i++) {
        struct outer_plain_result plain;
        if (outer_plain_wait(sessions[i], &plain) != CHX_OK || plain.A != i * 100)
            return 3;
        last = plain.A;
    }
    printf("200 at once: %d * 100\n", last / 100);

    cast.A.isolation = CHX_PROCESS;
    chx_session *session = outer_endless_start(NULL, &cast, 1);
    struct pollfd polled = {.fd = chx_session_fd(session), .events = POLLIN};
    if (poll(&polled, 1, 50) != 0)
        return 4;
    chx_session_cancel(session);
    if (poll(&polled, 1, -1) != 1 || outer_endless_wait(session, NULL) != CHX_CANCELLED)
        return 5;
    printf("cancelled, and the descriptor says so\n");

    chx_runtime *runtimes[5];
    for (int i = 0; i < 5; i++) {
        runtimes[i] = chx_runtime_new(NULL);
        sessions[i] = outer_run_start(runtimes[i], &cast, i);
    }
    for (int i = 0; i < 5; i++) {
        if (outer_run_wait(sessions[i], &r) != CHX_OK || r.A != 2 * i)
            return 6;
        chx_runtime_free(runtimes[i]);
    }
    printf("5 runtimes\n");
    return 0;
}
