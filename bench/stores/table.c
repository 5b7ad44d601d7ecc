// table.c: commits of many sessions through the table of a store. Each session enters a durable block with one commit and leaves it with the next.

#include "bench/stores/work.h"
#include "chorex/postgres.h"
#include "chorex/sqlite.h"

enum { PIECES = WORK_ROLES + 1 };

typedef struct {
    char name[32];
    uint64_t version;
    chx_store_piece pieces[PIECES];
} Session;

static void prepare(const Work *work, Session *session, chx_store_change *change, bool is_entry)
{
    for (uint32_t i = 0; i < WORK_ROLES; i++)
        session->pieces[i] = (chx_store_piece){is_entry, i, work->state, (size_t)work->bytes};
    session->pieces[WORK_ROLES] = (chx_store_piece){is_entry, CHX_STORE_HEAD, work->state, WORK_HEAD_BYTES};
    *change = (chx_store_change){.key = {"bench", "", session->name},
                                 .term = 1,
                                 .version = session->version++,
                                 .definition = "run",
                                 .home = "",
                                 .drops = !is_entry,
                                 .drop_from = 1,
                                 .pieces = session->pieces,
                                 .piece_count = PIECES};
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const chx_store_ops *ops = strcmp(argv[1], "sqlite") == 0 ? &chx_store_ops_sqlite : &chx_store_ops_postgres;
    Work work = work_of(argv + 2);
    Session *sessions = calloc((size_t)work.sessions, sizeof *sessions);
    chx_store_change *changes = calloc((size_t)work.sessions, sizeof *changes);
    const uint64_t writer[2] = {1, 2};
    char why[CHX_STORE_WHY];
    void *store;
    if (ops->open(work.place, "", writer, &store, why) != 0)
        work_fail(why);
    for (long i = 0; i < work.sessions; i++)
        snprintf(sessions[i].name, sizeof sessions[i].name, "order-%ld", i);
    Measure measure = {0};
    // The first two make the sessions, and room for their blocks.
    for (long n = -3; n < work.commits; n++) {
        if (n == 0)
            measure = measure_begin();
        for (long i = 0; i < work.sessions; i++)
            prepare(&work, &sessions[i], &changes[i], n % 2 == 0);
        if (ops->commit(store, changes, (size_t)work.sessions, why) != 0)
            work_fail(why);
        for (long i = 0; i < work.sessions; i++)
            if (!changes[i].is_applied)
                work_fail("a change is stale");
    }
    measure_end(&measure);
    measure_print(&measure);
    ops->close(store);
    return 0;
}
