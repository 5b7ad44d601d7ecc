// What a round saves for the next one is its own: strings and values with a codec, restored, replaced and released.
// expect: abdeghjk. 010 sum 40, 0 left
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
    const box *b = value;
    chx_write_u64(writer, b->number != NULL);
    if (b->number != NULL)
        chx_write_u64(writer, (uint64_t)*b->number);
}

static bool box_decode(chx_reader *reader, void *value)
{
    box *b = value;
    uint64_t is_there, number;
    b->number = NULL;
    if (!chx_read_u64(reader, &is_there) || (is_there != 0 && !chx_read_u64(reader, &number)))
        return false;
    if (is_there != 0)
        *b = box_make((int)number);
    return true;
}

static void box_drop(void *value)
{
    box *b = value;
    if (b->number != NULL)
        atomic_fetch_sub(&alive, 1);
    free(b->number);
    b->number = NULL;
}

CHX_CODEC(box, box_encode, box_decode, box_drop);

static int box_number(box b) { return b.number == NULL ? 0 : *b.number; }

choreography(keeping, (Alice, Bob),
    void Bob.may_fail(int i);
    def run(Alice.int rounds, Bob.chx_str end) -> Alice.int, Bob.{chx_str, chx_str} {
        Alice.int i = 0;
        Alice.box sum = {0};
        Bob.chx_str log = {0};
        Bob.chx_str rescued = {0};
        checkpoint while (Alice.(i < rounds)) {
            Alice.sum = box_make(box_number(sum) + i);
            Alice.{i, sum} ~> Bob.{n, so_far};
            Bob.log = chx_strf("%s%c", chx_cstr(log), 'a' + n);
            Bob.may_fail(n);
            Bob.so_far ~> Alice.sum;
            Alice.i++;
        } rescue (fault) {
            Alice.i ~> Bob.n;
            Bob.rescued = chx_strf("%s%d", chx_cstr(rescued), n % 2);
            Alice.i++;
        }
        return Alice.(box_number(sum)), Bob.{chx_strf("%s%s", chx_cstr(log), chx_cstr(end)), rescued};
    }
)

#include "keeping.Alice.chor.h"
#include "keeping.Bob.chor.h"

void Bob_may_fail(int i)
{
    if (i % 3 == 2)
        chx_fail("a third");
}

int main(void)
{
    struct keeping_run_result result;
    chx_str end = chx_str_new(".", 1);
    if (keeping_run(&result, NULL, 11, end) != CHX_OK)
        return 1;
    printf("%s %s sum %d", chx_cstr(result.Bob.v0), chx_cstr(result.Bob.v1), result.Alice);
    keeping_run_result_drop(&result);
    chx_str_drop(end);
    printf(", %d left\n", atomic_load(&alive));
    return 0;
}
