// kill.c: store-kill-sqlite ROUNDS [SEED [MISTAKE]]: commits to SQLite on a disk that kills the process, loses power or fails at every write and sync.
//
// Each round is a run of commits with a fault somewhere; it is continued, often with another fault, until it is over. After each loss
// the store is looked at: nothing that was acknowledged is missing, no half commit is there. ROUNDS 0: every fault at every call once.

#define _GNU_SOURCE

#include "store/sqlite/database.h"
#include "store/sqlite/disk.h"
#include "store/workload.h"

#include "chorex/sqlite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIVES = 50, CHECKPOINT_PAGES = 12 };

typedef struct {
    char folder[40], path[60];
    const char *mistake;
    uint64_t losses, doubts, failures, rounds;
} Test;

static const char *mistake;

// Logs become part of the database much more often than usual, so that this is disturbed, too.
static void prepare(void *store)
{
    Database *database = store;
    sqlite3_wal_autocheckpoint(database->connection, CHECKPOINT_PAGES);
    if (strcmp(mistake, "nosync") == 0)
        sqlite3_exec(database->connection, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (strcmp(mistake, "lazy") == 0)
        sqlite3_exec(database->connection, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
}

static void remove_files(const Test *test)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char path[80];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", test->path, ends[i]);
        unlink(path);
    }
}

// The exit status of a life: 0: it came to its end; 1: something is wrong; else it was killed. *calls: how many it made, if it was not.
static int live(const Test *test, Workload *workload, DiskFault fault, uint64_t n, uint64_t times, uint32_t seed,
                uint64_t *calls)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        disk_install(fault, n, times, seed);
        bool is_good = workload_run(workload, &chx_store_ops_sqlite, test->path, prepare);
        uint64_t made = disk_calls();
        ssize_t written = write(ends[1], &made, sizeof made);
        _exit(!is_good || written != (ssize_t)sizeof made);
    }
    close(ends[1]);
    if (read(ends[0], calls, sizeof *calls) != (ssize_t)sizeof *calls)
        *calls = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 2 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// A round: the first life has this fault at this call, later ones perhaps another one. *calls as above, for the last life.
static bool run_round(Test *test, uint32_t seed, DiskFault fault, uint64_t n, uint64_t *calls)
{
    Workload *workload = workload_new(seed);
    uint32_t random = seed * 2654435761U + (uint32_t)n * 97 + (uint32_t)fault;
    bool is_good = true, is_over = false;
    if (workload == NULL)
        return false;
    workload_mistake(workload, strcmp(test->mistake, "early") == 0   ? MISTAKE_EARLY
                               : strcmp(test->mistake, "apart") == 0 ? MISTAKE_APART
                                                                     : MISTAKE_NONE);
    remove_files(test);
    for (int i = 0; i < LIVES && is_good && !is_over; i++) {
        int status = live(test, workload, fault, n, 1 + random % 7, random, calls);
        is_over = status == 0;
        test->losses += status == 2;
        is_good = status != 1 && workload_check(workload, &chx_store_ops_sqlite, test->path);
        random = random * 1664525 + 1013904223;
        fault = (random >> 8) % 2 == 0 ? DISK_WELL : (DiskFault)((random >> 10) % DISK_FAULTS);
        n = 1 + (random >> 16) % 40;
    }
    test->doubts += workload->doubts;
    test->failures += workload->failures;
    test->rounds++;
    if (!is_good || !is_over)
        printf("%s\n", workload->complaint[0] != '\0' ? workload->complaint : "it does not come to its end");
    workload_free(workload);
    return is_good && is_over;
}

static bool run_all(Test *test, uint64_t rounds, uint32_t seed)
{
    uint64_t calls = 0, ignored;
    if (!run_round(test, seed, DISK_WELL, 0, &calls))
        return false;
    for (uint64_t i = 0; i < (rounds > 0 ? rounds : calls * (DISK_FAULTS - 1)); i++) {
        DiskFault fault = (DiskFault)(1 + i % (DISK_FAULTS - 1));
        uint64_t n = rounds > 0 ? 1 + i * 7919 % calls : 1 + i / (DISK_FAULTS - 1);
        uint32_t now = rounds > 0 ? seed + (uint32_t)i : seed;
        if (!run_round(test, now, fault, n, &ignored)) {
            printf("seed %u, %s at call %llu of %llu\n", now, disk_fault_text(fault), (unsigned long long)n,
                   (unsigned long long)calls);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    Test test = {.folder = "/tmp/chorex-kill-XXXXXX", .mistake = argc > 3 ? argv[3] : ""};
    mistake = test.mistake;
    if (mkdtemp(test.folder) == NULL)
        return 2;
    snprintf(test.path, sizeof test.path, "%s/store.db", test.folder);
    // Looking at the store needs no syncs either.
    disk_install(DISK_WELL, 0, 0, 0);
    bool is_good = run_all(&test, argc > 1 ? strtoull(argv[1], NULL, 10) : 0, argc > 2 ? (uint32_t)atoi(argv[2]) : 1);
    printf("sqlite: %llu rounds, %llu losses, %llu commits in doubt, %llu refused: %s\n",
           (unsigned long long)test.rounds, (unsigned long long)test.losses, (unsigned long long)test.doubts,
           (unsigned long long)test.failures, is_good ? "nothing lost, nothing half" : "FAILED");
    remove_files(&test);
    rmdir(test.folder);
    return !is_good;
}
