// Two buyers share the price of a book.
// expect: bought: day 24
// expect: too dear
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(twobuyer, (Buyer1, Buyer2, Seller),
    int Seller.get_price(const char *title);
    int Seller.get_delivery_day(const char *title);
    int Buyer2.contribution(int price);

    def run(Buyer1.const char *title, Buyer1.int budget) -> Buyer1.int {
        Buyer1.title ~> Seller.title;
        Seller.get_price(title) ~> {Buyer1, Buyer2}.price;
        Buyer2.contribution(price) ~> Buyer1.share;
        if (Buyer1.(price - share <= budget)) {
            Seller.get_delivery_day(title) ~> Buyer1.day;
            return Buyer1.day;
        } else {
            return Buyer1.(-1);
        }
    }
)

#include "twobuyer.Buyer1.chor.h"
#include "twobuyer.Buyer2.chor.h"
#include "twobuyer.Seller.chor.h"

int Seller_get_price(const char *title) { return strcmp(title, "Stiller") == 0 ? 30 : 80; }
int Seller_get_delivery_day(const char *title) { return (int)strlen(title) + 17; }
int Buyer2_contribution(int price) { return price / 2; }

static void show(int day)
{
    if (day < 0)
        printf("too dear\n");
    else
        printf("bought: day %d\n", day);
}

int main(void)
{
    struct twobuyer_run_result r;
    if (twobuyer_run(&r, NULL, "Stiller", 20) != CHX_OK)
        return 1;
    show(r.Buyer1);
    if (twobuyer_run(&r, NULL, "Ulysses", 20) != CHX_OK)
        return 1;
    show(r.Buyer1);
    return 0;
}
