// The same over a call of a function with a durable block in it: the caller's variables are kept, too.
#include <chorex.h>

choreography(pointers, (Buyer, Seller),
    char *Buyer.find(void);
    void Buyer.use(char *text);
    int Seller.price(int n);

    def inner() {
        checkpoint durable {
            Seller.price(3) ~> Buyer._;
        }
    }
    def call() {
        Buyer.text = find(); //! error: Buyer's 'text' is a pointer that is live over a call with a durable block in it
        inner();
        Buyer.use(text);
    }
)
