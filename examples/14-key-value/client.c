// client.c: the Client, and the program.
//
//     key_value [-c HOW] [FILE]     requests from FILE ("-": standard input; none: a script that is built in):
//                                       put KEY VALUE, get KEY, del KEY, list
//                                       crash [REQUEST], crash-backup [REQUEST]: a role dies while it serves REQUEST
//                                   HOW it dies: fail (chx_fail), abort, or kill (its process, with signal 9)

#define _POSIX_C_SOURCE 200809L
#include "key_value.h"
#include "key_value.Client.chor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char script[] = "put apple red\n"
                             "put banana yellow\n"
                             "get apple\n"
                             "crash put cherry dark red\n"
                             "get cherry\n"
                             "crash\n"
                             "list\n"
                             "crash-backup put damson blue\n"
                             "crash del apple\n"
                             "get apple\n"
                             "list\n";

static void Client_init(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0); // what was read ahead would be lost with this Client
}

// The line with this number (of standard input: the next one), empty ones and comments not counted. At the end "".
static chx_str Client_read_line(const char *path, int number)
{
    bool is_stdin = path != NULL && strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : path != NULL ? fopen(path, "r") : fmemopen((void *)script, sizeof script - 1, "r");
    if (file == NULL)
        chx_fail("%s: %s", path, strerror(errno));
    chx_str line = {0};
    char *text = NULL;
    size_t room = 0;
    while (chx_str_len(line) == 0 && getline(&text, &room, file) >= 0) {
        size_t start = strspn(text, " \t"), size = strcspn(text, "\r\n");
        if (start < size && text[start] != '#' && (is_stdin || number-- == 0))
            line = chx_str_new(text + start, size - start);
    }
    bool good = !ferror(file);
    free(text);
    if (!is_stdin)
        fclose(file);
    if (!good)
        chx_fail("%s: can't be read", path);
    return line;
}

// The next word of the text, which goes on behind it.
static const char *next_word(const char **text)
{
    *text += strspn(*text, " \t");
    size_t size = strcspn(*text, " \t");
    const char *word = chx_cstr(chx_str_new(*text, size));
    *text += size;
    *text += strspn(*text, " \t");
    return word;
}

static struct request Client_parse(chx_str line, enum crash how)
{
    static const char *const verbs[] = {[NOTHING] = "", [PUT] = "put", [GET] = "get", [DEL] = "del", [LIST] = "list"};
    struct request request = {.how = how};
    const char *rest = chx_cstr(line);
    const char *word = next_word(&rest);
    request.victim = strcmp(word, "crash") == 0 ? PRIMARY : strcmp(word, "crash-backup") == 0 ? BACKUP : NOBODY;
    if (request.victim != NOBODY)
        word = next_word(&rest);
    while (request.verb < WRONG && strcmp(word, verbs[request.verb]) != 0)
        request.verb++;
    request.key = next_word(&rest);
    request.value = rest;
    bool has_key = request.key[0] != '\0', has_value = request.value[0] != '\0';
    bool wants_key = request.verb == PUT || request.verb == GET || request.verb == DEL;
    if (has_key != wants_key || has_value != (request.verb == PUT))
        request.verb = WRONG;
    return request;
}

static void Client_show(chx_str line, chx_str note, chx_str answer)
{
    printf("> %s\n", chx_cstr(line));
    if (chx_str_len(note) > 0)
        printf("  (%s)\n", chx_cstr(note));
    puts(chx_cstr(answer));
}

static bool crash_named(const char *word, enum crash *how)
{
    static const char *const words[] = {[CRASH_FAIL] = "fail", [CRASH_ABORT] = "abort", [CRASH_KILL] = "kill"};
    for (*how = CRASH_FAIL; *how <= CRASH_KILL; ++*how) {
        if (strcmp(word, words[*how]) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    enum crash how = CRASH_FAIL;
    bool good = true;
    for (int option; (option = getopt(argc, argv, "c:")) != -1;)
        good = good && option == 'c' && crash_named(optarg, &how);
    if (!good || argc - optind > 1) {
        fprintf(stderr, "usage: key_value [-c fail|abort|kill] [FILE]\n");
        return 2;
    }
    struct key_value_cast cast = {0};
    if (how == CRASH_KILL) // who is killed must not take the others along
        cast.Primary.isolation = cast.Backup.isolation = CHX_PROCESS;
    if (key_value_run(&cast, argv[optind], how) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "key_value: %s failed at %s:%d: %s\n", report->role, report->file, report->line, report->why);
        return 1;
    }
    return 0;
}
