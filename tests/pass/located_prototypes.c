// Located prototypes: results and parameters of many types, hooks, variadic C functions beside them.
#include <chorex.h>
#include <stdio.h>

struct box { int w; };

choreography(protos, (Alice, Bob),
    const char *Alice.name(void);
    struct box Alice.pack(const struct box *from, size_t count, int flags[]);
    unsigned long Alice.hash(const void *data, size_t size);
    void Alice.visit(void (*each)(int), int n);
    void Alice.init(void);
    void Bob.fini(void);
    def run(Alice.struct box b) -> Bob.int {
        Alice.int flags[2] = {1, 2};
        Alice.pack(&b, 1, flags) ~> Bob.c;
        Alice.hash(&b, sizeof b) ~> Bob.h;
        Alice.name() ~> Bob.n;
        Alice.visit(NULL, 3);
        Bob.(printf("%s\n", n));
        return Bob.(c.w + (int)h);
    }
)
