// resolver.h: addresses of hosts, without waiting.
//
// The system's getaddrinfo waits, for as long as a name server does not answer. So it is called in a thread of its own, which ends when
// it has the answer. There is at most one for each name: whoever asks for it meanwhile gets the same answer.

#ifndef NET_CARRIER_RESOLVER_H
#define NET_CARRIER_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { RESOLVER_ADDRESSES_MAX = 8 };

typedef struct {
    struct sockaddr_storage items[RESOLVER_ADDRESSES_MAX]; // in the order in which they should be tried; ports are set
    size_t count;
} ResolvedAddresses;

typedef struct Resolver Resolver;
typedef struct Question Question;

// NULL: no memory.
Resolver *resolver_new(void);
// Threads that are still waiting for an answer end by themselves later.
void resolver_release(Resolver *resolver);

// An address that is written in numbers needs no question. False: it is a name.
bool resolver_numeric(const char *host, uint16_t port, ResolvedAddresses *addresses);

// 0: *question is set, and is dropped by the caller. Otherwise an error of errno.h: no memory, no threads, no descriptors.
int resolver_ask(Resolver *resolver, const char *host, uint16_t port, Question **question);
int question_descriptor(const Question *question); // readable when it is answered
// False: it is not answered yet. *error is 0, or an error of getaddrinfo.
bool question_answer(Question *question, ResolvedAddresses *addresses, int *error);
// NULL does nothing.
void question_drop(Question *question);

#endif
