// A calculator as a service: requests are lines of a file, answers those of another one. Front deals with the files, Worker
// computes. Both are processes of their own, and either may be killed at any time.
//! skip: it waits for requests; the sessions of the page and tests/process/service run it

#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

//[choreography]
choreography(calc, (Worker, Front),
    chx_str Front.wait_for_request(long position);
    void    Front.give(chx_str answer, long position);
    long    Worker.compute(long total, const char *request);

    def run() -> Worker.long {
        Worker.long total = 0;
        Front.chx_str answer = {0};             // to the request before
        Front.long answers_end = 0;             // where it belongs in the file of answers
        Front.long next = 0;                    // where the next request begins in the file of requests
        checkpoint for (;;) {                   // each round is a block
            Front.give(answer, answers_end);
            Front.answers_end += chx_str_len(answer);
            Front.request = wait_for_request(next);
            Front.next += chx_str_len(request) + 1;
            if (Front.is_stop(request)) {
                return Worker.total;
            }
            checkpoint within 2s {              // the work is a block of its own
                Front.request ~> Worker.chx_str request;
                Worker.total = compute(total, chx_cstr(request));
                Worker.total ~> Front.result;
                Front.answer = chx_strf("%s: %ld\n", chx_cstr(request), result);
            } rescue (fault) {
                Front.answer = chx_strf("%s: no answer, %s failed, %s\n", chx_cstr(request), fault.role, fault.why);
            }
        } rescue {
        }
    }
)
//[/choreography]

#include "calc.Front.chor.h"
#include "calc.Worker.chor.h"

//[request]
chx_str Front_wait_for_request(long position)
{
    char line[1000] = "";
    FILE *file = fopen("requests", "r");
    if (file != NULL) {
        fseek(file, position, SEEK_SET);
        if (fgets(line, sizeof line, file) == NULL)
            line[0] = '\0';
        fclose(file);
    }
    if (strchr(line, '\n') == NULL)
        chx_again_after(10000000); // not yet: call this step again in ten milliseconds
    return chx_str_new(line, strcspn(line, "\n"));
}

bool Front_is_stop(chx_str request)
{
    return strcmp(chx_cstr(request), "stop") == 0;
}
//[/request]

//[give]
void Front_give(chx_str answer, long position)
{
    FILE *file = fopen("answers", "r+");
    if (file == NULL)
        chx_fail("there is no file 'answers'");
    fseek(file, position, SEEK_SET);
    fputs(chx_cstr(answer), file);
    fclose(file);
}
//[/give]

//[worker]
long Worker_compute(long total, const char *request)
{
    long number;
    if (sscanf(request, "add %ld", &number) == 1)
        return total + number;
    if (sscanf(request, "divide %ld", &number) == 1)
        return total / number; // and if it is 0?
    if (strcmp(request, "die") == 0)
        raise(SIGKILL); // what the administrator's `kill -9` does
    if (strcmp(request, "sleep") == 0)
        for (;;)
            pause(); // for ever
    chx_fail("this is not a request");
}
//[/worker]

//[main]
int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    struct calc_cast cast = {0};
    cast.Worker.isolation = cast.Front.isolation = threads ? CHX_THREAD : CHX_PROCESS;
    FILE *answers = fopen("answers", "w"); // empty at the beginning
    if (answers == NULL || fclose(answers) != 0)
        return 1;
    struct calc_run_result result;
    if (calc_run(&result, &cast) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s failed in line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    printf("the total is %ld\n", result.Worker);
    return 0;
}
//[/main]
