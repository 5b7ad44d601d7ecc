// A pool of workers, each in a process of its own, in arms side by side: whoever is ready gets the next job. Every 50 ms one of them is
// killed (SIGKILL). Its job goes back into the queue, and nobody else notices.
//! no-central
//! no-sim
// expect: 600 jobs done, each once
// expect: 10 workers killed, and no other one disturbed

#include <chorex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

choreography(pool, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(size_t worker);
    void Queue.begins(size_t worker, int process);
    void Queue.store(size_t worker, int result);
    void Queue.give_back(size_t worker);
    int Worker.process(void);
    int Worker.work(int job);

    def run() {
        par (w : Worker) {                            // an arm for each worker
            checkpoint while (Queue.has_job()) {      // from the first round on a worker may be killed at any time
                Queue.take_job(w) ~> w.job;
                w.process() ~> Queue.process;
                Queue.begins(w, process);
                w.work(job) ~> Queue.result;          // meanwhile Queue serves the others
                Queue.store(w, result);
            } rescue {                                // of this worker and Queue, in this arm
                Queue.give_back(w);
            }
        }
    }
)

#include "pool.Queue.chor.h"
#include "pool.Worker.chor.h"

enum { WORKERS = 4, JOBS = 600, KILLS = 10, NO_JOB = -1 };
static const struct timespec between_kills = {.tv_nsec = 50000000}, a_moment = {.tv_nsec = 1000000};

// ---- Queue: a thread of the program. Its functions never run at the same time, whatever arm calls them. ----

static int waiting[JOBS], waiting_count; // jobs that nobody works at
static int job_of[WORKERS], rescues[WORKERS], times_done[JOBS];

// What the thread that kills looks at, too.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int process_of[WORKERS]; // 0: not known, or killed
static int done, killed[WORKERS];

bool Queue_has_job(void)
{
    return waiting_count > 0;
}

int Queue_take_job(size_t worker)
{
    return job_of[worker] = waiting[--waiting_count];
}

void Queue_begins(size_t worker, int process)
{
    pthread_mutex_lock(&lock);
    process_of[worker] = process;
    pthread_mutex_unlock(&lock);
}

void Queue_store(size_t worker, int result)
{
    int job = job_of[worker];
    if (result != job * job)
        abort();
    times_done[job]++;
    job_of[worker] = NO_JOB;
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
}

void Queue_give_back(size_t worker)
{
    rescues[worker]++;
    if (job_of[worker] != NO_JOB)
        waiting[waiting_count++] = job_of[worker];
    job_of[worker] = NO_JOB;
}

// ---- Worker: a process ----

int Worker_process(void)
{
    return (int)getpid();
}

// Jobs take from 1 to 12 ms.
int Worker_work(int job)
{
    nanosleep(&(struct timespec){.tv_nsec = (1 + job * 7 % 12) * 1000000L}, NULL);
    return job * job;
}

// ---- whoever kills them ----

// While there are more jobs than workers nobody leaves the loop, and a process that has said who it is may be killed.
static bool kill_one(size_t worker, bool *is_late)
{
    pthread_mutex_lock(&lock);
    *is_late = JOBS - done <= 2 * WORKERS;
    int process = *is_late ? 0 : process_of[worker];
    if (process != 0) {
        kill(process, SIGKILL);
        process_of[worker] = 0;
        killed[worker]++;
    }
    pthread_mutex_unlock(&lock);
    return process != 0;
}

static void *killer(void *nothing)
{
    bool is_late = false;
    for (size_t i = 0; i < KILLS && !is_late; i++) {
        nanosleep(&between_kills, NULL);
        // If the one whose turn it is has been killed and not begun again, then another one.
        for (size_t k = i; !is_late && !kill_one(k % WORKERS, &is_late); k++)
            nanosleep(&a_moment, NULL);
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < JOBS; i++)
        waiting[waiting_count++] = i;
    if (pthread_create(&thread, NULL, killer, NULL) != 0)
        return 1;
    // Queue has a context, so that it is a thread of the program wherever the others are.
    struct pool_cast cast = {.Queue.context = &done, .Worker = {.count = WORKERS, .each.isolation = CHX_PROCESS}};
    if (pool_run(&cast) != CHX_OK)
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
    pthread_join(thread, NULL);
    int once = 0, kills = 0, disturbed = 0;
    for (int i = 0; i < JOBS; i++)
        once += times_done[i] == 1;
    for (int i = 0; i < WORKERS; i++) {
        kills += killed[i];
        disturbed += rescues[i] != killed[i];
    }
    printf("%d jobs done, each once\n", once);
    printf("%d workers killed, and %s disturbed\n", kills, disturbed == 0 ? "no other one" : "others");
    return 0;
}
