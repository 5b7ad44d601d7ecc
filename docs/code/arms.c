// Arms, side by side.
//! no-process
#include <chorex.h>
#include <stdio.h>
#include <string.h>

//[farm]
choreography(pool, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(void);
    void Queue.give_back(int job);
    void Queue.store(size_t worker, int result);
    int Worker.work(int job);

    def run() {
        par (w : Worker) {                        // an arm for each worker
            while (Queue.has_job()) {
                Queue.int job = take_job();
                checkpoint {
                    Queue.job ~> w.job;
                    w.work(job) ~> Queue.result;  // while one arm waits here, Queue serves the others
                    Queue.store(w, result);
                } rescue {                        // of this worker and Queue, in this arm
                    Queue.give_back(job);
                }
            }
        }
    }
    //[/farm]
)

#include "pool.Queue.chor.h"
#include "pool.Worker.chor.h"

choreography(fetch, (Main, ContentServer, KeyServer),
    long ContentServer.size_of(const char *name);
    int KeyServer.key(void);

    //[two]
    def page(Main.const char *name) -> Main.long {
        Main.long size = 0;
        Main.int key = 0;
        par {
            Main.name ~> ContentServer.name;
            ContentServer.size_of(name) ~> Main.size;
        } and {
            KeyServer.key() ~> Main.key;
        }
        return Main.(size + key);                     // when both are there
    }
    //[/two]
)

#include "fetch.ContentServer.chor.h"
#include "fetch.KeyServer.chor.h"
#include "fetch.Main.chor.h"

enum { JOBS = 20 };
static int jobs[2 * JOBS], next_job, job_count, sum;

bool Queue_has_job(void)
{
    return next_job < job_count;
}

int Queue_take_job(void)
{
    return jobs[next_job++];
}

void Queue_give_back(int job)
{
    jobs[job_count++] = job;
}

void Queue_store(size_t worker, int result)
{
    (void)worker;
    sum += result;
}

int Worker_work(int job)
{
    static bool has_failed[JOBS];
    if (job % 5 == 0 && !has_failed[job]) {
        has_failed[job] = true;
        chx_fail("job %d has failed", job);
    }
    return 2 * job;
}

long ContentServer_size_of(const char *name)
{
    return (long)strlen(name);
}

int KeyServer_key(void)
{
    return 7000;
}

int main(void)
{
    struct fetch_page_result page;
    for (; job_count < JOBS; job_count++)
        jobs[job_count] = job_count;
    if (pool_run(&(struct pool_cast){.Worker.count = 3}) != CHX_OK || fetch_page(&page, NULL, "index") != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d %ld\n", sum, page.Main);
    return sum == JOBS * (JOBS - 1) && page.Main == 7005 ? 0 : 1;
}
