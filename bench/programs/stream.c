// stream.c: ints in one direction. What is not bounded here would show in the peak memory.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(stream, (Source, Sink),
    def run({Source, Sink}.long count) -> Sink.long {
        Sink.long sum = 0;
        while ({Source, Sink}.(count > 0)) {
            Source.((int)(count & 0xff)) ~> Sink.int value;
            Sink.sum += value;
            {Source, Sink}.count = count - 1;
        }
        return Sink.sum;
    }
)

#include "stream.Source.chor.h"
#include "stream.Sink.chor.h"

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10000000, sum = 0;
    for (long i = 1; i <= count; i++)
        sum += i & 0xff;
    struct stream_run_result result;
    Measure measure = measure_begin();
    if (stream_run(&result, NULL, count) != CHX_OK || result.Sink != sum)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
