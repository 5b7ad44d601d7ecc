// Two roles take turns in sending.
// expect: 6 5
#include <chorex.h>
#include <stdio.h>

choreography(turns, (Ping, Pong),
    def run() -> Ping.int, Pong.int {
        Ping.(1) ~> Pong.n;
        Pong.(n + 1) ~> Ping.n;
        Ping.(n + 1) ~> Pong.n;
        Pong.(n + 1) ~> Ping.n;
        Ping.(n + 1) ~> Pong.n;
        Pong.(n + 1) ~> Ping.n;
        return Ping.n, Pong.n;
    }
)

#include "turns.Ping.chor.h"
#include "turns.Pong.chor.h"

int main(void)
{
    struct turns_run_result r;
    if (turns_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Ping, r.Pong);
    return 0;
}
