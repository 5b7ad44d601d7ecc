// A parser of documents from outside, in a process that may do nothing but compute.
//! no-sim
//! no-central
//! no-sanitizer
// expect: 1: text of 13 characters
// expect: 2: 3 numbers, sum 42
// expect: 3: hostile: SIGSYS: its sandbox's filter stopped it at a system call
// expect: 4: text of 10 characters
// expect: 5: hostile: SIGSYS: its sandbox's filter stopped it at a system call
// expect: 6: hostile: SIGSYS: its sandbox's filter stopped it at a system call
// expect: 7: hostile: SIGSEGV (segmentation fault)
// expect: 8: 2 numbers, sum 42
// expect: 4 read, 4 hostile

#define _GNU_SOURCE
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const documents[] = {
    "text:Good morning!",
    "numbers:8 9 25",
    "file:/etc/passwd",
    "text:Still here",
    "run:/bin/echo the parser runs a program",
    "dial:203.0.113.1",
    "crash:",
    "numbers:40 2",
};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

choreography(intake, (Desk, Parser),
    const char *Desk.document(int number);
    chx_str Parser.parse(const char *document);

    def run() -> Desk.{int, int} {
        Desk.int good = 0;
        Desk.int bad = 0;
        {Desk, Parser}.int number = 1;
        checkpoint while ({Desk, Parser}.(number <= DOCUMENTS)) {
            Desk.document(number) ~> Parser.document;
            Parser.parse(document) ~> Desk.summary;
            Desk.(printf("%d: %s\n", number, chx_cstr(summary)));
            Desk.good++;
            {Desk, Parser}.number = number + 1;
        } rescue (fault) {
            Desk.(printf("%d: hostile: %s\n", number, fault.why));
            Desk.bad++;
            {Desk, Parser}.number = number + 1;
        }
        return Desk.{good, bad};
    }
)

#include "intake.Desk.chor.h"
#include "intake.Parser.chor.h"

static const char *Desk_document(int number)
{
    return documents[number - 1];
}

// ---- the parser ----

static chx_str parse_text(const char *body)
{
    return chx_strf("text of %zu characters", strlen(body));
}

static chx_str parse_numbers(const char *body)
{
    long count = 0, sum = 0;
    for (char *end; *body != '\0'; body = end, count++) {
        sum += strtol(body, &end, 10);
        if (end == body)
            chx_fail("'%s' is not a number", body);
    }
    return chx_strf("%ld numbers, sum %ld", count, sum);
}

// What was meant for the maintainers' own documents.

static chx_str parse_file(const char *body)
{
    char line[100] = "";
    FILE *file = fopen(body, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        chx_fail("%s can't be read", body);
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return chx_strf("%s begins with: %s", body, line);
}

static chx_str parse_run(const char *body)
{
    FILE *output = popen(body, "r");
    char line[100] = "";
    if (output == NULL || fgets(line, sizeof line, output) == NULL)
        chx_fail("%s can't be run", body);
    pclose(output);
    line[strcspn(line, "\n")] = '\0';
    return chx_strf("output: %s", line);
}

static chx_str parse_dial(const char *body)
{
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (end < 0)
        chx_fail("there is no network");
    close(end);
    return chx_strf("could have sent it all to %s", body);
}

static chx_str parse_crash(const char *body)
{
    raise(SIGSEGV);
    return chx_strf("%s", body);
}

static const struct {
    const char *kind;
    bool is_for_maintainers;
    chx_str (*parse)(const char *body);
} kinds[] = {
    {"text:", false, parse_text}, {"numbers:", false, parse_numbers}, {"file:", true, parse_file},
    {"run:", true, parse_run},    {"dial:", true, parse_dial},        {"crash:", true, parse_crash},
};

static chx_str Parser_parse(const char *document)
{
    // The bug: nobody looks at is_for_maintainers.
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(document, kinds[i].kind, strlen(kinds[i].kind)) == 0)
            return kinds[i].parse(document + strlen(kinds[i].kind));
    chx_fail("a document of no known kind");
}

int main(int argc, char **argv)
{
    bool is_trusting = argc > 1 && strcmp(argv[1], "--trusting") == 0;
    struct intake_cast cast = {
        .Parser = {.isolation = CHX_PROCESS, .sandbox = is_trusting ? NULL : &chx_sandbox_strict},
    };
    struct intake_run_result result;
    if (intake_run(&result, &cast) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("%d read, %d hostile\n", result.Desk.v0, result.Desk.v1);
    return 0;
}
