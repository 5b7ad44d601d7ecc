// Another version of the program, in which a role has another variable, goes on with what the first has saved if the role's old version is
// linked into it under another name; without that it is refused. The old version is this file with OLD defined.
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// First without the old version, then with it.
#ifdef SECOND
#define KIND long
#elif defined LAST
#define KIND long
#else
#define KIND int
#endif

choreography(old, (Ann, Bob),
    int Ann.number(void);
    void Bob.end(void);
    def run() -> Bob.int {
        Bob.KIND held = 5;
        checkpoint durable retry 1 {
            Ann.number() ~> Bob.got;
            Bob.held = got;
            Bob.end();
        } rescue {
            Ann.(2) ~> Bob.got;
            Bob.held = got;
        }
        return Bob.((int)held);
    }
)

#ifdef OLD

#define CHX_ROLE_AS old_version_of_Bob
#include "old.Bob.chor.h"

void old_version_of_Bob_end(void)
{
    printf("the old version\n");
}

#else

#include "old.Ann.chor.h"
#include "old.Bob.chor.h"

int Ann_number(void) { return 1; }
void Bob_end(void)
{
#ifdef FIRST
    kill(0, SIGKILL);
#endif
}

int main(void)
{
    struct old_run_result result;
    chx_session *session = old_run_open(NULL, "order", NULL);
    if (session == NULL)
        printf("%s\n", chx_last_report()->why);
    else if (old_run_wait(session, &result) == CHX_OK)
        printf("result %d\n", result.Bob);
    return 0;
}

#endif
