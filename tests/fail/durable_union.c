// What the store can't keep is not live over a durable block: a union may hold any of its members.
#include <chorex.h>

union either {
    int number;
    float part;
};
struct order {
    int count;
    union either amount;
};

choreography(unions, (Buyer, Seller),
    union either Buyer.ask(void);
    struct order Buyer.order(void);
    void Buyer.use(union either amount);
    void Buyer.use_order(struct order order);
    int Seller.price(int n);

    def over() {
        Buyer.amount = ask(); //! error: Buyer's 'amount' is live over a durable block, and the store can't keep it: it is a union
        Buyer.order = order(); //! error: Buyer's 'order' is live over a durable block, and the store can't keep it: its field 'amount' is a union
        Buyer.early = ask();
        Buyer.use(early);
        checkpoint durable {
            Seller.price(2) ~> Buyer._;
        }
        Buyer.use(amount);
        Buyer.use_order(order);
    }
)
