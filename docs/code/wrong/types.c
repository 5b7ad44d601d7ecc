#include <chorex.h>
#include <stdio.h>

choreography(types, (Alice, Bob),
    def run(Alice.FILE *log, Alice.const char *name) {
        Alice.log ~> Bob.log;
        Alice.name ~> Bob.int number;
        Alice.name ~> Bob.(7);
        Alice.measure(name) ~> Bob.length;
        Bob.(printf("%d\n", number));
    }
)
