// Roles that do the same in all branches, and don't know in which one they are, get and give the right values: in loops, with
// choices of their own inside, with jumps, strings and sets.
#include <chorex.h>
#include <stdio.h>

choreography(same, (Alice, Bob, Carol),
    def rounds(Alice.int n) -> Alice.int, Bob.int, Carol.{chx_str, int} {
        Alice.int x = 1;
        Bob.int k = 1;
        Carol.chx_str text = {0};
        Carol.int count = 0;
        while (Alice.(n > 0)) {
            if (Alice.(n % 2)) {
                Bob.(k + 1) ~> Alice.x;
                Alice.(x * 2) ~> Bob.more;
                Bob.k = more % 100;
            } else {
                Bob.(k + 1) ~> Alice.seen;
                Alice.x = x + seen;
                Alice.(seen + 3) ~> Bob.less;
                Bob.k = less % 100;
            }
            switch (Alice.(n % 3)) {
            case 0:
                Bob.(k % 2 ? "a" : "b") ~> Carol.const char *letter;
                if (Carol.(chx_str_len(text) < 4)) {
                    Carol.text = chx_strf("%s%s", chx_cstr(text), letter);
                } else {
                    Carol.count ~> Bob.k;
                }
                break;
            default:
                Alice.x++;
                Bob.(k % 2 ? "a" : "b") ~> Carol.const char *piece;
                if (Carol.(chx_str_len(text) < 4)) {
                    Carol.text = chx_strf("%s%s", chx_cstr(text), piece);
                } else {
                    Carol.count ~> Bob.k;
                }
                break;
            }
            if (Alice.(n > 3)) {
                Bob.k ~> {Bob, Carol}.next;
                if ({Bob, Carol}.(next % 2)) {
                    Carol.count += next;
                }
            } else {
                Bob.k ~> {Bob, Carol}.following;
                if ({Bob, Carol}.(following % 2)) {
                    Carol.count += following;
                }
                Alice.x += 2;
            }
            Alice.n--;
        }
        return Alice.x, Bob.k, Carol.{text, count};
    }

    def find(Alice.int wanted) -> Alice.int, Bob.int {
        Alice.int end = 0;
        Bob.int asked = 0;
        for (;;) {
            Bob.asked++;
            Bob.asked ~> Alice.got;
            if (Alice.(got == wanted)) {
                Alice.wanted ~> Bob.answer;
                return Alice.(got * 10), Bob.(asked + answer);
            }
            if (Alice.(got > 3)) {
                switch (Alice.(got % 2)) {
                case 0: Bob.(asked + 5) ~> Alice.end; break;
                default: Bob.(asked + 5) ~> Alice.late; Alice.end = late * 2; break;
                }
                break;
            }
            while (Alice.(got > 0)) {
                if (Alice.(got % 2)) {
                    Bob.asked ~> Alice.x;
                    Alice.got = x - 4;
                    continue;
                } else {
                    Bob.asked ~> Alice._;
                    Alice.got = 0;
                    continue;
                }
            }
        }
        return Alice.end, Bob.asked;
    }
)

#include "same.Alice.chor.h"
#include "same.Bob.chor.h"
#include "same.Carol.chor.h"

int main(void)
{
    for (int n = 0; n < 9; n++) {
        struct same_rounds_result result;
        struct same_find_result found;
        if (same_rounds(&result, NULL, n) != CHX_OK || same_find(&found, NULL, n) != CHX_OK)
            return 1;
        printf("%d rounds: %d %d '%s' %d; found %d %d\n", n, result.Alice, result.Bob, chx_cstr(result.Carol.v0),
               result.Carol.v1, found.Alice, found.Bob);
        same_rounds_result_drop(&result);
    }
    return 0;
}
