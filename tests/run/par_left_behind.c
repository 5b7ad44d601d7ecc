// An arm that one role has come to and another one never will is not waited for, and is not found by those that come later.
//! no-central
// expect: first: too late, Boss
// expect: second: 3 attempts, 42
// expect: third: 2 attempts, 43
#include <chorex.h>
#include <stdio.h>

choreography(behind, (Boss, Left, Right),
    void Boss.come_late(int attempts);
    int Left.answer(int what);
    // Left is at its end when Boss fails, outside of all blocks.
    def first() {
        Boss.come_late(1);
        par { Left.(1) ~> Boss._; } and { Right.(2) ~> Boss._; }
    }
    // Left is at the end of the inner block, whose record is used again in the next attempt.
    def second() -> Boss.int {
        Boss.int x = 0;
        checkpoint retry 5 {
            checkpoint {
                Boss.come_late(2);
                par { Left.answer(42) ~> Boss.x; } and { Right.(2) ~> Boss._; }
            }
        }
        return Boss.x;
    }
    // The same in an arm, where the name of the outer arm is used again.
    def third() -> Boss.int {
        Boss.int x = 0;
        checkpoint retry 5 {
            par {
                Boss.come_late(1);
                par { Left.answer(43) ~> Boss.x; } and { Right.(2) ~> Boss._; }
            }
        }
        return Boss.x;
    }
)

#include "behind.Boss.chor.h"
#include "behind.Left.chor.h"
#include "behind.Right.chor.h"

static int attempts;
static bool has_waited;

void Boss_come_late(int failing)
{
    // The others have done all that they can by then.
    if (!has_waited) {
        has_waited = true;
        chx_again_after(30000000);
    }
    has_waited = false;
    if (attempts++ < failing)
        chx_fail("too late");
}

int Left_answer(int what)
{
    return what;
}

int main(void)
{
    struct behind_second_result second = {0};
    struct behind_third_result third = {0};
    struct behind_cast cast = {.Boss.context = &attempts};
    behind_first(&cast);
    printf("first: %s, %s\n", chx_last_report()->why, chx_last_report()->role);
    attempts = 0;
    if (behind_second(&second, &cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("second: %d attempts, %d\n", attempts, second.Boss);
    attempts = 0;
    if (behind_third(&third, &cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("third: %d attempts, %d\n", attempts, third.Boss);
    return 0;
}
