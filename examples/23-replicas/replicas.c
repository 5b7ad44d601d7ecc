// A key-value store with any number of replicas: writes and reads need a majority; a replica that dies comes back empty and is repaired.
//! no-sanitizer
// expect: put 1 = 10
// expect: put 2 = 20
// expect: Replica[2] died: SIGABRT (abort)
// expect: Replica[5] died: SIGABRT (abort)
// expect: put 1 = 11
// expect: repaired 2 replicas
// expect: get 1 = 11
// expect: repaired 2 replicas
// expect: get 2 = 20
// expect: get 1 = 11
// expect: get 3: nothing
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 8, REPLICAS_MAX = 64 };

typedef struct {
    int version; // 0: there is none
    int value;
} entry;

typedef struct {
    enum { STOP, PUT, GET } what;
    int key, value;
} request;

choreography(store, (Client, Front, Replica[]),
    request Client.next(void);
    void Client.show_put(request r, bool done);
    void Client.show_get(request r, entry found);
    entry Replica.load(int key);
    void Replica.save(int key, entry e);
    void Replica.repair(int key, entry e);
    void Replica.forget(void);
    void Front.died(const char *who, const char *why);
    entry Front.newest(const entry *found, size_t count);
    void Front.repaired(size_t count);

    // True if a majority has it.
    def put(Front.int key, Front.entry e) -> Front.bool {
        Front.size_t written = 0;
        for (r : Replica) {
            Front.{key, e} ~> r.{key, e};
            checkpoint {
                r.save(key, e);
                r.(1) ~> Front.n;
                Front.written += n;
            } rescue (fault) {
                Front.died(fault.role, fault.why);
                r.forget();
            }
        }
        return Front.(written > Replica_count / 2);
    }

    // The newest that a majority has. Those that have an older one, or none, get it.
    def get(Front.int key) -> Front.entry {
        Front.entry found[Replica];
        Front.size_t answers = 0;
        for (r : Replica) {
            Front.key ~> r.key;
            checkpoint {
                r.load(key) ~> Front.found[r];
                Front.answers++;
            } rescue (fault) {
                Front.died(fault.role, fault.why);
                r.forget();
            }
        }
        Front.best = newest(found, Replica_count);
        Front.size_t behind = 0;
        for (r : Replica) {
            if (Front.(found[r].version < best.version)) {
                Front.{key, best} ~> r.{key, e};
                r.repair(key, e);
                Front.behind++;
            }
        }
        Front.repaired(behind);
        return Front.(answers > Replica_count / 2 ? best : (entry){0, 0});
    }

    def run(void) {
        Front.int version = 0;
        Client.request r = next();
        while (Client.(r.what != STOP)) {
            Client.r ~> Front.r;
            if (Client.(r.what == PUT)) {
                Front.version++;
                Front.bool done = put(Front.(r.key), Front.((entry){version, r.value}));
                Front.done ~> Client.done;
                Client.show_put(r, done);
            } else {
                Front.entry found = get(Front.(r.key));
                Front.found ~> Client.found;
                Client.show_get(r, found);
            }
            Client.r = next();
        }
    }
)

#include "store.Client.chor.h"
#include "store.Front.chor.h"
#include "store.Replica.chor.h"

// ---- Client ----

static request Client_next(void)
{
    static const request requests[] = {{PUT, 1, 10}, {PUT, 2, 20}, {PUT, 1, 11}, {GET, 1, 0},
                                       {GET, 2, 0},  {GET, 1, 0},  {GET, 3, 0},  {STOP, 0, 0}};
    static int next;
    return requests[next++];
}

static void Client_show_put(request r, bool done)
{
    printf(done ? "put %d = %d\n" : "put %d = %d: too few replicas\n", r.key, r.value);
}

static void Client_show_get(request r, entry found)
{
    if (found.version > 0)
        printf("get %d = %d\n", r.key, found.value);
    else
        printf("get %d: nothing\n", r.key);
}

// ---- Front ----

static void Front_died(const char *who, const char *why)
{
    printf("%s died: %s\n", who, why);
}

static entry Front_newest(const entry *found, size_t count)
{
    entry best = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (found[i].version > best.version)
            best = found[i];
    return best;
}

static void Front_repaired(size_t count)
{
    if (count > 0)
        printf("repaired %zu replicas\n", count);
}

// ---- Replica: each has its own memory, of which a new process would begin with none ----

static entry memories[REPLICAS_MAX][KEYS];

static entry Replica_load(int key)
{
    return memories[chx_role_index()][key];
}

static void Replica_save(int key, entry e)
{
    // Two of them have bad luck with the third write.
    if (e.version == 3 && (chx_role_index() == 2 || chx_role_index() == 5))
        abort();
    memories[chx_role_index()][key] = e;
}

static void Replica_repair(int key, entry e)
{
    memories[chx_role_index()][key] = e;
}

static void Replica_forget(void)
{
    memset(memories[chx_role_index()], 0, sizeof memories[0]);
}

int main(int argc, char **argv)
{
    struct store_cast cast = {.Replica = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 7}};
    if (store_run(&cast) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    return 0;
}
