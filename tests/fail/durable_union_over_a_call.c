// The same over a call of a function with a durable block in it.
#include <chorex.h>

union either {
    int number;
    float part;
};

choreography(unions, (Buyer, Seller),
    union either Buyer.ask(void);
    void Buyer.use(union either amount);
    int Seller.price(int n);

    def inner() {
        checkpoint durable {
            Seller.price(2) ~> Buyer._;
        }
    }
    def call() {
        Buyer.amount = ask(); //! error: Buyer's 'amount' is live over a call with a durable block in it, and the store can't keep it: it is a union
        inner();
        Buyer.use(amount);
    }
)
