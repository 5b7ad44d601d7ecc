// The settings of CHOREX_SIM, and threads of the simulated machine that wait for descriptors.

#include "runtime/platform/platform.h"
#include "runtime/platform/simulation.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static SimulationOptions parsed(const char *text)
{
    SimulationOptions options;
    char why[512] = "";
    if (!simulation_parse(text, &options, why, sizeof why))
        fail_msg("%s: %s", text, why);
    return options;
}

static void refused(const char *text, const char *because)
{
    SimulationOptions options;
    char why[512] = "";
    if (simulation_parse(text, &options, why, sizeof why))
        fail_msg("%s: accepted", text);
    if (strstr(why, because) == NULL)
        fail_msg("%s: '%s' does not say '%s'", text, why, because);
}

static void a_seed_is_enough(void **state)
{
    (void)state;
    SimulationOptions options = parsed("seed=7");
    assert_int_equal(options.seed, 7);
    assert_true(options.crash.chance == 0);
    assert_int_equal(options.crash.place_count, 0);
    assert_int_equal(options.delay_max_ns, 0);
    assert_int_equal(options.max_steps, 0);
    assert_true(parsed("seed=18446744073709551615").seed == UINT64_MAX);
}

static void nodes_have_settings_of_their_own(void **state)
{
    (void)state;
    SimulationOptions options = parsed("nodes=3,cut=0.01,kill=0.02,silent=0.5,suspect=500ms");
    assert_int_equal(options.nodes, 3);
    assert_true(options.cut == 0.01 && options.kill == 0.02 && options.silent == 0.5);
    assert_int_equal(options.suspect_ns, 500000000);
    assert_int_equal(parsed("seed=7").nodes, 0);
    refused("nodes=0", "is not a whole number from 1 to 10000");
    refused("nodes=3,suspect=1ms", "at least 10ms");
    refused("nodes=3,cut=2", "is not a probability");
    // Without nodes they would mean nothing.
    refused("seed=1,kill=0.1", "'kill' is about nodes");
    refused("suspect=2s", "'suspect' is about nodes");
}

static void settings_stand_in_any_order(void **state)
{
    (void)state;
    SimulationOptions options = parsed("max_steps=9,delay=1us..20ms,crash=0.25,seed=3,crash_at=Alice:3+Bob:5");
    assert_int_equal(options.seed, 3);
    assert_true(options.crash.chance == 0.25);
    assert_int_equal(options.delay_min_ns, 1000);
    assert_int_equal(options.delay_max_ns, 20000000);
    assert_int_equal(options.max_steps, 9);
    assert_int_equal(options.crash.place_count, 2);
    assert_string_equal(options.crash.places[0].role, "Alice");
    assert_int_equal(options.crash.places[0].boundary, 3);
    assert_string_equal(options.crash.places[1].role, "Bob");
    assert_int_equal(options.crash.places[1].boundary, 5);
}

static void durations_have_units(void **state)
{
    (void)state;
    assert_int_equal(parsed("delay=5ns").delay_min_ns, 5);
    assert_int_equal(parsed("delay=2s").delay_max_ns, 2000000000);
    assert_int_equal(parsed("delay=0").delay_max_ns, 0);
    assert_int_equal(parsed("delay=0..1ms").delay_max_ns, 1000000);
    refused("delay=5", "not a duration");
    refused("delay=5m", "not a duration");
    refused("delay=-5ms", "not a duration");
    refused("delay=1ms..", "not a duration");
    refused("delay=1ms...2ms", "not a duration");
    refused("delay=2ms..1ms", "ends before");
    refused("delay=99999999999999999999s", "not a duration");
    refused("delay=18446744073709551615s", "not a duration");
}

static void machines_have_threads(void **state)
{
    (void)state;
    assert_int_equal(parsed("seed=7").threads, 0);
    assert_int_equal(parsed("threads=3").threads, 3);
    assert_true(parsed("threads=1,slow=0.5").slow == 0.5);
    refused("threads=0", "threads");
    refused("threads=17", "from 1 to 16");
    refused("threads=two", "threads");
    refused("slow=2", "slow: '2' is not a probability");
    assert_int_equal(parsed("threads=2,delay=1ms").delay_max_ns, 1000000);
}

static void roles_have_rates_and_places_of_their_own(void **state)
{
    (void)state;
    SimulationOptions options =
        parsed("crash=Alice:0.25+Worker:0.5,crash_at=Bob:7,hang=0.125,hang_at=Alice:2,hang_for=2s");
    assert_true(options.crash.chance == 0);
    assert_int_equal(options.crash.rate_count, 2);
    assert_string_equal(options.crash.rates[1].role, "Worker");
    assert_true(options.crash.rates[0].chance == 0.25 && options.crash.rates[1].chance == 0.5);
    assert_int_equal(options.crash.places[0].boundary, 7);
    assert_true(options.hang.chance == 0.125);
    assert_string_equal(options.hang.places[0].role, "Alice");
    assert_int_equal(options.hang_ns, 2000000000);
    assert_int_equal(parsed("seed=7").hang_ns, 60000000000);
    assert_string_equal(parsed("report=out/told").report, "out/told");
    static const char *const rates[] = {"crash=Alice:",     "crash=Alice:2", "crash=:0.5",
                                        "crash=Alice:0.5+", "hang=Alice:-1", "hang=Alice:0.5+Bob"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        refused(rates[i], "ROLE:P");
    refused("hang_for=0", "duration");
    refused("hang_for=2", "duration");
    refused("report=", "name of a file");
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    refused("7", "form name=value");
    refused("", "form name=value");
    refused("seed=7,", "form name=value");
    refused(",seed=7", "form name=value");
    refused("sed=7", "no setting 'sed'");
    refused(" seed=7", "no setting ' seed'");
    refused("seed=7,seed=8", "twice");
    refused("seed=", "not a whole number");
    refused("seed=-1", "not a whole number");
    refused("seed=7x", "not a whole number");
    refused("seed=18446744073709551616", "not a whole number");
    refused("max_steps=0", "max_steps");
    static const char *const chances[] = {"crash=",    "crash=2",   "crash=-0.1", "crash=nan",
                                          "crash=inf", "crash=0x1", "crash=1e9",  "crash=0.5.5"};
    for (size_t i = 0; i < sizeof chances / sizeof chances[0]; i++)
        refused(chances[i], "probability");
    static const char *const places[] = {"crash_at=",        "crash_at=Alice",    "crash_at=Alice:0", "crash_at=:3",
                                         "crash_at=Alice:x", "crash_at=Alice:3+", "crash_at=+Alice:3"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        refused(places[i], "ROLE:N");
}

static void what_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[8192];
    strcpy(text, "crash_at=");
    for (int i = 0; i < SIMULATION_PLACES_MAX; i++)
        strcat(text, "A:1+");
    strcat(text, "A:1");
    refused(text, "more than");
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "seed=", 5);
    refused(text, "longer than");
    memset(text, 'x', 200);
    memcpy(text, "crash_at=", 9);
    strcpy(text + 200, ":1");
    refused(text, "ROLE:N");
}

enum { POLL_MS = 5000 };

static void *poll_once(void *argument)
{
    platform_simulated.poll(argument, 1, POLL_MS);
    return NULL;
}

// How much virtual time a thread waits for the reading end of a pipe, with something in it or not.
static uint64_t wait_for_pipe(bool is_written, short *revents)
{
    int ends[2];
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    if (is_written)
        assert_int_equal(write(ends[1], "x", 1), 1);
    uint64_t begin_ns = platform_simulated.now_ns();
    assert_true(platform_simulated.thread_start(&thread, poll_once, &polled));
    platform_simulated.thread_join(thread);
    close(ends[0]);
    close(ends[1]);
    *revents = polled.revents;
    return platform_simulated.now_ns() - begin_ns;
}

static void threads_wait_for_descriptors(void **state)
{
    (void)state;
    short revents;
    assert_int_equal(wait_for_pipe(true, &revents), 0);
    assert_int_equal(revents, POLLIN);
    assert_int_equal(wait_for_pipe(false, &revents), POLL_MS * UINT64_C(1000000));
    assert_int_equal(revents, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_is_enough),
        cmocka_unit_test(nodes_have_settings_of_their_own),
        cmocka_unit_test(settings_stand_in_any_order),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(machines_have_threads),
        cmocka_unit_test(roles_have_rates_and_places_of_their_own),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(threads_wait_for_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
