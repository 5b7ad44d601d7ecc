// A step that ends without a result gives back at once what it has made: it waits often, and memory does not grow.
// expect: 200 calls, at most 10 strings at a time
//! no-central
//! no-process
#include <chorex.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 200, SIZE = 100000 };
static size_t before, most; // bytes that the program has allocated

choreography(maker, (Alice, Bob),
    chx_str Alice.make(void);
    def run() -> Bob.int {
        Alice.make() ~> Bob.text;
        return Bob.((int)strlen(chx_cstr(text)));
    }
)

#include "maker.Alice.chor.h"
#include "maker.Bob.chor.h"

// With a sanitizer it is 0.
static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

chx_str Alice_make(void)
{
    static int calls;
    static char filler[SIZE];
    memset(filler, 'x', sizeof filler);
    chx_str text = chx_strf("%.*s", SIZE, filler);
    size_t now = allocated();
    most = now > most ? now : most;
    if (++calls < CALLS)
        chx_again_after(1000);
    return text;
}

int main(void)
{
    struct maker_run_result result;
    before = allocated();
    if (maker_run(&result, NULL) != CHX_OK || result.Bob != SIZE)
        return 1;
    printf("%d calls, at most %s strings at a time\n", CALLS, most - before <= (size_t)10 * SIZE ? "10" : "many");
    return 0;
}
