// A role waits for a descriptor again and again. Meanwhile another file gets the number, and once the role waits although it has
// not read all there was. A runtime that trusted for good in what it once asked the kernel would never wake it.
// expect: 40 rounds, sum 820
//! no-process
//! no-central
//! no-sim
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 40 };

choreography(numbers, (Reader, Writer),
    int  Reader.read_number(void);
    void Writer.check(bool is_same);
    def run() -> Reader.int {
        {Reader, Writer}.int round = 0;
        Reader.int sum = 0;
        while ({Reader, Writer}.(round < ROUNDS)) {
            Writer.write_numbers(round);
            Reader.number = read_number();
            Reader.sum += number;
            // Another file under the same number: the kernel has forgotten what it was asked about the first.
            Reader.replace();
            Reader.(true) ~> Writer._;
            Writer.write_numbers(round);
            Reader.number = read_number();
            // The second number of this pair has come with the first one.
            Reader.wait_first();
            Reader.second = read_number();
            Reader.(second == number) ~> Writer.is_same;
            Writer.check(is_same);
            {Reader, Writer}.round = round + 1;
        }
        return Reader.sum;
    }
)

#include "numbers.Reader.chor.h"
#include "numbers.Writer.chor.h"

static int ends[2];
static bool has_waited;

static void open_pipe(int number)
{
    int fresh[2];
    if (pipe2(fresh, O_NONBLOCK | O_CLOEXEC) != 0)
        exit(2);
    if (number >= 0) {
        if (dup3(fresh[0], number, O_CLOEXEC) != number)
            exit(3);
        close(fresh[0]);
        close(ends[1]);
        fresh[0] = number;
    }
    ends[0] = fresh[0];
    ends[1] = fresh[1];
}

int Reader_read_number(void)
{
    unsigned char number;
    ssize_t size = read(ends[0], &number, 1);
    if (size < 0 && errno == EAGAIN)
        chx_again_when(ends[0], POLLIN);
    if (size != 1)
        chx_fail("read: %zd", size);
    has_waited = false;
    return number;
}

void Reader_wait_first(void)
{
    if (!has_waited) {
        has_waited = true;
        chx_again_when(ends[0], POLLIN);
    }
}

void Reader_replace(void)
{
    open_pipe(ends[0]);
}

void Writer_write_numbers(int round)
{
    unsigned char numbers[2] = {(unsigned char)(round + 1), (unsigned char)(round + 1)};
    if (write(ends[1], numbers, 2) != 2)
        chx_fail("write");
}

void Writer_check(bool is_same)
{
    if (!is_same)
        chx_fail("another number");
}

int main(void)
{
    struct numbers_run_result result;
    open_pipe(-1);
    if (numbers_run(&result, NULL) != CHX_OK)
        return 1;
    printf("%d rounds, sum %d\n", ROUNDS, result.Reader);
    return 0;
}
