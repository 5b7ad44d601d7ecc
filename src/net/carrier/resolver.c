// resolver.c: threads that call getaddrinfo.

#define _GNU_SOURCE

#include "net/carrier/resolver.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { HOST_SIZE = 256, STACK_SIZE = 256 << 10 };

typedef struct Lookup Lookup;

struct Question {
    Resolver *resolver;
    Lookup *lookup; // NULL: it is answered
    Question *next; // of the same lookup
    int descriptor;
    uint16_t port;
    int error;
    ResolvedAddresses addresses;
};

// One name that a thread is asking for. It belongs to that thread.
struct Lookup {
    Resolver *resolver;
    Lookup *next;
    Question *questions;
    char host[HOST_SIZE];
};

struct Resolver {
    pthread_mutex_t lock; // of everything below, and of questions that are not answered
    Lookup *lookups;
    unsigned references; // its owner, questions and lookups
};

Resolver *resolver_new(void)
{
    Resolver *resolver = calloc(1, sizeof *resolver);
    if (resolver == NULL)
        return NULL;
    pthread_mutex_init(&resolver->lock, NULL);
    resolver->references = 1;
    return resolver;
}

// With the lock, which is given back.
static void unlock_and_release(Resolver *resolver)
{
    bool is_last = --resolver->references == 0;
    pthread_mutex_unlock(&resolver->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&resolver->lock);
    free(resolver);
}

void resolver_release(Resolver *resolver)
{
    if (resolver == NULL)
        return;
    pthread_mutex_lock(&resolver->lock);
    unlock_and_release(resolver);
}

// ---- addresses ----

static void copy_addresses(const struct addrinfo *list, ResolvedAddresses *addresses)
{
    addresses->count = 0;
    for (; list != NULL && addresses->count < RESOLVER_ADDRESSES_MAX; list = list->ai_next) {
        if (list->ai_family != AF_INET && list->ai_family != AF_INET6)
            continue;
        memset(&addresses->items[addresses->count], 0, sizeof addresses->items[0]);
        memcpy(&addresses->items[addresses->count++], list->ai_addr, list->ai_addrlen);
    }
}

static void set_port(ResolvedAddresses *addresses, uint16_t port)
{
    for (size_t i = 0; i < addresses->count; i++) {
        if (addresses->items[i].ss_family == AF_INET)
            ((struct sockaddr_in *)&addresses->items[i])->sin_port = htons(port);
        else
            ((struct sockaddr_in6 *)&addresses->items[i])->sin6_port = htons(port);
    }
}

static int look_up(const char *host, int flags, ResolvedAddresses *addresses)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags}, *list;
    int error = getaddrinfo(host, NULL, &hints, &list);
    if (error != 0)
        return error;
    copy_addresses(list, addresses);
    freeaddrinfo(list);
    return addresses->count > 0 ? 0 : EAI_NONAME;
}

bool resolver_numeric(const char *host, uint16_t port, ResolvedAddresses *addresses)
{
    if (look_up(host, AI_NUMERICHOST, addresses) != 0)
        return false;
    set_port(addresses, port);
    return true;
}

// ---- the thread ----

static void *run(void *context)
{
    Lookup *lookup = context;
    Resolver *resolver = lookup->resolver;
    ResolvedAddresses addresses = {.count = 0};
    int error = look_up(lookup->host, 0, &addresses);
    pthread_mutex_lock(&resolver->lock);
    for (Lookup **at = &resolver->lookups; *at != NULL; at = &(*at)->next)
        if (*at == lookup) {
            *at = lookup->next;
            break;
        }
    for (Question *question = lookup->questions, *next; question != NULL; question = next) {
        next = question->next;
        question->error = error;
        question->addresses = addresses;
        set_port(&question->addresses, question->port);
        question->lookup = NULL;
        // It has room for this: nothing was written before.
        ssize_t written = write(question->descriptor, &(uint64_t){1}, sizeof(uint64_t));
        (void)written;
    }
    free(lookup);
    unlock_and_release(resolver);
    return NULL;
}

// No signal of the program's is handled in it.
static int start_thread(Lookup *lookup)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attributes, run, lookup);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

// ---- questions ----

// With the lock. NULL: *error is set.
static Lookup *lookup_of(Resolver *resolver, const char *host, int *error)
{
    Lookup *lookup = resolver->lookups;
    while (lookup != NULL && strcmp(lookup->host, host) != 0)
        lookup = lookup->next;
    if (lookup != NULL)
        return lookup;
    lookup = strlen(host) < HOST_SIZE ? calloc(1, sizeof *lookup) : NULL;
    *error = ENOMEM;
    if (lookup == NULL)
        return NULL;
    lookup->resolver = resolver;
    strcpy(lookup->host, host);
    *error = start_thread(lookup);
    if (*error != 0) {
        free(lookup);
        return NULL;
    }
    lookup->next = resolver->lookups;
    resolver->lookups = lookup;
    resolver->references++;
    return lookup;
}

int resolver_ask(Resolver *resolver, const char *host, uint16_t port, Question **question)
{
    Question *asked = calloc(1, sizeof *asked);
    int error = 0;
    if (asked == NULL)
        return ENOMEM;
    asked->port = port;
    asked->resolver = resolver;
    asked->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (asked->descriptor < 0) {
        error = errno;
        free(asked);
        return error;
    }
    pthread_mutex_lock(&resolver->lock);
    asked->lookup = lookup_of(resolver, host, &error);
    if (asked->lookup != NULL) {
        asked->next = asked->lookup->questions;
        asked->lookup->questions = asked;
        resolver->references++;
    }
    bool is_asked = asked->lookup != NULL;
    pthread_mutex_unlock(&resolver->lock);
    if (!is_asked) {
        close(asked->descriptor);
        free(asked);
        return error;
    }
    *question = asked;
    return 0;
}

int question_descriptor(const Question *question)
{
    return question->descriptor;
}

bool question_answer(Question *question, ResolvedAddresses *addresses, int *error)
{
    pthread_mutex_lock(&question->resolver->lock);
    bool is_answered = question->lookup == NULL;
    if (is_answered) {
        *addresses = question->addresses;
        *error = question->error;
    }
    pthread_mutex_unlock(&question->resolver->lock);
    return is_answered;
}

void question_drop(Question *question)
{
    if (question == NULL)
        return;
    Resolver *resolver = question->resolver;
    pthread_mutex_lock(&resolver->lock);
    for (Question **at = question->lookup == NULL ? NULL : &question->lookup->questions; at != NULL && *at != NULL;
         at = &(*at)->next)
        if (*at == question) {
            *at = question->next;
            break;
        }
    close(question->descriptor);
    free(question);
    unlock_and_release(resolver);
}
