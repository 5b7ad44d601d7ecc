// A program, or a role, that closes descriptors which it has not opened: its own files stay as they are, sessions that need
// the descriptors fail with a reason, later ones work.
//! no-sim
//! no-central
//! no-process
// expect: after a session: fine
// expect: again: fine
// expect: in a session: fine
// expect: at any moment: fine
// expect: while a child has them: fine
// expect: in a role: fine
// expect: large values: fine
// expect: a session's descriptor: fine
#define _GNU_SOURCE
#include <chorex.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

choreography(closing, (A, B),
    bool A.goes_on(int n);
    void B.act(int n);
    void B.die(int n);
    chx_bytes A.bytes(int size);
    def run(A.int rounds) -> B.int {
        B.int sum = 0;
        while (A.goes_on(rounds)) {
            A.rounds ~> B.n;
            B.sum += n;
            B.(1) ~> A._;
            A.rounds = rounds - 1;
        }
        return B.sum;
    }
    def act(A.int what) -> B.int {
        B.int sum = 0;
        checkpoint {
            A.what ~> B.n;
            B.act(n);
            B.n ~> A._;
            A.what ~> B.m;
            B.sum = m;
        } rescue {
            A.(7) ~> B.sum;
        }
        return B.sum;
    }
    def dying(A.int rounds) -> B.int {
        B.int sum = 0;
        while (A.goes_on(rounds)) {
            A.rounds = rounds - 1;
            checkpoint {
                A.rounds ~> B.n;
                B.die(n);
                B.(1) ~> A._;
            } rescue {
                B.sum += 1;
            }
        }
        return B.sum;
    }
    def large(A.int what) -> B.int {
        B.int sum = 0;
        checkpoint {
            A.what ~> B.n;
            A.bytes(1 << 20) ~> B.first;
            B.sum = (int)chx_bytes_len(first);
            B.act(n);
            A.bytes(1 << 20) ~> B.second;
            B.sum += (int)chx_bytes_len(second);
        } rescue {
            B.sum = 7;
        }
        return B.sum;
    }
)
#include "closing.A.chor.h"
#include "closing.B.chor.h"

enum { FILES = 48, CLOSE = 1000, MOMENTS = 40 };

static const char text[] = "a file of the program's";

// Ordinary files and sockets.
static struct {
    int number, other;
} files[FILES];

static void close_all(void)
{
    syscall(SYS_close_range, 3, ~0U, 0);
}

static void close_all_and_open_own(void)
{
    close_all();
    for (int i = 0; i < FILES; i++) {
        int ends[2];
        if (i % 2 == 0) {
            files[i].number = memfd_create("own", MFD_CLOEXEC);
            if (write(files[i].number, text, sizeof text) != sizeof text)
                exit(9);
        } else {
            if (socketpair(AF_UNIX, i % 4 == 1 ? SOCK_STREAM : SOCK_SEQPACKET, 0, ends) != 0)
                exit(9);
            files[i].number = ends[0];
            files[i].other = ends[1];
        }
    }
}

static bool file_is_as_it_was(int number)
{
    char got[2 * sizeof text];
    return pread(number, got, sizeof got, 0) == sizeof text && memcmp(got, text, sizeof text) == 0 &&
           lseek(number, 0, SEEK_CUR) == sizeof text;
}

static bool socket_is_as_it_was(int number, int other)
{
    char got[16];
    return recv(number, got, sizeof got, MSG_DONTWAIT) < 0 && recv(other, got, sizeof got, MSG_DONTWAIT) < 0 &&
           send(number, "x", 1, 0) == 1 && recv(other, got, sizeof got, MSG_DONTWAIT) == 1;
}

static bool own_are_as_they_were(void)
{
    for (int i = 0; i < FILES; i++)
        if (i % 2 == 0 ? !file_is_as_it_was(files[i].number) : !socket_is_as_it_was(files[i].number, files[i].other)) {
            printf("number %d is not as it was\n", files[i].number);
            return false;
        }
    return true;
}

bool A_goes_on(int n)
{
    return n != 0;
}
chx_bytes A_bytes(int size)
{
    void *data = calloc(1, (size_t)size);
    chx_bytes bytes = chx_bytes_new(data, (size_t)size);
    free(data);
    return bytes;
}
// The role opens a file so often that all numbers of the library are taken.
void B_act(int n)
{
    if (n != CLOSE)
        return;
    close_all();
    for (int i = 0; i < FILES; i++)
        if (open(getenv("ROLE_FILE"), O_RDWR | O_APPEND) < 0)
            abort();
}

void B_die(int n)
{
    if (n % 10 == 3)
        raise(SIGKILL);
}

static const struct closing_cast isolated = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
static const struct closing_cast half = {.B = {.isolation = CHX_PROCESS}};

static bool works(void)
{
    struct closing_run_result r;
    return closing_run(&r, &isolated, 3) == CHX_OK && r.B == 6 && closing_run(&r, &half, 3) == CHX_OK && r.B == 6 &&
           closing_run(&r, NULL, 3) == CHX_OK && r.B == 6;
}

static void say(const char *what, bool is_good)
{
    printf("%s: %s\n", what, is_good ? "fine" : chx_last_report()->why);
}

// One that can't end, so that it is there when they are closed.
static bool fails_when_closed(void)
{
    struct closing_run_result r;
    chx_session *session = closing_run_start(NULL, &half, -1);
    if (session == NULL)
        return false;
    usleep(20000);
    close_all_and_open_own();
    return closing_run_wait(session, &r) == CHX_FAILED &&
           strstr(chx_last_report()->why, "the program has closed a descriptor of the chorex library") != NULL;
}

// While processes and the helper that starts them come and go: each session ends.
static bool closed_at_any_moment(void)
{
    for (int i = 0; i < MOMENTS; i++) {
        struct closing_dying_result r;
        chx_session *session = closing_dying_start(NULL, &isolated, 30);
        if (session == NULL)
            continue; // it may have no descriptors for a moment
        usleep((unsigned)(i * 7919 % 10000));
        close_all_and_open_own();
        chx_status status = closing_dying_wait(session, &r);
        if ((status != CHX_OK && status != CHX_FAILED) || (status == CHX_OK && r.B != 3))
            return false;
        close_all();
    }
    return works();
}

static bool works_while_a_child_has_them(void)
{
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    close_all_and_open_own();
    bool is_good = works() && own_are_as_they_were();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return is_good;
}

// It fails when it needs a descriptor that it has closed: in the block, where it is rescued, or right after it. Whether it
// needs one depends on who is awake.
static bool role_closes(const struct closing_cast *cast)
{
    struct closing_act_result r;
    struct stat file;
    chx_status status = closing_act(&r, cast, CLOSE);
    bool is_good = status == CHX_OK
                       ? r.B == 7 || r.B == CLOSE
                       : strstr(chx_last_report()->why, "it has closed a descriptor of the chorex library") != NULL;
    return is_good && stat(getenv("ROLE_FILE"), &file) == 0 && file.st_size == 0 &&
           closing_act(&r, cast, 5) == CHX_OK && r.B == 5;
}

static bool roles_close(void)
{
    bool is_good = true;
    for (int i = 0; i < 10 && is_good; i++)
        is_good = role_closes(&isolated) && role_closes(&half);
    return is_good;
}

static bool large_values(void)
{
    struct closing_large_result r;
    struct stat file;
    return closing_large(&r, &isolated, 0) == CHX_OK && r.B == 2 << 20 &&
           closing_large(&r, &isolated, CLOSE) == CHX_OK && r.B == 7 && stat(getenv("ROLE_FILE"), &file) == 0 &&
           file.st_size == 0;
}

// It is the library's to close; whoever closes it all the same loses nothing but that.
static bool session_descriptor(void)
{
    struct closing_run_result r;
    chx_session *session = closing_run_start(NULL, NULL, 3);
    struct pollfd polled = {.fd = chx_session_fd(session), .events = POLLIN};
    bool is_good = poll(&polled, 1, 10000) == 1 && (polled.revents & POLLIN) != 0;
    is_good = closing_run_wait(session, &r) == CHX_OK && is_good && fcntl(polled.fd, F_GETFD) < 0;
    session = closing_run_start(NULL, NULL, 30000);
    if (chx_session_fd(session) < 0)
        return false;
    close_all_and_open_own();
    return closing_run_wait(session, &r) == CHX_OK && is_good && own_are_as_they_were();
}

int main(void)
{
    char name[] = "/tmp/chorex-descriptors-XXXXXX";
    int file = mkstemp(name);
    setenv("ROLE_FILE", name, 1);
    setenv("CHOREX_LOG", "off", 1);
    if (file < 0 || !works())
        return 1;
    close_all_and_open_own();
    say("after a session", works() && own_are_as_they_were());
    close_all_and_open_own();
    say("again", works() && own_are_as_they_were());
    bool has_failed = fails_when_closed();
    say("in a session", has_failed && own_are_as_they_were() && works() && own_are_as_they_were());
    say("at any moment", closed_at_any_moment());
    say("while a child has them", works_while_a_child_has_them());
    say("in a role", roles_close());
    say("large values", large_values());
    say("a session's descriptor", session_descriptor() && works());
    unlink(name);
    return 0;
}
