// Strings that a step makes and sends belong to whoever receives them: to one or several, alone or in structs and tuples, the same one
// twice, one of many, one that is still held elsewhere. Each is there as long as somebody has it, and is released once.
// expect: one: made 1
// expect: all: made 2, made 2
// expect: kept: made 3, made 3
// expect: twice: made 4, made 4
// expect: first of many: made 5
// expect: variable: made 11, made 11
// expect: tuple: made 12, made 13
// expect: rounds: made 1013, 7928
#include <chorex.h>
#include <stdio.h>

struct both {
    chx_str left, right;
};

choreography(giving, (Alice, Bob, Carol),
    chx_str     Alice.make(void);
    struct both Alice.twice(void);
    chx_str     Alice.first_of_many(void);
    chx_str     Alice.same(chx_str text);
    void        Bob.show(const char *what, chx_str one, const char *other);

    def run() {
        Alice.make() ~> Bob.one;
        Bob.show("one", one, NULL);

        Alice.make() ~> {Bob, Carol}.all;
        Carol.all ~> Bob.back;
        Bob.show("all", all, chx_cstr(back));

        Alice.make() ~> {Alice, Bob}.kept;
        Alice.kept ~> Bob.again;
        Bob.show("kept", kept, chx_cstr(again));

        Alice.twice() ~> Bob.{.left, .right};
        Bob.left = chx_strf("%s", chx_cstr(right));
        Bob.show("twice", left, chx_cstr(right));

        Alice.first_of_many() ~> Bob.many;
        Bob.show("first of many", many, NULL);

        Alice.mine = make();
        Alice.same(mine) ~> Bob.yours;
        Alice.mine ~> Bob.again;
        Bob.show("variable", yours, chx_cstr(again));

        Alice.{make(), make()} ~> Bob.{a, b};
        Bob.show("tuple", a, chx_cstr(b));

        Bob.int sum = 0;
        Bob.last = one;
        Alice.int i = 0;
        checkpoint while (Alice.(i < 1000)) {
            Alice.i++;
            Alice.make() ~> Bob.text;
            Bob.sum += (int)chx_str_len(text);
            Bob.last = text;
        } rescue {
            Alice.(true) ~> Bob._;
        }
        Bob.show_sum(last, sum);
    }
)

#include "giving.Alice.chor.h"
#include "giving.Bob.chor.h"
#include "giving.Carol.chor.h"

static int made;

chx_str Alice_make(void) { return chx_strf("made %d", ++made); }

struct both Alice_twice(void)
{
    chx_str text = Alice_make();
    return (struct both){text, text};
}

chx_str Alice_first_of_many(void)
{
    chx_str first = Alice_make();
    for (int i = 0; i < 5; i++)
        Alice_make();
    return first;
}

chx_str Alice_same(chx_str text) { return text; }

void Bob_show(const char *what, chx_str one, const char *other)
{
    printf("%s: %s%s%s\n", what, chx_cstr(one), other != NULL ? ", " : "", other != NULL ? other : "");
}

void Bob_show_sum(chx_str last, int sum) { printf("rounds: %s, %d\n", chx_cstr(last), sum); }

int main(void) { return giving_run(NULL) != CHX_OK; }
