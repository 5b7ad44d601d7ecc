// At a role set, functions that are declared const or pure are called: each role computes the result by itself.
// expect: 1 2 0: 5 7 25 60 3 1 1 0 1 two 5
// expect: 2 0 1: 5 7 25 60 3 1 1 0 1 two 5
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int cell[9]; } board;
typedef struct { const char *name; chx_str title; int size; } book;
enum player { NOBODY, FIRST, SECOND };

__attribute__((const)) static enum player winner(board b)
{
    for (int i = 0; i < 3; i++)
        if (b.cell[3 * i] != NOBODY && b.cell[3 * i] == b.cell[3 * i + 1] && b.cell[3 * i] == b.cell[3 * i + 2])
            return (enum player)b.cell[3 * i];
    return NOBODY;
}

__attribute__((pure)) static int sum(const int *numbers, size_t count);
static int sum(const int *numbers, size_t count)
{
    int all = 0;
    for (size_t i = 0; i < count; i++)
        all += numbers[i];
    return all;
}

__attribute__((__pure__)) static size_t length(book b)
{
    return strlen(b.name) + chx_str_len(b.title) + (size_t)b.size;
}

__attribute__((pure)) static size_t longest(const char *const *words, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = strlen(words[i]) > most ? strlen(words[i]) : most;
    return most;
}

__attribute__((const)) static const char *name_of(int number)
{
    static const char *const names[] = {"zero", "one", "two"};
    return names[number % 3];
}

#define SQUARE(x) square(x)
__attribute__((const)) static int square(int x)
{
    return x * x;
}

choreography(pure, (Alice, Bob, Carol),
    def play({Alice, Bob}.board b, {Alice, Bob}.enum player who) -> {Alice, Bob}.enum player {
        while ({Alice, Bob}.(winner(b) == NOBODY)) {
            {Alice, Bob}.b.cell[(b.cell[0] == NOBODY ? 0 : b.cell[1] == NOBODY ? 1 : 2)] = who;
        }
        return {Alice, Bob}.(winner(b));
    }
    def run(Alice.int n, Alice.const char *s) -> Alice.{int, int}, Bob.{int, int}, Carol.{int, int, chx_str} {
        Alice.n ~> {Alice, Bob}.k;
        Alice.s ~> {Alice, Bob}.t;
        Alice.(chx_strf("%s", s)) ~> {Alice, Bob}.c;
        {Alice, Bob}.board empty = {{0}};
        {Alice, Bob}.enum player won = play({Alice, Bob}.empty, {Alice, Bob}.(k == 5 ? FIRST : SECOND));
        {Alice, Bob}.int a[3] = {10, 20, 30};
        {Alice, Bob}.const char *words[2] = {"one", "three"};
        {Alice, Bob}.book b = {.name = "abc", .size = 1};
        {Alice, Bob}.int r1 = abs(-k) + (int)strlen(t) - (int)strlen("");
        {Alice, Bob}.int r2 = SQUARE(k);
        {Alice, Bob}.int r3 = sum(a, 3);
        {Alice, Bob}.int r4 = __builtin_popcount(7u);
        {Alice, Bob}.bool same = chx_str_equal(c, c) && chx_cstring_equal(t, "ab") && !chx_cstring_equal(t, NULL);
        {Alice, Bob}.bool equal = strcmp(t, chx_cstr(c)) == 0;
        {Alice, Bob}.bool other = chx_str_equal(c, (chx_str){0});
        {Alice, Bob}.bool found = strchr(t, 'b') != NULL && length(b) == 4;
        {Alice, Bob}.const char *name = name_of(k - 3);
        {Alice, Bob}.int r5 = (int)longest(words, 2);
        switch ({Alice, Bob}.(sum(a, 1))) {
        case 10:
            {Alice, Bob}.(square(3)) ~> Carol._;
            break;
        default:
            Carol.(abort());
            break;
        }
        Carol.text = chx_strf("?");
        if ({Alice, Bob}.(square(k) == 25)) {
            Bob.(chx_strf("%d %d %d %d %d %d %d %d %d %s %d", k, r1, r2, r3, r4, same, equal, other, found, name, r5)) ~> Carol.text;
        }
        {Alice, Bob}.(square(1)) ~> Carol.one;
        Carol.one ~> {Alice, Bob}.(square(1));
        return Alice.{won, r1}, Bob.{won, r1}, Carol.{one, one, text};
    }
)

#include "pure.Alice.chor.h"
#include "pure.Bob.chor.h"
#include "pure.Carol.chor.h"

int main(void)
{
    struct pure_run_result r;
    if (pure_run(&r, NULL, 5, "ab") != CHX_OK)
        return 1;
    printf("%d %d %d: %s\n", r.Alice.v0, 2 * r.Bob.v0, r.Alice.v1 - r.Bob.v1, chx_cstr(r.Carol.v2));
    printf("%d %d %d: %s\n", 2 * r.Alice.v0, r.Bob.v1 - 7, r.Carol.v0, chx_cstr(r.Carol.v2));
    pure_run_result_drop(&r);
    return 0;
}
