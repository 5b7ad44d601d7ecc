// password.c: see password.h.

#define _POSIX_C_SOURCE 200809L

#include "password.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Reads byte by byte, so that nothing of the password stays in a buffer of the C library.
static const char *read_line(int fd, char *line, size_t size)
{
    size_t used = 0;
    const char *problem = NULL;
    for (;;) {
        char byte;
        ssize_t got = read(fd, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            problem = "the password can't be read";
        if (got <= 0 || byte == '\n')
            break;
        if (byte == '\0') {
            problem = "the password has a zero byte";
            break;
        }
        if (used + 1 == size) {
            problem = "the password is too long";
            break;
        }
        line[used++] = byte;
    }
    line[used] = '\0';
    if (problem == NULL && used == 0)
        problem = "no password";
    return problem;
}

// While echo is off, a signal that ends the program gives the terminal back first.

static struct termios saved;
static const int ending[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
enum { ENDINGS = sizeof ending / sizeof ending[0] };

static void give_back(int signal_number)
{
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved);
    signal(signal_number, SIG_DFL);
    kill(getpid(), signal_number);
}

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static const char *read_without_echo(const char *prompt, char *line, size_t size)
{
    if (tcgetattr(STDIN_FILENO, &saved) != 0)
        return "the terminal does not answer";
    struct sigaction before[ENDINGS], during = {.sa_handler = give_back};
    for (int i = 0; i < ENDINGS; i++)
        sigaction(ending[i], &during, &before[i]);
    struct termios silent = saved;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    const char *problem = "the terminal's echo can't be switched off";
    if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0) {
        say(prompt);
        problem = read_line(STDIN_FILENO, line, size);
        say("\n");
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved);
    }
    for (int i = 0; i < ENDINGS; i++)
        sigaction(ending[i], &before[i], NULL);
    return problem;
}

const char *password_read(const char *file, bool twice, char *password, size_t size)
{
    const char *problem = NULL;
    if (file != NULL) {
        int fd = open(file, O_RDONLY | O_CLOEXEC);
        problem = fd < 0 ? "the password file can't be opened" : read_line(fd, password, size);
        if (fd >= 0)
            close(fd);
    } else if (!isatty(STDIN_FILENO)) {
        problem = read_line(STDIN_FILENO, password, size);
    } else {
        problem = read_without_echo("Password: ", password, size);
        if (problem == NULL && twice) {
            char again[1024];
            problem = read_without_echo("The same again: ", again, sizeof again);
            if (problem == NULL && strcmp(password, again) != 0)
                problem = "these are two different passwords";
            OPENSSL_cleanse(again, sizeof again);
        }
    }
    if (problem != NULL)
        OPENSSL_cleanse(password, size);
    return problem;
}
