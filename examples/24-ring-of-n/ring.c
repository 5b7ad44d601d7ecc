// A ring of any number of nodes: Chang and Roberts' election, and an echo once around.
// expect: leader 97 after 19 messages
// expect: Node[3] is the leader
// expect: echo: 3 4 5 6 0 1 2
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES_MAX = 32 };

// The nodes that a message has passed.
typedef struct {
    int count;
    int node[NODES_MAX];
} trail;

static trail passed(trail t, int node)
{
    if (t.count < NODES_MAX)
        t.node[t.count++] = node;
    return t;
}

choreography(ring, (Node[], Observer),
    int Node.id(void);

    // A node passes on identifiers that are larger than its own, and swallows others. Who gets its own back is the leader.
    def elect(void) -> Observer.{int, int}, Node[*].bool {
        Node[*].int own = id();
        Node[*].int out = own;
        Node[*].int in = 0;
        Node[*].bool is_leader = false;
        Observer.int leader = 0;
        Observer.int messages = 0;
        {Node[*], Observer}.size_t hop = 0;
        while ({Node[*], Observer}.(hop < Node_count)) {
            for (n : Node) {
                // Only the next node is told whether something comes, and the observer, who counts.
                if (n.(out > 0)) {
                    n.out ~> Node[(n + 1) % Node_count].in;
                    Observer.messages++;
                }
            }
            Node[*].is_leader = is_leader || in == own;
            Node[*].out = in > own ? in : 0;
            Node[*].in = 0;
            {Node[*], Observer}.hop = hop + 1;
        }
        for (n : Node) {
            if (n.is_leader) {
                n.own ~> Observer.leader;
            }
        }
        return Observer.{leader, messages}, Node[*].is_leader;
    }

    // From the node with this index around to itself.
    def echo({Node[*], Observer}.size_t first) -> Observer.trail {
        Node[*].trail t = {.count = 0};
        {Node[*], Observer}.size_t hop = 0;
        while ({Node[*], Observer}.(hop < Node_count)) {
            Node[(first + hop) % Node_count].(passed(t, (int)chx_role_index())) ~> Node[(first + hop + 1) % Node_count].t;
            {Node[*], Observer}.hop = hop + 1;
        }
        Node[first].t ~> Observer.t;
        return Observer.t;
    }
)

#include "ring.Node.chor.h"
#include "ring.Observer.chor.h"

static int Node_id(void)
{
    static const int ids[] = {12, 45, 33, 97, 8, 61, 20};
    size_t index = chx_role_index();
    return index < 7 ? ids[index] : 100 + (int)index;
}

int main(int argc, char **argv)
{
    struct ring_cast cast = {.Node = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 7}};
    struct ring_elect_result elected;
    struct ring_echo_result echo;
    if (ring_elect(&elected, &cast) != CHX_OK)
        return 1;
    printf("leader %d after %d messages\n", elected.Observer.v0, elected.Observer.v1);
    size_t leader = 0;
    while (leader < elected.Node.count && !elected.Node.item[leader])
        leader++;
    ring_elect_result_drop(&elected);
    printf("Node[%zu] is the leader\n", leader);
    if (ring_echo(&echo, &cast, leader) != CHX_OK)
        return 1;
    printf("echo:");
    for (int i = 0; i < echo.Observer.count; i++)
        printf(" %d", echo.Observer.node[i]);
    printf("\n");
    return 0;
}
