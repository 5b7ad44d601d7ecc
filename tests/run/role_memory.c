// chx_alloc gives zeroed memory that lives until the role's session ends.
// expect: 0 then 5 10 15
#include <chorex.h>
#include <stdio.h>

choreography(memory, (Alice, Bob),
    int *Alice.get_cell(void);
    void Alice.add(int *cell, int n);
    def run() -> Bob.{int, int, int, int} {
        Alice.int *cell = get_cell();
        Alice.(*cell) ~> Bob.zero;
        Alice.add(cell, 5);
        Alice.(*cell) ~> Bob.a;
        Alice.add(cell, 5);
        Alice.(*cell) ~> Bob.b;
        Alice.add(cell, 5);
        Alice.(*cell) ~> Bob.c;
        return Bob.{zero, a, b, c};
    }
)

#include "memory.Alice.chor.h"
#include "memory.Bob.chor.h"

int *Alice_get_cell(void) { return chx_alloc(sizeof(int)); }
void Alice_add(int *cell, int n) { *cell += n; }

int main(void)
{
    struct memory_run_result r;
    if (memory_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d then %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3);
    return 0;
}
