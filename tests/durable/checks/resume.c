// A session that goes on after a loss: chx_fence has risen, and the trace says that it is the same session in another attempt.
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(resume, (Ann, Bob),
    void Ann.say(void);
    def run() {
        checkpoint durable retry 3 {
            Ann.say();
            Ann.(1) ~> Bob._;
        }
    }
)

#include "resume.Ann.chor.h"
#include "resume.Bob.chor.h"

void Ann_say(void)
{
    printf("fence %llu\n", (unsigned long long)(chx_fence() >> 32));
    fflush(stdout);
    if (getenv("KILLED") != NULL)
        kill(0, SIGKILL);
}

static void count(const char *path, const char *what)
{
    char line[5000];
    FILE *file = fopen(path, "r");
    int found = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        found += strstr(line, what) != NULL;
    printf("%s: %d\n", what, found);
    if (file != NULL)
        fclose(file);
}

// One life of the program.
static void live(const char *isolation, const char *trace, bool is_killed)
{
    fflush(stdout);
    if (fork() != 0) {
        wait(NULL);
        return;
    }
    setpgid(0, 0);
    setenv("CHOREX_ISOLATION", isolation, 1);
    setenv("CHOREX_TRACE", trace, 1);
    if (is_killed)
        setenv("KILLED", "yes", 1);
    exit(resume_run_wait(resume_run_open(NULL, isolation, NULL)));
}

int main(void)
{
    static const char *const isolations[] = {"thread", "process"};
    char path[4096];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s.%s", getenv("STORE_FILE"), isolations[i]);
        printf("%s\n", isolations[i]);
        live(isolations[i], path, true);
        live(isolations[i], path, true);
        live(isolations[i], path, false);
        count(path, "\"resumed\":true");
        count(path, "\"cat\":\"restart\"");
    }
    return 0;
}
