// NAME_DEF_open is made for definitions with durable blocks, and only for these.
#include <chorex.h>

choreography(shop, (Alice, Bob),
    def order(Alice.int n) {
        checkpoint durable {
            Alice.n ~> Bob._;
        }
    }
    def order_open(Alice.int n) { //! error: 'order_open' and 'order' collide in C: both make 'shop_order_open'
        Alice.n ~> Bob._;
    }
    def plain(Alice.int n) {
        Alice.n ~> Bob._;
    }
    def plain_open(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
