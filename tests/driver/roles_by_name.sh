# Behind chorex/net.h the interface has functions for one role of a choreography, whose others are on other hosts: clean C and
# C++, for the roles that are there, and nothing of libchorex-net in programs that don't call them.
set -eu
. "$(dirname "$0")/common.bash"
prefix=$(dirname "$(dirname "$CHORCC")")
[ -e "$prefix/lib/libchorex-net.a" ] || { echo "libchorex-net is not built here"; exit 0; }
names=$(cd "$(dirname "$0")/../.." && pwd)/scripts/names
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wredundant-decls -Wundef -Wswitch-enum"
c_warnings="$warnings -Wstrict-prototypes -Wmissing-prototypes -Wdeclaration-after-statement"

# Arguments and results of all kinds.
cat >shop.h <<'END'
#ifndef SHOP_H
#define SHOP_H
#include <chorex.h>
#include <stdlib.h>
#include <string.h>
struct bits { unsigned flag : 3; int number : 4; };
struct order { int number; const char *title; struct bits bits; };
struct database;
typedef struct { int *cell; } box;
static CHX_UNUSED void box_encode(chx_writer *w, const void *b)
{
    const box *one = (const box *)b;
    chx_write_u64(w, one->cell == NULL ? 0 : (uint64_t)*one->cell);
}
static CHX_UNUSED bool box_decode(chx_reader *r, void *b)
{
    uint64_t number;
    box *one = (box *)b;
    one->cell = (int *)malloc(sizeof(int));
    if (one->cell == NULL || !chx_read_u64(r, &number))
        return false;
    *one->cell = (int)number;
    return true;
}
static CHX_UNUSED void box_drop(void *b) { free(((box *)b)->cell); }
CHX_CODEC(box, box_encode, box_decode, box_drop);

choreography(shop, (Buyer, Seller, Clerk),
    int Seller.price(struct database *database, const char *title);
    def run(Buyer.struct order wanted, Seller.struct database *database, {Buyer, Seller}.int limit, Buyer.int table[3],
            Seller.box box, Seller.const char *name, Seller.const char *names[2], Seller.int grid[2][2])
        -> Buyer.const char *, Seller.{int, const char *}
    {
        Buyer.wanted ~> Seller.order;
        Seller.(price(database, order.title) + limit + *box.cell + grid[0][0]) ~> Buyer.price;
        Buyer.(price + limit + table[0]) ~> Seller.paid;
        Seller.(names[0]) ~> Buyer.const char *first;
        return Buyer.first, Seller.{paid, name};
    }
    def look(Clerk.int x) -> Buyer.int [2] {
        Clerk.x ~> Buyer.y;
        Buyer.int both[2];
        Buyer.both[0] = y;
        return Buyer.both;
    }
    def nothing() {
        Buyer.(1) ~> Seller._;
    }
)
#endif
END
cat >seller.c <<'END'
#include "shop.h"
#include "shop.Seller.chor.h"
int Seller_price(struct database *database, const char *title)
{
    return database == NULL ? 0 : (int)strlen(title);
}
END
# The call of every function; each is refused, since there is no node.
cat >calls.h <<'END'
#include <assert.h>
#include <stdio.h>
static bool welcome(void *context, const chx_visit *visit, void *arguments)
{
    struct shop_Seller_arguments *mine = (struct shop_Seller_arguments *)arguments;
    struct shop_run_Seller_arguments *same = mine;
    mine->database = (struct database *)context;
    mine->names[1] = visit->peer;
    same->grid[1][1] = mine->limit + (mine->box.cell != NULL);
    return mine->name != NULL;
}
static int calls(void)
{
    struct order order = {1, "Siddhartha", {1, 2}};
    const int table[3] = {1, 2, 3};
    const char *const names[2] = {"a", "b"};
    int grid[2][2] = {{1, 2}, {3, 4}};
    box none = {NULL};
    const char *title = "x";
    int both[2] = {1, 2};
    struct shop_run_result result;
    chx_service service;
    chx_status status;
    memset(&service, 0, sizeof service);
    service.accept = welcome;
    status = shop_run_as_Buyer(&title, NULL, NULL, order, 3, table);
    printf("%s of %s: %s\n", chx_last_report()->role, chx_last_report()->file, chx_last_report()->why);
    assert(status == CHX_INVALID && title == NULL);
    assert(shop_run_as_Seller(&result.Seller, NULL, "here", NULL, 3, none, "", names, grid) == CHX_INVALID);
    assert(result.Seller.v0 == 0 && result.Seller.v1 == NULL);
    shop_run_as_Seller_drop(&result.Seller);
    shop_run_as_Buyer_drop(&title);
    assert(shop_run_as_Buyer_wait(shop_run_as_Buyer_start(NULL, NULL, order, 3, table), NULL) == CHX_INVALID);
    assert(shop_run_serve_Seller(NULL, &service, NULL, 3, none, "", names, grid) == CHX_INVALID);
    assert(shop_look_as_Buyer(&both, NULL, NULL) == CHX_INVALID && both[1] == 0);
    assert(shop_look_serve_Clerk(NULL, NULL, 3) == CHX_INVALID);
    assert(shop_look_as_Clerk_start(NULL, NULL, 3) == NULL);
    assert(shop_nothing_as_Seller_wait(NULL) == CHX_INVALID);
    assert(shop_nothing_serve_Clerk(NULL, NULL) == CHX_INVALID);
    return 0;
}
END
printf '#include "shop.h"\n#include <chorex/net.h>\n#include "shop.chor.h"\n#include "calls.h"\nint main(void) { return calls(); }\n' >main.c
cp main.c main.cc
cat >clerk.c <<'END'
#include "shop.h"
#include <chorex/net.h>
#include "shop.Clerk.chor.h"
END
cat >buyer.c <<'END'
#include "shop.h"
#include <chorex/net.h>
#include "shop.Buyer.chor.h"
#ifdef WHO
int other(void);
int other(void) { return WHO(NULL, NULL); }
#endif
END
for compiler in gcc clang; do
    # As C, C++, with each role in a file of its own, and with whatever the user's macros are called.
    CHORCC_CC=$compiler "$CHORCC" $c_warnings -Werror main.c seller.c clerk.c buyer.c \
        $("$CHORCC" --cflags --libs=net) -o program 2>messages || { cat messages >&2; fail "C with $compiler"; }
    lacks messages warning
    prints "Buyer of shop.h: there is no node (NULL): chx_node_open has failed, as a rule" ./program
    CHORCC_CC=$compiler "$CHORCC" -c seller.c clerk.c buyer.c
    cxx=${compiler%cc}++
    "$cxx" $warnings -Werror main.cc seller.o clerk.o buyer.o $("$CHORCC" --cflags --libs=net) -o program ||
        fail "C++ with $cxx"
    prints "Buyer of shop.h: there is no node (NULL): chx_node_open has failed, as a rule" ./program
    "$names" --hostile main.c shop.h calls.h clerk.c >hostile.h
    CHORCC_CC=$compiler "$CHORCC" $c_warnings -Werror -include hostile.h -fsyntax-only clerk.c || fail "hostile macros"
done
"$names" --companion shop.chor.h

# A role's companion has this role's functions only.
for who in shop_look_as_Buyer_start shop_nothing_serve_Buyer; do
    "$CHORCC" -Werror=implicit-function-declaration "-DWHO=(int)(intptr_t)$who" -c buyer.c || fail "Buyer has no $who"
done
for who in shop_nothing_as_Seller shop_nothing_serve_Clerk; do
    status 1 "$CHORCC" -Werror=implicit-function-declaration "-DWHO=$who" -c buyer.c
    contains messages "$who"
done
# A second role in the same file, the interface before chorex/net.h, and the interface behind a role's companion.
cat >both.c <<'END'
#include "shop.h"
#include "shop.chor.h"
#include <chorex/net.h>
#include "shop.Buyer.chor.h"
#include "shop.Clerk.chor.h"
int main(void) { return shop_nothing_as_Buyer(NULL, NULL) == CHX_OK && shop_nothing_as_Clerk(NULL, NULL) == CHX_OK; }
END
"$CHORCC" $c_warnings -Werror both.c $("$CHORCC" --cflags --libs=net) -o both
./both
sed -i 's/#include "shop.Clerk.chor.h"/#include "shop.chor.h"/' both.c
"$CHORCC" $c_warnings -Werror both.c clerk.c $("$CHORCC" --cflags --libs=net) -o both
./both

# A program that has one role's part and no other; the choreography is in a header of any name.
mkdir alone && cd alone
cat >bookseller.chor <<'END'
#include <chorex.h>
typedef struct { int day; } date;
choreography(bookseller, (Buyer, Seller),
    date Seller.when(const char *title);
    def run(Buyer.const char *title) -> Buyer.date {
        Buyer.title ~> Seller.title;
        Seller.when(title) ~> Buyer.date;
        return Buyer.date;
    }
)
END
cat >buyer.c <<'END'
#include <chorex.h>
#include <chorex/net.h>
#include <stdio.h>
#include "bookseller.chor"
#include "bookseller.Buyer.chor.h"

int main(void)
{
    date when;
    if (bookseller_run_as_Buyer(&when, NULL, NULL, "Siddhartha") != CHX_OK)
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
    return when.day;
}
END
"$CHORCC" $c_warnings -Werror buyer.c $("$CHORCC" --cflags --libs=net) -o buyer
prints "Buyer: there is no node (NULL): chx_node_open has failed, as a rule" ./buyer
nm buyer >symbols
lacks symbols bookseller_Seller
cd ..

# Who does not call them links nothing of libchorex-net, and need not name it.
printf '#include "shop.h"\n#include <chorex/net.h>\n#include "shop.chor.h"\nint main(void) { return 0; }\n' >idle.c
for optimize in -O0 -O2; do
    "$CHORCC" $optimize idle.c seller.c clerk.c buyer.c -o idle
    nm idle >symbols
    lacks symbols chx_node
    ./idle
done
# Names that would be there twice.
printf '#include <chorex.h>\nchoreography(x, (A, B), def run() { A.(1) ~> B._; } def run_as_B_start() { A.(1) ~> B._; })\n' >twice.c
status 1 "$CHORCC" --emit twice.c
contains messages "'run_as_B_start' and 'run' collide in C: both make 'x_run_as_B_start'"
