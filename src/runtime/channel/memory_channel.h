// memory_channel.h: a channel between two actors of this process.

#ifndef RUNTIME_CHANNEL_MEMORY_CHANNEL_H
#define RUNTIME_CHANNEL_MEMORY_CHANNEL_H

#include "runtime/channel/channel.h"

extern const ChannelOps memory_channel_ops;

typedef struct {
    chx_runtime *runtime;
    Actor *producer, *consumer;
    const chx_role *role; // see Channel.role
    uint32_t token;       // in each message, with its number: a message of another channel is noticed
    bool is_observed;     // by a trace or a simulation: every send and receive is a call
    uint64_t message_limit, byte_limit;
} ChannelSettings;

// Makes an empty channel. It allocates nothing. Another implementation can take it over before it is used.
void memory_channel_init(Channel *channel, const ChannelSettings *settings);

#endif
