// Roles that compute at the same time, lap for lap, and fail in some: they are given from worker to worker, and all of them
// see the same laps.
// expect: 600 laps, 126 rescued, 474 not: all three agree
#include <chorex.h>
#include <stdio.h>

choreography(laps, (Ann, Ben, Cat),
    int Ann.work(int lap);
    int Ben.work(int lap);
    int Cat.work(int lap);

    def run({Ann, Ben, Cat}.int laps) -> Ann.long, Ben.long, Cat.long {
        Ann.long ann = 0;
        Ben.long ben = 0;
        Cat.long cat = 0;
        while ({Ann, Ben, Cat}.(laps > 0)) {
            Ann.laps ~> Ben.int told;
            checkpoint {
                if (Ben.(told % 2 == 0)) {
                    Ann.int a = work(laps);
                    Ben.int b = work(told);
                    Cat.int c = work(laps);
                    Ann.a ~> Cat.int from_ann;
                    Cat.(from_ann + c) ~> Ben.int sum;
                    Ben.(sum - b) ~> Ann.int same;
                    Ann.ann += same == a;
                    Ben.ben++;
                    Cat.cat++;
                } else {
                    Ben.(told) ~> Cat.int from_ben;
                    Cat.int c = work(from_ben);
                    Ben.int b = work(told);
                    Cat.c ~> Ann.int from_cat;
                    Ann.int a = work(from_cat);
                    Ann.a ~> Ben.int last;
                    Ann.ann++;
                    Ben.ben += last == b;
                    Cat.cat++;
                }
            } rescue {
                Ann.ann += 1000;
                Ben.ben += 1000;
                Cat.cat += 1000;
                Cat.(cat) ~> Ben.long other;
                Ben.ben += other - ben;
            }
            {Ann, Ben, Cat}.laps = laps - 1;
        }
        return Ann.ann, Ben.ben, Cat.cat;
    }
)

#include "laps.Ann.chor.h"
#include "laps.Ben.chor.h"
#include "laps.Cat.chor.h"

// Some tens of microseconds, so that it is worth to do it elsewhere.
static int work(int lap, int fails_every)
{
    for (volatile int i = 0; i < 15000; i++)
        ;
    if (lap % fails_every == 0)
        chx_fail("lap %d", lap);
    return lap;
}

static int Ann_work(int lap)
{
    return work(lap, 11);
}

static int Ben_work(int lap)
{
    return work(lap, 13);
}

static int Cat_work(int lap)
{
    return work(lap, 17);
}

int main(void)
{
    enum { LAPS = 600 };
    struct laps_run_result result;
    if (laps_run(&result, NULL, LAPS) != CHX_OK)
        return 1;
    if (result.Ann == result.Ben && result.Ben == result.Cat)
        printf("%d laps, %ld rescued, %ld not: all three agree\n", LAPS, result.Ann / 1000, result.Ann % 1000);
    else
        printf("%ld, %ld, %ld\n", result.Ann, result.Ben, result.Cat);
    return 0;
}
