// answer.h: what a running program says about its sessions, at the socket of CHOREX_TOP. The format: docs/runtime.md.

#ifndef TOOLS_TOP_ANSWER_H
#define TOOLS_TOP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Texts are parts of `text`.
typedef struct {
    const char *name, *what, *why, *function, *file;
    uint64_t line; // 0: not known
} AnswerRole;

typedef struct {
    const char *token, *choreography, *definition, *state;
    uint64_t age_ns, quiet_ns, messages, restarts, role_count;
    size_t first_role, listed_roles; // in `roles`
} AnswerSession;

typedef struct {
    char *text;
    uint64_t pid;
    const char *program;
    uint64_t now_ns, sessions, looked_at, begun, ended, messages, restarts;
    AnswerSession *session_list;
    size_t session_count;
    AnswerRole *roles;
    size_t role_count;
} Answer;

enum { ANSWER_WHY = 512 };

// Finds the socket of a process, by its number, or takes the path as it is. False: `why` says what is wrong.
bool answer_find(const char *target, char *path, size_t size, char why[ANSWER_WHY]);
// Asks for so many sessions. False: `why` says what is wrong.
bool answer_get(const char *path, unsigned sessions, Answer *answer, char why[ANSWER_WHY]);
void answer_free(Answer *answer);

#endif
