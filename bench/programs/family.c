// family.c: a `for` over the members of a family, and as many deliveries between two roles; sessions of many members.
//
// family members|pair|echo|start COUNT ROUNDS

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>
#include <string.h>

choreography(members, (Hub, Leaf[]),
    def give({Hub, Leaf[*]}.int round) -> Leaf[*].long {
        Leaf[*].long sum = 0;
        while ({Hub, Leaf[*]}.(round > 0)) {
            for (l : Leaf) {
                Hub.(round + (int)l) ~> l.x;
                l.sum += x;
            }
            {Hub, Leaf[*]}.round = round - 1;
        }
        return Leaf[*].sum;
    }
    def run({Hub, Leaf[*]}.int round) -> Hub.long {
        Hub.long sum = 0;
        Leaf[*].int x = 0;
        while ({Hub, Leaf[*]}.(round > 0)) {
            for (l : Leaf) {
                Hub.(round + (int)l) ~> l.x;
            }
            for (l : Leaf) {
                l.(x + 1) ~> Hub.y;
                Hub.sum += y;
            }
            {Hub, Leaf[*]}.round = round - 1;
        }
        return Hub.sum;
    }
)

choreography(pair, (Hub, Leaf),
    def give({Hub, Leaf}.int count, {Hub, Leaf}.int round) -> Leaf.long {
        Leaf.long sum = 0;
        while ({Hub, Leaf}.(round > 0)) {
            {Hub, Leaf}.int i = 0;
            while ({Hub, Leaf}.(i < count)) {
                Hub.(round + i) ~> Leaf.x;
                Leaf.sum += x;
                {Hub, Leaf}.i = i + 1;
            }
            {Hub, Leaf}.round = round - 1;
        }
        return Leaf.sum;
    }
)

#include "members.Hub.chor.h"
#include "members.Leaf.chor.h"
#include "pair.Hub.chor.h"
#include "pair.Leaf.chor.h"

// Of what the hub sends in all rounds.
static long total(long count, long rounds)
{
    return rounds * (rounds + 1) / 2 * count + count * (count - 1) / 2 * rounds;
}

// In one direction.
static bool give_members(int count, int rounds)
{
    struct members_cast cast = {.Leaf = {.count = (size_t)count}};
    struct members_give_result result;
    long sum = 0;
    if (members_give(&result, &cast, rounds) != CHX_OK)
        return false;
    for (size_t i = 0; i < result.Leaf.count; i++)
        sum += result.Leaf.item[i];
    members_give_result_drop(&result);
    return sum == total(count, rounds);
}

static bool give_pair(int count, int rounds)
{
    struct pair_give_result result;
    return pair_give(&result, NULL, count, rounds) == CHX_OK && result.Leaf == total(count, rounds);
}

// There and back.
static bool run_members(int count, int rounds)
{
    struct members_cast cast = {.Leaf = {.count = (size_t)count}};
    struct members_run_result result;
    return members_run(&result, &cast, rounds) == CHX_OK &&
           result.Hub == total(count, rounds) + (long)count * rounds;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "members";
    int count = argc > 2 ? atoi(argv[2]) : 1000, rounds = argc > 3 ? atoi(argv[3]) : 1000;
    bool is_fine = true;
    Measure measure = measure_begin();
    if (strcmp(what, "members") == 0)
        is_fine &= give_members(count, rounds);
    else if (strcmp(what, "pair") == 0)
        is_fine &= give_pair(count, rounds);
    else if (strcmp(what, "echo") == 0)
        is_fine &= run_members(count, rounds);
    else
        for (int i = 0; i < rounds; i++)
            is_fine &= run_members(count, 1);
    measure_end(&measure);
    measure_print(&measure);
    return is_fine ? 0 : 1;
}
