// Many sessions at once share their commits, also when all of them are gone on with after a loss.
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 200 };

choreography(many, (Ann, Bob),
    int Ann.twice(int number);
    def run(Ann.int number) -> Bob.int {
        Bob.sum = 0;
        checkpoint durable retry 3 {
            Ann.twice(number) ~> Bob.sum;
        }
        checkpoint durable retry 3 {
            Ann.twice(number) ~> Bob.more;
            Bob.sum += more;
        }
        return Bob.sum;
    }
)

#include "many.Ann.chor.h"
#include "many.Bob.chor.h"

int Ann_twice(int number) { return 2 * number; }

static int run_all(void)
{
    chx_session *sessions[COUNT];
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "session %d", i);
        sessions[i] = many_run_open(NULL, name, NULL, i);
    }
    for (int i = 0; i < COUNT; i++) {
        struct many_run_result result;
        wrong += many_run_wait(sessions[i], &result) != CHX_OK || result.Bob != 4 * i;
    }
    return wrong;
}

int main(void)
{
    int status;
    setpgid(0, 0);
    pid_t first = fork();
    if (first == 0) {
        setpgid(0, 0);
        setenv("FILE_STORE_AT", "4:before", 1);
        return run_all();
    }
    waitpid(first, &status, 0);
    printf("the first one %s\n", WIFSIGNALED(status) ? "is killed" : "ends");
    printf("wrong: %d\n", run_all());
    FILE *log = fopen(getenv("FILE_STORE_LOG"), "r");
    int commits = 0;
    for (int byte; log != NULL && (byte = fgetc(log)) != EOF;)
        commits += byte == '\n';
    // Six each, one by one.
    printf("commits are shared: %s\n", commits < 3 * COUNT ? "yes" : "no");
    if (log != NULL)
        fclose(log);
    return 0;
}
