// Distributed mergesort: three workers sort a list of numbers together. Whoever has a list splits it between the two
// others, who sort their halves in the same way, with the roles rotated, and send the results back one by one, in order.

#include <chorex.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

choreography(mergesort, (Ann, Ben, Cem),

    def run(Ann.numbers list) -> Ann.numbers {
        return sort[Ann, Ben, Cem](Ann.list);
    }

    // Root's list, sorted. The halves are sorted by Left and Right, each with the other two as helpers.
    def sort[Root, Left, Right](Root.numbers list) -> Root.numbers {
        if (Root.(list.count < 2)) {
            return Root.list;
        }
        Root.(numbers_part(list, 0, list.count / 2)) ~> Left.half;
        Root.(numbers_part(list, list.count / 2, list.count)) ~> Right.half;
        Left.half = sort[Left, Right, Root](Left.half);
        Right.half = sort[Right, Root, Left](Right.half);
        return merge[Root, Left, Right](Left.half, Right.half);
    }

    // Two sorted lists become one. Right shows Left its smallest number, and Left decides which of them is next; the
    // two others learn of it. When one of the lists is used up, what is left of the other follows in one message.
    def merge[Root, Left, Right](Left.numbers list, Right.numbers list) -> Root.numbers {
        Root.numbers all = {0};
        Left.size_t at = 0;
        Right.size_t at = 0;
        Right.(list.count) ~> Left.others;
        while (Left.(at < list.count && others > 0)) {
            Right.(list.items[at]) ~> Left.other;
            if (Left.(list.items[at] <= other)) {
                Left.(list.items[at]) ~> Root.next;
                Root.(numbers_add(&all, next));
                Left.at++;
            } else {
                Right.(list.items[at]) ~> Root.next;
                Root.(numbers_add(&all, next));
                Right.at++;
                Left.others--;
            }
        }
        Left.(numbers_part(list, at, list.count)) ~> Root.rest;
        Root.(numbers_add_all(&all, rest));
        Right.(numbers_part(list, at, list.count)) ~> Root.rest;
        Root.(numbers_add_all(&all, rest));
        return Root.all;
    }
)

#include "mergesort.Ann.chor.h"
#include "mergesort.Ben.chor.h"
#include "mergesort.Cem.chor.h"

// Adds what stands in `word`; says so and returns false if that is not a number.
static bool read_number(numbers *list, const char *word)
{
    char *end;
    errno = 0;
    long long number = strtoll(word, &end, 10);
    if (end == word || *end != '\0') {
        fprintf(stderr, "mergesort: '%s' is not a whole number\n", word);
        return false;
    }
    if (errno == ERANGE) {
        fprintf(stderr, "mergesort: %s is too large or too small: 64 bits are the limit\n", word);
        return false;
    }
    numbers_add(list, number);
    return true;
}

// Numbers on standard input, separated by spaces or newlines.
static bool read_input(numbers *list)
{
    char word[64];
    size_t length = 0;
    for (;;) {
        int c = getchar();
        if (c != EOF && !isspace(c)) {
            if (length + 1 == sizeof word) {
                fprintf(stderr, "mergesort: '%.20s...' is too long for a number\n", word);
                return false;
            }
            word[length++] = c == '\0' ? '?' : (char)c; // would hide what comes after it
            word[length] = '\0';
            continue;
        }
        if (length > 0 && !read_number(list, word))
            return false;
        length = 0;
        if (c == EOF)
            break;
    }
    if (ferror(stdin)) {
        fprintf(stderr, "mergesort: standard input: %s\n", strerror(errno));
        return false;
    }
    return true;
}

static bool read_all(numbers *list, int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "-") == 0)
        return read_input(list);
    for (int i = 1; i < count; i++) {
        if (!read_number(list, arguments[i]))
            return false;
    }
    static const int64_t sample[] = {8, 3, -5, 13, 0, 3, 21, -1, 34, 2};
    for (size_t i = 0; count == 1 && i < sizeof sample / sizeof *sample; i++)
        numbers_add(list, sample[i]);
    return true;
}

int main(int count, char **arguments)
{
    numbers list = {0};
    if (!read_all(&list, count, arguments)) {
        fprintf(stderr, "usage: %s [NUMBER... | -]\n", arguments[0]);
        numbers_drop(&list);
        return 2;
    }
    struct mergesort_run_result result;
    chx_status status = mergesort_run(&result, NULL, list);
    numbers_drop(&list);
    if (status != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "mergesort: %s failed at line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    for (size_t i = 0; i < result.Ann.count; i++)
        printf("%lld\n", (long long)result.Ann.items[i]);
    mergesort_run_result_drop(&result);
    return fflush(stdout) == 0 ? 0 : 1;
}
