// Four nodes in a ring elect the one with the greatest identity. Each node knows only its own, and a token goes from
// neighbour to neighbour. In two ways: until a node sees its own identity come back, and for a fixed number of hops.

#include <chorex.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 4
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct {
    int best; // the greatest identity so far
    int hops; // messages so far
} token;

choreography(ring, (North, East, South, West),

    // Chang and Roberts, begun by North.
    def run(North.int id, East.int id, South.int id, West.int id)
        -> North.token, East.token, South.token, West.token {
        return elect[North, East, South, West](North.((token){id, 0}), North.id, East.id, South.id, West.id);
    }

    // Here passes the token on. Whoever sees its own identity come back is the leader and sends the news round;
    // otherwise Next does the same from its own place: the roles move on by one.
    def elect[Here, Next, Third, Last](Here.token t, Here.int id, Next.int id, Third.int id, Last.int id)
        -> Here.token, Next.token, Third.token, Last.token {
        Here.((token){t.best, t.hops + 1}) ~> Next.t;
        if (Next.(t.best == id)) {
            Next.t ~> Third.news;
            Third.news ~> Last.news;
            Last.news ~> Here.news;
            return Here.news, Next.t, Third.news, Last.news;
        }
        Next.t.best = MAX(t.best, id);
        return elect[Next, Third, Last, Here](Next.t, Next.id, Third.id, Last.id, Here.id);
    }

    // After three hops the token has seen every identity, after three more everybody has seen the token. All roles
    // agree on how many hops are left, so nobody has to be told when it is over.
    def count(North.int id, East.int id, South.int id, West.int id)
        -> North.int, East.int, South.int, West.int {
        return pass[North, East, South, West]({North, East, South, West}.(2 * (NODES - 1)),
                                              North.id, East.id, South.id, West.id);
    }

    def pass[Here, Next, Third, Last]({Here, Next, Third, Last}.int left,
                                      Here.int best, Next.int best, Third.int best, Last.int best)
        -> Here.int, Next.int, Third.int, Last.int {
        if ({Here, Next, Third, Last}.(left == 0)) {
            return Here.best, Next.best, Third.best, Last.best;
        }
        Here.best ~> Next.heard;
        return pass[Next, Third, Last, Here]({Next, Third, Last, Here}.(left - 1),
                                             Next.(MAX(best, heard)), Third.best, Last.best, Here.best);
    }
)

#include "ring.North.chor.h"
#include "ring.East.chor.h"
#include "ring.South.chor.h"
#include "ring.West.chor.h"

static const char *const names[NODES] = {"North", "East", "South", "West"};

static bool failed(void)
{
    const chx_report *report = chx_last_report();
    fprintf(stderr, "ring: %s failed at line %d: %s\n", report->role, report->line, report->why);
    return false;
}

// Elects in both ways and checks that all nodes name the same leader.
static bool elect(const int ids[NODES])
{
    struct ring_run_result r;
    struct ring_count_result c;
    if (ring_run(&r, NULL, ids[0], ids[1], ids[2], ids[3]) != CHX_OK)
        return failed();
    if (ring_count(&c, NULL, ids[0], ids[1], ids[2], ids[3]) != CHX_OK)
        return failed();

    int leader = 0;
    for (int i = 1; i < NODES; i++) {
        if (ids[i] > ids[leader])
            leader = i;
    }
    const int said[] = {r.North.best, r.East.best, r.South.best, r.West.best, c.North, c.East, c.South, c.West};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (said[i] != ids[leader]) {
            fprintf(stderr, "ring: %s says that %d leads, not %d\n", names[i % NODES], said[i], ids[leader]);
            return false;
        }
    }
    printf("%d %d %d %d: %s leads, known after %d hops\n", ids[0], ids[1], ids[2], ids[3], names[leader], r.North.hops);
    return true;
}

// Every order of the identities.
static bool elect_all(int ids[NODES], int fixed)
{
    if (fixed == NODES)
        return elect(ids);
    for (int i = fixed; i < NODES; i++) {
        int next[NODES];
        next[fixed] = ids[i];
        for (int from = fixed, to = fixed + 1; from < NODES; from++) {
            if (from != i)
                next[to++] = ids[from];
        }
        for (int k = 0; k < fixed; k++)
            next[k] = ids[k];
        if (!elect_all(next, fixed + 1))
            return false;
    }
    return true;
}

static bool read_identity(const char *text, int *id)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        fprintf(stderr, "ring: '%s' is not a number that can be an identity\n", text);
        return false;
    }
    *id = (int)number;
    return true;
}

int main(int count, char **arguments)
{
    int ids[NODES] = {1, 2, 3, 4};
    if (count == 1)
        return elect_all(ids, 0) ? 0 : 1;
    if (count != 1 + NODES) {
        fprintf(stderr, "usage: %s [NORTH EAST SOUTH WEST]\n", arguments[0]);
        return 2;
    }
    for (int i = 0; i < NODES; i++) {
        if (!read_identity(arguments[1 + i], &ids[i]))
            return 2;
        for (int k = 0; k < i; k++) {
            if (ids[k] == ids[i]) {
                fprintf(stderr, "ring: two nodes have the identity %d\n", ids[i]);
                return 2;
            }
        }
    }
    return elect(ids) ? 0 : 1;
}
