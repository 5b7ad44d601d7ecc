// Of a value with a codec it must be known whether it was made here, or is somebody else's and is copied.
#include <chorex.h>
#include <stdlib.h>

typedef struct { int *number; } box;
typedef struct { box a, b; } two;
typedef struct node node;
static void box_encode(chx_writer *writer, const void *value) { (void)writer; (void)value; }
static bool box_decode(chx_reader *reader, void *value) { (void)reader; (void)value; return false; }
static void box_drop(void *value) { free(((box *)value)->number); }
CHX_CODEC(box, box_encode, box_decode, box_drop);
typedef node *tree;
CHX_CODEC(tree, box_encode, box_decode, box_drop);
box make(void);
two make_two(void);
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
        Alice.tree r = ({ tree q = grow(); q != NULL ? q : grow(); });
        Alice.use(a, b, t, c, d, e, g, r);
        Bob.use(f);
    }
    def keep(Alice.box b) {
        Alice.use2(b);
    }
)
