// An order: payment, stock, shipping. Steps between the durable blocks, a choice, an ordinary block inside of a durable one.
// expect: shipped: 3 books for 42
// phases: price-book | pay-42 take-3 | label take-0 | note
#include "../effect.h"

choreography(shop, (Buyer, Seller, Carrier),
    int Seller.price(chx_str title, int count);
    void Buyer.pay(int amount);
    void Seller.take(int count);
    chx_str Carrier.label(int count);
    chx_str Buyer.note(chx_str label, int price);

    def order(Buyer.chx_str title, Buyer.int count) -> Buyer.chx_str {
        Buyer.{title, count} ~> Seller.{title, count};
        Seller.price(title, count) ~> Buyer.price;
        Seller.paid = 0;
        Carrier.count = 0;
        checkpoint durable retry 9 {
            Buyer.pay(price);
            Buyer.price ~> Seller.paid;
            checkpoint retry 9 {
                Seller.take(count);
            }
            Seller.count ~> Carrier.count;
        }
        if (Seller.(paid > 0)) {
            Buyer.label = chx_strf("none");
            checkpoint durable retry 9 {
                Carrier.label(count) ~> Buyer.label;
                Seller.take(0);
            }
            Buyer.text = note(label, price);
            return Buyer.text;
        }
        Carrier.label(0) ~> Buyer.label;
        return Buyer.label;
    }
)

#include "shop.Buyer.chor.h"
#include "shop.Carrier.chor.h"
#include "shop.Seller.chor.h"

int Seller_price(chx_str title, int count)
{
    effect("price-%s", chx_cstr(title));
    return 14 * count;
}
void Buyer_pay(int amount) { effect("pay-%d", amount); }
void Seller_take(int count) { effect("take-%d", count); }
chx_str Carrier_label(int count)
{
    effect("label");
    return chx_strf("%d books", count);
}
chx_str Buyer_note(chx_str label, int price)
{
    effect("note");
    return chx_strf("shipped: %s for %d", chx_cstr(label), price);
}

int main(void)
{
    struct shop_order_result result;
    chx_session *session = shop_order_open(NULL, "order-4711", NULL, chx_str_new("book", 4), 3);
    if (shop_order_wait(session, &result) != CHX_OK) {
        printf("failed: %s\n", chx_last_report()->why);
        return 1;
    }
    printf("%s\n", chx_cstr(result.Buyer));
    shop_order_result_drop(&result);
    return 0;
}
