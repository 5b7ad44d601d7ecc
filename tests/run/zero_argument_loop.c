// A function without parameters or results calls itself until a role has had enough.
// expect: 5 rounds
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>

choreography(again, (Alice, Bob),
    bool Alice.more(void);
    void Bob.hear(int n);
    def run() {
        if (Alice.more()) {
            Alice.(1) ~> Bob.n;
            Bob.hear(n);
            run();
        }
    }
)

#include "again.Alice.chor.h"
#include "again.Bob.chor.h"

static int asked, heard;

bool Alice_more(void) { return ++asked <= 5; }
void Bob_hear(int n) { heard += n; }

int main(void)
{
    if (again_run(NULL) != CHX_OK)
        return 1;
    printf("%d rounds\n", heard);
    return 0;
}
