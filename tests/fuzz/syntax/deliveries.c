#include <chorex.h>
choreography(deliveries, (Alice, Bob, Carol),
    struct box Alice.make(int w, int h);
    const char *Bob.name(void);
    void Carol.init(void);
    def run(Alice.int x, Bob.const char *s, Carol.int a[3]) -> Bob.int, Alice.{long, int}, {Bob, Carol}.bool {
        Alice.x ~> Bob.y;
        Alice.x ~ > Bob.int y;
        Alice.f(x, g(1, 2)) ~> Bob._;
        Alice.(x + 1) ~> Bob.(42);
        Alice.{x, f(1, 2)} ~> Bob.{y, int z};
        Alice.{x, 1, 2} ~> Bob.{_, (1), const char *t};
        Alice.make(x, 1) ~> Bob.{.w, .h = z, .a = int b, .c = _, .d = (3)};
        Alice.x ~> {Bob, Carol}.n;
        Alice.x.y[1]->z ~> Bob.a[3].b;
        {Bob, Carol}.(n > 0 ? n : -n) ~> Alice.m;
        return Bob.y, Alice.{m, 3}, {Bob, Carol}.ok;
    }
)
#include "deliveries.Alice.chor.h"
