// outside.h: things outside that the roles of tests/inject/programs wait for without a thread.

#ifndef OUTSIDE_H
#define OUTSIDE_H

#include "inject.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>

// A descriptor that becomes readable after a while. A role that begins anew goes on with the one that it has.
typedef struct {
    int number; // 0: none yet
    bool is_set;
} Alarm;

// Ends the step until the alarm has gone off.
static inline void alarm_await(Alarm *alarm, long ms)
{
    uint64_t times;
    struct itimerspec in = {.it_value = {0, ms * 1000000}};
    if (alarm->number == 0) {
        int number = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (number < 0)
            chx_fail("no descriptor for an alarm: %s", strerror(errno));
        alarm->number = number;
    }
    if (!alarm->is_set) {
        must(timerfd_settime(alarm->number, 0, &in, NULL) == 0);
        alarm->is_set = true;
    }
    if (read(alarm->number, &times, sizeof times) != sizeof times) {
        must(errno == EAGAIN);
        chx_again_when(alarm->number, POLLIN);
    }
    alarm->is_set = false;
}

static inline void alarm_close(Alarm *alarm)
{
    if (alarm->number != 0)
        must(close(alarm->number) == 0);
    *alarm = (Alarm){0};
}

// Ends the step once, for so long.
static inline void time_await(bool *is_over, uint64_t ns)
{
    *is_over = !*is_over;
    if (*is_over)
        chx_again_after(ns);
}

#endif
