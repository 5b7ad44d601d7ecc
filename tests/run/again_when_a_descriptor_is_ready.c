// Roles wait for descriptors without a thread: a thousand sessions, each with a pipe that nobody writes to before all of
// them wait; then another thousand whose descriptor is closed, duplicated and opened anew under the same number.
// expect: 1000 sessions, sum 499500
// expect: 1000 sessions, sum 499500
//! no-process
//! no-central
//! no-sim
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SESSIONS = 1000 };
static atomic_int waiting;

choreography(pipes, (Reader, Adder),
    int Reader.read_number(int fd);
    def run(Reader.int fd) -> Adder.int {
        Reader.read_number(fd) ~> Adder.first;
        Reader.read_number(fd) ~> Adder.second;
        return Adder.(first + second);
    }
)

#include "pipes.Adder.chor.h"
#include "pipes.Reader.chor.h"

int Reader_read_number(int fd)
{
    int number;
    ssize_t got = read(fd, &number, sizeof number);
    if (got < 0 && errno == EAGAIN) {
        atomic_fetch_add(&waiting, 1);
        chx_again_when(fd, POLLIN);
    }
    if (got != sizeof number)
        chx_fail("read: %zd", got);
    return number;
}

static int ends[SESSIONS][2];

static void open_pipe(int i)
{
    if (pipe2(ends[i], O_NONBLOCK | O_CLOEXEC) != 0)
        exit(2);
}

// The old pipe lives on in a duplicate, and has something to say; another one has its number.
static void replace_pipe(int i)
{
    int old = dup(ends[i][0]), before = ends[i][0], fresh[2];
    if (old < 0 || write(ends[i][1], "old", 3) != 3 || pipe2(fresh, O_NONBLOCK | O_CLOEXEC) != 0)
        exit(3);
    if (dup3(fresh[0], before, O_CLOEXEC) != before)
        exit(4);
    close(fresh[0]);
    close(ends[i][1]);
    ends[i][1] = fresh[1];
}

static void play(bool replaces)
{
    static chx_session *sessions[SESSIONS];
    int sum = 0;
    atomic_store(&waiting, 0);
    for (int i = 0; i < SESSIONS; i++) {
        open_pipe(i);
        if (replaces)
            replace_pipe(i);
        sessions[i] = pipes_run_start(NULL, NULL, ends[i][0]);
        if (sessions[i] == NULL)
            exit(5);
    }
    while (atomic_load(&waiting) < SESSIONS)
        usleep(100);
    for (int i = 0; i < SESSIONS; i++) {
        int numbers[2] = {i, 0};
        if (write(ends[i][1], numbers, sizeof numbers) != sizeof numbers)
            exit(6);
    }
    for (int i = 0; i < SESSIONS; i++) {
        struct pipes_run_result result;
        if (pipes_run_wait(sessions[i], &result) != CHX_OK)
            exit(7);
        sum += result.Adder;
        close(ends[i][0]);
        close(ends[i][1]);
    }
    printf("%d sessions, sum %d\n", SESSIONS, sum);
}

int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    setrlimit(RLIMIT_NOFILE, &limit);
    play(false);
    play(true);
    return 0;
}
