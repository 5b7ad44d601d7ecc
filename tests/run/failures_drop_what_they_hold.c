// What a role holds when it fails in the middle of a step is dropped: received values, results, values it just made.
// expect: 1 rescued, 0 left
// expect: 2 rescued, 0 left
// expect: 3 rescued, 0 left
// expect: 4 rescued, 0 left
// expect: 5 rescued, 0 left
// expect: 6 rescued, 0 left
// expect: 7 rescued, 0 left
// expect: 8 rescued, 0 left
//! no-central
//! no-sim-process: what a killed process holds is lost, and the simulated ones share a counter of it
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// A number on the heap. `left` are those that nobody has dropped.
typedef struct {
    int *number;
} thing;

static atomic_int left;

static thing thing_make(int number)
{
    thing t = {malloc(sizeof *t.number)};
    if (t.number == NULL)
        abort();
    *t.number = number;
    left++;
    return t;
}

static void thing_encode(chx_writer *writer, const void *value)
{
    const thing *t = value;
    chx_write_u64(writer, (uint64_t)*t->number);
}

static bool thing_decode(chx_reader *reader, void *value)
{
    uint64_t number;
    if (!chx_read_u64(reader, &number))
        return false;
    *(thing *)value = thing_make((int)number);
    return true;
}

static void thing_drop(void *value)
{
    thing *t = value;
    left -= t->number != NULL;
    free(t->number);
}

CHX_CODEC(thing, thing_encode, thing_decode, thing_drop);

struct pair {
    const char *name;
    thing what;
};

choreography(held, (Alice, Bob),
    int Alice.fails(void);
    int Bob.fails(void);
    thing Alice.make(int number);
    const char *Bob.name(void);

    def run({Alice, Bob}.int way) -> Bob.int {
        Bob.thing things[2];
        Bob.const char *names[2];
        checkpoint {
            switch ({Alice, Bob}.way) {
            case 1:
                Alice.("done") ~> Bob.(name());
                break;
            case 2:
                Alice.{make(1), "done", 1} ~> Bob.{_, things_name, (fails())};
                Bob.(puts(things_name));
                break;
            case 3:
                Alice.make(1) ~> Bob.things[fails()];
                break;
            case 4:
                Alice.{"first", make(1)} ~> Bob.{names[0], things[fails()]};
                break;
            case 5:
                Alice.((struct pair){.name = "done"}) ~> Bob.{.name = names[fails()], .what = things[1]};
                break;
            case 6:
                Bob.{names[0], things[fails()]} = passed_on(Alice.make(1));
                break;
            case 7:
                Alice.{make(1), make(2), fails()} ~> Bob.{things[0], things[1], number};
                Bob.(printf("%d\n", number));
                break;
            case 8:
                tail(Alice.(2));
                break;
            }
        } rescue {
            return Bob.way;
        }
        Bob.things[0] = things[1];
        Bob.(puts(names[0]), puts(names[1]));
        return Bob.(0);
    }
    def passed_on(Alice.thing t) -> Bob.{const char *, thing} {
        Alice.t ~> Bob.t;
        return Bob.{"name", t};
    }
    def tail(Alice.int n) {
        if (Alice.(n > 0)) {
            return more(Alice.make(n), Alice.fails());
        }
        Alice.(n) ~> Bob._;
    }
    def more(Alice.thing t, Alice.int n) {
        Alice.(*t.number + n) ~> Bob._;
        return tail(Alice.(n - 1));
    }
)

#include "held.Alice.chor.h"
#include "held.Bob.chor.h"

static int Alice_fails(void) { chx_fail("as wanted"); }
static int Bob_fails(void) { chx_fail("as wanted"); }
static thing Alice_make(int number) { return thing_make(number); }
static const char *Bob_name(void) { chx_fail("as wanted"); }

int main(void)
{
    enum { WAYS = 8 };
    for (int way = 1; way <= WAYS; way++) {
        struct held_run_result r;
        if (held_run(&r, NULL, way) != CHX_OK)
            return 1;
        printf("%d rescued, %d left\n", r.Bob, left);
    }
    return 0;
}
