// place.h: what both ends of a channel need to compare places and sizes.

#ifndef NET_SESSION_PLACE_H
#define NET_SESSION_PLACE_H

#include "net/session/window.h"

static inline bool place_is_before(WindowPlace one, WindowPlace other)
{
    return one.epoch < other.epoch || (one.epoch == other.epoch && one.number < other.number);
}

static inline bool places_are_equal(WindowPlace one, WindowPlace other)
{
    return one.epoch == other.epoch && one.number == other.number;
}

static inline WindowPlace message_place(const Message *message)
{
    return (WindowPlace){message->epoch, message->number};
}

// May a message join so many others? Its own size does not matter.
static inline bool limits_allow(const WindowLimits *limits, uint32_t count, size_t bytes)
{
    return count < limits->messages && bytes < limits->bytes;
}

#endif
