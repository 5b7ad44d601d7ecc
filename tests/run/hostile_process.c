// A role in a process of its own writes over the memory that it shares with others, in many ways: the program goes on,
// other sessions are not disturbed, and the session of that role is rescued or fails with a report.
// An argument is the number of sessions, a second one the first seed, a third one shows each outcome.
//! no-sim
//! no-central
//! no-process
//! no-sanitizer
// expect: every session came to an end, the innocent ones to a good one
#include <chorex.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(hostile, (Alice, Bob, Mallory),
    void Mallory.scribble(int seed);
    def run(Alice.int seed) -> Alice.int, Bob.int, Mallory.int {
        Alice.int a = 0;
        Bob.int b = 0;
        Mallory.int m = 0;
        Alice.seed ~> Mallory.seed;
        checkpoint within 2s {
            for (Alice.int i = 0; Alice.(i < 6); Alice.i++) {
                Alice.{i, chx_strf("%d to Bob", i)} ~> Bob.{n, text};
                Bob.{n, (int)chx_str_len(text)} ~> Mallory.{k, length};
                Mallory.m += length;
                Mallory.(chx_strf("%d to Alice", m)) ~> Alice.text;
                Alice.a += (int)chx_str_len(text);
                if (Mallory.(k == 2)) {
                    Mallory.scribble(seed);
                    Mallory.(chx_strf("%d to Bob", m)) ~> Bob.more;
                    Bob.b += (int)chx_str_len(more);
                }
            }
        } rescue {
            Alice.a = -1;
            Bob.b = -1;
            Mallory.m = -1;
            Mallory.m ~> Bob.b;
            Bob.b ~> Alice.a;
        }
        return Alice.a, Bob.b, Mallory.m;
    }
)

choreography(innocent, (Ann, Ben),
    def run(Ann.int n) -> Ann.int {
        Ann.int sum = 0;
        while (Ann.(n > 0)) {
            checkpoint {
                Ann.n ~> Ben.n;
                Ben.(n * 2) ~> Ann.twice;
                Ann.sum += twice;
            } rescue {
                Ann.sum = -1000000;
            }
            Ann.n = n - 1;
        }
        return Ann.sum;
    }
)

#include "hostile.Alice.chor.h"
#include "hostile.Bob.chor.h"
#include "hostile.Mallory.chor.h"
#include "innocent.Ann.chor.h"
#include "innocent.Ben.chor.h"

enum { PAGE = 4096, RING_MAPPING = PAGE + (1 << 18), WORDS = 256 };

static uint32_t random_state;

static uint32_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

// What is written: nonsense, nothing, all ones, a little more or less.
static void scribble_word(uint32_t *word, unsigned what)
{
    switch (what) {
    case 0:
        *word = random_number();
        break;
    case 1:
        *word = 0;
        break;
    case 2:
        *word = UINT32_MAX;
        break;
    case 3:
        *word ^= 1u << random_number() % 32;
        break;
    default:
        *word += random_number() % 65 - 32;
    }
}

// Everything from `begin` on, or some words of it.
static void scribble_over(unsigned char *begin, size_t bytes, unsigned what, unsigned density)
{
    uint32_t *words = (uint32_t *)(void *)begin;
    size_t count = bytes / sizeof *words;
    if (density == 0)
        for (size_t i = 0; i < count; i++)
            scribble_word(&words[i], what);
    for (unsigned i = 0; i < density; i++)
        scribble_word(&words[random_number() % count], what);
}

// Which memory: the mappings of the session's files, told apart by their size.
static void scribble_mapping(unsigned char *begin, size_t bytes, unsigned where, unsigned what, unsigned density)
{
    int is_ring = bytes == RING_MAPPING, is_head = bytes == PAGE;
    if (where == 0 || (where == 1 && is_ring))
        scribble_over(begin, bytes, what, density);
    else if (where == 2 && is_ring)
        scribble_over(begin, WORDS, what, density);
    else if (where == 3 && is_ring)
        scribble_over(begin + PAGE, PAGE / 4, what, density);
    else if (where == 4 && is_head)
        scribble_over(begin, WORDS, what, density);
    else if (where == 5 && !is_ring && !is_head)
        scribble_over(begin, WORDS * 8, what, density);
    else if (where == 6 && !is_ring && !is_head)
        scribble_over(begin, bytes, what, density);
}

void Mallory_scribble(int seed)
{
    static unsigned char *begins[64];
    static size_t sizes[64];
    size_t count = 0;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && count < 64 && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t begin, end;
        if (strstr(line, "memfd:chorex") == NULL || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2)
            continue;
        begins[count] = (unsigned char *)begin;
        sizes[count++] = end - begin;
    }
    if (maps != NULL)
        fclose(maps);
    random_state = (uint32_t)seed * 2654435761u + 1;
    random_number();
    unsigned where = random_number() % 7, what = random_number() % 5, density = random_number() % 8;
    int rounds = random_number() % 4 == 0 ? 2000 : 1;
    for (int i = 0; i < rounds; i++)
        for (size_t j = 0; j < count; j++)
            scribble_mapping(begins[j], sizes[j], where, what, density * density);
}

static int play(int seed, int shows)
{
    struct hostile_cast cast = {.Mallory = {.isolation = CHX_PROCESS}};
    if (seed & 1)
        cast.Alice.isolation = CHX_PROCESS;
    if (seed & 2)
        cast.Bob.isolation = CHX_PROCESS;
    struct hostile_run_result r;
    chx_status status = hostile_run(&r, &cast, seed);
    if (shows && status == CHX_OK)
        printf("%d: %d %d %d\n", seed, r.Alice, r.Bob, r.Mallory);
    else if (shows)
        printf("%d: %s\n", seed, chx_last_report()->why);
    return status == CHX_OK || (status == CHX_FAILED && chx_last_report()->why[0] != '\0');
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 60, first = argc > 2 ? atoi(argv[2]) : 1, shows = argc > 3;
    struct innocent_cast cast = {.Ann = {.isolation = CHX_PROCESS}, .Ben = {.isolation = CHX_PROCESS}};
    int good = 0;
    for (int i = 0; i < count; i++) {
        chx_session *session = innocent_run_start(NULL, &cast, 20);
        good += play(first + i, shows);
        struct innocent_run_result r;
        if (innocent_run_wait(session, &r) != CHX_OK || r.Ann != 420)
            printf("the innocent session beside seed %d: %s\n", first + i, chx_last_report()->why);
    }
    if (good == count)
        printf("every session came to an end, the innocent ones to a good one\n");
    return good != count;
}
