// A step that ends without a result is called again, from its beginning, wherever it stands: as a statement, in what is sent,
// in conditions, in arguments of calls that recurse, in results. What it had made by then is released. It is the same step for
// effects.
// expect: 1 22 3 4 5 even odd 15 ab ba 18 7 of 3 calls each
//! no-central
#include <chorex.h>
#include <stdio.h>
#include <string.h>

static int calls;

static bool is_same(chx_effect a, chx_effect b)
{
    return a.high == b.high && a.low == b.low;
}

// Every third call succeeds. All three have the same identifier, which no other step has.
static void third(void)
{
    static chx_effect step;
    chx_effect id = chx_effect_id();
    if (is_same(id, step) != (calls % 3 != 0))
        chx_fail("call %d has another identifier than it should", calls);
    step = id;
    if (++calls % 3 != 0)
        chx_again_after(1000);
}

choreography(again, (Alice, Bob),
    int Alice.give(int n);
    bool Alice.is_even(int n);
    chx_str Alice.text(chx_str first, chx_str second);
    def sum(Alice.int n, Alice.int so_far) -> Alice.int {
        if (Alice.(n == 0)) {
            return Alice.(give(so_far));
        }
        Alice.rest = sum(Alice.(give(n - 1)), Alice.(so_far + n));
        return Alice.rest;
    }
    def down(Alice.int n) -> Alice.int {
        if (Alice.is_even(n)) {
            return Alice.n;
        }
        return down(Alice.(give(n - 1)));
    }
    def run() -> Bob.chx_str, Alice.int {
        Alice.one = give(1);
        Alice.give(2) ~> Bob.two;
        Alice.{one, give(3)} ~> Bob.{first, three};
        Bob.chx_str log = {0};
        Bob.log = chx_strf("%d %d%d %d", first, two, two, three);
        Alice.int i = 4;
        while (Alice.(give(i) < 6)) {
            Alice.i ~> Bob.n;
            Bob.log = chx_strf("%s %d", chx_cstr(log), n);
            Alice.i += 1;
        }
        for (Alice.int k = 0; Alice.(k < 2); Alice.k++) {
            if (Alice.is_even(k)) {
                Bob.log = chx_strf("%s even", chx_cstr(log));
            } else {
                Bob.log = chx_strf("%s odd", chx_cstr(log));
            }
        }
        Alice.total = sum(Alice.(give(5)), Alice.(0));
        Alice.total ~> Bob.total;
        Bob.log = chx_strf("%s %d", chx_cstr(log), total);
        Alice.text(chx_strf("a"), chx_strf("b")) ~> Bob.ab;
        Bob.log = chx_strf("%s %s", chx_cstr(log), chx_cstr(ab));
        switch (Alice.(give(2))) {
        case 1:
            Bob.log = chx_strf("wrong");
            break;
        case 2:
            Alice.ba = text(chx_strf("b"), chx_strf("a"));
            Alice.ba ~> Bob.ba;
            Bob.log = chx_strf("%s %s", chx_cstr(log), chx_cstr(ba));
            break;
        default:
            Bob.log = chx_strf("wrong, too");
            break;
        }
        // The first value is there already when the second one is waited for.
        Alice.{chx_strf("%d", one), give(8)} ~> Bob.{text, number};
        Bob.log = chx_strf("%s %s%d", chx_cstr(log), chx_cstr(text), number);
        Alice.two = down(Alice.(3));
        return Bob.log, Alice.(give(two + 5));
    }
)

#include "again.Alice.chor.h"
#include "again.Bob.chor.h"

int Alice_give(int n)
{
    third();
    return n;
}

bool Alice_is_even(int n)
{
    third();
    return n % 2 == 0;
}

chx_str Alice_text(chx_str first, chx_str second)
{
    chx_str made = chx_strf("%s%s", chx_cstr(first), chx_cstr(second));
    third();
    return made;
}

int main(void)
{
    struct again_run_result result;
    if (again_run(&result, NULL) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%s %d of 3 calls each\n", chx_cstr(result.Bob), result.Alice);
    again_run_result_drop(&result);
    return 0;
}
