// Roles' functions run with the floating-point environment of whoever started the session, also after a failure; what they
// change in it reaches neither other roles nor the caller.
//! flags: -D_GNU_SOURCE -frounding-math -Wl,--no-as-needed -lm
//! no-sanitizer
// expect: run: 60 rescues, 0 wrong environments, caller's environment: kept
// expect: start and wait: 60 rescues, 0 wrong environments, caller's environment: kept
// expect: outside of a block: SIGFPE (arithmetic error), caller's environment: kept
// expect: another environment: 60 rescues, 0 wrong environments, caller's environment: kept
#include <chorex.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>

choreography(env, (Alice, Bob),
    int Alice.look(int rounding, int traps);
    double Alice.divide(int round);
    int Bob.look(int rounding, int traps);
    double Bob.divide(int round);

    def run(Alice.int rounds, Alice.int rounding, Alice.int traps) -> Alice.int, Bob.int {
        Alice.int round = 0;
        Alice.int wrong = 0;
        Bob.int rescues = 0;
        Bob.int wrong = 0;
        Alice.rounding ~> Bob.rounding;
        Alice.traps ~> Bob.traps;
        while (Alice.(round < rounds)) {
            Alice.wrong += look(rounding, traps);
            Alice.round ~> Bob.round;
            Bob.wrong += look(rounding, traps);
            checkpoint {
                Alice.divide(round) ~> Bob._;
                Bob.divide(round) ~> Alice._;
            } rescue {
                Bob.rescues++;
                Alice.wrong += look(rounding, traps);
                Bob.wrong += look(rounding, traps);
            }
            Alice.round++;
        }
        Alice.wrong ~> Bob.more;
        return Alice.rounding, Bob.(rescues + 1000 * (wrong + more));
    }

    def unrescued(Alice.int round) -> Bob.double {
        Alice.divide(round) ~> Bob.d;
        return Bob.d;
    }
)

#include "env.Alice.chor.h"
#include "env.Bob.chor.h"

static volatile double zero, one = 1, three = 3;

static int look(int rounding, int traps)
{
    // The mode that is set, and the mode that counts.
    volatile double third = one / three, minus_third = -one / three;
    int seen = third + minus_third == 0 ? FE_TONEAREST : FE_UPWARD;
    return fegetround() != rounding || fegetexcept() != traps || seen != rounding;
}

// Fails in each round, in one of several ways, with the environment changed.
static double divide(int round, int who)
{
    if (round % 2 != who)
        return 1;
    if (round % 3 == 0)
        fesetround(FE_DOWNWARD);
    switch (round % 5) {
    case 0:
        chx_fail("round %d", round);
    case 1:
        raise(SIGSEGV);
        return 0;
    case 2:
        return feenableexcept(FE_DIVBYZERO) + one / zero;
    case 3: {
        // The old unit has an environment of its own.
        volatile long double zero_x87 = 0, one_x87 = 1;
        feenableexcept(FE_DIVBYZERO);
        return (double)(one_x87 / zero_x87) + (double)zero_x87;
    }
    default:
        feenableexcept(FE_ALL_EXCEPT);
        return one / zero;
    }
}

int Alice_look(int rounding, int traps) { return look(rounding, traps); }
int Bob_look(int rounding, int traps) { return look(rounding, traps); }
double Alice_divide(int round) { return divide(round, 0); }
double Bob_divide(int round) { return divide(round, 1); }

static const char *caller(int rounding, int traps)
{
    int flags = fetestexcept(FE_OVERFLOW | FE_UNDERFLOW);
    return look(rounding, traps) ? "changed" : flags != FE_OVERFLOW ? "other flags" : "kept";
}

static void show(const char *what, const struct env_run_result *result, int rounding, int traps)
{
    printf("%s: %d rescues, %d wrong environments, caller's environment: %s\n", what, result->Bob % 1000,
           result->Bob / 1000, caller(rounding, traps));
}

static int rounds(const char *what, int rounding, int traps, int apart)
{
    struct env_run_result result = {0, 0};
    feclearexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(rounding);
    feraiseexcept(FE_OVERFLOW);
    feenableexcept(traps);
    chx_status status = apart ? env_run_wait(env_run_start(NULL, NULL, 60, rounding, traps), &result)
                              : env_run(&result, NULL, 60, rounding, traps);
    if (status != CHX_OK)
        return 1;
    show(what, &result, rounding, traps);
    return 0;
}

int main(void)
{
    if (rounds("run", FE_UPWARD, FE_DIVBYZERO | FE_INVALID, 0) != 0 ||
        rounds("start and wait", FE_UPWARD, FE_DIVBYZERO | FE_INVALID, 1) != 0)
        return 1;
    if (env_unrescued(NULL, NULL, 12) != CHX_FAILED || chx_last_report()->signal != SIGFPE)
        return 2;
    printf("outside of a block: %s, caller's environment: %s\n", chx_last_report()->why,
           caller(FE_UPWARD, FE_DIVBYZERO | FE_INVALID));
    return rounds("another environment", FE_TONEAREST, 0, 0);
}
