// answer.c: asks, and takes the answer apart.

#define _GNU_SOURCE
#include "tools/top/answer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { VERSION = 1, ANSWER_MAX = 1 << 20, PATIENCE_MS = 5000, FIELDS_MAX = 12 };

static bool say(char *why, const char *format, const char *what, const char *more)
{
    snprintf(why, ANSWER_WHY, format, what, more);
    return false;
}

// ---- asking ----

static bool explain_connect(const char *path, char *why)
{
    if (errno == ENOENT)
        return say(why, "there is no socket at %s: the number of a process is wanted, or the socket of one%s", path,
                   "");
    if (errno == ECONNREFUSED)
        return say(why, "nobody listens at %s: the program has ended%s", path, "");
    if (errno == EAGAIN)
        return say(why, "%s: the program does not answer%s", path, "");
    if (errno == EACCES)
        return say(why, "%s: %s; only the user whose program it is may ask", path, strerror(errno));
    return say(why, "%s: %s", path, strerror(errno));
}

static int dial(const char *path, char *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        say(why, "%s: this is too long for the path of a socket%s", path, "");
        return -1;
    }
    strcpy(address.sun_path, path);
    int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    if (number >= 0)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (number >= 0 && connect(number, (struct sockaddr *)&address, sizeof address) == 0)
        return number;
    explain_connect(path, why);
    if (number >= 0)
        close(number);
    return -1;
}

// Reads up to the end. NULL: it took too long, or is too much.
static char *hear(int number)
{
    char *text = malloc(ANSWER_MAX + 1);
    size_t size = 0;
    while (text != NULL && size < ANSWER_MAX) {
        struct pollfd ready = {.fd = number, .events = POLLIN};
        int polled = poll(&ready, 1, PATIENCE_MS);
        ssize_t count = polled > 0 ? read(number, text + size, ANSWER_MAX - size) : -1;
        if (count == 0 || (count < 0 && polled > 0 && errno == ECONNRESET)) {
            text[size] = '\0';
            return text;
        }
        if (count < 0 && errno != EINTR)
            break;
        size += count > 0 ? (size_t)count : 0;
    }
    free(text);
    return NULL;
}

// ---- taking it apart ----

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static void take_totals(Answer *answer, char **fields)
{
    uint64_t *const members[] = {&answer->now_ns, &answer->sessions, &answer->looked_at, &answer->begun,
                                 &answer->ended,  &answer->messages, &answer->restarts};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        *members[i] = number(fields[i + 1]);
}

static bool take_session(Answer *answer, char **fields)
{
    AnswerSession *grown = realloc(answer->session_list, (answer->session_count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    answer->session_list = grown;
    grown[answer->session_count++] = (AnswerSession){.token = fields[1],
                                                     .choreography = fields[2],
                                                     .definition = fields[3],
                                                     .age_ns = number(fields[4]),
                                                     .quiet_ns = number(fields[5]),
                                                     .messages = number(fields[6]),
                                                     .restarts = number(fields[7]),
                                                     .role_count = number(fields[8]),
                                                     .state = fields[9],
                                                     .first_role = answer->role_count};
    return true;
}

static bool take_role(Answer *answer, char **fields)
{
    AnswerRole *grown = realloc(answer->roles, (answer->role_count + 1) * sizeof *grown);
    if (grown == NULL || answer->session_count == 0)
        return false;
    answer->roles = grown;
    grown[answer->role_count++] =
        (AnswerRole){fields[1], fields[2], fields[3], fields[4], fields[5], number(fields[6])};
    answer->session_list[answer->session_count - 1].listed_roles++;
    return true;
}

static size_t split(char *line, char **fields)
{
    size_t count = 0;
    for (char *rest = line; rest != NULL && count < FIELDS_MAX;)
        fields[count++] = strsep(&rest, "\t");
    return count;
}

// True: it makes sense up to its last line.
static bool take(Answer *answer, char *text)
{
    char *fields[FIELDS_MAX], *line;
    bool is_first = true;
    while ((line = strsep(&text, "\n")) != NULL) {
        size_t count = split(line, fields);
        const char *kind = fields[0];
        bool is_good = true;
        if (is_first && (count != 2 || strcmp(kind, "chorex-top") != 0 || number(fields[1]) != VERSION))
            return false;
        is_first = false;
        if (strcmp(kind, "end") == 0)
            return true;
        if (strcmp(kind, "process") == 0 && (is_good = count >= 3)) {
            answer->pid = number(fields[1]);
            answer->program = fields[2];
        } else if (strcmp(kind, "totals") == 0 && (is_good = count >= 8)) {
            take_totals(answer, fields);
        } else if (strcmp(kind, "session") == 0) {
            is_good = count >= 10 && take_session(answer, fields);
        } else if (strcmp(kind, "role") == 0) {
            is_good = count >= 7 && take_role(answer, fields);
        }
        if (!is_good)
            return false;
    }
    return false;
}

bool answer_get(const char *path, unsigned sessions, Answer *answer, char why[ANSWER_WHY])
{
    char request[64];
    int size = snprintf(request, sizeof request, "chorex-top %d %u\n", VERSION, sessions);
    *answer = (Answer){.program = "?"};
    int socket = dial(path, why);
    if (socket < 0)
        return false;
    bool is_sent = send(socket, request, (size_t)size, MSG_NOSIGNAL) == size;
    answer->text = is_sent ? hear(socket) : NULL;
    close(socket);
    if (answer->text == NULL)
        return say(why, "%s: the program does not answer%s", path, "");
    if (answer->text[0] == '\0')
        return say(
            why,
            "%s: the program refuses to answer: it is another user's, or was built with another version of Chorex%s",
            path, "");
    if (take(answer, answer->text))
        return true;
    answer_free(answer);
    return say(why, "%s: this is not the socket of CHOREX_TOP, or of another version of Chorex%s", path, "");
}

void answer_free(Answer *answer)
{
    free(answer->text);
    free(answer->session_list);
    free(answer->roles);
    *answer = (Answer){0};
}
