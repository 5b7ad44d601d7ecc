// worker.c: see worker.h.

#define _GNU_SOURCE

#include "tools/lsp/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The passes recurse over the user's nesting, and libclang over its own.
enum { STACK_SIZE = 64 * 1024 * 1024 };

struct Worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ready; // an eventfd
    // Under the lock:
    Arena *arena; // of a wish that nobody has begun with; NULL: there is none
    const Wish *wish;
    Analysis *made;
    bool is_working, is_ending;
};

static void *work(void *context)
{
    Worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (worker->arena == NULL && !worker->is_ending)
            pthread_cond_wait(&worker->changed, &worker->lock);
        if (worker->is_ending)
            break;
        Arena *arena = worker->arena;
        const Wish *wish = worker->wish;
        worker->arena = NULL;
        worker->is_working = true;
        pthread_mutex_unlock(&worker->lock);
        Analysis *made = analysis_new(arena, wish);
        pthread_mutex_lock(&worker->lock);
        worker->is_working = false;
        worker->made = made;
        eventfd_write(worker->ready, 1);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

Worker *worker_new(void)
{
    Worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    worker->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    bool good = worker->ready >= 0 && pthread_create(&worker->thread, &attributes, work, worker) == 0;
    pthread_attr_destroy(&attributes);
    if (good)
        return worker;
    if (worker->ready >= 0)
        close(worker->ready);
    free(worker);
    return NULL;
}

void worker_free(Worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->is_ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    if (worker->arena != NULL)
        arena_free(worker->arena);
    analysis_free(worker->made);
    close(worker->ready);
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->changed);
    free(worker);
}

int worker_descriptor(const Worker *worker)
{
    return worker->ready;
}

bool worker_is_busy(const Worker *worker_)
{
    Worker *worker = (Worker *)worker_;
    pthread_mutex_lock(&worker->lock);
    bool is_busy = worker->arena != NULL || worker->is_working || worker->made != NULL;
    pthread_mutex_unlock(&worker->lock);
    return is_busy;
}

void worker_give(Worker *worker, Arena *arena, const Wish *wish)
{
    pthread_mutex_lock(&worker->lock);
    worker->arena = arena;
    worker->wish = wish;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

Analysis *worker_take(Worker *worker)
{
    eventfd_t count;
    pthread_mutex_lock(&worker->lock);
    Analysis *made = worker->made;
    worker->made = NULL;
    if (made != NULL)
        (void)eventfd_read(worker->ready, &count);
    pthread_mutex_unlock(&worker->lock);
    return made;
}
