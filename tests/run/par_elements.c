// With an arm for each member, element x[w] of an array over the family belongs to the arm, strings among them.
//! no-process
// expect: 0 11 22 33 | <0> <2> <4> <6>
// expect: 100 111 122 133
#include <chorex.h>
#include <stdio.h>

choreography(elements, (Boss, Worker[]),
    int Worker.number(void);
    int Worker.fail(int n);
    void Boss.show(size_t count, const int *numbers, const chx_str *names);
    void Boss.show_numbers(size_t count, const int *numbers);
    def run() {
        Boss.int r[Worker];
        Boss.chx_str names[Worker];
        Worker[*].int own = 1;
        par (w : Worker) {
            w.number() ~> Boss.r[w];
            w.own = 2;
            checkpoint {
                Boss.names[w] = chx_strf("%d", r[w]);
                w.(number() * own) ~> Boss.twice;
                Boss.names[w] = chx_strf("<%d>", twice);
                Boss.r[w] = r[w] * 10;
                if (w.(own == 2)) { w.own = fail(own); }
                w.own ~> Boss._;
            } rescue {
                Boss.names[w] = chx_strf("<%d>", r[w] * 2);
                Boss.r[w] = r[w] * 11;
            }
        }
        Boss.show(Worker_count, r, names);
        par (w : Worker) {
            Boss.r[w] += 100;
            Boss.r[w] ~> w.back;
            w.own = back;
        }
        Boss.show_numbers(Worker_count, r);
    }
)

#include "elements.Boss.chor.h"
#include "elements.Worker.chor.h"

int Worker_number(void)
{
    return (int)chx_role_index();
}

int Worker_fail(int n)
{
    chx_fail("%d", n);
}

void Boss_show(size_t count, const int *numbers, const chx_str *names)
{
    for (size_t i = 0; i < count; i++)
        printf("%d ", numbers[i]);
    printf("|");
    for (size_t i = 0; i < count; i++)
        printf(" %s", chx_cstr(names[i]));
    printf("\n");
}

void Boss_show_numbers(size_t count, const int *numbers)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%d", i > 0 ? " " : "", numbers[i]);
    printf("\n");
}

int main(void)
{
    if (elements_run(&(struct elements_cast){.Worker.count = 4}) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    return 0;
}
