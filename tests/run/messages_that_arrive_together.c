// Messages of several senders and sizes that have piled up when the receiver looks for the first of them: none is lost, none
// is taken for another. With a process for each role they lie in the rings between these.
// expect: 40 rounds, 40 times all eight in order
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

struct large {
    int number;
    char padding[900];
};

choreography(together, (Ann, Ben, Cat),
    struct large Ann.make(int number);
    void Cat.compute(void);

    def run({Ann, Ben, Cat}.int rounds) -> Cat.int {
        Cat.int good = 0;
        while ({Ann, Ben, Cat}.(rounds > 0)) {
            // Meanwhile the others send all they have.
            Cat.compute();
            Ann.(rounds) ~> Cat.int a1; Ann.(rounds + 1) ~> Cat.int a2;
            Ben.(chx_strf("%d", rounds)) ~> Cat.chx_str b1;
            Ann.make(rounds + 2) ~> Cat.struct large a3;
            Ben.(rounds * 1000L) ~> Cat.long b2; Ben.(chx_strf("%d and more", rounds)) ~> Cat.chx_str b3;
            Ann.make(rounds + 3) ~> Cat.struct large a4;
            Ann.('x') ~> Cat.char a5;
            Cat.int own = atoi(chx_cstr(b1));
            Cat.good += a1 == own && a2 == own + 1 && a3.number == own + 2 && a4.number == own + 3 && a5 == 'x' &&
                        b2 == own * 1000L && atoi(chx_cstr(b3)) == own && own == rounds;
            {Ann, Ben, Cat}.rounds = rounds - 1;
        }
        return Cat.good;
    }
)

#include "together.Ann.chor.h"
#include "together.Ben.chor.h"
#include "together.Cat.chor.h"

static struct large Ann_make(int number)
{
    struct large large = {.number = number};
    return large;
}

static void Cat_compute(void)
{
    for (volatile int i = 0; i < 50000; i++)
        ;
}

int main(void)
{
    enum { ROUNDS = 40 };
    struct together_run_result result;
    if (together_run(&result, NULL, ROUNDS) != CHX_OK)
        return 1;
    printf("%d rounds, %d times all eight in order\n", ROUNDS, result.Cat);
    return 0;
}
