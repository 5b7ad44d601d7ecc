// client.c: asks the store for this and that, one request after the other, and writes down when it has asked and what it was told.
//
// Each line of its history begins with the time (CLOCK_MONOTONIC, in nanoseconds):
//   ask NUMBER KIND KEY VALUE EXPECTED
//   done NUMBER VALUE CHANGED     VALUE: of the key before
//   not NUMBER                    it was not done, and never will be
//   over STATUS WHY               a session has ended. What was asked and not answered then: nobody knows

#define _POSIX_C_SOURCE 200809L
#include <chorex/net.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "store.chor"
#include "store.Client.chor.h"

static int client, rounds_max, rounds, last_number;
static struct request now; // number 0: nothing is asked
static int seen[KEYS];     // what it believes to be there
static uint64_t end_ns;
static FILE *history;
static unsigned long random_state;

static uint64_t clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (unsigned)below);
}

bool Client_more(void)
{
    return rounds++ < rounds_max && clock_ns() < end_ns;
}

struct request Client_ask(void)
{
    if (now.number != 0)
        return now; // called again before it was answered
    now = (struct request){.client = client, .number = ++last_number, .kind = draw(3), .key = draw(KEYS)};
    now.value = client * 1000000 + now.number;
    now.expected = seen[now.key];
    fprintf(history, "%" PRIu64 " ask %d %d %d %d %d\n", clock_ns(), now.number, now.kind, now.key, now.value,
            now.expected);
    fflush(history);
    return now;
}

struct request Client_pending(void)
{
    return now.number != 0 ? now : (struct request){.client = client};
}

void Client_told(struct entry entry)
{
    if (now.number == 0 || entry.request.number != now.number)
        return; // it was told before
    if (entry.sequence != 0)
        fprintf(history, "%" PRIu64 " done %d %d %d\n", clock_ns(), now.number, entry.value, entry.is_changed);
    else
        fprintf(history, "%" PRIu64 " not %d\n", clock_ns(), now.number);
    fflush(history);
    if (entry.sequence != 0)
        seen[now.key] = entry.is_changed ? now.value : entry.value;
    now.number = 0;
}

// client NUMBER ROUNDS SECONDS HISTORY
int main(int argc, char **argv)
{
    static const struct timespec pause = {0, 50000000};
    if (argc < 5 || (history = fopen(argv[4], "a")) == NULL)
        return 2;
    client = atoi(argv[1]);
    rounds_max = atoi(argv[2]);
    end_ns = clock_ns() + (uint64_t)(atof(argv[3]) * 1e9);
    random_state = (unsigned long)client * 7919;
    chx_node *node = chx_node_open(NULL);
    if (node == NULL) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    while (clock_ns() < end_ns) {
        rounds = 0;
        chx_status status = store_run_as_Client(node, NULL);
        fprintf(history, "%" PRIu64 " over %d %s: %s\n", clock_ns(), status,
                status == CHX_OK ? "" : chx_last_report()->role, status == CHX_OK ? "" : chx_last_report()->why);
        fflush(history);
        if (status != CHX_OK)
            nanosleep(&pause, NULL);
        now.number = 0;
    }
    chx_node_close(node);
    return 0;
}
