// chaos_main.c: the proxy as a program, for tests: chaos-proxy SPEC LISTEN TO [LISTEN TO]...
//
// Writes the addresses at which it listens, one in a line, and what it has done when it is told to end (SIGINT, SIGTERM, or the end of
// its standard input if that is a pipe).

#define _GNU_SOURCE
#include "tools/run/chaos.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    ChaosSpec spec;
    char address[300];
    if (argc < 4 || argc % 2 != 0) {
        fputs("Usage: chaos-proxy SPEC LISTEN TO [LISTEN TO]...\n", stderr);
        return 2;
    }
    const char *why = chaos_parse(argv[1], &spec);
    Chaos *chaos = why == NULL ? chaos_new(&spec) : NULL;
    if (chaos == NULL) {
        fprintf(stderr, "chaos-proxy: error: %s\n", why != NULL ? why : strerror(errno));
        return 2;
    }
    for (int i = 2; i < argc; i += 2) {
        if (!chaos_add(chaos, argv[i], argv[i + 1], address, sizeof address)) {
            fprintf(stderr, "chaos-proxy: error: %s: %s\n", argv[i], strerror(errno));
            return 1;
        }
        puts(address);
    }
    fflush(stdout);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct pollfd ready[] = {{.fd = chaos_descriptor(chaos), .events = POLLIN},
                             {.fd = signalfd(-1, &signals, SFD_CLOEXEC), .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = 0}};
    while (ready[1].revents == 0 && (ready[2].revents & POLLHUP) == 0) {
        if (poll(ready, 3, -1) < 0 && errno != EINTR)
            break;
        chaos_step(chaos);
    }
    chaos_report(chaos, stdout);
    chaos_free(chaos);
    return 0;
}
