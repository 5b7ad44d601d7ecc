// init runs in every new instance of the role, fini at its orderly end; other roles have none.
// expect: init work fini
// expect: init work fini init work fini
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(hooked, (Alice, Bob),
    void Bob.init(void);
    void Bob.fini(void);
    void Bob.work(int n);
    def run(Alice.int n) {
        Alice.n ~> Bob.n;
        Bob.work(n);
    }
)

#include "hooked.Alice.chor.h"
#include "hooked.Bob.chor.h"

static char log_text[100];
static void note(const char *word) { strcat(strcat(log_text, log_text[0] ? " " : ""), word); }

void Bob_init(void) { note("init"); }
void Bob_fini(void) { note("fini"); }
void Bob_work(int n)
{
    if (n == 1)
        note("work");
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        if (hooked_run(NULL, 1) != CHX_OK)
            return 1;
        printf("%s\n", log_text);
    }
    return 0;
}
