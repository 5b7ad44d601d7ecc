// A step that ends without a result drops at once what it holds: what its other parts have made by then, for a message, for the
// arguments of a call, for a result. A counter tells what is left over.
// expect: sums 23 and 36, 18 calls, 0 held too long, 0 left
//! no-central
//! no-process
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// A number on the heap. `left` are those that nobody has dropped.
typedef struct {
    int *number;
} box;

static atomic_int left;
static int calls, held_too_long;

static box box_make(int number)
{
    box b = {malloc(sizeof *b.number)};
    if (b.number == NULL)
        abort();
    *b.number = number;
    left++;
    return b;
}

static void box_encode(chx_writer *writer, const void *value)
{
    const box *b = value;
    chx_write_u64(writer, b->number != NULL ? (uint64_t)*b->number : 0);
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
    box *b = value;
    left -= b->number != NULL;
    free(b->number);
    b->number = NULL;
}

CHX_CODEC(box, box_encode, box_decode, box_drop);

static int number_of(box b)
{
    return b.number != NULL ? *b.number : 0;
}

choreography(holding, (Alice, Bob),
    box Alice.make(int number);
    int Alice.wait(int number);
    def sum(Alice.box first, Alice.int second) -> Alice.int {
        return Alice.(number_of(first) + second);
    }
    def down(Alice.box last, Alice.int n) -> Alice.int {
        if (Alice.(n == 0)) {
            return Alice.(number_of(last));
        }
        return down(Alice.(make(n)), Alice.(wait(n - 1)));
    }
    def pair() -> Alice.{box, int} {
        return Alice.{make(7), wait(8)};
    }
    def run() -> Alice.int, Bob.int {
        Alice.{make(1), wait(2)} ~> Bob.{first, second};
        Bob.int got = number_of(first) + second;
        // From here on Bob does nothing as long as Alice waits for something.
        Bob.got ~> Alice._;
        Alice.total = sum(Alice.(make(3)), Alice.(wait(4)));
        // The result is taken over.
        Alice.{seven, eight} = pair();
        Alice.total += number_of(seven) + eight;
        Alice.last = down(Alice.((box){NULL}), Alice.(2));
        Alice.total += last;
        // Two parts are held when the third is waited for.
        Alice.{make(10), make(11), wait(12)} ~> Bob.{first, third, fourth};
        Bob.got += number_of(first) + number_of(third) + fourth;
        return Alice.total, Bob.got;
    }
)

#include "holding.Alice.chor.h"
#include "holding.Bob.chor.h"

box Alice_make(int number)
{
    return box_make(number);
}

// Every third call succeeds. The others find what the first one has found.
int Alice_wait(int number)
{
    static int before;
    if (calls % 3 == 0)
        before = left;
    else if (left != before)
        held_too_long++;
    if (++calls % 3 != 0)
        chx_again_after(1000);
    return number;
}

int main(void)
{
    struct holding_run_result result;
    if (holding_run(&result, NULL) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("sums %d and %d, %d calls, %d held too long, %d left\n", result.Alice, result.Bob, calls, held_too_long,
           left);
    return 0;
}
