// Agreement is kept by steps at the set, joins of branches that keep it, calls, and deliveries that include the sender.
#include <chorex.h>

#define HALF(x) ((x) / 2)

choreography(agreement, (Alice, Bob, Carol),
    def run(Alice.int n) -> {Alice, Bob}.int {
        Alice.n ~> {Alice, Bob}.n;
        {Alice, Bob}.int k = HALF(n) + 1;
        if ({Alice, Bob}.(k > 3)) {
            {Alice, Bob}.k = 3;
        } else {
            {Bob, Alice}.k = k + 1;
        }
        {Alice, Bob}.m = rounded({Alice, Bob}.k);
        while ({Alice, Bob}.(m > 0)) {
            {Alice, Bob}.m -= 1;
            Carol.(1) ~> Bob._;
            if ({Alice, Bob}.(m == 2)) {
                break;
            }
        }
        Bob.k ~> {Alice, Bob, Carol}.all;
        switch ({Alice, Bob, Carol}.all) {
        case 1: Carol.(2) ~> Alice._; break;
        default: break;
        }
        return {Alice, Bob}.(m + 1);
    }
    def rounded({Alice, Bob}.int x) -> {Alice, Bob}.int {
        return {Alice, Bob}.(x & ~1);
    }
)
