// postman.c: the thread that looks after isolated roles. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOOK_EVERY = 64,
    RINGS_AT_ONCE = 512,
    LOST_RETRY_MS = 100, // no new descriptors can be had
    IDLE_MS = 5000,      // then it looks whether it still has those that it waits for
};

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

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
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
    house->number = ++isolation->last_number;
    House **bucket = &isolation->by_number[house->number % HOUSE_BUCKETS];
    house->next_by_number = *bucket;
    *bucket = house;
    pthread_mutex_unlock(&isolation->lock);
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
    house_rest(house);
    pthread_mutex_lock(&isolation->lock);
    House **place = &isolation->by_number[house->number % HOUSE_BUCKETS];
    while (*place != house)
        place = &(*place)->next_by_number;
    *place = house->next_by_number;
    *house->link_here = house->next;
    if (house->next != NULL)
        house->next->link_here = house->link_here;
    pthread_mutex_unlock(&isolation->lock);
}

static House *house_by_number(Isolation *isolation, uint64_t number)
{
    pthread_mutex_lock(&isolation->lock);
    House *house = isolation->by_number[number % HOUSE_BUCKETS];
    while (house != NULL && house->number != number)
        house = house->next_by_number;
    pthread_mutex_unlock(&isolation->lock);
    return house;
}

// ---- ringing ----

void isolation_ring(Isolation *isolation)
{
    static const char ring;
    pthread_mutex_lock(&isolation->lock);
    int bell = descriptor_use(&isolation->bell[1]);
    // It is full: then the postman is about to wake. It is not ours: the postman has seen the end of the pipe.
    while (bell >= 0 && write(bell, &ring, 1) < 0 && errno == EINTR)
        ;
    pthread_mutex_unlock(&isolation->lock);
}

void isolation_watch(Isolation *isolation, uint64_t due_ns)
{
    uint64_t watch_ns = atomic_load(&isolation->watch_ns);
    while (due_ns < watch_ns && !atomic_compare_exchange_weak(&isolation->watch_ns, &watch_ns, due_ns))
        ;
}

int isolation_door(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    int door = descriptor_use(&isolation->door[1]);
    pthread_mutex_unlock(&isolation->lock);
    return door;
}

static bool pipe_is_ours(const Descriptor *ends)
{
    return descriptor_is_ours(&ends[0]) && descriptor_is_ours(&ends[1]);
}

static bool pipe_open(Descriptor *ends)
{
    int numbers[2] = {-1, -1};
    if (pipe_is_ours(ends))
        return true;
    descriptor_close(&ends[0]);
    descriptor_close(&ends[1]);
    if (pipe2(numbers, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    ends[0] = descriptor_keep(numbers[0]);
    int error = errno;
    ends[1] = descriptor_keep(numbers[1]);
    if (ends[0].number < 0)
        errno = error;
    return ends[0].number >= 0 && ends[1].number >= 0;
}

bool isolation_open(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    bool is_open = pipe_open(isolation->bell) && pipe_open(isolation->door);
    int error = errno;
    pthread_mutex_unlock(&isolation->lock);
    errno = error;
    return is_open;
}

void isolation_close(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    for (int i = 0; i < 2; i++) {
        descriptor_close(&isolation->bell[i]);
        descriptor_close(&isolation->door[i]);
    }
    pthread_mutex_unlock(&isolation->lock);
}

// Has the program closed nothing of what the postman waits for?
static bool isolation_is_whole(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    bool is_whole = pipe_is_ours(isolation->bell) && pipe_is_ours(isolation->door);
    pthread_mutex_unlock(&isolation->lock);
    return is_whole && nursery_is_whole(&isolation->nursery);
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

static void house_set_awake(House *house, bool is_awake)
{
    for (unsigned i = 0; i < house->link_count; i++)
        atomic_store(&house->links[i].seat->postman_awake, is_awake);
}

// There was something: more is likely to follow at once, and a process need not ring for it.
static void house_stay(House *house)
{
    Isolation *isolation = house->isolation;
    if (house->busy_ns == 0) {
        if (isolation->busy_count == BUSY_HOUSES)
            return;
        isolation->busy[isolation->busy_count++] = house;
        house_set_awake(house, true);
    }
    house->busy_ns = now_ns(isolation) + POSTMAN_SPIN_NS;
}

// Processes have rung. They may write whatever they like: at worst somebody is looked after in vain.
static void door_answer(Isolation *isolation)
{
    uint64_t numbers[RINGS_AT_ONCE];
    ssize_t size = descriptor_read(&isolation->door[0], numbers, sizeof numbers);
    for (ssize_t i = 0; i < size / (ssize_t)sizeof *numbers; i++) {
        House *house = house_by_number(isolation, numbers[i]);
        if (house != NULL && house_serve(house))
            house_stay(house);
    }
    // More may have been rung than there was room for.
    if (size != (ssize_t)sizeof numbers)
        return;
    for (House *house = houses_first(isolation), *next; house != NULL; house = next) {
        next = house->next;
        if (house_serve(house))
            house_stay(house);
    }
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
            house_set_awake(house, false);
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
        house_set_awake(house, house->busy_ns != 0);
        for (unsigned i = 0; i < house->link_count; i++) {
            Link *link = &house->links[i];
            link_take_posts(link);
            if (link->state == LINK_WAITS && session_is_stopping(house->session))
                link_leave(link);
        }
        house_look_for_ended(house);
        house_look_for_deadlock(house);
        house_wake_all(house);
        house_block_unlock(house);
    }
    return is_any;
}

// ---- the nursery ----

static void nursery_revive(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    if (nursery_socket(&isolation->nursery) < 0 && nursery_start(&isolation->nursery) != NURSERY_STARTED)
        log_write(isolation->runtime, CHX_LOG_WARN, "isolated roles can't be started any more: %s",
                  isolation->nursery.why);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
}

// False: it says what it can't mean.
static bool nursery_message(Isolation *isolation, const NurseryMessage *message)
{
    Nursery *nursery = &isolation->nursery;
    if (message->kind == NURSERY_PONG) {
        atomic_store(&nursery->heard_ns, atomic_exchange(&nursery->pinged_ns, 0));
        return true;
    }
    if (message->kind != NURSERY_EXITED && message->kind != NURSERY_REFUSED)
        return false;
    Link *link = link_by_id(isolation, message->id);
    if (link == NULL)
        return true;
    House *house = link->house;
    house_block_lock(house);
    if (message->kind == NURSERY_EXITED)
        link_died(link, message->status);
    else
        link_not_born(link, message->status);
    house_block_unlock(house);
    return true;
}

// For each isolated role; afterwards its house may be gone.
static void links_do(Isolation *isolation, void (*act)(Link *link))
{
    for (House *house = houses_first(isolation), *next; house != NULL; house = next) {
        next = house->next;
        house_block_lock(house);
        for (unsigned i = 0; i < house->link_count; i++)
            act(&house->links[i]);
        house_block_unlock(house);
    }
}

// Those of the nursery that was lost; not those that the next one has been asked for since: they would run twice.
static void link_orphaned(Link *link)
{
    if (link->state == LINK_ALIVE && link->generation != nursery_generation(&link->house->isolation->nursery))
        link_orphan(link);
}

// All its children have died with it.
static void nursery_lost(Isolation *isolation)
{
    log_write(isolation->runtime, CHX_LOG_WARN, "the process that starts isolated roles was lost; there is a new one");
    atomic_store(&isolation->nursery.is_replaced, true);
    nursery_end(&isolation->nursery);
    // If that fails, each start of a session tries again.
    nursery_revive(isolation);
    atomic_store(&isolation->nursery.is_replaced, false);
    links_do(isolation, link_orphaned);
}

// True: there was more than answers to pings.
static bool nursery_speaks(Isolation *isolation)
{
    NurseryMessage message;
    int heard;
    bool is_new = false;
    while ((heard = nursery_hear(&isolation->nursery, &message)) == 1) {
        is_new |= message.kind != NURSERY_PONG;
        if (!nursery_message(isolation, &message)) {
            nursery_murder(&isolation->nursery);
            heard = -1;
            break;
        }
    }
    if (heard < 0)
        nursery_lost(isolation);
    return is_new || heard < 0;
}

// Looks are counted, not time: where the whole machine or the program was stopped, that is no silence of the nursery's.
bool isolation_ping(Isolation *isolation, uint64_t now_ns)
{
    Nursery *nursery = &isolation->nursery;
    if (atomic_load(&nursery->pinged_ns) == 0) {
        nursery->silences = 0;
        if (nursery_ping(nursery))
            atomic_store(&nursery->pinged_ns, now_ns);
    } else if (++nursery->silences == SILENCE_LOOKS) {
        nursery->silences = 0;
        nursery_murder(nursery);
    }
    return atomic_load(&nursery->pinged_ns) != 0;
}

// ---- what the program has closed ----

static void link_lost(Link *link)
{
    if (link->state != LINK_NEW)
        link_lost_touch(link);
}

// Nobody can be reached any more. The next session begins with new descriptors.
static void isolation_lost(Isolation *isolation)
{
    bool is_any = houses_first(isolation) != NULL;
    log_write(isolation->runtime, is_any ? CHX_LOG_WARN : CHX_LOG_INFO, DESCRIPTOR_LOST "%s",
              is_any ? ": sessions with isolated roles fail" : "");
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    nursery_end(&isolation->nursery);
    isolation_close(isolation);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
    links_do(isolation, link_lost);
    while (!atomic_load(&isolation->closing) && !isolation_open(isolation))
        poll(NULL, 0, LOST_RETRY_MS);
}

// ---- the thread ----

enum { POLLED_BELL, POLLED_DOOR, POLLED_NURSERY, POLLED_COUNT };

static void events_await(Isolation *isolation, struct pollfd *polled, uint64_t due_ns)
{
    int timeout = IDLE_MS;
    if (isolation->busy_count > 0) {
        timeout = 0;
    } else if (due_ns != UINT64_MAX) {
        uint64_t now = now_ns(isolation), left_ns = due_ns > now ? due_ns - now : 0;
        left_ns = left_ns / 1000000 + (left_ns % 1000000 != 0);
        timeout = left_ns < IDLE_MS ? (int)left_ns : IDLE_MS;
    }
    polled[POLLED_BELL] = (struct pollfd){.fd = isolation->bell[0].number, .events = POLLIN};
    polled[POLLED_DOOR] = (struct pollfd){.fd = isolation->door[0].number, .events = POLLIN};
    polled[POLLED_NURSERY] = (struct pollfd){.fd = nursery_socket(&isolation->nursery), .events = POLLIN};
    if (poll(polled, POLLED_COUNT, timeout) <= 0)
        for (int i = 0; i < POLLED_COUNT; i++)
            polled[i].revents = 0;
}

static bool bell_is_rung(Isolation *isolation, short events)
{
    char rings[RINGS_AT_ONCE];
    return events != 0 && descriptor_read(&isolation->bell[0], rings, sizeof rings) > 0;
}

static void busy_attend(Isolation *isolation)
{
    for (int i = 0; isolation->busy_count > 0 && i < LOOK_EVERY; i++) {
        serve_busy(isolation);
        // Who is looked after may need this processor.
        if (i < PATIENCE_LOOKS)
            isolation->runtime->platform->relax();
        else
            sched_yield();
    }
}

// When the postman does what nobody wakes it for.
typedef struct {
    uint64_t due_ns; // timers
    uint64_t look_ns, look_every_ns;
    uint64_t ping_ns, pinged_ns; // the next time, the last time
    bool awaits_answer;
} Round;

// Something has happened: more may.
static void round_hasten(Round *round, uint64_t now)
{
    round->look_every_ns = LOOK_MIN_NS;
    round->look_ns = now + LOOK_MIN_NS;
    uint64_t ping_ns = now + LOOK_MIN_NS, earliest_ns = round->pinged_ns + PING_MIN_NS;
    round->ping_ns = least(round->ping_ns, ping_ns > earliest_ns ? ping_ns : earliest_ns);
}

static void round_look(Round *round, Isolation *isolation)
{
    uint64_t every_ns = round->look_every_ns * 2;
    round->look_every_ns = least(every_ns, LOOK_MAX_NS);
    round->look_ns = look_after_all(isolation) ? now_ns(isolation) + round->look_every_ns : UINT64_MAX;
}

// As long as there are isolated roles, and however much else happens.
static void round_ping(Round *round, Isolation *isolation, uint64_t now)
{
    bool was_answered = round->awaits_answer && atomic_load(&isolation->nursery.pinged_ns) == 0;
    round->awaits_answer = false;
    if (houses_first(isolation) == NULL) {
        round->ping_ns = UINT64_MAX;
        return;
    }
    if (!was_answered) {
        round->awaits_answer = isolation_ping(isolation, now);
        round->pinged_ns = now;
    }
    uint64_t every_ns = round->look_every_ns > PING_MIN_NS ? round->look_every_ns : PING_MIN_NS;
    round->ping_ns = now + (round->awaits_answer ? LOOK_MIN_NS : every_ns);
}

static void *postman_main(void *argument)
{
    Isolation *isolation = argument;
    struct pollfd polled[POLLED_COUNT];
    Round round = {.due_ns = UINT64_MAX, .look_ns = UINT64_MAX, .look_every_ns = LOOK_MIN_NS, .ping_ns = UINT64_MAX};
    while (!atomic_load(&isolation->closing)) {
        busy_attend(isolation);
        round.due_ns = least(round.due_ns, atomic_exchange(&isolation->watch_ns, UINT64_MAX));
        events_await(isolation, polled, least(round.due_ns, least(round.look_ns, round.ping_ns)));
        // The program may have closed them while they were waited for, and others may have their numbers.
        if (!isolation_is_whole(isolation)) {
            isolation_lost(isolation);
            continue;
        }
        bool is_new = polled[POLLED_NURSERY].revents != 0 && nursery_speaks(isolation);
        if (polled[POLLED_DOOR].revents != 0)
            door_answer(isolation);
        bool is_rung = bell_is_rung(isolation, polled[POLLED_BELL].revents);
        if (is_rung || round.due_ns <= now_ns(isolation))
            round.due_ns = run_timers(isolation);
        uint64_t now = now_ns(isolation);
        if (is_rung || is_new)
            round_hasten(&round, now);
        else if (round.look_ns <= now)
            round_look(&round, isolation);
        if (round.ping_ns <= now)
            round_ping(&round, isolation, now);
    }
    return NULL;
}

static NurseryStart isolation_init(Isolation *isolation, chx_runtime *runtime)
{
    *isolation = (Isolation){.runtime = runtime,
                             .bell = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .door = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .watch_ns = UINT64_MAX};
    isolation->patience_ns = runtime->platform->cores() > 1 ? PATIENCE_NS : 0;
    pthread_mutex_init(&isolation->lock, NULL);
    nursery_init(&isolation->nursery);
    Nursery *nursery = &isolation->nursery;
    NurseryStart started = nursery_start(nursery);
    if (started != NURSERY_STARTED)
        return started;
    if (!isolation_open(isolation)) {
        snprintf(nursery->why, sizeof nursery->why, "%s", strerrordesc_np(errno));
        return NURSERY_FAILED;
    }
    isolation->has_thread = runtime->platform->thread_start(&isolation->thread, postman_main, isolation);
    if (!isolation->has_thread)
        snprintf(nursery->why, sizeof nursery->why, "no thread could be started: out of memory, or too many threads");
    return isolation->has_thread ? NURSERY_STARTED : NURSERY_FAILED;
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
    isolation_close(isolation);
    pthread_mutex_destroy(&isolation->nursery.lock);
    pthread_mutex_destroy(&isolation->lock);
    runtime_release(runtime, isolation);
}

static chx_status isolation_refuse(const char *file, NurseryStart started, const char *why)
{
    if (started == NURSERY_NOT_ALLOWED)
        report_refuse(NULL, file, "roles can't have processes of their own here (use CHX_THREAD): %s", why);
    else
        report_refuse(NULL, file, "processes can't be started: %s", why);
    return started == NURSERY_NOT_ALLOWED ? CHX_INVALID : CHX_NO_MEMORY;
}

// The program may have closed them since the last session. The postman has seen that, or is about to.
static void isolation_mend(Isolation *isolation)
{
    while (!isolation_is_whole(isolation)) {
        pthread_mutex_unlock(&isolation->runtime->plan_lock);
        poll(NULL, 0, 1);
        pthread_mutex_lock(&isolation->runtime->plan_lock);
    }
}

static Isolation *isolation_new(chx_runtime *runtime, const char *file, chx_status *status)
{
    Isolation *isolation = runtime_allocate(runtime, sizeof *isolation);
    *status = CHX_NO_MEMORY;
    if (isolation == NULL) {
        report_refuse(NULL, file, "out of memory");
        return NULL;
    }
    NurseryStart started = isolation_init(isolation, runtime);
    if (started == NURSERY_STARTED)
        return isolation;
    *status = isolation_refuse(file, started, isolation->nursery.why);
    isolation_free(isolation);
    return NULL;
}

// One that has been used before: does it still have what it needs?
static bool isolation_renew(Isolation *isolation, const char *file, chx_status *status)
{
    NurseryStart started = NURSERY_STARTED;
    isolation_mend(isolation);
    if (nursery_socket(&isolation->nursery) < 0) {
        started = nursery_start(&isolation->nursery);
        isolation_ring(isolation); // the postman listens to it from now on
    }
    if (started != NURSERY_STARTED)
        *status = isolation_refuse(file, started, isolation->nursery.why);
    return started == NURSERY_STARTED;
}

// The one with these; those that no session uses and no new one can use are moved to `idle`.
static Isolation *isolation_find(chx_runtime *runtime, Inherited inherited, Isolation **idle)
{
    Isolation *found = NULL, **place = &runtime->isolation;
    while (*place != NULL) {
        Isolation *each = *place;
        if (inherited_is_same(each->inherited, inherited)) {
            found = each;
        } else if (atomic_load(&each->users) == 0) {
            *place = each->older;
            each->older = *idle;
            *idle = each;
            continue;
        }
        place = &each->older;
    }
    return found;
}

static void isolations_free(Isolation *isolation)
{
    while (isolation != NULL) {
        Isolation *older = isolation->older;
        isolation_free(isolation);
        isolation = older;
    }
}

Isolation *isolation_get(chx_runtime *runtime, const char *file, chx_status *status)
{
    Inherited inherited;
    Isolation *idle = NULL;
    if (!inherited_now(&inherited)) {
        report_refuse(NULL, file, "processes can't be started: the program's privileges can't be read: %s",
                      strerrordesc_np(errno));
        *status = CHX_NO_MEMORY;
        return NULL;
    }
    pthread_mutex_lock(&runtime->plan_lock);
    Isolation *isolation = isolation_find(runtime, inherited, &idle);
    if (isolation != NULL) {
        atomic_fetch_add(&isolation->users, 1);
        if (!isolation_renew(isolation, file, status)) {
            isolation_give_back(isolation);
            isolation = NULL;
        }
    } else if ((isolation = isolation_new(runtime, file, status)) != NULL) {
        isolation->inherited = inherited;
        isolation->users = 1;
        isolation->older = runtime->isolation;
        runtime->isolation = isolation;
    }
    pthread_mutex_unlock(&runtime->plan_lock);
    // Their threads may want that lock before they end.
    isolations_free(idle);
    return isolation;
}

void isolation_give_back(Isolation *isolation)
{
    atomic_fetch_sub(&isolation->users, 1);
}

void isolation_fini(chx_runtime *runtime)
{
    isolations_free(runtime->isolation);
    runtime->isolation = NULL;
}
