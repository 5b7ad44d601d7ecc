// 'notify' must name those whose parts differ, however late they do, and nobody else.
#include <chorex.h>

choreography(late, (Alice, Bob, Carol, Dave),
    def run(Alice.int n, Bob.int k) {
        if (Alice.(n > 0)) notify() {               // Bob does the same in both
            Bob.k ~> Alice._;
        } else {
            Bob.k ~> Alice.m;
            Alice.show(m);
        }
        if (Alice.(n > 1)) notify(Bob, Carol) {     // who is named and need not know gets no message
            Bob.k ~> Alice._;
        } else {
            Bob.k ~> Alice.m;
            Alice.show(m);
        }
        if (Alice.(n > 2)) notify() {               //! error: Bob's part differs between the branches, but 'notify' leaves Bob out
            Bob.k ~> Alice._;
            Bob.show(k);
        } else {
            Bob.k ~> Alice._;
            Bob.show(k + 1);
        }
        while (Alice.(n > 3)) notify(Bob) {
            if (Alice.(n > 4)) notify() {           //! error: Carol's part differs between the branches, but 'notify' leaves Carol out
                Bob.k ~> Carol.c;                   // Bob does the same in both; Carol can't see it by what Bob sends
                Carol.show(c);
            } else {
                Bob.k ~> Carol.c;
                Carol.show(-c);
            }
            Alice.n--;
        } //! error@25: 'notify' leaves Carol out
        if (Alice.(n > 5)) notify(Carol, Dave) {    //! error: Bob is told the outcome, but 'notify' leaves Bob out
            Bob.show(k);
            Bob.k ~> {Carol, Dave}.a;               // each of them would have to be told otherwise
            Carol.show(a);
            Dave.show(a);
        } else {
            Bob.show(k);
            Bob.k ~> {Carol, Dave}.b;
        }
        if (Alice.(n > 6)) notify(Carol) {          // what arrives tells Bob, who need not know, and Bob's message Carol
            Alice.n ~> Bob.x;
            Bob.x ~> Carol.y;
            Carol.show(y);
        } else {
            Alice.n ~> Bob.x;
            Bob.x ~> Carol.y;
            Carol.show(-y);
        }
        switch (Alice.n) notify(Carol) {            //! error: Dave's part differs
        case 0: Carol.show(1); Dave.show(1); break;
        case 1: Carol.show(2); Dave.show(1); break;
        default: Carol.show(3); Dave.show(1); Dave.show(2); break;
        }
    }
)
