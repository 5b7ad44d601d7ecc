// supervisor.c: the thread that looks after isolated roles. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/arms/arms.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/session/log.h"
#include "runtime/recovery/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
};

// ---- isolated sessions ----

void isolated_block_lock(IsolatedSession *isolated)
{
    blocks_lock_outside(isolated->session);
}

void isolated_block_unlock(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    unsigned leaving = isolated->left_count - isolated->given_back;
    isolated->given_back = isolated->left_count;
    bool is_over = isolated->left_count == isolated->proxy_count;
    blocks_unlock_outside(session);
    if (is_over && leaving > 0)
        isolation_remove(isolated);
    if (leaving > 0)
        arms_role_left(session);
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

static const LoopTimerKind proxy_timer, attention_timer, look_timer, ping_timer;

void isolation_add(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    event_loop_attach(&isolation->loop, &isolated->attention, &attention_timer);
    event_loop_attach(&isolation->loop, &isolated->look, &look_timer);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        event_loop_attach(&isolation->loop, &isolated->proxies[i].timer, &proxy_timer);
    pthread_mutex_lock(&isolation->lock);
    isolated->next = isolation->isolated_sessions;
    if (isolated->next != NULL)
        isolated->next->link = &isolated->next;
    isolated->link = &isolation->isolated_sessions;
    isolation->isolated_sessions = isolated;
    pthread_mutex_unlock(&isolation->lock);
}

void isolation_remove(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    event_loop_detach(&isolation->loop, &isolated->attention);
    event_loop_detach(&isolation->loop, &isolated->look);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        event_loop_detach(&isolation->loop, &isolated->proxies[i].timer);
    pthread_mutex_lock(&isolation->lock);
    *isolated->link = isolated->next;
    if (isolated->next != NULL)
        isolated->next->link = isolated->link;
    pthread_mutex_unlock(&isolation->lock);
}

void isolated_attend(IsolatedSession *isolated)
{
    event_loop_set(&isolated->isolation->loop, &isolated->attention, now_ns(isolated->isolation));
}

// ---- descriptors ----

// Has the program closed nothing of what the supervisor thread waits for?
static bool isolation_is_whole(void *context)
{
    Isolation *isolation = context;
    return event_loop_is_whole(&isolation->loop) && zygote_is_whole(&isolation->zygote);
}

// ---- which there are ----

static IsolatedSession *isolated_sessions_first(Isolation *isolation)
{
    pthread_mutex_lock(&isolation->lock);
    IsolatedSession *first = isolation->isolated_sessions;
    pthread_mutex_unlock(&isolation->lock);
    return first;
}

// For each isolated role of the session, which may be gone afterwards.
static void isolated_do(IsolatedSession *isolated, void (*act)(RoleProxy *proxy))
{
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        act(&isolated->proxies[i]);
    isolated_block_unlock(isolated);
}

// For each isolated role of all sessions.
static void isolation_do(Isolation *isolation, void (*act)(RoleProxy *proxy))
{
    for (IsolatedSession *isolated = isolated_sessions_first(isolation), *next; isolated != NULL; isolated = next) {
        next = isolated->next;
        isolated_do(isolated, act);
    }
}

// ---- what processes have posted ----

// Is there something to take? Without the block lock, which would be in the way of the session's own workers.
static bool proxy_has_controls(const RoleProxy *proxy)
{
    return proxy->state == PROXY_ALIVE && atomic_load(&proxy->control->control_tail) != proxy->control_head;
}

// There was something: more is likely to follow at once, and the process need not ring for it. One whose messages follow each other
// closely is waited for longer: it may have lost its processor for a moment, and to ring and be woken takes longer than its
// rounds.
static void proxy_stay(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    uint64_t now = now_ns(isolation);
    bool is_dense = now - proxy->heard_ns <= SUPERVISOR_DENSE_NS;
    proxy->heard_ns = now;
    if (proxy->busy_ns == 0) {
        if (isolation->busy_count == BUSY_PROXIES)
            return;
        isolation->busy[isolation->busy_count++] = proxy;
        atomic_store(&proxy->control->supervisor_awake, 1);
    }
    proxy->busy_ns = now + (is_dense ? SUPERVISOR_SPIN_DENSE_NS : SUPERVISOR_SPIN_NS);
}

// Takes what it has posted. Afterwards the isolated session may be gone. False: it is, or the process, or there was nothing.
static bool proxy_serve(RoleProxy *proxy)
{
    IsolatedSession *isolated = proxy->isolated;
    if (!proxy_has_controls(proxy))
        return false;
    isolated_block_lock(isolated);
    proxy_take_controls(proxy, CONTROLS_PER_TURN);
    bool is_there = proxy->state == PROXY_ALIVE && proxy->fault.kind == CHX_FAULT_NONE;
    isolated_block_unlock(isolated);
    if (is_there)
        proxy_stay(proxy);
    return is_there;
}

void proxy_rest(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    if (proxy->busy_ns == 0)
        return;
    for (unsigned i = 0; i < isolation->busy_count; i++)
        if (isolation->busy[i] == proxy)
            isolation->busy[i] = isolation->busy[--isolation->busy_count];
    proxy->busy_ns = 0;
    atomic_store(&proxy->control->supervisor_awake, 0);
}

static void proxy_take_all(RoleProxy *proxy)
{
    proxy_take_controls(proxy, CONTROLS_ALL);
}

// Processes may write whatever they like: at worst somebody is looked after in vain.
void isolation_answer(void *context)
{
    Isolation *isolation = context;
    EventLoop *loop = &isolation->loop;
    uint64_t ids[RINGS_AT_ONCE];
    size_t got = 0;
    ssize_t size;
    do {
        size = descriptor_read(&loop->door[0], ids, sizeof ids);
        for (ssize_t i = 0; i < size / (ssize_t)sizeof *ids; i++) {
            RoleProxy *proxy = isolation_find(isolation, ids[i]);
            if (proxy != NULL)
                proxy_serve(proxy);
        }
        got += size > 0 ? (size_t)size : 0;
    } while (size == (ssize_t)sizeof ids && got < loop->door_bytes);
    // It was full, and whoever found no room for its number has been lost.
    if (got >= loop->door_bytes)
        isolation_do(isolation, proxy_take_all);
}

static void serve_busy(Isolation *isolation)
{
    uint64_t now = now_ns(isolation);
    for (unsigned i = isolation->busy_count; i > 0; i--) {
        if (i > isolation->busy_count)
            continue;
        RoleProxy *proxy = isolation->busy[i - 1];
        if (!proxy_serve(proxy) && i <= isolation->busy_count && isolation->busy[i - 1] == proxy &&
            now > proxy->busy_ns) {
            // In this order: a process that says something rings if it sees this, and we look once more.
            proxy_rest(proxy);
            proxy_serve(proxy);
        }
    }
}

// ---- timers ----

// Something has happened: more may, and the zygote is asked soon whether it still listens.
static void isolated_hasten(IsolatedSession *isolated)
{
    Isolation *isolation = isolated->isolation;
    uint64_t look_ns = now_ns(isolation) + LOOK_MIN_NS, earliest_ns = isolation->pinged_ns + PING_MIN_NS;
    uint64_t ping_ns = look_ns > earliest_ns ? look_ns : earliest_ns;
    isolated->look_every_ns = LOOK_MIN_NS;
    event_loop_set(&isolation->loop, &isolated->look, look_ns);
    isolation->ping_every_ns = PING_MIN_NS;
    if (ping_ns >= isolation->ping_ns)
        return;
    isolation->ping_ns = ping_ns;
    event_loop_set(&isolation->loop, &isolation->ping, ping_ns);
}

// If it has begun and has not left.
static void proxy_do_due(RoleProxy *proxy)
{
    if (proxy->state != PROXY_LEFT && proxy->state != PROXY_NEW)
        proxy_run_timers(proxy, now_ns(proxy->isolated->isolation));
}

static void proxy_is_due(LoopTimer *timer, uint64_t now)
{
    (void)now;
    RoleProxy *proxy = (RoleProxy *)((char *)timer - offsetof(RoleProxy, timer));
    IsolatedSession *isolated = proxy->isolated;
    isolated_block_lock(isolated);
    proxy->scheduled_ns = 0; // somebody may have set it again meanwhile
    proxy_do_due(proxy);
    proxy_schedule(proxy);
    isolated_block_unlock(isolated);
}

static void isolated_is_attended(LoopTimer *timer, uint64_t now)
{
    (void)now;
    IsolatedSession *isolated = (IsolatedSession *)((char *)timer - offsetof(IsolatedSession, attention));
    isolated_hasten(isolated);
    isolated_do(isolated, proxy_do_due);
}

// Everything that may have been missed because a process has written over what it should not.
static void isolated_is_looked_at(LoopTimer *timer, uint64_t now)
{
    IsolatedSession *isolated = (IsolatedSession *)((char *)timer - offsetof(IsolatedSession, look));
    isolated->look_every_ns = least(isolated->look_every_ns * 2, LOOK_MAX_NS);
    isolated_block_lock(isolated);
    event_loop_set(&isolated->isolation->loop, timer, now + isolated->look_every_ns);
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        atomic_store(&proxy->control->supervisor_awake, proxy->busy_ns != 0);
        proxy_take_controls(proxy, CONTROLS_PER_TURN);
        if (proxy->state == PROXY_WAITS && session_is_stopping(isolated->session))
            proxy_leave(proxy);
    }
    isolated_look_for_ended(isolated);
    isolated_look_for_deadlock(isolated);
    isolated_wake_all(isolated);
    isolated_block_unlock(isolated);
}

// As long as there are isolated roles, and however much else happens.
static void isolation_pings(LoopTimer *timer, uint64_t now)
{
    Isolation *isolation = (Isolation *)((char *)timer - offsetof(Isolation, ping));
    bool was_answered = isolation->awaits_answer && atomic_load(&isolation->zygote.pinged_ns) == 0;
    isolation->awaits_answer = false;
    isolation->ping_ns = UINT64_MAX;
    if (isolated_sessions_first(isolation) == NULL)
        return;
    if (!was_answered) {
        isolation->awaits_answer = isolation_ping(isolation, now);
        isolation->pinged_ns = now;
    }
    isolation->ping_ns = now + (isolation->awaits_answer ? LOOK_MIN_NS : isolation->ping_every_ns);
    if (!isolation->awaits_answer)
        isolation->ping_every_ns = least(isolation->ping_every_ns * 2, LOOK_MAX_NS);
    event_loop_set(&isolation->loop, &isolation->ping, isolation->ping_ns);
}

// Sessions and their links go away on the supervisor thread only.
static const LoopTimerKind proxy_timer = {NULL, proxy_is_due}, attention_timer = {NULL, isolated_is_attended},
                           look_timer = {NULL, isolated_is_looked_at}, ping_timer = {NULL, isolation_pings};

// ---- the zygote ----

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
    RoleProxy *proxy = isolation_find(isolation, message->id);
    if (proxy == NULL)
        return true;
    IsolatedSession *isolated = proxy->isolated;
    isolated_hasten(isolated);
    isolated_block_lock(isolated);
    if (message->kind == ZYGOTE_EXITED)
        proxy_died(proxy, message->status);
    else
        proxy_not_spawned(proxy, message->status);
    isolated_block_unlock(isolated);
    return true;
}

// If it is one of the zygote that was lost; not if the next one has been asked for it since: it would run twice.
static void proxy_lost_zygote(RoleProxy *proxy)
{
    isolated_hasten(proxy->isolated);
    if (proxy->state == PROXY_ALIVE && proxy->generation != atomic_load(&proxy->isolated->isolation->zygote.generation))
        proxy_orphan(proxy);
}

// All its children have died with it.
static void zygote_lost(Isolation *isolation)
{
    chx_runtime *runtime = isolation->runtime;
    Zygote *zygote = &isolation->zygote;
    log_write(runtime, CHX_LOG_WARN, "the process that starts isolated roles was lost; there is a new one");
    atomic_store(&zygote->is_replaced, true);
    zygote_end(zygote);
    pthread_mutex_lock(&runtime->plan_lock);
    // If that fails, each start of a session tries again.
    if (zygote_socket(zygote) < 0 && zygote_start(zygote) != CHX_OK)
        log_write(runtime, CHX_LOG_WARN, "isolated roles can't be started any more: %s", zygote->why);
    pthread_mutex_unlock(&runtime->plan_lock);
    atomic_store(&zygote->is_replaced, false);
    isolation_do(isolation, proxy_lost_zygote);
}

static void zygote_speaks(void *context)
{
    Isolation *isolation = context;
    ZygoteMessage message;
    int heard;
    while ((heard = zygote_hear(&isolation->zygote, &message)) == 1) {
        if (!zygote_message(isolation, &message)) {
            zygote_terminate(&isolation->zygote);
            heard = -1;
            break;
        }
    }
    if (heard < 0)
        zygote_lost(isolation);
}

// Looks are counted, not time: where the whole machine or the program was stopped, that is no silence of the zygote's.
bool isolation_ping(Isolation *isolation, uint64_t now_ns)
{
    Zygote *zygote = &isolation->zygote;
    if (atomic_load(&zygote->pinged_ns) == 0) {
        zygote->silences = 0;
        zygote_ping(zygote, now_ns);
    } else if (++zygote->silences == SILENCE_LOOKS) {
        zygote->silences = 0;
        zygote_terminate(zygote);
    }
    return atomic_load(&zygote->pinged_ns) != 0;
}

// ---- what the program has closed ----

static void proxy_is_out_of_reach(RoleProxy *proxy)
{
    if (proxy->state != PROXY_NEW)
        proxy_lost_touch(proxy);
}

// Nobody can be reached any more. The next session begins with new descriptors.
static void isolation_lost(void *context)
{
    Isolation *isolation = context;
    bool is_any = isolated_sessions_first(isolation) != NULL;
    log_write(isolation->runtime, is_any ? CHX_LOG_WARN : CHX_LOG_INFO, DESCRIPTOR_LOST "%s",
              is_any ? ": sessions with isolated roles fail" : "");
    pthread_mutex_lock(&isolation->runtime->plan_lock);
    zygote_end(&isolation->zygote);
    event_loop_close(&isolation->loop);
    pthread_mutex_unlock(&isolation->runtime->plan_lock);
    isolation_do(isolation, proxy_is_out_of_reach);
    while (!atomic_load(&isolation->loop.closing) && !event_loop_open(&isolation->loop))
        poll(NULL, 0, LOST_RETRY_MS);
}

// ---- the thread ----

static int zygote_number(void *context)
{
    Isolation *isolation = context;
    return zygote_socket(&isolation->zygote);
}

static bool busy_attend(void *context)
{
    Isolation *isolation = context;
    for (int i = 0; isolation->busy_count > 0 && i < LOOK_EVERY; i++) {
        serve_busy(isolation);
        // The processes that are looked after may need this processor.
        if (i < SPIN_BUDGET_LOOKS)
            isolation->runtime->platform->relax();
        else
            isolation->runtime->platform->yield();
    }
    return isolation->busy_count > 0;
}

static const LoopInputs supervisor_inputs = {
    .number = zygote_number,
    .ready = zygote_speaks,
    .rung = isolation_answer,
    .is_busy = busy_attend,
    .is_whole = isolation_is_whole,
    .lost = isolation_lost,
};

void isolation_init(Isolation *isolation, chx_runtime *runtime)
{
    *isolation = (Isolation){.runtime = runtime, .ping_ns = UINT64_MAX, .ping_every_ns = PING_MIN_NS};
    pthread_mutex_init(&isolation->lock, NULL);
    zygote_init(&isolation->zygote, runtime->platform);
    event_loop_init(&isolation->loop, runtime->platform, &supervisor_inputs, isolation);
    event_loop_attach(&isolation->loop, &isolation->ping, &ping_timer);
}

static chx_status isolation_begin(Isolation *isolation)
{
    Zygote *zygote = &isolation->zygote;
    chx_status status = zygote_start(zygote);
    if (status != CHX_OK)
        return status;
    const char *why = "no thread could be started: out of memory, or too many threads";
    if (!event_loop_open(&isolation->loop))
        why = strerrordesc_np(errno);
    else if (event_loop_start(&isolation->loop))
        return CHX_OK;
    snprintf(zygote->why, sizeof zygote->why, "%s", why);
    return CHX_NO_MEMORY;
}

static void isolation_free(Isolation *isolation)
{
    chx_runtime *runtime = isolation->runtime;
    event_loop_stop(&isolation->loop);
    zygote_end(&isolation->zygote);
    event_loop_fini(&isolation->loop);
    pthread_mutex_destroy(&isolation->zygote.lock);
    pthread_mutex_destroy(&isolation->lock);
    runtime_release(runtime, isolation);
}

static void isolation_refuse(const char *file, chx_status status, const char *why)
{
    if (status == CHX_INVALID)
        report_refuse(status, NULL, file, "roles can't have processes of their own here (use CHX_THREAD): %s", why);
    else
        report_refuse(status, NULL, file, "processes can't be started: %s", why);
}

// The program may have closed them since the last session. The supervisor thread has seen that, or is about to.
static void isolation_mend(Isolation *isolation)
{
    while (!isolation_is_whole(isolation)) {
        pthread_mutex_unlock(&isolation->runtime->plan_lock);
        isolation->runtime->platform->poll(NULL, 0, 1);
        pthread_mutex_lock(&isolation->runtime->plan_lock);
    }
}

static Isolation *isolation_new(chx_runtime *runtime, const char *file, chx_status *status)
{
    Isolation *isolation = runtime_allocate(runtime, sizeof *isolation);
    if (isolation == NULL) {
        *status = report_refuse(CHX_NO_MEMORY, NULL, file, "out of memory");
        return NULL;
    }
    isolation_init(isolation, runtime);
    *status = isolation_begin(isolation);
    if (*status == CHX_OK)
        return isolation;
    isolation_refuse(file, *status, isolation->zygote.why);
    isolation_free(isolation);
    return NULL;
}

// One that has been used before: does it still have what it needs?
static bool isolation_renew(Isolation *isolation, const char *file, chx_status *status)
{
    isolation_mend(isolation);
    if (zygote_socket(&isolation->zygote) >= 0)
        return true;
    *status = zygote_start(&isolation->zygote);
    event_loop_wake(&isolation->loop); // the supervisor thread listens to it from now on
    if (*status != CHX_OK)
        isolation_refuse(file, *status, isolation->zygote.why);
    return *status == CHX_OK;
}

// The one with these; those that no session uses and no new one can use are moved to `idle`.
static Isolation *isolations_find(chx_runtime *runtime, Inherited inherited, Isolation **idle)
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
        *status = report_refuse(CHX_NO_MEMORY, NULL, file,
                                "processes can't be started: the program's privileges can't be read: %s",
                                strerrordesc_np(errno));
        return NULL;
    }
    pthread_mutex_lock(&runtime->plan_lock);
    Isolation *isolation = isolations_find(runtime, inherited, &idle);
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
