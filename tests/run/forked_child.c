// A forked child can run sessions of its own and can exit, whatever its parent has done before; neither disturbs the other.
// AddressSanitizer's allocator has locks that a fork copies as they are: a child whose parent's workers were freeing something waits for ever.
//! no-sanitizer
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(forked, (A, B),
    int B.twice(int n);

    def run(A.int x) -> A.int {
        checkpoint {
            A.x ~> B.y;
            B.twice(y) ~> A.z;
            return A.z;
        } rescue {
            return A.(-1);
        }
    }
)

#include "forked.A.chor.h"
#include "forked.B.chor.h"

enum { MANY = 100 };

int B_twice(int n)
{
    if (n == 13)
        chx_fail("13");
    return 2 * n;
}

static void play(const char *who, int x)
{
    struct forked_run_result result;
    if (forked_run(&result, NULL, x) == CHX_OK)
        printf("%s: %d\n", who, result.A);
    else
        printf("%s: %s\n", who, chx_last_report()->why);
    fflush(stdout);
}

// So that there are threads.
static void play_many(void)
{
    chx_session *sessions[MANY];
    for (int i = 0; i < MANY; i++)
        sessions[i] = forked_run_start(NULL, NULL, 100 + i);
    for (int i = 0; i < MANY; i++)
        if (sessions[i] == NULL || forked_run_wait(sessions[i], NULL) != CHX_OK)
            printf("session %d: %s\n", i, chx_last_report()->why);
}

int main(void)
{
    play("parent", 1);
    play_many();
    for (int plays = 0; plays <= 1; plays++) {
        pid_t child = fork();
        if (child == 0) {
            if (plays) {
                play("child", 3);
                play("child", 13);
                play_many();
            }
            exit(7);
        }
        int status;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
            printf("the child ended with %#x\n", (unsigned)status);
        play("parent", 4);
    }
    return 0;
}
// expect: parent: 2
// expect: parent: 8
// expect: child: 6
// expect: child: -1
// expect: parent: 8
