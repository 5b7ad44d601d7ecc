// proxy.h: stands between libpq and a PostgreSQL server, for tests, and disturbs the n-th message.

#ifndef STORE_POSTGRES_PROXY_H
#define STORE_POSTGRES_PROXY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum {
    PROXY_WELL,
    PROXY_CUT_BEFORE, // the connection ends before the message arrives
    PROXY_CUT_HALF,   // a part of it arrives
    PROXY_CUT_AFTER,  // it arrives, then the connection ends
    PROXY_CUT_LATE,   // the connection ends for the client; the message arrives, but later
    PROXY_KILL,       // the client is killed before the message arrives
    PROXY_FAULTS
} ProxyFault;

typedef struct {
    char folder[40]; // of its socket
    char real[100];  // the server's socket
    int listener;
    ProxyFault fault;
    uint64_t n, messages; // the number of the message that is disturbed (0: none); so far
    pid_t client;
    uint32_t random;
} Proxy;

void proxy_init(Proxy *proxy, const char *server_folder);
void proxy_fini(Proxy *proxy);
// Serves the client until it ends, and its connections after that until the server has ended them. Returns its wait status.
int proxy_serve(Proxy *proxy, pid_t client);
const char *proxy_fault_text(ProxyFault fault);

#endif
