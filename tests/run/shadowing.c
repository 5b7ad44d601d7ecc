// A block opens a scope: inner names shadow, also with another type, and end with the block.
// expect: 10 inner 10 / 6 8 2
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(scopes, (Alice, Bob),
    void Alice.see(int x);
    void Alice.see_text(const char *x);
    void Bob.see(int x);
    def run(Alice.int x) -> Bob.int {
        Alice.see(x);
        Bob.int n = 0;
        if (Bob.(n == 0)) {
            Alice.const char *x = "inner";
            Alice.see_text(x);
            Bob.int n = 5;
            Bob.n++;
            Bob.see(n);
        }
        {
            Bob.int n = 7;
            Bob.n++;
            Bob.see(n);
        }
        Bob.n += 2;
        Alice.see(x);
        return Bob.n;
    }
)

#include "scopes.Alice.chor.h"
#include "scopes.Bob.chor.h"

static char alice[64], bob[64];
void Alice_see(int x) { sprintf(alice + strlen(alice), "%d ", x); }
void Alice_see_text(const char *x) { sprintf(alice + strlen(alice), "%s ", x); }
void Bob_see(int x) { sprintf(bob + strlen(bob), "%d ", x); }

int main(void)
{
    struct scopes_run_result r;
    if (scopes_run(&r, NULL, 10) != CHX_OK)
        return 1;
    printf("%s/ %s%d\n", alice, bob, r.Bob);
    return 0;
}
