// Parameters and results of all members of a family.
// expect: k 5
// expect: 126 3: 13 31 211
// expect: abc a-3 3 b-3 3 c-3 3
// expect: 1 Worker: nothing says how many members the family Worker has: give the session a cast with .Worker.count set
#include <chorex.h>
#include <stdio.h>

typedef struct {
    int a;
    chx_str s;
} Pair;

choreography(results, (Boss, Worker[]),
    def double_it(Worker[*].int x) -> Worker[*].int {
        return Worker[*].(2 * x);
    }
    def run(Worker[*].int x, {Boss, Worker[*]}.int k, Boss.const char *name, Worker[*].const char *names) -> Boss.long, Worker[*].int {
        Boss.long total = 0;
        Worker[*].int n = x + k;
        for (w : Worker) {
            w.n ~> Boss.r;
            Boss.total += r;
        }
        Worker[*].n = double_it(Worker[*].n);
        Boss.(printf("%s %d\n", name, k));
        return Boss.total, Worker[*].(n + 1);
    }
    def texts(Worker[*].const char *name) -> Worker[*].{chx_str, int}, Boss.Pair {
        Boss.chx_str all = chx_strf("%s", "");
        for (w : Worker) {
            w.name ~> Boss.x;
            Boss.all = chx_strf("%s%s", chx_cstr(all), x);
        }
        return Worker[*].{chx_strf("%s-%d", name, (int)Worker_count), 3}, Boss.((Pair){1, all});
    }
)

#include "results.Boss.chor.h"
#include "results.Worker.chor.h"

int main(void)
{
    struct results_run_result result;
    int x[] = {1, 10, 100};
    const char *names[] = {"a", "b", "c"};
    struct results_cast cast = {.Worker = {.count = 3}};
    if (results_run(&result, &cast, x, 5, "k", names) != CHX_OK)
        printf("%s: %s at %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
    printf("%ld %zu:", result.Boss, result.Worker.count);
    for (size_t i = 0; i < result.Worker.count; i++)
        printf(" %d", result.Worker.item[i]);
    printf("\n");
    results_run_result_drop(&result);
    struct results_texts_result texts;
    if (results_texts(&texts, &cast, names) != CHX_OK)
        return 1;
    printf("%s", chx_cstr(texts.Boss.s));
    for (size_t i = 0; i < texts.Worker.count; i++)
        printf(" %s %d", chx_cstr(texts.Worker.item[i].v0), texts.Worker.item[i].v1);
    printf("\n");
    results_texts_result_drop(&texts);
    chx_session *session = results_texts_start(NULL, &cast, names);
    if (results_texts_wait(session, NULL) != CHX_OK)
        return 1;
    cast.Worker.count = 0;
    if (results_texts(&texts, &cast, NULL) != CHX_OK || texts.Worker.count != 0)
        return 1;
    results_texts_result_drop(&texts);
    printf("%d", results_texts(&texts, NULL, NULL) == CHX_INVALID);
    printf(" %s: %s\n", chx_last_report()->role, chx_last_report()->why);
    return 0;
}
