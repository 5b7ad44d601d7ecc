#define _GNU_SOURCE

#include "tools/chorex/new.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// NAME stands for the choreography's name.
static const char program[] = "#include <chorex.h>\n"
                              "#include <stdio.h>\n"
                              "\n"
                              "// One program for two roles: Alice asks, Bob answers.\n"
                              "choreography(NAME, (Alice, Bob),\n"
                              "    int Bob.answer(int question);\n"
                              "\n"
                              "    def run(Alice.int question) -> Alice.int {\n"
                              "        Alice.question ~> Bob.question;\n"
                              "        Bob.answer(question) ~> Alice.answer;\n"
                              "        return Alice.answer;\n"
                              "    }\n"
                              ")\n"
                              "\n"
                              "#include \"NAME.Alice.chor.h\"\n"
                              "#include \"NAME.Bob.chor.h\"\n"
                              "\n"
                              "// What Bob does on his own.\n"
                              "static int Bob_answer(int question)\n"
                              "{\n"
                              "    return question + 1;\n"
                              "}\n"
                              "\n"
                              "int main(void)\n"
                              "{\n"
                              "    struct NAME_run_result result;\n"
                              "    chx_status status = NAME_run(&result, NULL, 41);\n"
                              "    if (status != CHX_OK) {\n"
                              "        const chx_report *report = chx_last_report();\n"
                              "        fprintf(stderr, \"%s: %s: %s\\n\", chx_status_text(status), report->role,\n"
                              "                report->why);\n"
                              "        return 1;\n"
                              "    }\n"
                              "    printf(\"the answer is %d\\n\", result.Alice);\n"
                              "    return 0;\n"
                              "}\n";

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]))
        return false;
    for (const char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return true;
}

static void print_program(const char *name, FILE *out)
{
    const char *at = program;
    for (const char *next; (next = strstr(at, "NAME")) != NULL; at = next + strlen("NAME"))
        fprintf(out, "%.*s%s", (int)(next - at), at, name);
    fputs(at, out);
}

int new_write(const char *name, char path[NEW_PATH_SIZE])
{
    if (!is_name(name)) {
        fprintf(stderr, "chorex: error: '%s' can't be the name of a choreography: letters, digits and _ only\n", name);
        return 2;
    }
    if (strlen(name) > NEW_NAME_MAX) {
        fprintf(stderr, "chorex: error: this name is too long: at most %d letters\n", NEW_NAME_MAX);
        return 2;
    }
    snprintf(path, NEW_PATH_SIZE, "%s.c", name);
    // Never over a file that is there already.
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out == NULL) {
        fprintf(stderr, "chorex: error: '%s' can't be made: %s\n", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(path);
        }
        return 1;
    }
    print_program(name, out);
    bool is_written = ferror(out) == 0;
    if (fclose(out) != 0 || !is_written) {
        fprintf(stderr, "chorex: error: '%s' can't be written: %s\n", path, strerror(errno));
        unlink(path);
        return 1;
    }
    return 0;
}

void new_explain(const char *name, const char *path)
{
    printf("%s is a choreography for Alice and Bob. Build and run it:\n\n    chorcc %s -o %s && ./%s\n", path, path,
           name, name);
}
