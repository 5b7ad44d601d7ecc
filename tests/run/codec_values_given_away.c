// A value with a codec that local C makes is owned by whoever takes it, and dropped where nobody does, however the
// expression is written; a variable's value is copied. A counter tells what is left over.
// expect: 0 left, sum 543
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int *number; } box;
typedef struct { const char *name; box first; int n; } labelled;

static atomic_int alive;

static box box_make(int n)
{
    box b = {malloc(sizeof(int))};
    *b.number = n;
    atomic_fetch_add(&alive, 1);
    return b;
}

static void box_encode(chx_writer *writer, const void *value)
{
    const box *b = value;
    chx_write_u64(writer, b->number != NULL);
    if (b->number != NULL)
        chx_write_u64(writer, (uint64_t)*b->number);
}

static bool box_decode(chx_reader *reader, void *value)
{
    box *b = value;
    uint64_t is_there, number;
    b->number = NULL;
    if (!chx_read_u64(reader, &is_there) || (is_there != 0 && !chx_read_u64(reader, &number)))
        return false;
    if (is_there != 0)
        *b = box_make((int)number);
    return true;
}

static void box_drop(void *value)
{
    box *b = value;
    if (b->number != NULL)
        atomic_fetch_sub(&alive, 1);
    free(b->number);
    b->number = NULL;
}

CHX_CODEC(box, box_encode, box_decode, box_drop);

static int box_number(box b) { return b.number == NULL ? 0 : *b.number; }
static void box_fill(box *b, int n) { *b = box_make(n); }
static labelled labelled_make(int n) { return (labelled){"made", box_make(n), n}; }
static int *number_make(int n)
{
    box b = box_make(n);
    return b.number;
}
#define MAKE box_make(1)
#define MADE(n) (box_make(n))

choreography(given, (Alice, Bob),
    box Alice.make(int n);
    box Bob.make(int n);
    def keep(Alice.box b, Alice.int n) -> Alice.int {
        return Alice.(box_number(b) + n);
    }
    def down(Alice.box b, Alice.int n) -> Alice.int {
        if (Alice.(n == 0)) {
            return Alice.(box_number(b));
        } else {
            return down(Alice.(n > 2 ? make(n) : (make(n + 1))), Alice.(n - 1));
        }
    }
    def boxed(Alice.int n) -> Alice.box, Bob.box {
        return Alice.(n > 0 ? make(n) : box_make(3)), Bob.((make(2)));
    }
    def pair(Alice.box b) -> Alice.{box, box, labelled} {
        return Alice.{(make(4)), b, __extension__ ({ labelled_make(5); })};
    }
    def run(Alice.int n) -> Alice.int, Bob.int {
        Alice.int sum = 0;
        Bob.int sum = 0;
        // Assignments.
        Alice.a = (make(1));
        Alice.b = n > 0 ? make(2) : make(3);
        Alice.a = n > 0 ? (n > 1 ? make(4) : box_make(5)) : (make(6));
        Alice.b = (n++, make(7));
        Alice.b = __extension__ ({ make(8); });
        Alice.b = __extension__ ({ box c = make(9); c; });
        Alice.b = __extension__ ({ box c; if (n > 0) c = make(10); else c = box_make(11); c; });
        Alice.b = __extension__ ({ box c; box_fill(&c, 12); c; });
        Alice.b = __extension__ ({ box c = {0}; c.number = number_make(13); c; });
        Alice.b = (box){number_make(14)};
        Alice.b = (box){.number = number_make(15)};
        Alice.b = (box){make(3).number};
        Alice.b = (box){NULL};
        Alice.b = (box){0};
        Alice.b = MAKE;
        Alice.b = MADE(16);
        Alice.b = (MADE(17));
        Alice.b = labelled_make(18).first;
        Alice.b = _Generic(n, int: make(19), default: make(20));
        Alice.sum += box_number(a) + box_number(b);
        // What is a variable's is copied.
        Alice.c = a;
        Alice.c = (a);
        Alice.c = n > 0 ? a : b;
        Alice.c = (n++, a);
        Alice.c = __extension__ ({ a; });
        Alice.c = __extension__ ({ box d = a; d; });
        Alice.c = (box){a.number};
        Alice.c = *&a;
        Alice.box d[2] = {a, b};
        Alice.c = d[1];
        Alice.sum += box_number(c);
        // Structs and arrays of them.
        Alice.labelled l = labelled_make(21);
        Alice.l = (labelled_make(22));
        Alice.l = n > 0 ? labelled_make(23) : labelled_make(24);
        Alice.labelled m = {"m", make(25), 3};
        Alice.m = (labelled){.name = "m", .first = (make(26))};
        Alice.labelled o = {"o", a, 3};
        Alice.o.first = n > 0 ? make(27) : (make(28));
        Alice.box e[2] = {make(29), (make(30))};
        Alice.{.first = f, .n = g} = (labelled_make(31));
        Alice.sum += box_number(l.first) + box_number(m.first) + box_number(o.first) + box_number(e[1]) + box_number(f) + g;
        // Deliveries.
        Alice.(n > 0 ? make(32) : make(33)) ~> Bob.a;
        Alice.((make(34))) ~> Bob.b;
        Alice.{(make(35)), a, n > 0 ? make(36) : make(37), __extension__ ({ labelled_make(38); })} ~> Bob.{c, d, e, l};
        Alice.(labelled_make(39).first) ~> Bob._;
        Alice.(n > 0 ? a : b) ~> Bob.f;
        Alice.((make(40))) ~> {Alice, Bob}.g2;
        Bob.sum += box_number(a) + box_number(b) + box_number(c) + box_number(d) + box_number(e) + box_number(f);
        Bob.sum += box_number(l.first) + box_number(g2);
        // Arguments and results.
        Alice.h = keep(Alice.((make(41))), Alice.n);
        Alice.i = keep(Alice.(n > 0 ? a : b), Alice.n);
        Alice.j = down(Alice.(n > 0 ? make(42) : make(43)), Alice.n);
        Alice.b, Bob.b = boxed(Alice.n);
        boxed(Alice.n);
        Alice.{b, c, l} = pair(Alice.((make(44))));
        Alice.sum += h + i + j + box_number(b) + box_number(c) + box_number(l.first);
        // For the effect only.
        Alice.make(45);
        Alice.(make(46));
        Alice.((make(47)));
        Alice.(n > 0 ? make(48) : make(49));
        Alice.((void)make(50));
        Alice.((void)(n > 0 ? make(51) : make(52)));
        Alice.(__extension__ ({ make(53); }));
        Alice.(labelled_make(54));
        Alice.(n++, make(55));
        Alice.(MAKE);
        return Alice.sum, Bob.sum;
    }
)

#include "given.Alice.chor.h"
#include "given.Bob.chor.h"

static box Alice_make(int n) { return box_make(n); }
static box Bob_make(int n) { return box_make(n); }

int main(void)
{
    struct given_run_result r;
    if (given_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d left, sum %d\n", atomic_load(&alive), r.Alice + r.Bob);
    return 0;
}
