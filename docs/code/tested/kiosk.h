// From docs/testing.md: a choreography whose clerk is tested by itself.

#ifndef KIOSK_H
#define KIOSK_H

#include <chorex.h>

//[choreography]
choreography(kiosk, (Customer, Clerk),
    int Clerk.price(int count);

    def buy(Customer.int count) -> Customer.int {
        Customer.count ~> Clerk.count;
        Clerk.price(count) ~> Customer.price;
        return Customer.price;
    }
)
//[/choreography]

#endif
