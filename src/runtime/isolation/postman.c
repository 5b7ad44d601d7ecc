// postman.c: the thread that looks after isolated roles. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/core/log.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum { EVENTS = 64, LOOK_EVERY = 64, NURSERY_TRIES = 50 };

// ---- houses ----

void house_block_lock(House *house)
{
    pthread_mutex_lock(&house->session->block_lock);
    house->session->is_alone = false;
}

void house_block_unlock(House *house)
{
    Session *session = house->session;
    unsigned leaving = house->left_count - house->given_back;
    house->given_back = house->left_count;
    bool is_over = house->left_count == house->link_count;
    pthread_mutex_unlock(&session->block_lock);
    if (is_over && leaving > 0)
        isolation_remove(house);
    while (leaving-- > 0)
        session_leave(session);
}

static uint64_t now_ns(const Isolation *isolation)
{
    return isolation->runtime->platform->now_ns();
}

void isolation_add(House *house)
{
    Isolation *isolation = house->isolation;
    pthread_mutex_lock(&isolation->lock);
    house->next = isolation->houses;
    if (house->next != NULL)
        house->next->link_here = &house->next;
    house->link_here = &isolation->houses;
    isolation->houses = house;
    pthread_mutex_unlock(&isolation->lock);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = house};
    epoll_ctl(isolation->epoll, EPOLL_CTL_ADD, house->bell, &event);
}

static void house_rest(House *house)
{
    Isolation *isolation = house->isolation;
    for (unsigned i = 0; i < isolation->busy_count; i++)
        if (isolation->busy[i] == house)
            isolation->busy[i] = isolation->busy[--isolation->busy_count];
    house->busy_ns = 0;
}

void isolation_remove(House *house)
{
    Isolation *isolation = house->isolation;
    epoll_ctl(isolation->epoll, EPOLL_CTL_DEL, house->bell, NULL);
    house_rest(house);
    pthread_mutex_lock(&isolation->lock);
    *house->link_here = house->next;
    if (house->next != NULL)
        house->next->link_here = house->link_here;
    pthread_mutex_unlock(&isolation->lock);
}

// Somebody closes all descriptors, also those that he has not opened: we would wait for ever.
static CHX_NORETURN void descriptor_lost(void)
{
    log_misuse(
        "the program has closed descriptors of the chorex library: roles in processes can't be reached any more");
}

void isolation_ring(Isolation *isolation)
{
    if (eventfd_write(isolation->bell, 1) != 0 && errno != EAGAIN)
        descriptor_lost();
}

void isolation_number(Link *link)
{
    Isolation *isolation = link->house->isolation;
    pthread_mutex_lock(&isolation->lock);
    link->id = ++isolation->last_id;
    Link **bucket = &isolation->by_id[link->id % LINK_BUCKETS];
    link->next_by_id = *bucket;
    *bucket = link;
    pthread_mutex_unlock(&isolation->lock);
}

void isolation_forget(Link *link)
{
    Isolation *isolation = link->house->isolation;
    if (link->id == 0)
        return;
    pthread_mutex_lock(&isolation->lock);
    Link **place = &isolation->by_id[link->id % LINK_BUCKETS];
    while (*place != link)
        place = &(*place)->next_by_id;
    *place = link->next_by_id;
    pthread_mutex_unlock(&isolation->lock);
    link->id = 0;
}

static Link *link_by_id(Isolation *isolation, uint64_t id)
{
    pthread_mutex_lock(&isolation->lock);
    Link *link = isolation->by_id[id % LINK_BUCKETS];
    while (link != NULL && link->id != id)
        link = link->next_by_id;
    pthread_mutex_unlock(&isolation->lock);
    return link;
}

static House *houses_first(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    House *first = isolation->houses;
    pthread_mutex_unlock(&isolation->lock);
    return first;
}

// ---- what there is to do ----

static bool house_has_posts(const House *house)
{
    for (unsigned i = 0; i < house->link_count; i++) {
        const Link *link = &house->links[i];
        if (link->state == LINK_ALIVE && !link->is_condemned &&
            atomic_load(&link->seat->posts_tail) != link->posts_head)
            return true;
    }
    return false;
}

// Afterwards the house may be gone. False: it is, or there was nothing.
static bool house_serve(House *house)
{
    if (!house_has_posts(house))
        return false;
    house_block_lock(house);
    for (unsigned i = 0; i < house->link_count; i++)
        link_take_posts(&house->links[i]);
    bool is_over = house->left_count == house->link_count;
    house_block_unlock(house);
    return !is_over;
}

// There was something: more is likely to follow at once, and a process need not ring for it.
static void house_stay(House *house)
{
    Isolation *isolation = house->isolation;
    if (house->busy_ns == 0) {
        if (isolation->busy_count == BUSY_HOUSES)
            return;
        isolation->busy[isolation->busy_count++] = house;
        atomic_store(&house->head->postman_awake, 1);
    }
    house->busy_ns = now_ns(isolation) + POSTMAN_SPIN_NS;
}

// Does not wait, also when a process that has it too wants that.
static void house_bell_clear(House *house)
{
    eventfd_t count;
    struct iovec part = {&count, sizeof count};
    if (preadv2(house->bell, &part, 1, -1, RWF_NOWAIT) < 0 && errno == EOPNOTSUPP)
        eventfd_read(house->bell, &count);
}

static void house_rung(House *house)
{
    house_bell_clear(house);
    if (house_serve(house))
        house_stay(house);
}

static void serve_busy(Isolation *isolation)
{
    uint64_t now = now_ns(isolation);
    for (unsigned i = isolation->busy_count; i > 0; i--) {
        if (i > isolation->busy_count)
            continue;
        House *house = isolation->busy[i - 1];
        if (house_serve(house)) {
            house_stay(house);
        } else if (i <= isolation->busy_count && isolation->busy[i - 1] == house && now > house->busy_ns) {
            house_rest(house);
            // In this order: who posts rings if it sees this, and we look once more.
            atomic_store(&house->head->postman_awake, 0);
            house_serve(house);
        }
    }
}

static uint64_t run_timers(Isolation *isolation)
{
    uint64_t now = now_ns(isolation), next_ns = UINT64_MAX;
    for (House *house = houses_first(isolation), *next; house != NULL; house = next) {
        next = house->next;
        house_block_lock(house);
        for (unsigned i = 0; i < house->link_count; i++) {
            Link *link = &house->links[i];
            if (link->state != LINK_LEFT && link->state != LINK_NEW)
                link_run_timers(link, now);
            uint64_t due_ns = link_next_ns(link);
            next_ns = due_ns < next_ns ? due_ns : next_ns;
        }
        house_block_unlock(house);
    }
    return next_ns;
}

// Everything that may have been missed because a process has written over what it should not. True: there are houses.
static bool look_after_all(Isolation *isolation)
{
    bool is_any = false;
    for (House *house = houses_first(isolation), *next; house != NULL; house = next) {
        next = house->next;
        is_any = true;
        house_block_lock(house);
        atomic_store(&house->head->postman_awake, house->busy_ns != 0);
        for (unsigned i = 0; i < house->link_count; i++)
            link_take_posts(&house->links[i]);
        house_look_for_ended(house);
        house_look_for_deadlock(house);
        house_wake_all(house);
        house_block_unlock(house);
    }
    return is_any;
}

// ---- the nursery ----

static void nursery_watch(Isolation *isolation)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &isolation->nursery};
    if (isolation->nursery.socket >= 0)
        epoll_ctl(isolation->epoll, EPOLL_CTL_ADD, isolation->nursery.socket, &event);
}

static void nursery_revive(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    if (isolation->nursery.socket < 0 && nursery_start(&isolation->nursery))
        nursery_watch(isolation);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
}

static void nursery_message(Isolation *isolation, const NurseryMessage *message)
{
    if (message->kind == NURSERY_BEGUN) {
        isolation->nursery.unbegun = 0;
        return;
    }
    Link *link = link_by_id(isolation, message->id);
    if (link == NULL)
        return;
    House *house = link->house;
    house_block_lock(house);
    if (message->kind == NURSERY_EXITED)
        link_died(link, message->status);
    else
        link_not_born(link, message->status);
    house_block_unlock(house);
}

static void link_lost(Link *link, bool had_begun, bool tries_again)
{
    if (had_begun) {
        link_died(link, SIGKILL);
    } else if (tries_again) {
        // There was never a process for it.
        isolation_forget(link);
        link_spawn(link);
    } else {
        link_not_born(link, ECHILD);
    }
}

// All its children have died with it.
static void nursery_lost(Isolation *isolation)
{
    bool had_begun = isolation->nursery.unbegun == 0;
    bool tries_again = isolation->nursery.unbegun < NURSERY_TRIES;
    log_write(isolation->runtime, CHX_LOG_WARN, "the process that starts isolated roles %s",
              tries_again ? "was lost; there is a new one" : "can't be started");
    atomic_store(&isolation->nursery.is_replaced, tries_again);
    nursery_end(&isolation->nursery);
    // Else each start of a session tries again.
    if (tries_again)
        nursery_revive(isolation);
    atomic_store(&isolation->nursery.is_replaced, false);
    uint64_t last_id = isolation->last_id;
    for (House *house = houses_first(isolation), *next; house != NULL; house = next) {
        next = house->next;
        house_block_lock(house);
        for (unsigned i = 0; i < house->link_count; i++)
            if (house->links[i].state == LINK_ALIVE && house->links[i].id <= last_id)
                link_lost(&house->links[i], had_begun, tries_again);
        house_block_unlock(house);
    }
}

static void nursery_speaks(Isolation *isolation)
{
    NurseryMessage message;
    int heard;
    while ((heard = nursery_hear(&isolation->nursery, &message)) == 1)
        nursery_message(isolation, &message);
    if (heard < 0)
        nursery_lost(isolation);
}

// ---- the thread ----

static int events_await(Isolation *isolation, struct epoll_event *events, uint64_t due_ns)
{
    if (isolation->busy_count > 0)
        return epoll_wait(isolation->epoll, events, EVENTS, 0);
    if (due_ns == UINT64_MAX)
        return epoll_wait(isolation->epoll, events, EVENTS, -1);
    uint64_t now = now_ns(isolation), left_ns = due_ns > now ? due_ns - now : 0;
    return epoll_wait(isolation->epoll, events, EVENTS, (int)(left_ns / 1000000 + (left_ns % 1000000 != 0)));
}

static void *postman_main(void *argument)
{
    Isolation *isolation = argument;
    struct epoll_event events[EVENTS];
    uint64_t due_ns = UINT64_MAX, look_ns = UINT64_MAX, look_every_ns = LOOK_MIN_NS;
    while (!atomic_load(&isolation->closing)) {
        for (int i = 0; isolation->busy_count > 0 && i < LOOK_EVERY; i++) {
            serve_busy(isolation);
            // Who is looked after may need this processor.
            if (i < PATIENCE_LOOKS)
                isolation->runtime->platform->relax();
            else
                sched_yield();
        }
        int count = events_await(isolation, events, due_ns < look_ns ? due_ns : look_ns);
        if (count < 0 && errno != EINTR)
            descriptor_lost();
        bool is_rung = due_ns <= now_ns(isolation), is_new = false;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &isolation->nursery) {
                nursery_speaks(isolation);
                is_new = true;
            } else if (events[i].data.ptr == isolation) {
                eventfd_t rings;
                eventfd_read(isolation->bell, &rings);
                is_rung = true;
            } else {
                // It may have gone because of an event before this one.
                House *house = houses_first(isolation);
                while (house != NULL && house != events[i].data.ptr)
                    house = house->next;
                if (house != NULL)
                    house_rung(house);
            }
        }
        if (is_rung)
            due_ns = run_timers(isolation);
        if (is_rung || is_new) {
            look_every_ns = LOOK_MIN_NS;
            look_ns = now_ns(isolation) + look_every_ns;
        } else if (look_ns <= now_ns(isolation)) {
            look_every_ns = look_every_ns * 2 < LOOK_MAX_NS ? look_every_ns * 2 : LOOK_MAX_NS;
            look_ns = look_after_all(isolation) ? now_ns(isolation) + look_every_ns : UINT64_MAX;
        }
    }
    return NULL;
}

static bool isolation_init(Isolation *isolation, chx_runtime *runtime)
{
    *isolation = (Isolation){.runtime = runtime, .nursery = {.socket = -1, .life = -1}, .epoll = -1, .bell = -1};
    isolation->patience_ns = runtime->platform->cores() > 1 ? PATIENCE_NS : 0;
    pthread_mutex_init(&isolation->lock, NULL);
    pthread_mutex_init(&isolation->nursery.lock, NULL);
    isolation->epoll = file_high(epoll_create1(EPOLL_CLOEXEC));
    isolation->bell = file_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (isolation->epoll < 0 || isolation->bell < 0 || !nursery_start(&isolation->nursery))
        return false;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = isolation};
    epoll_ctl(isolation->epoll, EPOLL_CTL_ADD, isolation->bell, &event);
    nursery_watch(isolation);
    isolation->has_thread = runtime->platform->thread_start(&isolation->thread, postman_main, isolation);
    if (!isolation->has_thread)
        errno = EAGAIN;
    return isolation->has_thread;
}

static void isolation_free(Isolation *isolation)
{
    chx_runtime *runtime = isolation->runtime;
    atomic_store(&isolation->closing, true);
    if (isolation->has_thread) {
        isolation_ring(isolation);
        runtime->platform->thread_join(isolation->thread);
    }
    nursery_end(&isolation->nursery);
    if (isolation->epoll >= 0)
        close(isolation->epoll);
    if (isolation->bell >= 0)
        close(isolation->bell);
    pthread_mutex_destroy(&isolation->nursery.lock);
    pthread_mutex_destroy(&isolation->lock);
    runtime_release(runtime, isolation);
}

Isolation *isolation_get(chx_runtime *runtime, const char *file)
{
    pthread_mutex_lock(&runtime->plan_lock);
    Isolation *isolation = runtime->isolation;
    if (isolation == NULL) {
        isolation = runtime_allocate(runtime, sizeof *isolation);
        errno = ENOMEM;
        if (isolation != NULL && !isolation_init(isolation, runtime)) {
            int error = errno;
            isolation_free(isolation);
            isolation = NULL;
            errno = error;
        }
        if (isolation == NULL)
            report_refuse(NULL, file, "processes can't be started: %s",
                          errno == ENOENT ? "there is no /proc/self/exe" : strerrordesc_np(errno));
        runtime->isolation = isolation;
    } else if (isolation->nursery.socket < 0 && nursery_start(&isolation->nursery)) {
        nursery_watch(isolation);
    }
    pthread_mutex_unlock(&runtime->plan_lock);
    return isolation;
}

void isolation_fini(chx_runtime *runtime)
{
    if (runtime->isolation != NULL)
        isolation_free(runtime->isolation);
    runtime->isolation = NULL;
}
