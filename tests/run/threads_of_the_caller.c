// Several threads of the caller run sessions at the same time.
// expect: 4 threads, 400 sessions
#include <chorex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

choreography(threads, (Alice, Bob),
    def run(Alice.int n) -> Alice.int {
        Alice.n ~> Bob.m;
        Bob.(m + 1) ~> Alice.k;
        return Alice.k;
    }
)

#include "threads.Alice.chor.h"
#include "threads.Bob.chor.h"

static void *work(void *unused)
{
    (void)unused;
    intptr_t good = 0;
    for (int i = 0; i < 100; i++) {
        struct threads_run_result r;
        if (threads_run(&r, NULL, i) == CHX_OK && r.Alice == i + 1)
            good++;
    }
    return (void *)good;
}

int main(void)
{
    pthread_t threads[4];
    intptr_t sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) {
        void *good;
        pthread_join(threads[i], &good);
        sum += (intptr_t)good;
    }
    printf("4 threads, %d sessions\n", (int)sum);
    return 0;
}
