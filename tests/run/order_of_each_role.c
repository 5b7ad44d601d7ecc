// Each role does its own steps in the order written, whatever the others do.
// expect: alice: 1 2 3 / bob: 1 2 3
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(order, (Alice, Bob),
    void Alice.note(int n);
    void Bob.note(int n);
    def run() {
        Bob.note(1);
        Alice.note(1);
        Alice.note(2);
        Bob.note(2);
        Alice.("now") ~> Bob._;
        Bob.note(3);
        Alice.note(3);
    }
)

#include "order.Alice.chor.h"
#include "order.Bob.chor.h"

static char alice[16], bob[16];
void Alice_note(int n) { sprintf(alice + strlen(alice), " %d", n); }
void Bob_note(int n) { sprintf(bob + strlen(bob), " %d", n); }

int main(void)
{
    if (order_run(NULL) != CHX_OK)
        return 1;
    printf("alice:%s / bob:%s\n", alice, bob);
    return 0;
}
