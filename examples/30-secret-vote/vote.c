// A vote that must be unanimous, and in which nobody learns how the others have voted: GMW's protocol among any number of parties, with
// oblivious transfer from the library.
//! seeds: 50
// expect: 3 parties, all for it: yes
// expect: 3 parties, one against it: no
// expect: 5 parties, all for it: yes
// expect: 5 parties, one against it: no
#include <chorex.h>
#include <chorex/lib/ot.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

choreography(vote, (Party[]),
    use ot;
    long Party.random_bit(void);

    // Every party has a share of each bit: all shares together, added without carry, are the bit, and any fewer of them say nothing.
    def unanimous(Party[*].bool mine) -> Party[*].bool {
        Party[*].long all = chx_role_index() == 0;        // the shares of 1
        for (p : Party) {
            Party[*].long share = split[Party, p](p.mine);
            Party[*].all = conjunction[Party](Party[*].all, Party[*].share);
        }
        Party[*].long opened = 0;
        for (p : Party) {
            p.all ~> Party[*].one;
            Party[*].opened ^= one;
        }
        return Party[*].(opened == 1);
    }

    def split[P[], Owner](Owner.bool bit) -> P[*].long {
        P[*].long share = 0;
        Owner.long rest = bit;
        for (p : P) {
            if (P[*].(p != Owner)) {
                Owner.long part = random_bit();
                Owner.rest ^= part;
                Owner.part ~> p.share;
            }
        }
        Owner.share = rest;
        return P[*].share;
    }

    // (x0 + x1 + ...)(y0 + y1 + ...): of xi * yj, i and j get one share each, and neither learns what the other has put in.
    def conjunction[P[]](P[*].long x, P[*].long y) -> P[*].long {
        P[*].long z = x & y;
        for (i : P) {
            for (j : P) {
                if (P[*].(i != j)) {
                    i.long mask = random_bit();
                    j.long part = ot.transfer[i, j](i.mask, i.(mask ^ x), j.y);
                    i.z ^= mask;
                    j.z ^= part;
                }
            }
        }
        return P[*].z;
    }
)

#include "vote.Party.chor.h"

// ---- a group to play with: numbers modulo a prime. Of 61 bits only; take a curve where it matters ----

__extension__ typedef unsigned __int128 wide;
static const uint64_t prime = (UINT64_C(1) << 61) - 1;

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide)a * b % prime);
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = times(base, base))
        if (exponent & 1)
            result = times(result, base);
    return result;
}

static ot_element element(uint64_t number)
{
    ot_element made = {{0}};
    memcpy(made.bytes, &number, sizeof number);
    return made;
}

static uint64_t number(ot_element e)
{
    uint64_t found;
    memcpy(&found, e.bytes, sizeof found);
    return found;
}

// Makes a key of an element of the group.
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t random_number(void)
{
    uint64_t made = 0;
    if (getrandom(&made, sizeof made, 0) != sizeof made)
        chx_fail("no random numbers");
    return made;
}

// ---- what a party provides ----

static long Party_random_bit(void)
{
    return (long)(random_number() & 1);
}

static ot_element Party_ot_secret(void)
{
    return element(random_number() % (prime - 1) + 1);
}

static ot_element Party_ot_offer(ot_element a)
{
    return element(power(3, number(a)));
}

static ot_element Party_ot_choose(ot_element offer, ot_element b, bool which)
{
    uint64_t blinded = power(3, number(b));
    return element(which ? times(blinded, number(offer)) : blinded);
}

static long Party_ot_seal(long value, ot_element chosen, ot_element a, bool which)
{
    uint64_t base = number(chosen), offer = power(3, number(a));
    if (which)
        base = times(base, power(offer, prime - 2));
    return value ^ (long)(mix(power(base, number(a))) >> 1);
}

static long Party_ot_unseal(long sealed, ot_element offer, ot_element b)
{
    return sealed ^ (long)(mix(power(number(offer), number(b))) >> 1);
}

static int run(size_t parties, const bool *votes, const char *what)
{
    struct vote_cast cast = {.Party = {.count = parties}};
    struct vote_unanimous_result result;
    if (vote_unanimous(&result, &cast, votes) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    bool first = result.Party.item[0];
    for (size_t i = 1; i < result.Party.count; i++)
        if (result.Party.item[i] != first)
            printf("Party[%zu] has seen another result\n", i);
    printf("%zu parties, %s: %s\n", parties, what, first ? "yes" : "no");
    vote_unanimous_result_drop(&result);
    return 0;
}

int main(void)
{
    static const bool all[] = {true, true, true, true, true}, one_against[] = {true, false, true, true, true};
    for (size_t parties = 3; parties <= 5; parties += 2)
        if (run(parties, all, "all for it") != 0 || run(parties, one_against, "one against it") != 0)
            return 1;
    return 0;
}
