// A rescue starts from the variables as they were on entering: numbers, strings, bytes, arrays, structs, codec values.
// expect: Alice: 1 one, first, 3 bytes, [1 2 3], {5 five}, 77
// expect: Bob: 2 two
// expect: 2000 crashes: 2000 0 start
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int number;
    const char *name;
};

typedef struct {
    int *box;
} boxed;

static void boxed_encode(chx_writer *writer, const void *value)
{
    const boxed *b = value;
    chx_write_u64(writer, b->box != NULL ? (uint64_t)*b->box : 0);
}

static bool boxed_decode(chx_reader *reader, void *value)
{
    uint64_t number = 0;
    boxed *b = value;
    b->box = malloc(sizeof *b->box);
    if (b->box == NULL || !chx_read_u64(reader, &number))
        return false;
    *b->box = (int)number;
    return true;
}

static void boxed_drop(void *value)
{
    free(((boxed *)value)->box);
}

CHX_CODEC(boxed, boxed_encode, boxed_decode, boxed_drop);

static boxed boxed_make(int number)
{
    boxed b = {malloc(sizeof *b.box)};
    if (b.box != NULL)
        *b.box = number;
    return b;
}

choreography(restored, (Alice, Bob),
    boxed Alice.make(int number);
    void Alice.spoil(int *array);
    void Bob.fail(void);
    chx_str Alice.text(int n, const char *c, chx_str s, chx_bytes b, const int *a, struct pair p, boxed x);
    def run() -> Alice.chx_str, Bob.chx_str {
        Alice.int n = 1;
        Alice.const char *c = "one";
        Alice.chx_str s = chx_strf("%s", "first");
        Alice.chx_bytes b = chx_bytes_new("abc", 3);
        Alice.int a[3] = {1, 2, 3};
        Alice.struct pair p = {5, "five"};
        Alice.x = make(77);
        Bob.int m = 2;
        Bob.chx_str t = chx_strf("two");
        checkpoint {
            Alice.n = 100;
            Alice.c = "hundred";
            Alice.s = chx_strf("second");
            Alice.b = chx_bytes_new("abcdef", 6);
            Alice.spoil(a);
            Alice.a[0] += 1;
            Alice.p = (struct pair){6, "six"};
            Alice.p.number = 8;
            Alice.x = make(78);
            Alice.{n, s, p} ~> Bob.{m, t, struct pair other};
            Bob.(other.number += m);
            Bob.fail();
        } rescue {
            Alice.n ~> Bob.check;
            Bob.(m += check - 1);
        }
        return Alice.text(n, c, s, b, a, p, x), Bob.(chx_strf("%d %s", m, chx_cstr(t)));
    }
    def many(Bob.int rounds) -> Bob.{int, int}, Alice.chx_str {
        Alice.chx_str s = chx_strf("start");
        Bob.int n = 0;
        Bob.int inside = 0;
        while (Bob.(n < rounds)) {
            checkpoint {
                Alice.s = chx_strf("%s spoiled", chx_cstr(s));
                Alice.s ~> Bob.s;
                Bob.inside = (int)chx_str_len(s);
                Bob.n += 500;
                Bob.fail();
            } rescue {
                Bob.n += 1;
            }
        }
        return Bob.{n, inside}, Alice.s;
    }
)

#include "restored.Alice.chor.h"
#include "restored.Bob.chor.h"

boxed Alice_make(int number) { return boxed_make(number); }
void Alice_spoil(int *array) { memset(array, 1, 3 * sizeof *array); }
void Bob_fail(void) { chx_fail("on purpose"); }

chx_str Alice_text(int n, const char *c, chx_str s, chx_bytes b, const int *a, struct pair p, boxed x)
{
    return chx_strf("%d %s, %s, %zu bytes, [%d %d %d], {%d %s}, %d", n, c, chx_cstr(s), chx_bytes_len(b), a[0], a[1],
                    a[2], p.number, p.name, *x.box);
}

int main(void)
{
    struct restored_run_result r;
    if (restored_run(&r, NULL) != CHX_OK)
        return 1;
    printf("Alice: %s\nBob: %s\n", chx_cstr(r.Alice), chx_cstr(r.Bob));
    restored_run_result_drop(&r);
    struct restored_many_result many;
    if (restored_many(&many, NULL, 2000) != CHX_OK)
        return 1;
    printf("2000 crashes: %d %d %s\n", many.Bob.v0, many.Bob.v1, chx_cstr(many.Alice));
    restored_many_result_drop(&many);
    return 0;
}
