// blocks.c: durable blocks of a choreography, for many sessions at once. Arguments: STORE sqlite|postgresql|none, its place, how many blocks each
// session goes through, how many sessions, and "blocks" or "rounds" (of a durable loop, which are one commit each). Prints time, and how many
// commits, changes and bytes the store was given.
#include "bench/measure.h"
#include "chorex/postgres.h"
#include "chorex/sqlite.h"

#include <chorex.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char bytes[200];
} state;

choreography(durable, (Ann, Bob),
    state Ann.next(int number);

    def blocks(Ann.int count) -> Bob.int {
        Ann.state a = next(0);
        Bob.state b;
        Bob.sum = 0;
        for (Ann.i = 0; Ann.(i < count); Ann.i++) {
            checkpoint durable retry 1 {
                Ann.(a = next(i));
                Ann.a ~> Bob.b;
                Bob.sum += b.bytes[7];
            }
        }
        return Bob.sum;
    }
    def rounds(Ann.int count) -> Bob.int {
        Ann.state a = next(0);
        Bob.state b;
        Bob.sum = 0;
        Ann.i = 0;
        checkpoint durable retry 1 while (Ann.(i < count)) {
            Ann.(a = next(i));
            Ann.a ~> Bob.b;
            Bob.sum += b.bytes[7];
            Ann.i = i + 1;
        }
        return Bob.sum;
    }
)

#include "durable.Ann.chor.h"
#include "durable.Bob.chor.h"

state Ann_next(int number)
{
    state made;
    memset(&made, number, sizeof made);
    return made;
}

static chx_store_ops counting;
static const chx_store_ops *counted;
static unsigned long commits, changes_made, bytes;

static int count_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    commits++;
    changes_made += count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < changes[i].piece_count; j++)
            bytes += changes[i].pieces[j].size;
    return counted->commit(store, changes, count, why);
}

static chx_store *store_of(const char *kind, const char *place)
{
    counted = strcmp(kind, "sqlite") == 0 ? &chx_store_ops_sqlite : &chx_store_ops_postgres;
    counting = *counted;
    counting.commit = count_commit;
    return chx_store_of(&counting, place);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    bool has_store = strcmp(argv[1], "none") != 0, is_loop = strcmp(argv[5], "rounds") == 0;
    int count = atoi(argv[3]), session_count = atoi(argv[4]), wrong = 0;
    chx_store *store = has_store ? store_of(argv[1], argv[2]) : NULL;
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.store = store});
    chx_session **sessions = calloc((size_t)session_count, sizeof *sessions);
    Measure measure = measure_begin();
    for (int i = 0; i < session_count; i++)
        sessions[i] = is_loop ? durable_rounds_start(runtime, NULL, count) : durable_blocks_start(runtime, NULL, count);
    for (int i = 0; i < session_count; i++) {
        struct durable_blocks_result blocks;
        struct durable_rounds_result rounds;
        wrong += (is_loop ? durable_rounds_wait(sessions[i], &rounds) : durable_blocks_wait(sessions[i], &blocks)) != CHX_OK;
    }
    measure_end(&measure);
    printf("{\"wall_s\": %.9f, \"cpu_s\": %.9f, \"peak_kib\": %ld, \"commits\": %lu, \"changes\": %lu, \"bytes\": %lu}\n",
           measure.wall_s, measure.cpu_s, measure_peak_kib(), commits, changes_made, bytes);
    chx_runtime_free(runtime);
    chx_store_close(store);
    return wrong != 0;
}
