//! no-process
//! no-central
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

choreography(waiting, (Reader, Adder),
    int Reader.next(int fd);
    def run(Reader.int fd) -> Adder.int {
        Adder.int sum = 0;
        Reader.int n = next(fd);
        while (Reader.(n != 0)) {
            Reader.n ~> Adder.n;
            Adder.sum += n;
            Reader.n = next(fd);
        }
        return Adder.sum;
    }
)

#include "waiting.Adder.chor.h"
#include "waiting.Reader.chor.h"

//[read]
int Reader_next(int fd)
{
    int number;
    ssize_t got = read(fd, &number, sizeof number); // the descriptor does not block
    if (got < 0 && errno == EAGAIN)
        chx_again_when(fd, POLLIN);
    if (got != sizeof number)
        chx_fail("the other end has gone");
    return number;
}
//[/read]

int main(void)
{
    int ends[2], numbers[] = {1, 2, 3, 0};
    struct waiting_run_result result;
    if (pipe2(ends, O_NONBLOCK) != 0)
        return 1;
    chx_session *session = waiting_run_start(NULL, NULL, ends[0]);
    for (int i = 0; i < 4; i++)
        if (write(ends[1], &numbers[i], sizeof numbers[i]) < 0)
            return 1;
    if (waiting_run_wait(session, &result) != CHX_OK)
        return 1;
    printf("%d\n", result.Adder);
    return 0;
}
