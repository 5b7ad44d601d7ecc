// recover.c: how long it takes until a role is at work again whose host was lost. Three nodes, each a process: a master, which is the home,
// and two workers of a pool. The worker that plays the role is killed; after `suspect` the home gives it up, and the other one goes on in
// the rescue.
//
//   PROGRAM DIRECTORY SUSPECT_MS
//
// DIRECTORY has certificates of the nodes `one`, `two` and `three`. Prints one line: wall_s, from the kill to the first message of the
// rescue.

#include "bench/measure.h"

#include <chorex.h>
#include <chorex/net.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static Measure measure;

static void lose(int process)
{
    measure = measure_begin();
    kill(process, SIGKILL);
}

static void recovered(int process)
{
    measure_end(&measure);
    measure_print(&measure);
    if (process == getpid())
        chx_fail("the master plays the worker");
}

choreography(recover, (Master, Worker),
    def run() {
        checkpoint {
            Worker.(getpid()) ~> Master.int process;
            Master.(lose(process));
            Master.(1) ~> Worker.int go;
            Worker.(go) ~> Master.process;
        } rescue {
            Worker.(getpid()) ~> Master.int process;
            Master.(recovered(process));
        }
    }
)

#include "recover.Master.chor.h"
#include "recover.Worker.chor.h"

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        exit(1);
    close(fd);
    return ntohs(address.sin_port);
}

static chx_node *open_node(const char *directory, const char *name, int port, int suspect_ms)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s-recover.conf", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        exit(1);
    fprintf(file, "[node]\nname = %s\ncerts = %s\n", name, directory);
    if (strcmp(name, "one") == 0)
        fprintf(file, "listen = 127.0.0.1:%d\n", port);
    fprintf(file, "[nodes]\none = 127.0.0.1:%d\n[recover]\nhome = Master\nMaster = one\nWorker = pool\n", port);
    fprintf(file, "[limits]\nkeepalive = %dms\nhold = %dms\nsuspect = %dms\n", suspect_ms / 5, suspect_ms * 3 / 5, suspect_ms);
    fclose(file);
    chx_node *node = chx_node_open(&(chx_node_options){.config = path});
    unlink(path);
    if (node == NULL) {
        fprintf(stderr, "links/recover: %s\n", chx_last_report()->why);
        exit(1);
    }
    return node;
}

int main(int argc, char **argv)
{
    int port = free_port();
    if (argc != 3)
        return 2;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            chx_node *node = open_node(argv[1], i == 0 ? "two" : "three", port, atoi(argv[2]));
            if (recover_run_serve_Worker(node, NULL) == CHX_OK)
                chx_node_run(node);
            _exit(1);
        }
    chx_node *node = open_node(argv[1], "one", port, atoi(argv[2]));
    if (recover_run_as_Master(node, NULL) != CHX_OK) {
        fprintf(stderr, "links/recover: %s\n", chx_last_report()->why);
        return 1;
    }
    chx_node_close(node);
    return 0;
}
