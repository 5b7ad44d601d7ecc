// Two roles fail at the same time, on two threads, again and again: one rescue for both, and the session goes on.
// matrix arguments: 2
// large: arguments 2000, prints 2000 2000
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

choreography(both_at_once, (Alice, Bob),
    void Alice.fail(void);
    void Bob.fail(void);

    def run(Alice.int rounds) -> Alice.int, Bob.int {
        Alice.int a = 0;
        Bob.int b = 0;
        Alice.rounds ~> {Alice, Bob}.n;
        while ({Alice, Bob}.(n > 0)) {
            checkpoint {
                Alice.fail();
                Bob.fail();
            } rescue {
                Alice.a++;
                Bob.b++;
            }
            {Alice, Bob}.n = n - 1;
        }
        return Alice.a, Bob.b;
    }
)

#include "both_at_once.Alice.chor.h"
#include "both_at_once.Bob.chor.h"

// Each waits a moment for the other to be about to fail, too.
static void meet_and_fail(void)
{
    static atomic_uint there;
    unsigned mine = atomic_fetch_add(&there, 1);
    for (int i = 0; i < 20000 && atomic_load(&there) / 2 == mine / 2; i++)
        ;
    chx_fail("both");
}

void Alice_fail(void)
{
    meet_and_fail();
}

void Bob_fail(void)
{
    meet_and_fail();
}

int main(int argument_count, char **arguments)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 2});
    struct both_at_once_run_result result;
    chx_session *session = both_at_once_run_start(runtime, NULL, argument_count > 1 ? atoi(arguments[1]) : 10);
    if (session == NULL || both_at_once_run_wait(session, &result) != CHX_OK)
        puts("failed");
    else
        printf("%d %d\n", result.Alice, result.Bob);
    chx_runtime_free(runtime);
    return 0;
}
