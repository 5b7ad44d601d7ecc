// Arrays with one element for each member of a family.
// expect: 559 3: 202 22 104
// expect: 0:a:2 1:b:2 2:c:2 
// expect: 99::0 0::0 0::0 
#include <chorex.h>
#include <stdio.h>

typedef struct {
    int a;
    chx_str s;
} Pair;

choreography(arrays, (Queue, Worker[], Auditor),
    int Queue.sum(const int *values, size_t count);
    def run(Queue.int start[Worker]) -> Queue.int r[Worker], Auditor.int {
        Queue.int r[Worker];
        for (w : Worker) {
            Queue.(start[w] + 1) ~> w.x;
            w.(x * 2) ~> Queue.r[w];
        }
        Queue.r ~> Auditor.copy;
        Auditor.copy[0] = 7;
        Queue.(r[0] += 100);
        Auditor.int total = 0;
        for (w : Worker) {
            Auditor.total += copy[w];
        }
        Queue.total = sum(r, Worker_count);
        Queue.total ~> Auditor.q;
        Queue.r = swap(Queue.r);
        return Queue.r, Auditor.(total + q);
    }
    def swap(Queue.int v[Worker]) -> Queue.int[Worker] {
        Queue.int old[Worker];
        Queue.old = v;
        for (w : Worker) {
            Queue.v[Worker_count - 1 - w] = old[w];
        }
        return Queue.v;
    }
    def texts(Worker[*].const char *name) -> Queue.Pair[Worker], Worker[*].int {
        Queue.Pair all[Worker];
        Queue.chx_str names[Worker];
        checkpoint {
            for (w : Worker) {
                w.(chx_strf("%s", name)) ~> Queue.names[w];
                Queue.all[w] = (Pair){(int)w, names[w]};
                w.check(name);
            }
        } rescue (fault) {
            Queue.all[0].a = fault.line > 0 ? 99 : 0;
        }
        Queue.all ~> {Auditor, Worker[*]}.k;
        return Queue.all, Worker[*].(k[Worker_count - 1].a);
    }
)

#include "arrays.Queue.chor.h"
#include "arrays.Worker.chor.h"
#include "arrays.Auditor.chor.h"

static int Queue_sum(const int *values, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static void Worker_check(const char *name)
{
    if (name[0] == 'x')
        chx_fail("%s", name);
}

int main(void)
{
    struct arrays_run_result result;
    int start[] = {1, 10, 100};
    const char *names[2][3] = {{"a", "b", "c"}, {"a", "b", "x"}};
    struct arrays_cast cast = {.Worker = {.count = 3}};
    if (arrays_run(&result, &cast, start) != CHX_OK)
        printf("%s: %s at %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
    printf("%d %zu:", result.Auditor, result.Queue.count);
    for (size_t i = 0; i < result.Queue.count; i++)
        printf(" %d", result.Queue.item[i]);
    printf("\n");
    arrays_run_result_drop(&result);
    for (int k = 0; k < 2; k++) {
        struct arrays_texts_result texts;
        if (arrays_texts(&texts, &cast, names[k]) != CHX_OK)
            return 1;
        for (size_t i = 0; i < texts.Queue.count; i++)
            printf("%s%d:%s:%d", i > 0 ? " " : "", texts.Queue.item[i].a, chx_cstr(texts.Queue.item[i].s), texts.Worker.item[i]);
        printf("\n");
        arrays_texts_result_drop(&texts);
    }
    return 0;
}
