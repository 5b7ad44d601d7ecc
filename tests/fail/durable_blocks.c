// Durable blocks: all roles take part in the function, none is inside of an ordinary one, no pointer is live over one.
#include <chorex.h>

choreography(shop, (Buyer, Seller, Carrier),
    char *Buyer.find(void);
    void Buyer.use(char *text);
    int Seller.price(int n);

    def two() {
        checkpoint durable { //! error: Carrier does not take part in 'two', but all roles enter a durable block
            Seller.price(2) ~> Buyer._;
        }
    }
    def three() {
        checkpoint durable retry 2 {
            Seller.price(3) ~> {Buyer, Carrier}._;
        }
    }
    def inside() {
        Seller.price(1) ~> {Buyer, Carrier}._;
        checkpoint {
            checkpoint durable { //! error: a durable block can't be inside of a checkpoint that is not durable
                Seller.price(2) ~> Buyer._;
            }
        }
        checkpoint {
            three(); //! error: 'three' has a durable block in it, and is called inside of a checkpoint that is not durable
        }
    }
)
