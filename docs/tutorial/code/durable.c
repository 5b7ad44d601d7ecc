// The calculator of service.c as a session that is kept in a store: the program itself may be killed at any time, too, and the machine may lose
// its power.
//! skip: it needs a store, and waits for requests; the sessions of the page run it

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
        checkpoint durable for (;;) {           // each round is a block, and on the disk before it begins
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

void Front_give(chx_str answer, long position)
{
    FILE *file = fopen("answers", "r+");
    if (file == NULL)
        chx_fail("there is no file 'answers'");
    fseek(file, position, SEEK_SET);
    fputs(chx_cstr(answer), file);
    fclose(file);
}

long Worker_compute(long total, const char *request)
{
    long number;
    if (sscanf(request, "add %ld", &number) == 1)
        return total + number;
    if (sscanf(request, "divide %ld", &number) == 1)
        return total / number; // and if it is 0?
    if (strcmp(request, "die") == 0)
        raise(SIGKILL); // what the administrator's `kill -9` does
    chx_fail("this is not a request");
}

//[main]
int main(void)
{
    struct calc_cast cast = {0};
    cast.Worker.isolation = cast.Front.isolation = CHX_PROCESS;
    FILE *answers = fopen("answers", "a"); // it is made if it is not there
    if (answers == NULL || fclose(answers) != 0)
        return 1;
    struct calc_run_result result;
    chx_session *session = calc_run_open(NULL, "calculator", &cast);
    if (calc_run_wait(session, &result) != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    printf("the total is %ld\n", result.Worker);
    return 0;
}
//[/main]
