// session.c: messages between two roles of a session, each on a node of its own, through everything that libchorex-net is. See pair.h;
// messages of 0 bytes are checkpoints that both roles enter and leave.

#define _GNU_SOURCE

#include "bench/links/pair.h"

#include <chorex.h>
#include <chorex/net.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { SMALL = 64, LARGE = 65536 };

typedef struct {
    char bytes[SMALL];
} Small;
typedef struct {
    char bytes[LARGE];
} Large;

static Measure measure;

static void begin(void)
{
    measure = measure_begin();
}

static void end(void)
{
    measure_end(&measure);
    measure_print(&measure);
}

choreography(bench, (Near, Far),
    def small_rounds({Near, Far}.long count) {
        Near.Small value = {0};
        Far.(1) ~> Near.int is_ready;
        Near.(is_ready ? begin() : (void)0);
        while ({Near, Far}.(count > 0)) {
            Near.value ~> Far.Small value;
            Far.value ~> Near.value;
            {Near, Far}.count = count - 1;
        }
        Near.(end());
    }
    def large_rounds({Near, Far}.long count) {
        Near.Large value = {0};
        Far.(1) ~> Near.int is_ready;
        Near.(is_ready ? begin() : (void)0);
        while ({Near, Far}.(count > 0)) {
            Near.value ~> Far.Large value;
            Far.value ~> Near.value;
            {Near, Far}.count = count - 1;
        }
        Near.(end());
    }
    def blocks({Near, Far}.long count) {
        Far.(1) ~> Near.int is_ready;
        Near.(is_ready ? begin() : (void)0);
        while ({Near, Far}.(count > 0)) {
            checkpoint {
                {Near, Far}.count = count - 1;
            } rescue {
                {Near, Far}.count = count - 1;
            }
        }
        Near.(end());
    }
    def small_stream({Near, Far}.long count) {
        Near.Small value = {0};
        Far.(1) ~> Near.int is_ready;
        Near.(is_ready ? begin() : (void)0);
        Far.long sum = 0;
        while ({Near, Far}.(count > 0)) {
            Near.value ~> Far.Small value;
            Far.(sum += value.bytes[0]);
            {Near, Far}.count = count - 1;
        }
        Far.(sum == 0) ~> Near.bool is_right;
        if (Near.(!is_right)) {
            Near.(chx_fail("the sum is wrong"));
        }
        Near.(end());
    }
    def large_stream({Near, Far}.long count) {
        Near.Large value = {0};
        Far.(1) ~> Near.int is_ready;
        Near.(is_ready ? begin() : (void)0);
        Far.long sum = 0;
        while ({Near, Far}.(count > 0)) {
            Near.value ~> Far.Large value;
            Far.(sum += value.bytes[0]);
            {Near, Far}.count = count - 1;
        }
        Far.(sum == 0) ~> Near.bool is_right;
        if (Near.(!is_right)) {
            Near.(chx_fail("the sum is wrong"));
        }
        Near.(end());
    }
)

#include "bench.Near.chor.h"
#include "bench.Far.chor.h"

// A port that nobody listens at.
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

static chx_node *open_node(const PairTask *task, bool is_far, int port)
{
    char path[300], listen[100] = "";
    snprintf(path, sizeof path, "%s/%s-%d.conf", task->directory, is_far ? "two" : "one", port);
    FILE *file = fopen(path, "w");
    if (is_far)
        snprintf(listen, sizeof listen, "listen = 127.0.0.1:%d\n", port);
    if (file == NULL || fprintf(file,
                                "[node]\nname = %s\ncerts = %s\n%s[nodes]\ntwo = 127.0.0.1:%d\n[bench]\nhome = Far\n"
                                "Near = any\nFar = two\n",
                                is_far ? "two" : "one", task->directory, listen, port) < 0)
        exit(1);
    fclose(file);
    chx_node *node = chx_node_open(&(chx_node_options){.config = path});
    if (node == NULL) {
        fprintf(stderr, "links/session: %s\n", chx_last_report()->why);
        exit(1);
    }
    unlink(path);
    return node;
}

static chx_status play(chx_node *node, const PairTask *task, bool is_far)
{
    long count = task->count;
    if (task->size == 0)
        return is_far ? bench_blocks_as_Far(node, "bench", count) : bench_blocks_as_Near(node, "bench", count);
    if (task->is_stream)
        return is_far ? task->size == SMALL ? bench_small_stream_as_Far(node, "bench", count)
                                            : bench_large_stream_as_Far(node, "bench", count)
               : task->size == SMALL ? bench_small_stream_as_Near(node, "bench", count)
                                     : bench_large_stream_as_Near(node, "bench", count);
    return is_far ? task->size == SMALL ? bench_small_rounds_as_Far(node, "bench", count)
                                        : bench_large_rounds_as_Far(node, "bench", count)
           : task->size == SMALL ? bench_small_rounds_as_Near(node, "bench", count)
                                 : bench_large_rounds_as_Near(node, "bench", count);
}

int main(int argc, char **argv)
{
    PairTask task = pair_task(argc, argv);
    int ends[2], port = free_port();
    bool is_far = pair_fork(ends);
    chx_node *node = open_node(&task, is_far, port);
    if (play(node, &task, is_far) != CHX_OK) {
        fprintf(stderr, "links/session: %s\n", chx_last_report()->why);
        return 1;
    }
    chx_node_close(node);
    return 0;
}
