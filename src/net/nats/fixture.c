// fixture.c: see fixture.h.

#define _GNU_SOURCE

#include "net/nats/fixture.h"

#include "base/check.h"
#include "net/nats/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
// libnats and OpenSSL are not compiled with ThreadSanitizer, which does not see the locks that they take among themselves.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libnats.so\nrace:libssl.so\nrace:libcrypto.so\n";
}
#endif

enum { PATIENCE_MS = 20000, PAUSE_MS = 5, ATTEMPTS = 5 };

static const struct sockaddr_in loopback = {.sin_family = AF_INET};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

bool nats_fixture_exists(void)
{
    return system("command -v nats-server >/dev/null 2>&1") == 0;
}

static unsigned free_port(void)
{
    struct sockaddr_in address = loopback;
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void write_config(const NatsFixture *server, char *path, size_t size)
{
    snprintf(path, size, "%s/server.conf", server->directory);
    FILE *file = fopen(path, "we");
    CHECK(file != NULL);
    fprintf(file, "host: 127.0.0.1\nport: %u\n%s\n", server->port, server->more != NULL ? server->more : "");
    if (server->routes[0] != '\0')
        fprintf(file, "cluster { name: test, host: 127.0.0.1, port: %u, routes: [ %s ] }\n", server->route_port,
                server->routes);
    CHECK(fclose(file) == 0);
}

static void run_server(const char *config, pid_t parent)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    execlp("nats-server", "nats-server", "-c", config, (char *)NULL);
    _exit(127);
}

// It says who it is to whoever connects.
static bool answers(unsigned port)
{
    struct sockaddr_in address = loopback;
    char bytes[4];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)port);
    struct timeval limit = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    bool is_there = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                    recv(fd, bytes, sizeof bytes, MSG_WAITALL) == sizeof bytes && memcmp(bytes, "INFO", 4) == 0;
    close(fd);
    return is_there;
}

static bool try_start(NatsFixture *server)
{
    char path[64];
    pid_t parent = getpid();
    write_config(server, path, sizeof path);
    server->pid = fork();
    CHECK(server->pid >= 0);
    if (server->pid == 0)
        run_server(path, parent);
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += PAUSE_MS) {
        if (answers(server->port))
            return true;
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid)
            break;
        pause_ms(PAUSE_MS);
    }
    server->pid = 0;
    return false;
}

void nats_fixture_start(NatsFixture *server)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        if (try_start(server))
            return;
        pause_ms(100); // Somebody else may have had the port for a moment.
    }
    fprintf(stderr, "nats-server can't be started\n");
    abort();
}

static void prepare(NatsFixture *server, const char *more)
{
    *server = (NatsFixture){.port = free_port(), .route_port = free_port(), .more = more};
    snprintf(server->directory, sizeof server->directory, "/tmp/chorex-nats-XXXXXX");
    CHECK(mkdtemp(server->directory) != NULL);
}

void nats_fixture_init(NatsFixture *server, const char *more)
{
    prepare(server, more);
    nats_fixture_start(server);
}

void nats_fixture_cluster(NatsFixture servers[static NATS_FIXTURE_CLUSTER])
{
    for (int i = 0; i < NATS_FIXTURE_CLUSTER; i++)
        prepare(&servers[i], NULL);
    for (int i = 0; i < NATS_FIXTURE_CLUSTER; i++) {
        snprintf(servers[i].routes, sizeof servers[i].routes,
                 "nats-route://127.0.0.1:%u, nats-route://127.0.0.1:%u, nats-route://127.0.0.1:%u",
                 servers[0].route_port, servers[1].route_port, servers[2].route_port);
        nats_fixture_start(&servers[i]);
    }
}

void nats_fixture_kill(NatsFixture *server)
{
    if (server->pid == 0)
        return;
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

void nats_fixture_fini(NatsFixture *server)
{
    char path[64];
    nats_fixture_kill(server);
    snprintf(path, sizeof path, "%s/server.conf", server->directory);
    unlink(path);
    rmdir(server->directory);
}

chx_net *nats_fixture_net(const char *node, bool is_patient, const chx_carrier_ops **carrier)
{
    const char *settings = is_patient ? "keepalive=5s,hold=20s,suspect=30s" : "keepalive=300ms,hold=900ms,suspect=2s";
    char text[2000], why[300] = "";
    Config config;
    ConfigErrors errors;
    snprintf(text, sizeof text, "[node]\ncerts = here\n%s\n", node);
    chx_net *net = net_new(5000);
    CHECK(net != NULL && config_parse(text, strlen(text), settings, &config, &errors));
    CHECK(carrier_open(net, &config, carrier, why, sizeof why) == 0);
    config_free(&config);
    return net;
}

chx_net *nats_fixture_net_at(const NatsFixture *server, bool is_patient, const chx_carrier_ops **carrier)
{
    char text[100];
    snprintf(text, sizeof text, "carrier = nats://127.0.0.1:%u", server->port);
    return nats_fixture_net(text, is_patient, carrier);
}

void nats_fixture_settle(chx_net *net)
{
    if (!nats_client_settle(net->nats, PATIENCE_MS)) {
        fprintf(stderr, "the NATS server does not answer\n");
        abort();
    }
}
