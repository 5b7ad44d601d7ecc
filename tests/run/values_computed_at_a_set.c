// An expression at a role set may use values of all kinds: both roles compute the same, each on its own.
// expect: 1 1 1 1 0 hello ello 1352
#include <chorex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct named { char name[8]; struct point at; };
enum { FEW = 2, SOME = 3 };
int counter;
static const int limit = 4;
static const char *const names[] = {"one", "two"};
static const struct point origin = {5, 6};
static const struct point *const start = &origin;
static const struct { const char *name; const struct point *at; } places[] = {{"origin", &origin}, {"start", &origin}};
#define IS_NULL(p) ((p) == NULL)
#define LONGER(s) ((s) != NULL && (s)[0] != 0 && (s)[1] != 0)
#define LEAST(a, b) (__extension__ ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; }))
#define SUM(p) ((p).x + (p).y)

choreography(computed, (Alice, Bob),
    def sum({Alice, Bob}.int a[3], {Alice, Bob}.const char *s) -> {Alice, Bob}.long {
        {Alice, Bob}.struct named q = {"abc", {1, 2}};
        {Alice, Bob}.int k = a[0];
        {Alice, Bob}.long n = s[0] + *s + s[k] + a[k] + *a + *(a + 1) + k[a];
        {Alice, Bob}.n += names[1][0] + origin.x + start->y + places[k].name[0] + places[1].at->x + limit;
        {Alice, Bob}.n += q.name[0] + q.at.x + SUM(q.at) + FEW;
        {Alice, Bob}.n += (long)(sizeof a + sizeof(a) / sizeof a[0] + sizeof counter + offsetof(struct point, y));
        {Alice, Bob}.struct point c = (struct point){.x = k, .y = a[1]};
        {Alice, Bob}.n += SUM(c) + ((const unsigned char *)s)[0] + (int[]){7, 8, 9}[k] + "xyz"[k];
        {Alice, Bob}.n += _Generic(k, int: 1, default: 2) + (k > 0 ? 3 : 4) + ((void)s, 3) + UINT8_C(5);
        {Alice, Bob}.n += __extension__ ({ int all = 0; for (int i = 0; i < SOME; i++) all += a[i]; all; });
        {Alice, Bob}.n += __extension__ ({ int length = 0; for (const char *at = s; *at != 0; at++) length++; length; });
        {Alice, Bob}.n += __extension__ ({ static const int table[] = {1, 2}; table[k]; });
        {Alice, Bob}.n += __extension__ ({ int r = 0; switch (k) { case 1: { int z = 2; r = z; break; } default: r = 1; } r; });
        {Alice, Bob}.n += LEAST(k, a[1]);
        {Alice, Bob}.a[k] = k + 3;
        {Alice, Bob}.q.at.x += 2;
        {Alice, Bob}.struct named whole = q;
        {Alice, Bob}.int b[3] = a;
        return {Alice, Bob}.(n + b[k] + whole.at.x);
    }
    def run(Alice.const char *s) -> Alice.{bool, bool, bool, bool, bool, const char *, const char *, long}, Bob.{bool, bool, bool, bool, bool, const char *, const char *, long} {
        Alice.s ~> {Alice, Bob}.t;
        Alice.(NULL) ~> {Alice, Bob}.const char *none;
        {Alice, Bob}.bool is_there = t != NULL;
        {Alice, Bob}.bool is_missing = !none;
        {Alice, Bob}.bool both = t && t;
        {Alice, Bob}.bool either = IS_NULL(none) && LONGER(t);
        {Alice, Bob}.bool converted = none;
        {Alice, Bob}.const char *u = none ? none : t;
        {Alice, Bob}.const char *v = t + 1;
        {Alice, Bob}.long n = sum({Alice, Bob}.((int[3]){1, 20, 300}), {Alice, Bob}.u);
        if ({Alice, Bob}.t) {
            {Alice, Bob}.n += 1;
        }
        return Alice.{is_there, is_missing, both, either, converted, u, v, n}, Bob.{is_there, is_missing, both, either, converted, u, v, n};
    }
)

#include "computed.Alice.chor.h"
#include "computed.Bob.chor.h"

int main(void)
{
    struct computed_run_result r;
    if (computed_run(&r, NULL, "hello") != CHX_OK)
        return 1;
    printf("%d %d %d %d %d %s %s %ld\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3, r.Alice.v4, r.Alice.v5, r.Alice.v6, r.Alice.v7);
    int differs = r.Alice.v0 != r.Bob.v0 || r.Alice.v1 != r.Bob.v1 || r.Alice.v2 != r.Bob.v2 || r.Alice.v3 != r.Bob.v3 ||
                  r.Alice.v4 != r.Bob.v4 || strcmp(r.Alice.v5, r.Bob.v5) != 0 || strcmp(r.Alice.v6, r.Bob.v6) != 0 ||
                  r.Alice.v7 != r.Bob.v7;
    computed_run_result_drop(&r);
    return differs;
}
