// Of a value with a codec it must be known whether it was made here, or is somebody else's and is copied.
#include <chorex.h>
#include <stdlib.h>

typedef struct { int *number; } box;
typedef struct { box a, b; } two;
typedef struct { two t[2]; int n; } four;
typedef struct { box only; } one;
struct node { int n; };
void take(int *number);
typedef struct node node;
static void box_encode(chx_writer *writer, const void *value) { (void)writer; (void)value; }
static bool box_decode(chx_reader *reader, void *value) { (void)reader; (void)value; return false; }
static void box_drop(void *value) { free(((box *)value)->number); }
CHX_CODEC(box, box_encode, box_decode, box_drop);
typedef node *tree;
CHX_CODEC(tree, box_encode, box_decode, box_drop);
box make(void);
two make_two(void);
four make_four(void);
one make_one(void);
tree grow(void);

choreography(owners, (Alice, Bob),
    def run(Alice.int n, Alice.box x) {
        Alice.a = n ? make() : x; //! error: it can't be told who owns it
        Alice.b = (n, n ? x : make()); //! error: it can't be told who owns it
        Alice.two t = {make(), x}; //! error: it can't be told who owns it
        Alice.c = make_two().a; //! error: the rest would be lost
        Alice.d = ({ box l = x; if (n) l = make(); l; }); //! error: it can't be told who owns it
        Alice.e = (box){n ? x.number : malloc(4)}; //! error: it can't be told who owns it
        Alice.(n ? make() : x) ~> Bob.f; //! error: it can't be told who owns it
        Alice.box g[2] = {x, make()}; //! error: it can't be told who owns it
        keep(Alice.(n ? x : make())); //! error: it can't be told who owns it
        Alice.(n ? x : make()); //! error: it can't be told who owns it
        Alice.h = ({ box l[2] = {make(), make()}; l[0]; }); //! error: the rest would be lost
        Alice.use3(h);
        Alice.(make_four().n) ~> Bob.i; //! error: the rest would be lost
        Alice.(n + (make_four()).n) ~> Bob.j; //! error: the rest would be lost
        Alice.(make_four().t[1].a.number != NULL) ~> Bob.k; //! error: the rest would be lost
        Alice.(*make().number) ~> Bob.l; //! error: the rest would be lost
        Alice.(make().number[0]) ~> Bob.m; //! error: the rest would be lost
        Alice.(n ? make().number != NULL : 3) ~> Bob.o; //! error: the rest would be lost
        Alice.(!make().number) ~> Bob.p; //! error: the rest would be lost
        Alice.((two){make(), make()}.a.number == NULL) ~> Bob.q; //! error: the rest would be lost
        Alice.(grow()->n) ~> Bob.r; //! error: the rest would be lost
        Alice.(grow() == NULL) ~> Bob.s; //! error: the rest would be lost
        if (Alice.(make().number != NULL)) { //! error: the rest would be lost
            Alice.n ~> Bob._;
        }
        Alice.(x = make()); //! error: local C can't assign to 'x', which owns what it holds
        Alice.(n ? (x = make(), 3) : 4) ~> Bob.u; //! error: local C can't assign to 'x', which owns what it holds
        Alice.(g[1] = make()); //! error: local C can't assign to 'g[1]', which owns what it holds
        Alice.v = (&(two){make(), make()})->a; //! error: the rest would be lost
        Alice.w = (&(box){malloc(4)})[0];
        Alice.w = *&(box){malloc(4)};
        Alice.w = make_one().only;
        Alice.w = (box){make().number};
        Alice.(take(make().number), n += x.number != NULL, x.number = NULL);
        Alice.(({ box y = make(); y = x; y.number != NULL; }));
        Alice.use4(v, w);
        Bob.use4(i, j, k, l, m, o, p, q, r, s, u);
        Alice.tree r = ({ tree q = grow(); q != NULL ? q : grow(); });
        Alice.use(a, b, t, c, d, e, g, r);
        Bob.use(f);
    }
    def keep(Alice.box b) {
        Alice.use2(b);
    }
)
