// Parameters that own memory, changed in a block in every way there is, are as at the entry in the rescue.
// expect: 14 6006 4 [S S c0] [n5|S6/S.6|] [S87654321]
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    chx_str s;
    int n;
    int a[2];
} rec;

typedef struct {
    int count;
    int *items;
} vec;

static void vec_encode(chx_writer *w, const void *v)
{
    const vec *x = v;
    chx_write_u64(w, (uint64_t)x->count);
    for (int i = 0; i < x->count; i++)
        chx_write_u64(w, (uint64_t)x->items[i]);
}

static bool vec_decode(chx_reader *r, void *v)
{
    vec *x = v;
    uint64_t n;
    if (!chx_read_u64(r, &n) || n > 1000)
        return false;
    x->count = (int)n;
    x->items = malloc(sizeof(int) * (n + 1));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k;
        if (!chx_read_u64(r, &k)) {
            free(x->items);
            return false;
        }
        x->items[i] = (int)k;
    }
    return true;
}

static void vec_drop(void *v)
{
    vec *x = v;
    free(x->items);
    x->items = NULL;
    x->count = 0;
}

CHX_CODEC(vec, vec_encode, vec_decode, vec_drop);

static vec vec_of(int n)
{
    vec v = {n, malloc(sizeof(int) * (unsigned)(n + 1))};
    for (int i = 0; i < n; i++)
        v.items[i] = i + 1;
    return v;
}

static int vec_sum(const vec *v)
{
    int s = 0;
    for (int i = 0; i < v->count; i++)
        s += v->items[i];
    return s;
}

static void vec_push(vec *v, int n)
{
    v->items = realloc(v->items, sizeof(int) * (unsigned)(v->count + 2));
    v->items[v->count++] = n;
}

static void bump(rec *r)
{
    r->n += 1000;
    r->a[1] = 1000;
}

#define SETN(r, v) ((r).n = (v))

choreography(p, (A, B),
    vec A.make(int n);
    def by_address(A.rec r, A.vec v, B.int x) -> A.int {
        A.int out = 0;
        checkpoint {
            A.(bump(&r));
            A.(vec_push(&v, 100));
            A.(chx_fail("%d", r.n + vec_sum(&v)));
            A.(1) ~> B.x;
            B.(nop(x));
        } rescue (f) {
            A.out = r.n + r.a[1] + vec_sum(&v) + (strcmp(f.why, "1111") ? 5000 : 0);
        }
        return A.out;
    }

    void B.nop(int x);
    def by_expression(A.rec r, A.vec v) -> A.int {
        A.int out = 0;
        checkpoint {
            A.(r.n = 77, r.a[0]++);
            A.(SETN(r, r.n + 1));
            A.(v.items[0] = 50);
            A.(chx_fail("%d %d", r.n + r.a[0], vec_sum(&v)));
            A.(1) ~> B._;
        } rescue (f) {
            A.out = r.n + r.a[0] + r.a[1] + (strcmp(f.why, "81 55") ? 5000 : 0);
        }
        return A.(out * 1000 + vec_sum(&v));
    }

    def by_target(A.rec r, B.int x, A.chx_str s, A.const char *c) -> A.{int, chx_str} {
        A.int out = 0;
        checkpoint {
            B.x ~> A.r.n;
            A.s = chx_strf("new");
            A.r.s = s;
            B.{x, "cc"} ~> A.{r.a[1], c};
            A.(chx_fail("%d %s %s", r.n + r.a[1], chx_cstr(r.s), c));
            A.(1) ~> B._;
        } rescue (f) {
            A.out = r.n + r.a[1] + (strcmp(f.why, "22 new cc") ? 5000 : 0);
        }
        return A.{out, chx_strf("%s %s %s", chx_cstr(r.s), chx_cstr(s), c)};
    }

    def deep(A.int n, A.chx_str s, A.rec r) -> A.chx_str {
        A.chx_str out = s;
        checkpoint {
            if (A.(n > 0)) {
                A.out = deep(A.(n - 1), A.(chx_strf("%s%d", chx_cstr(s), n)), A.((rec){s, n, {n, n}}));
            } else {
                A.(chx_fail("%s", chx_cstr(r.s)));
                A.(1) ~> B._;
            }
            A.(n % 3 == 2 ? chx_fail("n%d", n) : (void)0);
            A.(1) ~> B._;
        } rescue (f) {
            A.out = chx_strf("%s|%s/%s.%d|", f.why, chx_cstr(s), chx_cstr(r.s), r.n);
            B.(1) ~> A._;
        }
        return A.out;
    }

    def rounds(A.int n, A.chx_str s) -> A.chx_str {
        checkpoint {
            A.t = chx_strf("%s+", chx_cstr(s));
            A.(n % 2 ? chx_fail("%s", chx_cstr(t)) : (void)0);
            A.t ~> B._;
        } rescue (f) {
            A.(1) ~> B._;
        }
        if (A.(n == 0)) {
            return A.s;
        }
        return rounds(A.(n - 1), A.(chx_strf("%s%d", chx_cstr(s), n)));
    }

    def run(A.chx_str s) -> A.{int, int, int, chx_str, chx_str, chx_str} {
        A.rec r = {s, 1, {2, 3}};
        A.int p = by_address(A.r, A.make(4), B.(1));
        A.int q = by_expression(A.r, A.make(3));
        A.{int t, chx_str u} = by_target(A.r, B.(11), A.s, A.("c0"));
        A.chx_str d = deep(A.(6), A.s, A.r);
        A.chx_str e = rounds(A.(8), A.s);
        return A.{p, q, t, u, d, e};
    }
)

#include "p.A.chor.h"
#include "p.B.chor.h"


static vec A_make(int n)
{
    return vec_of(n);
}

static void B_nop(int x)
{
    (void)x;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct p_run_result r;
        chx_str s = chx_strf("S");
        if (p_run(&r, NULL, s) != CHX_OK) {
            printf("%s\n", chx_last_report()->why);
            return 1;
        }
        chx_str_drop(s);
        if (i == 2)
            printf("%d %d %d [%s] [%s] [%s]\n", r.A.v0, r.A.v1, r.A.v2, chx_cstr(r.A.v3), chx_cstr(r.A.v4),
                   chx_cstr(r.A.v5));
        p_run_result_drop(&r);
    }
}
