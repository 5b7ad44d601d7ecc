// Functions that block hold the threads that served descriptors. Others take over: roles that wait for the outside are answered
// all the same.
// expect: 1 blocked: 400 answers
// expect: 4 blocked: 400 answers
// expect: 9 blocked: 400 answers
//! no-central
//! no-sim
//! no-process
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SESSIONS = 50, ROUNDS = 8 };

struct ends {
    int from, to;
};

static int inside[2], release[2]; // a function is blocked; it may go on

choreography(blocks, (Reader, Worker),
    int  Reader.next(struct ends ends);
    int  Worker.work(int request);
    void Reader.answer(struct ends ends, int request);
    def run(Reader.struct ends ends) {
        Reader.int request = 1;
        while (Reader.(request != 0)) {
            Reader.request = next(ends);
            Reader.request ~> Worker.request;
            Worker.work(request) ~> Reader.done;
            Reader.answer(ends, done);
        }
    }
)

#include "blocks.Reader.chor.h"
#include "blocks.Worker.chor.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

int Reader_next(struct ends ends)
{
    char request;
    ssize_t got = read(ends.from, &request, 1);
    if (got < 0 && errno == EAGAIN)
        chx_again_when(ends.from, POLLIN);
    return got == 1 ? request : 0;
}

int Worker_work(int request)
{
    char byte = 0;
    if (request == 'b')
        must(write(inside[1], &byte, 1) == 1 && read(release[0], &byte, 1) == 1);
    return request;
}

void Reader_answer(struct ends ends, int request)
{
    char byte = (char)request;
    must(write(ends.to, &byte, 1) == 1);
}

struct session {
    chx_session *session;
    struct ends mine;
};

static void ask(const struct session *session, char request)
{
    must(write(session->mine.to, &request, 1) == 1);
}

static void take(const struct session *session)
{
    char answer;
    must(read(session->mine.from, &answer, 1) == 1);
}

static void run(int blocked)
{
    static struct session sessions[SESSIONS];
    int answers = 0;
    char byte = 0;
    for (int i = 0; i < SESSIONS; i++) {
        int there[2], back[2];
        must(pipe2(there, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0);
        fcntl(there[0], F_SETFL, O_NONBLOCK);
        sessions[i].mine = (struct ends){back[0], there[1]};
        sessions[i].session = blocks_run_start(NULL, NULL, (struct ends){there[0], back[1]});
        ask(&sessions[i], 'x');
        take(&sessions[i]);
    }
    for (int i = 0; i < blocked; i++)
        ask(&sessions[i], 'b');
    for (int i = 0; i < blocked; i++)
        must(read(inside[0], &byte, 1) == 1);
    for (int i = blocked; answers < SESSIONS * ROUNDS; i = i + 1 < SESSIONS ? i + 1 : blocked, answers++) {
        ask(&sessions[i], 'x');
        take(&sessions[i]);
    }
    printf("%d blocked: %d answers\n", blocked, answers);
    for (int i = 0; i < blocked; i++)
        must(write(release[1], &byte, 1) == 1);
    for (int i = 0; i < SESSIONS; i++) {
        close(sessions[i].mine.to);
        must(blocks_run_wait(sessions[i].session) == CHX_OK);
    }
}

int main(void)
{
    must(pipe2(inside, O_CLOEXEC) == 0 && pipe2(release, O_CLOEXEC) == 0);
    run(1);
    run(4);
    run(9);
    return 0;
}
