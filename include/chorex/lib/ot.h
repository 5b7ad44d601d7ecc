// Oblivious transfer, one of two: Receiver gets the value that it chooses and learns nothing of the other one; Sender does not learn
// which it was. Chou and Orlandi's protocol, in a group that the roles provide. See docs/library.md.

#ifndef CHOREX_LIB_OT_H
#define CHOREX_LIB_OT_H

#include <chorex.h>

// An element of the group, or an exponent: as large as those of Curve25519.
typedef struct {
    unsigned char bytes[32];
} ot_element;

choreography(ot, (Sender, Receiver),
    ot_element Sender.secret(void);                                      // a random exponent
    ot_element Receiver.secret(void);
    ot_element Sender.offer(ot_element a);                               // g^a
    ot_element Receiver.choose(ot_element offer, ot_element b, bool which); // g^b, or offer * g^b
    // The value, encrypted with a key that is made of chosen^a, or of (chosen / g^a)^a.
    long Sender.seal(long value, ot_element chosen, ot_element a, bool which);
    long Receiver.unseal(long sealed, ot_element offer, ot_element b);   // with a key that is made of offer^b

    def transfer(Sender.long first, Sender.long second, Receiver.bool which) -> Receiver.long {
        Sender.ot_element a = secret();
        Receiver.ot_element b = secret();
        Sender.offer(a) ~> Receiver.offered;
        Receiver.choose(offered, b, which) ~> Sender.chosen;
        Sender.{seal(first, chosen, a, false), seal(second, chosen, a, true)} ~> Receiver.{one, other};
        return Receiver.(unseal(which ? other : one, offered, b));
    }
)

#endif
