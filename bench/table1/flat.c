// flat.c: laps one after the other. Variants: hashing: the work without a choreography; plain; checkpoint: the work of a lap is a block; crash: the original's
// program, where each lap fails and is rescued and the work is done on the way back from the recursion; natural: the
// checkpoint variant, where the Monitor's work fails at its start and the rescue does the work.

#include "bench/table1/work.h"

choreography(flat, (Runner, Monitor),
    void Monitor.fail(void);

    def plain({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        Runner.lap ~> Monitor.long lap;
        if (Monitor.(lap <= last)) {
            Runner.(work_hard(work));
            Monitor.(work_hard(work));
            return plain({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
        }
        return Runner.lap;
    }

    def checkpoints({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        Runner.lap ~> Monitor.long lap;
        if (Monitor.(lap <= last)) {
            checkpoint {
                Runner.(work_hard(work));
                Monitor.(work_hard(work));
            } rescue {
                Runner.lap = -1;
            }
            return checkpoints({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
        }
        return Runner.lap;
    }

    def natural({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        Runner.lap ~> Monitor.long lap;
        if (Monitor.(lap <= last)) {
            checkpoint {
                Runner.(work_hard(work));
                Monitor.fail();
            } rescue {
                Runner.(work_hard(work));
                Monitor.(work_hard(work));
            }
            return natural({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
        }
        return Runner.lap;
    }

    def crashes({Runner, Monitor}.bool work, Runner.long lap, Monitor.long last) -> Runner.long {
        Runner.lap ~> Monitor.long lap;
        Monitor.long constant = 0;
        checkpoint {
            Monitor.fail();
        } rescue {
            Monitor.constant = 42;
        }
        Runner.long reached = lap;
        if (Monitor.(lap < last + constant - 42)) {
            Runner.reached = crashes({Runner, Monitor}.work, Runner.(lap + 1), Monitor.last);
            Runner.(work_hard(work));
            Monitor.(work_hard(work));
        }
        return Runner.reached;
    }
)

#include "flat.Monitor.chor.h"
#include "flat.Runner.chor.h"

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
        struct flat_checkpoints_result result;
        return flat_checkpoints(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last + 1;
    }
    if (work_is(options, "natural")) {
        struct flat_natural_result result;
        return flat_natural(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last + 1;
    }
    if (work_is(options, "crash")) {
        struct flat_crashes_result result;
        return flat_crashes(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last;
    }
    struct flat_plain_result result;
    return flat_plain(&result, NULL, options->work, 0, last) == CHX_OK && result.Runner == last + 1;
}

int main(int argc, char **argv)
{
    WorkOptions options = work_options(argc, argv, 10000);
    return work_measure(&options, sample);
}
