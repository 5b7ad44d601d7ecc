// Two sessions run at once and want the only copy of a book: exactly one gets it.
// expect: sold 1, refused 1
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>

choreography(race, (Buyer, Seller),
    bool Seller.take_copy(void);
    def run(Buyer.int wish) -> Buyer.bool {
        Buyer.wish ~> Seller._;
        Seller.take_copy() ~> Buyer.got;
        return Buyer.got;
    }
)

#include "race.Buyer.chor.h"
#include "race.Seller.chor.h"

bool Seller_take_copy(void)
{
    atomic_int *copies = chx_context();
    return atomic_fetch_sub(copies, 1) > 0;
}

int main(void)
{
    atomic_int copies = 1;
    struct race_cast cast = {.Seller = {.context = &copies}};
    chx_session *first = race_run_start(NULL, &cast, 1);
    chx_session *second = race_run_start(NULL, &cast, 1);
    struct race_run_result a, b;
    if (race_run_wait(first, &a) != CHX_OK || race_run_wait(second, &b) != CHX_OK)
        return 1;
    printf("sold %d, refused %d\n", a.Buyer + b.Buyer, !a.Buyer + !b.Buyer);
    return 0;
}
