// The store keeps values, not what pointers point to: no pointer is live over a durable block.
#include <chorex.h>

choreography(pointers, (Buyer, Seller),
    char *Buyer.find(void);
    void Buyer.use(char *text);
    int Seller.price(int n);

    def over() {
        Buyer.text = find(); //! error: Buyer's 'text' is a pointer that is live over a durable block
        Buyer.unused = find();
        Buyer.use(unused);
        checkpoint {
            Seller.price(1) ~> Buyer._;
        }
        checkpoint durable {
            Seller.price(2) ~> Buyer._;
        }
        Buyer.use(text);
    }
)
