// timer_heap_test.c: random operations on many timers, compared with a sorted set of them.

#include "runtime/platform/timer_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 100000 };

static uint64_t draw(uint64_t below)
{
    static uint64_t state = 1;
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % below;
}

// ---- the reference: which timers are set, sorted when the order is looked at ----

typedef struct {
    Timer timer;
    uint64_t due_ns, order;
    bool is_set;
} Model;

static Model *models;
static uint64_t model_order;

static int model_compare(const void *left, const void *right)
{
    const Model *a = *(Model *const *)left, *b = *(Model *const *)right;
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void model_set(TimerHeap *heap, Model *model, uint64_t due_ns)
{
    timer_heap_set(heap, &model->timer, due_ns);
    model->due_ns = due_ns;
    model->order = ++model_order;
    model->is_set = true;
}

// Takes all timers out of the heap, first by first.
static void drain_in_order(TimerHeap *heap)
{
    Model **sorted = malloc(MANY * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++)
        if (models[i].is_set)
            sorted[count++] = &models[i];
    qsort(sorted, count, sizeof *sorted, model_compare);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(heap->first, &sorted[i]->timer);
        assert_int_equal(sorted[i]->timer.due_ns, sorted[i]->due_ns);
        timer_heap_remove(heap, &sorted[i]->timer);
        assert_false(timer_is_set(&sorted[i]->timer));
        sorted[i]->is_set = false;
    }
    assert_null(heap->first);
    free(sorted);
}

static void timers_come_in_order(void **state)
{
    (void)state;
    // Few different times: many timers are due at the same one.
    static const uint64_t times[] = {UINT64_MAX, 1000, 7};
    TimerHeap heap = {0};
    models = calloc(MANY, sizeof *models);
    for (size_t round = 0; round < sizeof times / sizeof *times; round++) {
        for (size_t i = 0; i < MANY; i++)
            model_set(&heap, &models[i], draw(times[round]));
        for (size_t i = 0; i < 2 * MANY; i++) {
            Model *model = &models[draw(MANY)];
            if (draw(3) == 0) {
                timer_heap_remove(&heap, &model->timer);
                model->is_set = false;
            } else {
                model_set(&heap, model, draw(times[round]));
            }
            assert_int_equal(timer_is_set(&model->timer), model->is_set);
        }
        drain_in_order(&heap);
    }
    free(models);
}

// After each operation on a few timers the first one is that of a linear search.
static void the_first_is_the_first(void **state)
{
    (void)state;
    enum { FEW = 37 };
    TimerHeap heap = {0};
    models = calloc(FEW, sizeof *models);
    for (size_t i = 0; i < 100000; i++) {
        Model *model = &models[draw(FEW)], *first = NULL;
        if (draw(2) == 0) {
            timer_heap_remove(&heap, &model->timer);
            model->is_set = false;
        } else {
            model_set(&heap, model, draw(20));
        }
        for (size_t k = 0; k < FEW; k++) {
            Model *each = &models[k];
            if (each->is_set && (first == NULL || model_compare(&each, &first) < 0))
                first = each;
        }
        assert_ptr_equal(heap.first, first != NULL ? &first->timer : NULL);
    }
    free(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_come_in_order),
        cmocka_unit_test(the_first_is_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
