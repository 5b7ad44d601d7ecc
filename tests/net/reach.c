// reach.c: two roles that exchange messages for as long as the test wants, and a third one, whose node decides and is the only one that is
// connected with both at times.
//
// Each process plays one role (CHOREX_ROLES). Left and Right write down each hundredth round; the exchange ends when there is a file `enough`
// in the current folder. A message that is missing, comes twice or out of order makes Right say so.

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int number;
    char bytes[20000]; // more than fits into one frame
} block;

choreography(reach, (Judge, Left, Right),
    bool Left.more(int round);
    block Left.make(int round);
    int Right.check(block got, int round);
    void Left.again(void);

    def run() -> Judge.int, Left.int, Right.int {
        Left.int sent = 0;
        Right.int round = 0;
        Judge.int seen = 0;
        checkpoint retry 1 {
            while (Left.more(sent)) {
                Left.make(sent) ~> Right.got;
                Right.round = check(got, round);
                Left.make(sent + 1) ~> Right.got;
                Right.round = check(got, round);
                Right.round ~> Left.sent;
            }
            Left.sent ~> Judge.seen;
        } rescue {
            Left.again();
            Right.(7) ~> Judge.seen;
            Left.(70) ~> Judge.more;
            Judge.seen += more;
        }
        return Judge.seen, Left.sent, Right.round;
    }
)
#include "reach.Judge.chor.h"
#include "reach.Left.chor.h"
#include "reach.Right.chor.h"

bool Left_more(int round)
{
    static const struct timespec pause_ns = {0, 1000000};
    if (round % 100 == 0)
        printf("sent %d\n", round);
    nanosleep(&pause_ns, NULL);
    return access("enough", F_OK) != 0;
}

block Left_make(int round)
{
    block made = {.number = round};
    memset(made.bytes, round & 127, sizeof made.bytes);
    return made;
}

int Right_check(block got, int round)
{
    if (got.number != round || got.bytes[0] != (round & 127) || got.bytes[sizeof got.bytes - 1] != (round & 127)) {
        printf("wrong: %d instead of %d\n", got.number, round);
        exit(4);
    }
    if (round % 100 == 0)
        printf("got %d\n", round);
    return round + 1;
}

void Left_again(void)
{
    printf("rescue\n");
}

int main(void)
{
    struct reach_run_result result;
    setvbuf(stdout, NULL, _IOLBF, 0);
    chx_status status = reach_run(&result, NULL);
    if (status != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("failed: %s: %s: %s\n", chx_status_text(status), report->role, report->why);
        return 3;
    }
    printf("good: %d %d %d\n", result.Judge, result.Left, result.Right);
    return 0;
}
