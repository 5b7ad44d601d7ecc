// nest.c: laps that contain the next one. Variants: hashing: the work without a choreography; plain; checkpoint: each lap is a block; crash: the Monitor fails in
// every lap but the last, and the rescue is the next lap.

#include "bench/table1/work.h"

choreography(nest, (Runner, Monitor),
    void Monitor.fail(void);

    def plain({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        Runner.(work_hard(work));
        Monitor.(work_hard(work));
        Runner.lap ~> Monitor.long lap;
        if (Monitor.(lap < last)) {
            return plain({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
        }
        return Runner.lap;
    }

    def checkpoints({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        checkpoint {
            Runner.(work_hard(work));
            Monitor.(work_hard(work));
            Runner.lap ~> Monitor.long lap;
            if (Monitor.(lap < last)) {
                return checkpoints({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
            }
        } rescue {
            return Runner.(-1);
        }
        return Runner.lap;
    }

    def crashes({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        checkpoint {
            Runner.(work_hard(work));
            Monitor.(work_hard(work));
            Runner.lap ~> Monitor.long lap;
            if (Monitor.(lap < last)) {
                Monitor.fail();
                return crashes({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
            }
        } rescue {
            return crashes({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
        }
        return Runner.lap;
    }
)

#include "nest.Monitor.chor.h"
#include "nest.Runner.chor.h"

static void Monitor_fail(void)
{
    chx_fail("on purpose");
}

static bool sample(const WorkOptions *options)
{
    if (work_is(options, "hashing"))
        return work_alone(options);
    long last = options->size;
    if (work_is(options, "checkpoint")) {
        struct nest_checkpoints_result result;
        return nest_checkpoints(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last;
    }
    if (work_is(options, "crash")) {
        struct nest_crashes_result result;
        return nest_crashes(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last;
    }
    struct nest_plain_result result;
    return nest_plain(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last;
}

int main(int argc, char **argv)
{
    WorkOptions options = work_options(argc, argv, 1000);
    return work_measure(&options, sample);
}
