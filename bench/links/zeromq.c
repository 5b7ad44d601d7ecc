// zeromq.c: the same messages between two processes by ZeroMQ, encrypted by CURVE. See pair.h. DIRECTORY is not used: the keys are made here.

#include "bench/links/pair.h"

#include <zmq.h>

typedef struct {
    char public[41], secret[41];
} Keys;

static void fail(const char *why)
{
    fprintf(stderr, "links/zeromq: %s: %s\n", why, zmq_strerror(zmq_errno()));
    exit(1);
}

static void *open_socket(void *context, const Keys *own)
{
    void *socket = zmq_socket(context, ZMQ_PAIR);
    int linger = 0;
    if (socket == NULL || zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, own->public, 41) != 0 ||
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, own->secret, 41) != 0 ||
        zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) != 0)
        fail("a socket can't be made");
    return socket;
}

static void put(void *socket, const void *bytes, size_t size)
{
    if (zmq_send(socket, bytes, size, 0) < 0)
        fail("sending failed");
}

static void get(void *socket, void *bytes, size_t size)
{
    if (zmq_recv(socket, bytes, size, 0) != (int)size)
        fail("receiving failed");
}

static void run_far(const PairTask *task, void *socket, char *bytes)
{
    put(socket, bytes, 1); // it is connected
    for (long i = 0; i < task->count; i++) {
        get(socket, bytes, task->size);
        if (!task->is_stream || i == task->count - 1)
            put(socket, bytes, task->size);
    }
    get(socket, bytes, 1);
    exit(0);
}

static void run_near(const PairTask *task, void *socket, char *bytes)
{
    get(socket, bytes, 1);
    Measure measure = measure_begin();
    for (long i = 0; i < task->count; i++) {
        put(socket, bytes, task->size);
        if (!task->is_stream)
            get(socket, bytes, task->size);
    }
    if (task->is_stream)
        get(socket, bytes, task->size);
    measure_end(&measure);
    measure_print(&measure);
}

int main(int argc, char **argv)
{
    PairTask task = pair_task(argc, argv);
    Keys near, far;
    int ends[2], server = 1;
    char address[100];
    size_t size = sizeof address;
    if (zmq_has("curve") != 1 || zmq_curve_keypair(near.public, near.secret) != 0 ||
        zmq_curve_keypair(far.public, far.secret) != 0)
        fail("it was built without CURVE");
    bool is_far = pair_fork(ends);
    void *socket = open_socket(zmq_ctx_new(), is_far ? &far : &near);
    char *bytes = calloc(1, task.size + 1);
    if (is_far) {
        if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &server, sizeof server) != 0 ||
            zmq_bind(socket, "tcp://127.0.0.1:*") != 0 ||
            zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &size) != 0 ||
            write(ends[1], address, sizeof address) != sizeof address)
            fail("listening failed");
        run_far(&task, socket, bytes);
    }
    if (read(ends[0], address, sizeof address) != sizeof address ||
        zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, far.public, 41) != 0 || zmq_connect(socket, address) != 0)
        fail("dialling failed");
    run_near(&task, socket, bytes);
    return 0;
}
