// A calculator as a service: Front talks to the outside, Worker computes, and a request that kills Worker costs nothing
// but its own answer.

#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

//[choreography]
choreography(calculator, (Worker, Front),
    const char *Front.request(void);
    long        Worker.compute(const char *request);

    def run() -> Worker.{int, int} {
        Worker.int answered = 0;
        Worker.int lost = 0;
        for (;;) {
            Front.chx_str reply = {0};
            checkpoint {                            // Worker may die while it waits,
                if (Front.has_request()) {
                    checkpoint within 2s {          // and while it works
                        Front.request() ~> Worker.request;
                        Worker.compute(request) ~> Front.answer;
                        Front.reply = chx_strf("%ld", answer);
                        Worker.answered++;
                    } rescue (fault) {
                        Front.reply = chx_strf("no answer: %s failed, %s", fault.role, fault.why);
                        Worker.lost++;
                    }
                } else {
                    return Worker.{answered, lost};
                }
            } rescue {
                continue;
            }
            Front.print(reply);
        }
    }
)
//[/choreography]

#include "calculator.Front.chor.h"
#include "calculator.Worker.chor.h"

//[front]
static char line[1000];

bool Front_has_request(void)
{
    return line[0] != '\0' || fgets(line, sizeof line, stdin) != NULL;
}

const char *Front_request(void)
{
    line[strcspn(line, "\n")] = '\0';
    return line;
}

void Front_print(chx_str reply)
{
    printf("%s\n", chx_cstr(reply));
    fflush(stdout);
    line[0] = '\0';
}
//[/front]

//[worker]
long Worker_compute(const char *request)
{
    int a, b;
    if (sscanf(request, "add %d %d", &a, &b) == 2)
        return (long)a + b;
    if (sscanf(request, "divide %d %d", &a, &b) == 2)
        return a / b; // and if b is 0?
    if (strcmp(request, "who") == 0)
        return getpid();
    if (strcmp(request, "die") == 0)
        raise(SIGKILL); // what the administrator's `kill -9` does
    if (strcmp(request, "sleep") == 0)
        for (;;)
            pause(); // for ever
    chx_fail("'%s' is not a request", request);
}
//[/worker]

//[main]
int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    struct calculator_cast cast = {0};
    cast.Worker.isolation = threads ? CHX_THREAD : CHX_PROCESS;
    cast.Worker.restarts_max = 10; // more failures within a minute end the session
    cast.Worker.restarts_period_ms = 60000;
    struct calculator_run_result result;
    if (calculator_run(&result, &cast) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("%d answered, %d lost\n", result.Worker.v0, result.Worker.v1);
    return 0;
}
//[/main]

