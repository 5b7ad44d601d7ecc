// A failure stops roles that wait for messages, are in loops, or hold strings, and releases what they hold.
// expect: Alice: no more
#include <chorex.h>
#include <stdio.h>

choreography(waiting, (Alice, Bob, Carol),
    int Alice.step(int n);
    def run(Alice.int n) -> Carol.chx_str {
        Carol.chx_str text = chx_strf("%s", "kept");
        Bob.const char *word = "held";
        while (Alice.(step(n) > 0)) {
            Alice.(chx_strf("%d", n)) ~> Bob.s;
            Bob.(chx_strf("%s %s", word, chx_cstr(s))) ~> Carol.text;
            Alice.n--;
        }
        return Carol.text;
    }
)

#include "waiting.Alice.chor.h"
#include "waiting.Bob.chor.h"
#include "waiting.Carol.chor.h"

int Alice_step(int n)
{
    if (n == 3)
        chx_fail("no more");
    return n;
}

int main(void)
{
    if (waiting_run(NULL, NULL, 100) != CHX_FAILED)
        return 1;
    printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
    return 0;
}
