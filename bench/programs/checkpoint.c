// checkpoint.c: what a checkpoint costs, and what a crash in one. Variants: plain: an int there and back in each round;
// checkpoint: that is a block; fail, signal: a block in which one role fails, by chx_fail or by dividing by zero, and the
// rescue is the exchange.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>
#include <string.h>

choreography(rounds, (Ping, Pong),
    void Pong.fail(void);
    void Pong.divide(void);

    def plain({Ping, Pong}.long rounds) -> Ping.int {
        Ping.int value = 0;
        while ({Ping, Pong}.(rounds > 0)) {
            Ping.value ~> Pong.int got;
            Pong.(got + 1) ~> Ping.value;
            {Ping, Pong}.rounds = rounds - 1;
        }
        return Ping.value;
    }

    def checkpoints({Ping, Pong}.long rounds) -> Ping.int {
        Ping.int value = 0;
        while ({Ping, Pong}.(rounds > 0)) {
            checkpoint {
                Ping.value ~> Pong.int got;
                Pong.(got + 1) ~> Ping.value;
            } rescue {
                Ping.value = -1;
            }
            {Ping, Pong}.rounds = rounds - 1;
        }
        return Ping.value;
    }

    def fails({Ping, Pong}.long rounds) -> Ping.int {
        Ping.int value = 0;
        while ({Ping, Pong}.(rounds > 0)) {
            checkpoint {
                Pong.fail();
            } rescue {
                Ping.value ~> Pong.int got;
                Pong.(got + 1) ~> Ping.value;
            }
            {Ping, Pong}.rounds = rounds - 1;
        }
        return Ping.value;
    }

    def signals({Ping, Pong}.long rounds) -> Ping.int {
        Ping.int value = 0;
        while ({Ping, Pong}.(rounds > 0)) {
            checkpoint {
                Pong.divide();
            } rescue {
                Ping.value ~> Pong.int got;
                Pong.(got + 1) ~> Ping.value;
            }
            {Ping, Pong}.rounds = rounds - 1;
        }
        return Ping.value;
    }
)

#include "rounds.Ping.chor.h"
#include "rounds.Pong.chor.h"

static void Pong_fail(void)
{
    chx_fail("on purpose");
}

static void Pong_divide(void)
{
    static volatile int one = 1, zero = 0;
    one = one / zero;
}

static int run(const char *variant, long rounds)
{
    if (strcmp(variant, "checkpoint") == 0) {
        struct rounds_checkpoints_result result;
        return rounds_checkpoints(&result, NULL, rounds) == CHX_OK ? result.Ping : -1;
    }
    if (strcmp(variant, "fail") == 0) {
        struct rounds_fails_result result;
        return rounds_fails(&result, NULL, rounds) == CHX_OK ? result.Ping : -1;
    }
    if (strcmp(variant, "signal") == 0) {
        struct rounds_signals_result result;
        return rounds_signals(&result, NULL, rounds) == CHX_OK ? result.Ping : -1;
    }
    struct rounds_plain_result result;
    return rounds_plain(&result, NULL, rounds) == CHX_OK ? result.Ping : -1;
}

// PROGRAM VARIANT [ROUNDS]
int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "plain";
    long rounds = argc > 2 ? atol(argv[2]) : 100000;
    if (run(variant, 100) != 100)
        return 1;
    Measure measure = measure_begin();
    if (run(variant, rounds) != (int)rounds)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
