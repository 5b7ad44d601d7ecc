// timer_heap_test.c: random operations on many timers, compared with a sorted set of them.

#include "runtime/platform/timer_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 100000 };

static size_t allocated, fail_from = SIZE_MAX;

static void *test_allocate(chx_runtime *runtime, size_t size)
{
    (void)runtime;
    return ++allocated >= fail_from ? NULL : malloc(size);
}

static void test_release(chx_runtime *runtime, void *memory)
{
    (void)runtime;
    free(memory);
}

static const TimerMemory memory = {test_allocate, test_release, NULL};

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
    assert_int_equal(heap->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(timer_heap_first(heap), &sorted[i]->timer);
        assert_int_equal(sorted[i]->timer.due_ns, sorted[i]->due_ns);
        timer_heap_remove(heap, &sorted[i]->timer);
        assert_false(timer_is_set(&sorted[i]->timer));
        sorted[i]->is_set = false;
    }
    assert_null(timer_heap_first(heap));
    free(sorted);
}

static void timers_come_in_order(void **state)
{
    (void)state;
    // Few different times: many timers are due at the same one.
    static const uint64_t times[] = {UINT64_MAX, 1000, 7};
    TimerHeap heap;
    models = calloc(MANY, sizeof *models);
    timer_heap_init(&heap, memory);
    assert_true(timer_heap_reserve(&heap, MANY));
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
    timer_heap_fini(&heap);
    free(models);
}

// After each operation on a few timers the first one is that of a linear search.
static void the_first_is_the_first(void **state)
{
    (void)state;
    enum { FEW = 37 };
    TimerHeap heap;
    models = calloc(FEW, sizeof *models);
    timer_heap_init(&heap, memory);
    assert_true(timer_heap_reserve(&heap, FEW));
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
        assert_ptr_equal(timer_heap_first(&heap), first != NULL ? &first->timer : NULL);
    }
    timer_heap_fini(&heap);
    free(models);
}

// Setting and cancelling need no memory once places are reserved, and reserving fails without a trace.
static void only_reserving_needs_memory(void **state)
{
    (void)state;
    TimerHeap heap;
    Timer timers[64];
    memset(timers, 0, sizeof timers);
    timer_heap_init(&heap, memory);
    fail_from = 0;
    assert_false(timer_heap_reserve(&heap, 1));
    assert_int_equal(heap.reserved, 0);
    fail_from = SIZE_MAX;
    assert_true(timer_heap_reserve(&heap, 64));
    fail_from = 0;
    size_t before = allocated;
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 64; i++)
            timer_heap_set(&heap, &timers[i], 64 - i);
        for (size_t i = 0; i < 64; i++)
            timer_heap_remove(&heap, &timers[i]);
    }
    assert_int_equal(allocated, before);
    timer_heap_set(&heap, &timers[0], 5);
    assert_false(timer_heap_reserve(&heap, MANY));
    assert_ptr_equal(timer_heap_first(&heap), &timers[0]);
    // What was given back can be reserved again without memory.
    timer_heap_give_back(&heap, 63);
    assert_true(timer_heap_reserve(&heap, 63));
    fail_from = SIZE_MAX;
    assert_true(timer_heap_reserve(&heap, MANY));
    assert_ptr_equal(timer_heap_first(&heap), &timers[0]);
    timer_heap_remove(&heap, &timers[0]);
    timer_heap_fini(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_come_in_order),
        cmocka_unit_test(the_first_is_the_first),
        cmocka_unit_test(only_reserving_needs_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
