// A fast sender's messages wait without blocking a slow one's; each receive takes the message it belongs to.
// expect: slow 1, fast 10 20 30
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(speeds, (Slow, Fast, Receiver),
    int Slow.think(void);
    def run() -> Receiver.{int, int, int, int} {
        Fast.(10) ~> Receiver.a;
        Slow.think() ~> Receiver.s;
        Fast.(20) ~> Receiver.b;
        Fast.(30) ~> Receiver.c;
        return Receiver.{s, a, b, c};
    }
)

#include "speeds.Slow.chor.h"
#include "speeds.Fast.chor.h"
#include "speeds.Receiver.chor.h"

int Slow_think(void)
{
    usleep(50000);
    return 1;
}

int main(void)
{
    struct speeds_run_result r;
    if (speeds_run(&r, NULL) != CHX_OK)
        return 1;
    printf("slow %d, fast %d %d %d\n", r.Receiver.v0, r.Receiver.v1, r.Receiver.v2, r.Receiver.v3);
    return 0;
}
