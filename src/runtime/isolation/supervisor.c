// supervisor thread.c: the thread that looks after isolated roles. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/session/log.h"

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

// ---- isolated sessions ----

void isolated_block_lock(IsolatedSession *isolated)
{
    pthread_mutex_lock(&isolated->session->block_lock);
    isolated->session->recovery.is_exclusive = false;
}

void isolated_block_unlock(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    unsigned leaving = isolated->left_count - isolated->given_back;
    isolated->given_back = isolated->left_count;
    bool is_over = isolated->left_count == isolated->proxy_count;
    pthread_mutex_unlock(&session->block_lock);
    if (is_over && leaving > 0)
        isolation_remove(isolated);
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

void isolation_add(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    pthread_mutex_lock(&isolation->lock);
    isolated->next = isolation->isolated_sessions;
    if (isolated->next != NULL)
        isolated->next->proxy_here = &isolated->next;
    isolated->proxy_here = &isolation->isolated_sessions;
    isolation->isolated_sessions = isolated;
    isolated->number = ++isolation->last_number;
    IsolatedSession **bucket = &isolation->by_number[isolated->number % ISOLATED_BUCKETS];
    isolated->next_by_number = *bucket;
    *bucket = isolated;
    pthread_mutex_unlock(&isolation->lock);
}

static void isolated_rest(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    for (unsigned i = 0; i < isolation->busy_count; i++)
        if (isolation->busy[i] == isolated)
            isolation->busy[i] = isolation->busy[--isolation->busy_count];
    isolated->busy_ns = 0;
}

void isolation_remove(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    isolated_rest(isolated);
    pthread_mutex_lock(&isolation->lock);
    IsolatedSession **place = &isolation->by_number[isolated->number % ISOLATED_BUCKETS];
    while (*place != isolated)
        place = &(*place)->next_by_number;
    *place = isolated->next_by_number;
    *isolated->proxy_here = isolated->next;
    if (isolated->next != NULL)
        isolated->next->proxy_here = isolated->proxy_here;
    pthread_mutex_unlock(&isolation->lock);
}

static IsolatedSession *isolated_by_number(Isolation *isolation, uint64_t number)
{
    pthread_mutex_lock(&isolation->lock);
    IsolatedSession *isolated = isolation->by_number[number % ISOLATED_BUCKETS];
    while (isolated != NULL && isolated->number != number)
        isolated = isolated->next_by_number;
    pthread_mutex_unlock(&isolation->lock);
    return isolated;
}

// ---- ringing ----

void isolation_ring(Isolation *isolation)
{
    static const char ring;
    pthread_mutex_lock(&isolation->lock);
    int doorbell = descriptor_use(&isolation->doorbell[1]);
    // It is full: then the supervisor thread is about to wake. It is not ours: the supervisor thread has seen the end of the pipe.
    while (doorbell >= 0 && write(doorbell, &ring, 1) < 0 && errno == EINTR)
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
    bool is_open = pipe_open(isolation->doorbell) && pipe_open(isolation->door);
    int error = errno;
    pthread_mutex_unlock(&isolation->lock);
    errno = error;
    return is_open;
}

void isolation_close(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    for (int i = 0; i < 2; i++) {
        descriptor_close(&isolation->doorbell[i]);
        descriptor_close(&isolation->door[i]);
    }
    pthread_mutex_unlock(&isolation->lock);
}

// Has the program closed nothing of what the supervisor thread waits for?
static bool isolation_is_whole(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    bool is_whole = pipe_is_ours(isolation->doorbell) && pipe_is_ours(isolation->door);
    pthread_mutex_unlock(&isolation->lock);
    return is_whole && zygote_is_whole(&isolation->zygote);
}

void isolation_number(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    pthread_mutex_lock(&isolation->lock);
    proxy->id = ++isolation->last_id;
    RoleProxy **bucket = &isolation->by_id[proxy->id % PROXY_BUCKETS];
    proxy->next_by_id = *bucket;
    *bucket = proxy;
    pthread_mutex_unlock(&isolation->lock);
}

void isolation_forget(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    if (proxy->id == 0)
        return;
    pthread_mutex_lock(&isolation->lock);
    RoleProxy **place = &isolation->by_id[proxy->id % PROXY_BUCKETS];
    while (*place != proxy)
        place = &(*place)->next_by_id;
    *place = proxy->next_by_id;
    pthread_mutex_unlock(&isolation->lock);
    proxy->id = 0;
}

static RoleProxy *proxy_by_id(Isolation *isolation, uint64_t id)
{
    pthread_mutex_lock(&isolation->lock);
    RoleProxy *proxy = isolation->by_id[id % PROXY_BUCKETS];
    while (proxy != NULL && proxy->id != id)
        proxy = proxy->next_by_id;
    pthread_mutex_unlock(&isolation->lock);
    return proxy;
}

static IsolatedSession *isolated_sessions_first(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    IsolatedSession *first = isolation->isolated_sessions;
    pthread_mutex_unlock(&isolation->lock);
    return first;
}

// ---- what there is to do ----

static bool isolated_has_controls(const IsolatedSession *isolated)
{
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        const RoleProxy *proxy = &isolated->proxies[i];
        if (proxy->state == PROXY_ALIVE && !proxy->kill_pending &&
            atomic_load(&proxy->control->control_tail) != proxy->control_head)
            return true;
    }
    return false;
}

// Afterwards the isolated session may be gone. False: it is, or there was nothing.
static bool isolated_serve(IsolatedSession *isolated)
{
    if (!isolated_has_controls(isolated))
        return false;
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        proxy_take_controls(&isolated->proxies[i]);
    bool is_over = isolated->left_count == isolated->proxy_count;
    isolated_block_unlock(isolated);
    return !is_over;
}

static void isolated_set_awake(IsolatedSession *isolated, bool is_awake)
{
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        atomic_store(&isolated->proxies[i].control->supervisor_awake, is_awake);
}

// There was something: more is likely to follow at once, and a process need not ring for it.
static void isolated_stay(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    if (isolated->busy_ns == 0) {
        if (isolation->busy_count == BUSY_HOUSES)
            return;
        isolation->busy[isolation->busy_count++] = isolated;
        isolated_set_awake(isolated, true);
    }
    isolated->busy_ns = now_ns(isolation) + SUPERVISOR_SPIN_NS;
}

// Processes have rung. They may write whatever they like: at worst somebody is looked after in vain.
static void door_answer(Isolation *isolation)
{
    uint64_t numbers[RINGS_AT_ONCE];
    ssize_t size = descriptor_read(&isolation->door[0], numbers, sizeof numbers);
    for (ssize_t i = 0; i < size / (ssize_t)sizeof *numbers; i++) {
        IsolatedSession *isolated = isolated_by_number(isolation, numbers[i]);
        if (isolated != NULL && isolated_serve(isolated))
            isolated_stay(isolated);
    }
    // More may have been rung than there was room for.
    if (size != (ssize_t)sizeof numbers)
        return;
    for (IsolatedSession *isolated = isolated_sessions_first(isolation), *next; isolated != NULL; isolated = next) {
        next = isolated->next;
        if (isolated_serve(isolated))
            isolated_stay(isolated);
    }
}

static void serve_busy(Isolation *isolation)
{
    uint64_t now = now_ns(isolation);
    for (unsigned i = isolation->busy_count; i > 0; i--) {
        if (i > isolation->busy_count)
            continue;
        IsolatedSession *isolated = isolation->busy[i - 1];
        if (isolated_serve(isolated)) {
            isolated_stay(isolated);
        } else if (i <= isolation->busy_count && isolation->busy[i - 1] == isolated && now > isolated->busy_ns) {
            isolated_rest(isolated);
            // In this order: who control messages rings if it sees this, and we look once more.
            isolated_set_awake(isolated, false);
            isolated_serve(isolated);
        }
    }
}

static uint64_t run_timers(Isolation *isolation)
{
    uint64_t now = now_ns(isolation), next_ns = UINT64_MAX;
    for (IsolatedSession *isolated = isolated_sessions_first(isolation), *next; isolated != NULL; isolated = next) {
        next = isolated->next;
        isolated_block_lock(isolated);
        for (unsigned i = 0; i < isolated->proxy_count; i++) {
            RoleProxy *proxy = &isolated->proxies[i];
            if (proxy->state != PROXY_LEFT && proxy->state != PROXY_NEW)
                proxy_run_timers(proxy, now);
            uint64_t due_ns = proxy_next_ns(proxy);
            next_ns = due_ns < next_ns ? due_ns : next_ns;
        }
        isolated_block_unlock(isolated);
    }
    return next_ns;
}

// Everything that may have been missed because a process has written over what it should not. True: there are isolated sessions.
static bool look_after_all(Isolation *isolation)
{
    bool is_any = false;
    for (IsolatedSession *isolated = isolated_sessions_first(isolation), *next; isolated != NULL; isolated = next) {
        next = isolated->next;
        is_any = true;
        isolated_block_lock(isolated);
        isolated_set_awake(isolated, isolated->busy_ns != 0);
        for (unsigned i = 0; i < isolated->proxy_count; i++) {
            RoleProxy *proxy = &isolated->proxies[i];
            proxy_take_controls(proxy);
            if (proxy->state == PROXY_WAITS && session_is_stopping(isolated->session))
                proxy_leave(proxy);
        }
        isolated_look_for_ended(isolated);
        isolated_look_for_deadlock(isolated);
        isolated_wake_all(isolated);
        isolated_block_unlock(isolated);
    }
    return is_any;
}

// ---- the zygote ----

static void zygote_revive(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    if (zygote_socket(&isolation->zygote) < 0 && zygote_start(&isolation->zygote) != ZYGOTE_STARTED)
        log_write(isolation->runtime, CHX_LOG_WARN, "isolated roles can't be started any more: %s",
                  isolation->zygote.why);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
}

// False: it says what it can't mean.
static bool zygote_message(Isolation *isolation, const ZygoteMessage *message)
{
    Zygote *zygote = &isolation->zygote;
    if (message->kind == ZYGOTE_PONG) {
        atomic_store(&zygote->heard_ns, atomic_exchange(&zygote->pinged_ns, 0));
        return true;
    }
    if (message->kind != ZYGOTE_EXITED && message->kind != ZYGOTE_REFUSED)
        return false;
    RoleProxy *proxy = proxy_by_id(isolation, message->id);
    if (proxy == NULL)
        return true;
    IsolatedSession *isolated = proxy->isolated;
    isolated_block_lock(isolated);
    if (message->kind == ZYGOTE_EXITED)
        proxy_died(proxy, message->status);
    else
        proxy_not_spawned(proxy, message->status);
    isolated_block_unlock(isolated);
    return true;
}

// For each isolated role; afterwards its isolated session may be gone.
static void proxies_do(Isolation *isolation, void (*act)(RoleProxy *proxy))
{
    for (IsolatedSession *isolated = isolated_sessions_first(isolation), *next; isolated != NULL; isolated = next) {
        next = isolated->next;
        isolated_block_lock(isolated);
        for (unsigned i = 0; i < isolated->proxy_count; i++)
            act(&isolated->proxies[i]);
        isolated_block_unlock(isolated);
    }
}

// Those of the zygote that was lost; not those that the next one has been asked for since: they would run twice.
static void proxy_orphaned(RoleProxy *proxy)
{
    if (proxy->state == PROXY_ALIVE && proxy->generation != zygote_generation(&proxy->isolated->isolation->zygote))
        proxy_orphan(proxy);
}

// All its children have died with it.
static void zygote_lost(Isolation *isolation)
{
    log_write(isolation->runtime, CHX_LOG_WARN, "the process that starts isolated roles was lost; there is a new one");
    atomic_store(&isolation->zygote.is_replaced, true);
    zygote_end(&isolation->zygote);
    // If that fails, each start of a session tries again.
    zygote_revive(isolation);
    atomic_store(&isolation->zygote.is_replaced, false);
    proxies_do(isolation, proxy_orphaned);
}

// True: there was more than answers to pings.
static bool zygote_speaks(Isolation *isolation)
{
    ZygoteMessage message;
    int heard;
    bool is_new = false;
    while ((heard = zygote_hear(&isolation->zygote, &message)) == 1) {
        is_new |= message.kind != ZYGOTE_PONG;
        if (!zygote_message(isolation, &message)) {
            zygote_terminate(&isolation->zygote);
            heard = -1;
            break;
        }
    }
    if (heard < 0)
        zygote_lost(isolation);
    return is_new || heard < 0;
}

// Looks are counted, not time: where the whole machine or the program was stopped, that is no silence of the zygote's.
bool isolation_ping(Isolation *isolation, uint64_t now_ns)
{
    Zygote *zygote = &isolation->zygote;
    if (atomic_load(&zygote->pinged_ns) == 0) {
        zygote->silences = 0;
        if (zygote_ping(zygote))
            atomic_store(&zygote->pinged_ns, now_ns);
    } else if (++zygote->silences == SILENCE_LOOKS) {
        zygote->silences = 0;
        zygote_terminate(zygote);
    }
    return atomic_load(&zygote->pinged_ns) != 0;
}

// ---- what the program has closed ----

static void proxy_lost(RoleProxy *proxy)
{
    if (proxy->state != PROXY_NEW)
        proxy_lost_touch(proxy);
}

// Nobody can be reached any more. The next session begins with new descriptors.
static void isolation_lost(Isolation *isolation)
{
    bool is_any = isolated_sessions_first(isolation) != NULL;
    log_write(isolation->runtime, is_any ? CHX_LOG_WARN : CHX_LOG_INFO, DESCRIPTOR_LOST "%s",
              is_any ? ": sessions with isolated roles fail" : "");
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    zygote_end(&isolation->zygote);
    isolation_close(isolation);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
    proxies_do(isolation, proxy_lost);
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
    polled[POLLED_BELL] = (struct pollfd){.fd = isolation->doorbell[0].number, .events = POLLIN};
    polled[POLLED_DOOR] = (struct pollfd){.fd = isolation->door[0].number, .events = POLLIN};
    polled[POLLED_NURSERY] = (struct pollfd){.fd = zygote_socket(&isolation->zygote), .events = POLLIN};
    if (poll(polled, POLLED_COUNT, timeout) <= 0)
        for (int i = 0; i < POLLED_COUNT; i++)
            polled[i].revents = 0;
}

static bool doorbell_is_rung(Isolation *isolation, short events)
{
    char rings[RINGS_AT_ONCE];
    return events != 0 && descriptor_read(&isolation->doorbell[0], rings, sizeof rings) > 0;
}

static void busy_attend(Isolation *isolation)
{
    for (int i = 0; isolation->busy_count > 0 && i < LOOK_EVERY; i++) {
        serve_busy(isolation);
        // Who is looked after may need this processor.
        if (i < SPIN_BUDGET_LOOKS)
            isolation->runtime->platform->relax();
        else
            sched_yield();
    }
}

// When the supervisor thread does what nobody wakes it for.
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
    bool was_answered = round->awaits_answer && atomic_load(&isolation->zygote.pinged_ns) == 0;
    round->awaits_answer = false;
    if (isolated_sessions_first(isolation) == NULL) {
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

static void *supervisor_main(void *argument)
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
        bool is_new = polled[POLLED_NURSERY].revents != 0 && zygote_speaks(isolation);
        if (polled[POLLED_DOOR].revents != 0)
            door_answer(isolation);
        bool is_rung = doorbell_is_rung(isolation, polled[POLLED_BELL].revents);
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

static ZygoteStart isolation_init(Isolation *isolation, chx_runtime *runtime)
{
    *isolation = (Isolation){.runtime = runtime,
                             .doorbell = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .door = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .watch_ns = UINT64_MAX};
    isolation->spin_budget_ns = runtime->platform->cores() > 1 ? SPIN_BUDGET_NS : 0;
    pthread_mutex_init(&isolation->lock, NULL);
    zygote_init(&isolation->zygote);
    Zygote *zygote = &isolation->zygote;
    ZygoteStart started = zygote_start(zygote);
    if (started != ZYGOTE_STARTED)
        return started;
    if (!isolation_open(isolation)) {
        snprintf(zygote->why, sizeof zygote->why, "%s", strerrordesc_np(errno));
        return ZYGOTE_FAILED;
    }
    isolation->has_thread = runtime->platform->thread_start(&isolation->thread, supervisor_main, isolation);
    if (!isolation->has_thread)
        snprintf(zygote->why, sizeof zygote->why, "no thread could be started: out of memory, or too many threads");
    return isolation->has_thread ? ZYGOTE_STARTED : ZYGOTE_FAILED;
}

static void isolation_free(Isolation *isolation)
{
    chx_runtime *runtime = isolation->runtime;
    atomic_store(&isolation->closing, true);
    if (isolation->has_thread) {
        isolation_ring(isolation);
        runtime->platform->thread_join(isolation->thread);
    }
    zygote_end(&isolation->zygote);
    isolation_close(isolation);
    pthread_mutex_destroy(&isolation->zygote.lock);
    pthread_mutex_destroy(&isolation->lock);
    runtime_release(runtime, isolation);
}

static chx_status isolation_refuse(const char *file, ZygoteStart started, const char *why)
{
    if (started == ZYGOTE_NOT_ALLOWED)
        report_refuse(NULL, file, "roles can't have processes of their own here (use CHX_THREAD): %s", why);
    else
        report_refuse(NULL, file, "processes can't be started: %s", why);
    return started == ZYGOTE_NOT_ALLOWED ? CHX_INVALID : CHX_NO_MEMORY;
}

// The program may have closed them since the last session. The supervisor thread has seen that, or is about to.
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
    ZygoteStart started = isolation_init(isolation, runtime);
    if (started == ZYGOTE_STARTED)
        return isolation;
    *status = isolation_refuse(file, started, isolation->zygote.why);
    isolation_free(isolation);
    return NULL;
}

// One that has been used before: does it still have what it needs?
static bool isolation_renew(Isolation *isolation, const char *file, chx_status *status)
{
    ZygoteStart started = ZYGOTE_STARTED;
    isolation_mend(isolation);
    if (zygote_socket(&isolation->zygote) < 0) {
        started = zygote_start(&isolation->zygote);
        isolation_ring(isolation); // the supervisor thread listens to it from now on
    }
    if (started != ZYGOTE_STARTED)
        *status = isolation_refuse(file, started, isolation->zygote.why);
    return started == ZYGOTE_STARTED;
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
