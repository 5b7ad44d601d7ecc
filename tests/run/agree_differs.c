// Roles that are to agree and have different values fail: outside of blocks the session does, inside all go to the rescue.
// expect: failed: AGREE, Alice and Bob do not agree on 'k', line 19
// expect: all the same: ok
// expect: failed: AGREE, Alice, Bob and Carol do not agree on 'all', line 26
// expect: rescued: AGREE, Alice, Bob and Carol do not agree on 'all', line 36; 2 2 2
// expect: not rescued: 100 100 100
// expect: text: AGREE, Alice and Bob do not agree on 'name', line 53
#include <chorex.h>
#include <stdio.h>
#include <string.h>

static const char *kind_of(chx_fault_kind kind)
{
    return kind == CHX_FAULT_AGREE ? "AGREE" : "another kind";
}

choreography(differs, (Alice, Bob, Carol),
    def two(Alice.int x, Bob.int y) -> {Alice, Bob}.int {
        {Alice, Bob}.k =
            agree(Alice.x, Bob.y);
        return {Alice, Bob}.k;
    }

    def three(Alice.int x, Bob.int y, Carol.int z) -> {Alice, Bob, Carol}.int {
        {Alice, Bob, Carol}.int all2 = 1;
        {Alice, Bob, Carol}.all = agree(Alice.x, Bob.y, Carol.z);
        return {Alice, Bob, Carol}.(all + all2);
    }

    def rescued(Alice.int x, Bob.int y, Carol.int z) -> Alice.{chx_str, int}, Bob.int, Carol.int {
        Alice.why = chx_strf("not rescued");
        {Alice, Bob, Carol}.int all = 1;
        {Alice, Bob, Carol}.int first = 0;
        checkpoint {
            {Alice, Bob, Carol}.first = 100;
            {Alice, Bob, Carol}.all = agree(Alice.x, Bob.y, Carol.z);
        } rescue (fault) {
            if ({Alice, Bob, Carol}.(fault.kind == CHX_FAULT_AGREE)) {
                {Alice, Bob, Carol}.all += 1;
                Alice.why = chx_strf("rescued: %s, %s, line %d", kind_of(fault.kind), fault.why, fault.line);
            }
            {Alice, Bob, Carol}.first = all;
        }
        if ({Alice, Bob, Carol}.(first > 50)) {
            Bob.(1) ~> Carol._;
        }
        return Alice.{why, first}, Bob.first, Carol.first;
    }

    def text(Alice.const char *a, Bob.const char *b) -> Alice.chx_str {
        Alice.why = chx_strf("none");
        checkpoint {
            {Alice, Bob}.name = agree(Alice.a, Bob.b);
        } rescue (fault) {
            Alice.why = chx_strf("%s, %s, line %d", kind_of(fault.kind), fault.why, fault.line);
            Bob.(0) ~> Alice._;
        }
        return Alice.why;
    }
)

#include "differs.Alice.chor.h"
#include "differs.Bob.chor.h"
#include "differs.Carol.chor.h"

static void print_failure(const char *what)
{
    const chx_report *report = chx_last_report();
    printf("%s: %s, %s, line %d\n", what, kind_of(report->kind), report->why, report->line);
}

int main(void)
{
    struct differs_two_result two;
    struct differs_three_result three;
    struct differs_rescued_result rescued;
    struct differs_text_result text;
    if (differs_two(&two, NULL, 1, 2) == CHX_FAILED)
        print_failure("failed");
    if (differs_three(&three, NULL, 1, 1, 1) == CHX_OK && three.Carol == 2)
        puts("all the same: ok");
    if (differs_three(&three, NULL, 1, 1, 2) == CHX_FAILED)
        print_failure("failed");
    if (differs_rescued(&rescued, NULL, 1, 2, 3) != CHX_OK)
        return 1;
    printf("%s; %d %d %d\n", chx_cstr(rescued.Alice.v0), rescued.Alice.v1, rescued.Bob, rescued.Carol);
    differs_rescued_result_drop(&rescued);
    if (differs_rescued(&rescued, NULL, 7, 7, 7) != CHX_OK)
        return 1;
    printf("%s: %d %d %d\n", chx_cstr(rescued.Alice.v0), rescued.Alice.v1, rescued.Bob, rescued.Carol);
    differs_rescued_result_drop(&rescued);
    if (differs_text(&text, NULL, "one", "two") != CHX_OK)
        return 1;
    printf("text: %s\n", chx_cstr(text.Alice));
    differs_text_result_drop(&text);
    return 0;
}
