// role_proxy_fixture.c: see role_proxy_fixture.h.

#include "runtime/isolation/role_proxy_fixture.h"

#include <signal.h>

ProcessFixture process_fixture;
chx_session *session;
IsolatedSession *isolated;
RoleProxy *proxies;
bool is_there;

const bool all[PROCESS_FIXTURE_ROLES] = {true, true, true, true};
const bool three[PROCESS_FIXTURE_ROLES] = {true, true, true, false};

Zygote *zygote(void)
{
    return &process_fixture.isolation->zygote;
}

uint64_t now_ns(void)
{
    return process_fixture.runtime->platform->now_ns();
}

void all_begin(void)
{
    for (unsigned i = 0; is_there && i < isolated->proxy_count; i++)
        atomic_store(&proxies[i].control->begun, 1);
}

void begin(const bool *is_isolated)
{
    atomic_store(&zygote()->is_terminated, false);
    session = process_fixture_start(&process_fixture, is_isolated);
    assert_non_null(session);
    isolated = process_fixture_isolated(session);
    proxies = isolated->proxies;
    is_there = true;
    all_begin();
    atomic_store(&zygote()->pinged_ns, 0);
    atomic_store(&zygote()->heard_ns, 0);
}

void serve(void)
{
    assert_true(is_there);
    is_there = process_fixture_serve(isolated);
    process_fixture_hear(&process_fixture);
    all_begin();
}

void timers_are_set(void)
{
    for (unsigned i = 0; is_there && i < isolated->proxy_count; i++) {
        uint64_t next_ns = proxy_next_ns(&proxies[i]);
        assert_true(next_ns == UINT64_MAX || timer_is_set(&proxies[i].timer.timer));
        assert_true(next_ns == UINT64_MAX || proxies[i].timer.timer.due_ns <= next_ns);
    }
}

void die(unsigned role)
{
    assert_true(is_there);
    is_there = process_fixture_die(&proxies[role], SIGKILL);
    process_fixture_hear(&process_fixture);
    timers_are_set();
    all_begin();
}

const char *why;

chx_status finish(void)
{
    chx_status status = process_fixture_end(&process_fixture, session, is_there, NULL);
    why = chx_last_report()->why;
    return status;
}

// ---- good control messages ----

void control_enter(unsigned role, uint32_t site)
{
    struct {
        RingPoint tails[PROCESS_FIXTURE_ROLES - 1];
        unsigned char frame[100];
    } enter = {0};
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES - 1; i++)
        enter.tails[i] = ring_load(&shm_channel(&proxies[role].actor->out[i])->ring.words->tail);
    process_fixture_post(&proxies[role], (ControlHead){sizeof enter, CONTROL_ENTER, site, 0}, &enter);
}

void control_arrive(unsigned role, uint32_t site)
{
    process_fixture_post(&proxies[role], (ControlHead){0, CONTROL_ARRIVE, site, 0}, NULL);
}

void control_ready(unsigned role)
{
    ControlHead ready = {0, CONTROL_READY, proxies[role].control->command.epoch, 0};
    process_fixture_post(&proxies[role], ready, NULL);
}

void control_end(unsigned role, int64_t result)
{
    process_fixture_post(&proxies[role], (ControlHead){sizeof result, CONTROL_END, 0, 0}, &result);
}

void control_two(unsigned role, uint32_t kind, uint32_t first, uint32_t second)
{
    process_fixture_post(&proxies[role], (ControlHead){0, kind, first, second}, NULL);
}

void control_report_violation(unsigned role, unsigned from, unsigned to, Violation about)
{
    Channel *channel = process_fixture_channel(&proxies[role], from, to);
    control_two(role, CONTROL_COMPLAIN, shm_channel(channel)->number, about);
}

void enter(unsigned count, uint32_t site)
{
    for (unsigned i = 0; i < count; i++)
        control_enter(i, site);
}

void arrive(unsigned count, uint32_t site)
{
    for (unsigned i = 0; i < count; i++)
        control_arrive(i, site);
}

void begin_outer(void)
{
    begin(all);
    enter(3, PROCESS_FIXTURE_OUTER);
    serve();
}

void set_kill_pending(unsigned role, const char *reason)
{
    isolated_block_lock(isolated);
    proxy_set_kill_pending(&proxies[role], CHX_FAULT_EXIT, "%s", reason);
    isolated_block_unlock(isolated);
    process_fixture_hear(&process_fixture);
}

bool kill_pending(unsigned role)
{
    // A worker may be about to say so.
    pthread_mutex_lock(&isolated->session->block_lock.mutex);
    bool is_pending = proxies[role].fault.kind != CHX_FAULT_NONE;
    pthread_mutex_unlock(&isolated->session->block_lock.mutex);
    return is_pending;
}
