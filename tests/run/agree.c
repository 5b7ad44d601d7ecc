// Roles that have computed the same value agree on it afterwards, whatever type it has.
// expect: 18 18 18
// expect: same numbers, text, counted, bytes 3 3, struct 7 x, codec 5, array 6, real 0.50, bits 3
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((const)) static unsigned long power(unsigned long base, unsigned long exponent, unsigned long modulus)
{
    unsigned long result = 1;
    for (; exponent > 0; exponent--)
        result = result * base % modulus;
    return result;
}

typedef struct { char tag; long number; const char *name; } item; // with padding behind the tag
typedef struct { unsigned low : 3, high : 5; long rest; } bits;
typedef struct { int *data; } boxed; // a pointer, which differs from role to role

static void boxed_encode(chx_writer *writer, const void *value)
{
    chx_write_u64(writer, (uint64_t)*((const boxed *)value)->data);
}
static bool boxed_decode(chx_reader *reader, void *value)
{
    uint64_t number;
    if (!chx_read_u64(reader, &number))
        return false;
    int *data = malloc(sizeof *data);
    *data = (int)number;
    *(boxed *)value = (boxed){data};
    return true;
}
static void boxed_drop(void *value)
{
    free(((boxed *)value)->data);
}
CHX_CODEC(boxed, boxed_encode, boxed_decode, boxed_drop);

static boxed box(int number)
{
    int *data = malloc(sizeof *data);
    *data = number;
    return (boxed){data};
}

static item make_item(int fill)
{
    item made;
    memset(&made, fill, sizeof made);
    made.tag = 't';
    made.number = 7;
    made.name = "x";
    return made;
}

static bits make_bits(int fill)
{
    bits made;
    memset(&made, fill, sizeof made);
    made.low = 3;
    made.high = 9;
    made.rest = 1;
    return made;
}

choreography(agreeing, (Alice, Bob, Carol),
    def key(Alice.unsigned long a, Bob.unsigned long b) -> {Alice, Bob}.unsigned long {
        Alice.(power(5, a, 23)) ~> Bob.theirs;
        Bob.(power(5, b, 23)) ~> Alice.theirs;
        {Alice, Bob}.k = agree(Alice.(power(theirs, a, 23)), Bob.(power(theirs, b, 23)));
        return {Alice, Bob}.k;
    }
    def same[One, Other](One.int x, Other.int y) -> {One, Other}.int {
        {One, Other}.int both = agree(One.x, Other.y);
        return {One, Other}.both;
    }
    def run(Alice.unsigned long a, Bob.unsigned long b) -> Alice.unsigned long, Bob.unsigned long, Carol.unsigned long {
        {Alice, Bob}.unsigned long k = key(Alice.a, Bob.b);
        Carol.unsigned long told = 0;
        if ({Alice, Bob}.(k == 2)) {
            Bob.k ~> Carol.told;
        }
        Carol.k = told;
        {Alice, Bob, Carol}.k = agree(Carol.k, Alice.k, Bob.k);
        while ({Alice, Bob, Carol}.(k != 18)) { // costs nothing: all three agree
            {Alice, Bob, Carol}.k += 1;
        }
        return Alice.k, Bob.k, Carol.k;
    }
    def types(Alice.int x, Bob.int y) -> Alice.chx_str, Bob.int {
        {Alice, Bob}.int n = same[Alice, Bob](Alice.x, Bob.y);
        {Alice, Bob}.long wide = agree(Alice.x, Bob.(3L));
        {Alice, Bob}.s = agree(Alice.(x == 3 ? "text" : "?"), Bob.(chx_cstr(chx_strf("te%s", "xt"))));
        {Alice, Bob}.const char *none = agree(Alice.(NULL), Bob.(NULL));
        {Alice, Bob}.t = agree(Alice.(chx_strf("%d", x)), Bob.(chx_strf("%d", y)));
        {Alice, Bob}.u = agree(Alice.(chx_bytes_new("abc", 3)), Bob.(chx_bytes_new("abcd", 3)));
        {Alice, Bob}.i = agree(Alice.(make_item(0)), Bob.(make_item(255)));
        {Alice, Bob}.f = agree(Alice.(make_bits(0)), Bob.(make_bits(255)));
        {Alice, Bob}.o = agree(Alice.(box(5)), Bob.(box(5)));
        {Alice, Bob}.boxed never = agree(Alice.((boxed){0}), Bob.((boxed){0}));
        {Alice, Bob}.int ar[3] = agree(Alice.((int[3]){1, 2, 3}), Bob.((int[3]){1, y - 1, 3}));
        {Alice, Bob}.d = agree(Alice.(0.5), Bob.(1.0 / 2));
        {Alice, Bob}.s = agree(Bob.s, Alice.s);
        if ({Alice, Bob}.(n == 3 && wide == 3 && !none && strcmp(s, "text") == 0 && chx_str_equal(t, t))) {
            Bob.y ~> Alice._;
        }
        return Alice.(chx_strf("%s, counted, bytes %zu %s, struct %ld %s, codec %d, array %d, real %.2f, bits %u", s,
                               chx_bytes_len(u), chx_cstr(t), i.number, i.name, *o.data, ar[0] + ar[1] + ar[2], d, f.low)),
               Bob.(*o.data + (never.data == NULL));
    }
)

#include "agreeing.Alice.chor.h"
#include "agreeing.Bob.chor.h"
#include "agreeing.Carol.chor.h"

int main(void)
{
    struct agreeing_run_result r;
    if (agreeing_run(&r, NULL, 6, 15) != CHX_OK)
        return 1;
    printf("%lu %lu %lu\n", r.Alice, r.Bob, r.Carol);
    struct agreeing_types_result types;
    if (agreeing_types(&types, NULL, 3, 3) != CHX_OK) {
        puts(chx_last_report()->why);
        return 1;
    }
    printf("same numbers, %s\n", chx_cstr(types.Alice));
    int wrong = types.Bob != 6;
    agreeing_types_result_drop(&types);
    return wrong;
}
