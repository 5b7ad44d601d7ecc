// The same where the type with a codec is a pointer, or stands deep in structs and arrays, or is made in roundabout ways.
// expect: 0 left, 1
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node { int n; } *tree;
typedef struct { tree first; const char *name; } labelled;
typedef struct { struct { tree inner; int n; }; tree tail[2]; } deep;

static atomic_int alive;

static tree grow(int n)
{
    tree t = malloc(sizeof *t);
    t->n = n;
    atomic_fetch_add(&alive, 1);
    return t;
}

static void tree_encode(chx_writer *writer, const void *value)
{
    const tree *t = value;
    chx_write_u64(writer, *t != NULL);
    if (*t != NULL)
        chx_write_u64(writer, (uint64_t)(*t)->n);
}

static bool tree_decode(chx_reader *reader, void *value)
{
    tree *t = value;
    uint64_t is_there, n;
    *t = NULL;
    if (!chx_read_u64(reader, &is_there) || (is_there != 0 && !chx_read_u64(reader, &n)))
        return false;
    if (is_there != 0)
        *t = grow((int)n);
    return true;
}

static void tree_drop(void *value)
{
    tree *t = value;
    if (*t != NULL)
        atomic_fetch_sub(&alive, 1);
    free(*t);
    *t = NULL;
}

CHX_CODEC(tree, tree_encode, tree_decode, tree_drop);

static void *grow_raw(int n) { return grow(n); }
static labelled grow_labelled(int n) { return (labelled){grow(n), "l"}; }
static deep grow_deep(void) { return (deep){{grow(1), 2}, {grow(3), grow(4)}}; }
static tree *lend(tree *t) { return t; }
typedef tree (*grower)(int);
static grower get_grower(void) { return grow; }
static void use(tree u, deep d, labelled l, const tree *many, const tree *others, tree a, tree b)
{
    (void)u, (void)d, (void)l, (void)many, (void)others, (void)a, (void)b;
}
static void use_other(tree t, labelled l, tree first, const char *name) { (void)t, (void)l, (void)first, (void)name; }
#define NEW grow
#define CHOOSE(c, a, b) ((c) ? (a) : (b))

choreography(given, (Alice, Bob),
    tree Alice.plant(int n);
    def same(Alice.labelled l, Alice.tree t) -> Alice.labelled, Bob.int {
        return Alice.((labelled){t, l.name}), Bob.(1);
    }
    def both(Alice.int n) -> Alice.{tree, tree} {
        return Alice.{n ? plant(1) : (plant(2)), n ? grow(1) : NULL};
    }
    def run(Alice.int n) -> Alice.int {
        Alice.tree t = grow(1);
        Alice.tree u = n ? grow(2) : NULL;
        Alice.u = n > 5 ? t : NULL;
        Alice.u = NULL;
        Alice.u = (tree)grow_raw(3);
        Alice.u = grow_raw(4);
        Alice.u = __extension__ ({ tree v = grow(5); v->n = 6; v; });
        Alice.u = t;
        Alice.u = ((void)n, t);
        Alice.u = n ? u : t;
        Alice.u = *lend(&t);
        Alice.u = get_grower()(3);
        Alice.u = (*get_grower())(3);
        Alice.u = (NEW)(4);
        Alice.u = CHOOSE(n, plant(5), plant(6));
        Alice.u = CHOOSE(n, t, u);
        Alice.deep d = grow_deep();
        Alice.d = grow_deep();
        Alice.d = (deep){{t, 2}, {u, t}};
        Alice.d = (deep){{plant(1), 2}, {plant(2), plant(3)}};
        Alice.d.tail[0] = plant(9);
        Alice.d.inner = plant(9);
        Alice.u = d.inner;
        Alice.labelled l = {plant(7), "x"};
        Alice.l = (&(labelled){grow(8), "y"})[0];
        Alice.l = *&(labelled){grow(9), "z"};
        Alice.u = (&(labelled){grow(10), "z"})->first;
        Alice.u = *&t;
        Alice.l = (labelled){.name = "y", .first = t};
        Alice.l = (labelled){.name = "y"};
        Alice.l.first = grow_labelled(3).first;
        Alice.tree many[3] = {plant(1), plant(2)};
        Alice.tree others[2] = {t, u};
        Alice.many[n] = (plant(4));
        Alice.u = __extension__ ({ tree q[1] = {plant(3)}; q[0]; });
        Alice.u = __extension__ ({ tree q = plant(3); tree r = q; r; });
        Alice.u = __extension__ ({ tree q; { tree r = plant(2); q = r; } q; });
        Alice.u = __extension__ ({ labelled q = grow_labelled(3); q.first; });
        Alice.u = __extension__ ({ tree q = t; tree *p = &q; *p; });
        Alice.l = same(Alice.(n ? grow_labelled(1) : grow_labelled(2)), Alice.(n ? grow(1) : grow(2)));
        Alice.{a, b} = both(Alice.n);
        Alice.b = grow(3);
        Alice.(n ? grow(1) : NULL);
        Alice.((void)((void)grow(1)));
        Alice.t ~> Bob.t;
        Alice.(n ? grow(4) : NULL) ~> Bob.t;
        Alice.{n, (grow(5)), (grow_labelled(1))} ~> Bob.{_, t, l};
        Alice.{n, (grow(5)), grow_labelled(1)} ~> Bob._;
        Alice.(grow_labelled(6)) ~> Bob.{.first, .name};
        Alice.(use(u, d, l, many, others, a, b));
        Bob.(use_other(t, l, first, name));
        return Alice.n;
    }
)

#include "given.Alice.chor.h"
#include "given.Bob.chor.h"

static tree Alice_plant(int n) { return grow(n); }

int main(void)
{
    struct given_run_result r;
    if (given_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("%d left, %d\n", atomic_load(&alive), r.Alice);
    return 0;
}
