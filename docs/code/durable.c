// An order that survives the loss of power.
//! skip: it needs a store
//[include]
#include <chorex.h>
#include <stdio.h>
//[/include]

//[choreography]
choreography(shop, (Buyer, Seller),
    int Seller.price(int count);
    void Buyer.pay(int amount);
    void Seller.pack(int count);
    void Seller.say_sorry(chx_fault_kind kind);

    def order(Buyer.int count) -> Buyer.int {
        Buyer.count ~> Seller.count;
        Seller.price(count) ~> Buyer.price;
        checkpoint durable retry 2 {
            Buyer.pay(price);
            Buyer.price ~> Seller._;
            Seller.pack(count);
        } rescue (fault) {
            Seller.say_sorry(fault.kind);
        }
        return Buyer.price;
    }
)
//[/choreography]

#include "shop.Buyer.chor.h"
#include "shop.Seller.chor.h"

int Seller_price(int count)
{
    return 14 * count;
}

//[effect]
void Buyer_pay(int amount)
{
    chx_effect id = chx_effect_id();
    printf("pay %d once for %016llx%016llx\n", amount, (unsigned long long)id.high, (unsigned long long)id.low);
}
//[/effect]

void Seller_pack(int count)
{
    printf("pack %d\n", count);
}

void Seller_say_sorry(chx_fault_kind kind)
{
    printf("sorry%s\n", kind == CHX_FAULT_LOST ? ", the lights went out" : "");
}

//[main]
int main(void)
{
    struct shop_order_result result;
    chx_session *session = shop_order_open(NULL, "order-4711", NULL, 3);
    if (shop_order_wait(session, &result) != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    printf("paid %d\n", result.Buyer);
    return 0;
}
//[/main]
