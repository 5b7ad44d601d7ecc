// A message larger than the channel's bound passes when the channel is empty.
// expect: 3145728 bytes, last 'z'
// expect: 2097152 characters
// expect: array sums to 12582912
#include <chorex.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 3 << 20, CHARACTERS = 2 << 20, NUMBERS = 300000 };
struct big { int numbers[NUMBERS]; };

choreography(large, (Alice, Bob),
    chx_bytes Alice.make_bytes(void);
    chx_str   Alice.make_text(void);
    struct big Alice.make_numbers(void);
    long Bob.add_up(struct big b);
    def run() -> Bob.chx_bytes {
        Alice.make_bytes() ~> Bob.one;
        Alice.make_bytes() ~> Bob.two;
        return Bob.(chx_bytes_len(one) > 0 ? two : one);
    }
    def text() -> Bob.const char * {
        Alice.make_text() ~> Bob.s;
        Bob.(chx_cstr(s)) ~> Alice.const char *t;
        Alice.t ~> Bob.u;
        return Bob.u;
    }
    def numbers() -> Bob.long {
        Alice.make_numbers() ~> Bob.b;
        return Bob.(add_up(b));
    }
)

#include "large.Alice.chor.h"
#include "large.Bob.chor.h"

static char space[BYTES];

chx_bytes Alice_make_bytes(void)
{
    memset(space, 'a', sizeof space);
    space[BYTES - 1] = 'z';
    return chx_bytes_new(space, sizeof space);
}

chx_str Alice_make_text(void)
{
    memset(space, 'b', sizeof space);
    return chx_str_new(space, CHARACTERS);
}

struct big Alice_make_numbers(void)
{
    struct big b = {{0}};
    for (int i = 0; i < NUMBERS; i++)
        b.numbers[i] = i % 3 == 0 ? 125 : 0;
    b.numbers[0] = 82912 + 125;
    return b;
}

long Bob_add_up(struct big b)
{
    long sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += b.numbers[i];
    return sum;
}

int main(void)
{
    struct large_run_result r;
    if (large_run(&r, NULL) != CHX_OK)
        return 1;
    const char *data = chx_bytes_data(r.Bob);
    printf("%zu bytes, last '%c'\n", chx_bytes_len(r.Bob), data[chx_bytes_len(r.Bob) - 1]);
    large_run_result_drop(&r);

    struct large_text_result t;
    if (large_text(&t, NULL) != CHX_OK)
        return 1;
    printf("%zu characters\n", strlen(t.Bob));
    large_text_result_drop(&t);

    struct large_numbers_result n;
    if (large_numbers(&n, NULL) != CHX_OK)
        return 1;
    printf("array sums to %ld\n", n.Bob);
    return 0;
}
