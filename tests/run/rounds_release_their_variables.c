// The variables that are declared in a round are released at its end, wherever in it they are declared and however it ends.
// expect: 222222 rescued 6
// expect: 0 left
//! no-central
//! no-sim-process: what a simulated process that is killed has allocated is lost
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int *number; } box;

static atomic_int alive;

static box box_make(int n)
{
    box b = {malloc(sizeof(int))};
    *b.number = n;
    atomic_fetch_add(&alive, 1);
    return b;
}

static void box_encode(chx_writer *writer, const void *value)
{
    chx_write_u64(writer, (uint64_t)*((const box *)value)->number);
}

static bool box_decode(chx_reader *reader, void *value)
{
    uint64_t number;
    if (!chx_read_u64(reader, &number))
        return false;
    *(box *)value = box_make((int)number);
    return true;
}

static void box_drop(void *value)
{
    atomic_fetch_sub(&alive, 1);
    free(((box *)value)->number);
}

CHX_CODEC(box, box_encode, box_decode, box_drop);

struct pair {
    chx_str name;
    box box;
};

static int box_number(box b) { return *b.number; }
static struct pair pair_make(int n) { return (struct pair){chx_strf("%d", n), box_make(n)}; }

// Bob counts what is there at the beginning of each round, before Alice makes anything: `kept`, and what the round goes back to.
choreography(releasing, (Alice, Bob),
    int  Bob.count(void);
    void Bob.may_fail(int i);

    def inner(Bob.box given) -> Bob.box {
        Bob.box mine = box_make(box_number(given) + 1);
        return Bob.mine;
    }

    def run(Alice.int rounds) -> Alice.int, Bob.{chx_str, int} {
        Alice.int i = 0;
        Bob.box kept = box_make(0);
        Bob.chx_str log = {0};
        Bob.int rescued = 0;
        checkpoint while (Alice.(i < rounds)) {
            Bob.log = chx_strf("%s%d", chx_cstr(log), count());
            Bob.(true) ~> Alice._;
            Alice.box sent = box_make(i);
            Alice.{i, sent} ~> Bob.{n, got};
            Alice.(pair_make(i)) ~> Bob.{.name, .box};
            Alice.(box_make(i)) ~> {Alice, Bob}.at_both;
            Alice.(box_make(i)) ~> {Alice, Bob}.kept; // only Alice's is of this round
            Alice.i = box_number(at_both) + box_number(kept) - i;
            Bob.n = box_number(at_both) + box_number(kept) - box_number(box);
            Bob.const char *text = chx_cstr(name);
            Bob.box several[2] = {box_make(n), box_make(box_number(got) + text[0])};
            Bob.struct pair whole = pair_make(n);
            if (Bob.(n % 2 == 0)) {
                Bob.box in_a_branch = inner(Bob.got);
                checkpoint for (;;) {
                    Bob.box in_a_round = box_make(box_number(in_a_branch));
                    Bob.may_fail(box_number(in_a_round));
                    if (Bob.(box_number(in_a_round) > n)) {
                        break;
                    }
                }
            } else {
                Bob.int turns = 3;
                while (Bob.(turns > 0)) {
                    Bob.box in_a_loop = several[turns % 2];
                    checkpoint {
                        Bob.box in_a_block = in_a_loop;
                        Bob.box got = in_a_block;
                        Bob.n += box_number(got) - box_number(in_a_block);
                    }
                    Bob.turns--;
                }
            }
            Alice.i++;
            if (Bob.(box_number(whole.box) == 3)) {
                continue;
            }
            Bob.may_fail(n);
        } rescue (fault) {
            Alice.(box_make(i)) ~> Bob.got;
            Bob.got ~> {Alice, Bob}.at_both;
            Bob.rescued += 1 + box_number(at_both) - box_number(got);
            Alice.i = box_number(at_both) + 1;
        }
        return Alice.i, Bob.{log, rescued};
    }
)

#include "releasing.Alice.chor.h"
#include "releasing.Bob.chor.h"

int Bob_count(void)
{
    return atomic_load(&alive);
}

void Bob_may_fail(int i)
{
    if (i % 4 == 1)
        chx_fail("a fourth");
}

int main(void)
{
    struct releasing_run_result result;
    if (releasing_run(&result, NULL, 12) != CHX_OK)
        return 1;
    printf("%s rescued %d\n", chx_cstr(result.Bob.v0), result.Bob.v1);
    releasing_run_result_drop(&result);
    printf("%d left\n", atomic_load(&alive));
    return 0;
}
