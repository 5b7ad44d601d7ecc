// A store that is named in two ways is one store: a session that this program runs is not taken from it. Of two programs that begin
// a session in the same moment, one is refused.
#include <chorex.h>
#include <chorex/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const chx_store_ops chx_store_ops_file;

choreography(spelled, (Ann, Bob),
    int Ann.wait(void);
    def run() -> Bob.int {
        Bob.result = 0;
        checkpoint durable {
            Ann.wait() ~> Bob.result;
        }
        return Bob.result;
    }
)

#include "spelled.Ann.chor.h"
#include "spelled.Bob.chor.h"

static int begun[2], gate[2];

int Ann_wait(void)
{
    char byte;
    return write(begun[1], "x", 1) == 1 && read(gate[0], &byte, 1) == 1;
}

static chx_runtime *runtime_with(const char *path, chx_store **store)
{
    *store = chx_store_of(&chx_store_ops_file, path);
    return chx_runtime_new(&(chx_runtime_options){.store = *store});
}

int main(void)
{
    char path[4096], byte;
    chx_store *stores[2];
    struct spelled_run_result result;
    snprintf(path, sizeof path, "%s", getenv("STORE_FILE"));
    chx_runtime *one = runtime_with(path, &stores[0]);
    char *slash = strrchr(path, '/');
    memmove(slash + 2, slash, strlen(slash) + 1);
    memcpy(slash, "/.", 2);
    chx_runtime *other = runtime_with(path, &stores[1]);
    if (pipe(begun) != 0 || pipe(gate) != 0)
        return 1;
    chx_session *first = spelled_run_open(one, "order", NULL);
    if (read(begun[0], &byte, 1) != 1)
        return 1;
    chx_session *second = spelled_run_open(other, "order", NULL);
    printf("second: %s\n", second == NULL ? chx_last_report()->why : "opened");
    if (write(gate[1], "x", 1) != 1)
        return 1;
    chx_status status = spelled_run_wait(first, &result);
    printf("first: %s, %d\n", chx_status_text(status), result.Bob);
    status = spelled_run_wait(spelled_run_open(other, "order", NULL), &result);
    printf("again: %s, %d\n", chx_status_text(status), result.Bob);
    int refused = 0, good = 0;
    chx_session *racing[2] = {spelled_run_open(one, "race", NULL), spelled_run_open(other, "race", NULL)};
    // The second is refused now, or when the store has its first commit.
    refused += racing[1] == NULL && strstr(chx_last_report()->why, "session race can't be opened") != NULL;
    if (write(gate[1], "xx", 2) != 2)
        return 1;
    for (int i = 0; i < 2; i++) {
        if (racing[i] == NULL)
            continue;
        status = spelled_run_wait(racing[i], &result);
        good += status == CHX_OK;
        refused += status == CHX_INVALID && strstr(chx_last_report()->why, "session race can't be opened") != NULL;
    }
    printf("race: %d good, %d refused\n", good, refused);
    chx_runtime_free(one);
    chx_runtime_free(other);
    chx_store_close(stores[0]);
    chx_store_close(stores[1]);
    return 0;
}
