// A role that only passes messages on provides nothing.
// expect: 9
#include <chorex.h>
#include <stdio.h>

choreography(middle, (Source, Wire, Sink),
    int Source.make(void);
    int Sink.take(int n);
    def run() -> Sink.int {
        Source.make() ~> Wire.n;
        Wire.n ~> Sink.m;
        return Sink.(take(m));
    }
)

#include "middle.Source.chor.h"
#include "middle.Wire.chor.h"
#include "middle.Sink.chor.h"

int Source_make(void) { return 3; }
int Sink_take(int n) { return n * n; }

int main(void)
{
    struct middle_run_result r;
    if (middle_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.Sink);
    return 0;
}
