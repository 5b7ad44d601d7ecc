// From docs/testing.md: a test of the clerk's functions, in a file of its own.

#include "kiosk.h"

#include <assert.h>
#include <chorex/test.h>
#include <stdio.h>
#include <string.h>

//[test]
#define CHX_PROTOTYPES
#include "kiosk.Clerk.chor.h"

struct question {
    int count, price;
};

static void ask(void *argument)
{
    struct question *question = argument;
    question->price = Clerk_price(question->count);
}

int main(void)
{
    int each = 7;
    struct question three = {3, 0}, none = {0, 0};
    assert(chx_test_call(&each, ask, &three) == CHX_OK && three.price == 21);
    assert(chx_test_call(&each, ask, &none) == CHX_FAILED);
    assert(strcmp(chx_last_report()->why, "0 can't be bought") == 0);
    puts("the clerk knows the price");
    return 0;
}
//[/test]
