// Another version of the program, in which a role has another variable, does not touch what the first has saved.
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#ifdef SECOND
#define KIND long
#else
#define KIND int
#endif

choreography(version, (Ann, Bob),
    int Ann.number(void);
    void Bob.end(void);
    def run() -> Bob.int {
        Bob.KIND held = 5;
        checkpoint durable {
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

#include "version.Ann.chor.h"
#include "version.Bob.chor.h"

int Ann_number(void) { return 1; }
void Bob_end(void)
{
#ifdef FIRST
    kill(0, SIGKILL);
#endif
}

int main(void)
{
    struct version_run_result result;
    chx_session *session = version_run_open(NULL, "order-4711", NULL);
    if (session == NULL)
        printf("%s\n", chx_last_report()->why);
    else if (version_run_wait(session, &result) == CHX_OK)
        printf("result %d\n", result.Bob);
    return 0;
}
