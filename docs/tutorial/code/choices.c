#include <chorex.h>
#include <stdio.h>

enum command { ADD, SUBTRACT, SHOW, STOP };

choreography(counter, (Ann, Ben),
    //[commands]
    enum command Ann.next_command(void);
    int          Ann.next_number(void);

    def commands() -> Ben.int {
        Ben.int total = 0;
        for (;;) {
            switch (Ann.next_command()) {
            case ADD:
                Ann.next_number() ~> Ben.n;
                Ben.total += n;
                break;
            case SUBTRACT:
                Ann.next_number() ~> Ben.n;
                Ben.total -= n;
                break;
            case SHOW:
                Ben.show(total);
                break;
            default:
                return Ben.total;
            }
        }
    }
    //[/commands]

    //[sum]
    def sum(Ann.int n) -> Ben.int {
        Ben.int sum = 0;
        while (Ann.(n > 0)) {
            Ann.n ~> Ben.value;
            Ben.sum += value;
            Ann.n--;
        }
        return Ben.sum;
    }
    //[/sum]

    //[agreed]
    def agreed_sum(Ann.int n) -> Ben.int {
        Ben.int sum = 0;
        Ann.n ~> {Ann, Ben}.left;               // from now on both hold it, and agree
        while ({Ann, Ben}.(left > 0)) {         // each decides for itself: no message
            Ann.next_number() ~> Ben.value;
            Ben.sum += value;
            {Ann, Ben}.left = left - 1;         // each computes it for itself
        }
        return Ben.sum;
    }
    //[/agreed]
)

#include "counter.Ann.chor.h"
#include "counter.Ben.chor.h"

static const enum command commands[] = {ADD, ADD, SHOW, SUBTRACT, STOP};
static int command_count, number_count;

enum command Ann_next_command(void)
{
    return commands[command_count++];
}

int Ann_next_number(void)
{
    return 10 * ++number_count;
}

void Ben_show(int total)
{
    printf("so far %d\n", total);
}

int main(void)
{
    struct counter_commands_result commands_result;
    struct counter_sum_result sum_result;
    struct counter_agreed_sum_result agreed_result;
    if (counter_commands(&commands_result, NULL) != CHX_OK || counter_sum(&sum_result, NULL, 10) != CHX_OK ||
        counter_agreed_sum(&agreed_result, NULL, 2) != CHX_OK)
        return 1;
    printf("commands %d, sum %d, agreed sum %d\n", commands_result.Ben, sum_result.Ben, agreed_result.Ben);
    return 0;
}

// What Ann has read so far would begin anew in each process.
//! no-process
