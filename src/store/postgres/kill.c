// kill.c: store-kill-postgres ROUNDS [SEED [MISTAKE]]: commits to PostgreSQL through a proxy that ends the connection, or the process, at every message.
//
// Each round is a run of commits with a fault somewhere; one that was killed is continued until it is over. Afterwards the store is looked at: nothing that was
// acknowledged is missing, nothing was done twice, no half commit is there. ROUNDS 0: every fault at every message once.

#define _GNU_SOURCE

#include "store/postgres/fixture.h"
#include "store/postgres/proxy.h"
#include "store/postgres/server.h"
#include "store/workload.h"

#include "chorex/postgres.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIVES = 30, PATIENCE_MS = 20000 };

typedef struct {
    PostgresFixture server;
    Proxy proxy;
    char url[100]; // through the proxy
    const char *mistake;
    uint64_t faults, losses, doubts, failures, rounds;
} Test;

static const char *mistake;

static void prepare(void *store)
{
    char why[CHX_STORE_WHY];
    if (strcmp(mistake, "nolock") == 0)
        server_command(store, "SELECT pg_advisory_unlock_all()", why);
}

// What the test itself does with the database.
static void run_sql(const Test *test, const char *text, bool waits)
{
    PGconn *connection = PQconnectdb(test->server.url);
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms++) {
        PGresult *result = PQexec(connection, text);
        bool is_done = !waits || (PQntuples(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "0") == 0);
        PQclear(result);
        if (is_done)
            break;
        usleep(1000);
    }
    PQfinish(connection);
}

// What a process that was killed had under way is over.
static void settle(const Test *test)
{
    run_sql(test, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chorex'", true);
}

// 0: it came to its end; 1: something is wrong; 2: it was killed.
static int live(Test *test, Workload *workload, ProxyFault fault, uint64_t n, uint32_t seed)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(!workload_run(workload, &chx_store_ops_postgres, test->url, prepare));
    test->proxy.fault = fault;
    test->proxy.n = n;
    test->proxy.messages = 0;
    test->proxy.random = seed;
    int status = proxy_serve(&test->proxy, child);
    test->faults += fault != PROXY_WELL && test->proxy.messages >= n;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 2 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool run_round(Test *test, uint32_t seed, ProxyFault fault, uint64_t n)
{
    Workload *workload = workload_new(seed);
    bool is_good = true, is_over = false;
    if (workload == NULL)
        return false;
    workload_mistake(workload, strcmp(test->mistake, "apart") == 0   ? MISTAKE_APART
                               : strcmp(test->mistake, "twice") == 0 ? MISTAKE_TWICE
                                                                     : MISTAKE_NONE);
    if (test->rounds++ > 0)
        run_sql(test, "TRUNCATE chorex_session, chorex_chunk", false);
    for (int i = 0; i < LIVES && is_good && !is_over; i++) {
        int status = live(test, workload, fault, n, seed + (uint32_t)n);
        is_over = status == 0;
        test->losses += status == 2;
        settle(test);
        is_good = status != 1 && workload_check(workload, &chx_store_ops_postgres, test->server.url);
        n += 7;
    }
    test->doubts += workload->doubts;
    test->failures += workload->failures;
    if (!is_good || !is_over)
        printf("%s\n", workload->complaint[0] != '\0' ? workload->complaint : "it does not come to its end");
    workload_free(workload);
    return is_good && is_over;
}

static bool run_all(Test *test, uint64_t rounds, uint32_t seed)
{
    // Twice: the first one makes the tables.
    if (!run_round(test, seed, PROXY_WELL, 0) || !run_round(test, seed, PROXY_WELL, 0))
        return false;
    uint64_t messages = test->proxy.messages;
    for (uint64_t i = 0; i < (rounds > 0 ? rounds : messages * (PROXY_FAULTS - 1)); i++) {
        ProxyFault fault = (ProxyFault)(1 + i % (PROXY_FAULTS - 1));
        uint64_t n = rounds > 0 ? 1 + i * 7919 % messages : 1 + i / (PROXY_FAULTS - 1);
        uint32_t now = rounds > 0 ? seed + (uint32_t)i : seed;
        if (!run_round(test, now, fault, n)) {
            printf("seed %u, %s at message %llu of %llu\n", now, proxy_fault_text(fault), (unsigned long long)n,
                   (unsigned long long)messages);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static Test test;
    mistake = test.mistake = argc > 3 ? argv[3] : "";
    if (!postgres_fixture_exists()) {
        printf("postgres: skipped: PostgreSQL is not installed\n");
        return 77;
    }
    postgres_fixture_init(&test.server, false);
    proxy_init(&test.proxy, test.server.folder);
    snprintf(test.url, sizeof test.url, "postgresql://chorex@/postgres?host=%s", test.proxy.folder);
    bool is_good = run_all(&test, argc > 1 ? strtoull(argv[1], NULL, 10) : 0, argc > 2 ? (uint32_t)atoi(argv[2]) : 1);
    printf("postgres: %llu rounds, %llu faults, %llu processes killed, %llu commits in doubt, %llu refused: %s\n",
           (unsigned long long)test.rounds, (unsigned long long)test.faults, (unsigned long long)test.losses,
           (unsigned long long)test.doubts, (unsigned long long)test.failures,
           is_good ? "nothing lost, nothing twice, nothing half" : "FAILED");
    proxy_fini(&test.proxy);
    postgres_fixture_fini(&test.server);
    return !is_good;
}
