// Alice and Bob make sandwiches. What the bread and the filling are is left open: both are choreographic functions,
// which a recipe gets as parameters and passes on to the next recipe.

#include <chorex.h>
#include <stdio.h>

choreography(sandwich, (Alice, Bob),
    chx_str Alice.put(chx_str plate, const char *layer);
    chx_str Bob.toasted(const char *slice);
    chx_str Bob.washed(const char *vegetable);

    // The menu: a recipe and what goes into it.

    def plain() -> Alice.chx_str {
        return closed(white, cheese, Alice.empty_plate());
    }
    def healthy() -> Alice.chx_str {
        return open(toast, salad, Alice.empty_plate());
    }
    def hungry() -> Alice.chx_str {
        return double_decker(toast, much_cheese, salad, Alice.empty_plate());
    }

    // Recipes. They know nothing about bread and fillings, not even which roles they take.

    def open(bread(Alice.chx_str) -> Alice.chx_str,
             filling(Alice.chx_str) -> Alice.chx_str, Alice.chx_str plate) -> Alice.chx_str {
        Alice.chx_str base = bread(Alice.plate);
        return filling(Alice.base);
    }
    def closed(bread(Alice.chx_str) -> Alice.chx_str,
               filling(Alice.chx_str) -> Alice.chx_str, Alice.chx_str plate) -> Alice.chx_str {
        Alice.chx_str half = open(bread, filling, Alice.plate);
        return bread(Alice.half);
    }
    def double_decker(bread(Alice.chx_str) -> Alice.chx_str,
                      lower(Alice.chx_str) -> Alice.chx_str,
                      upper(Alice.chx_str) -> Alice.chx_str, Alice.chx_str plate) -> Alice.chx_str {
        Alice.chx_str half = open(bread, lower, Alice.plate);
        return closed(bread, upper, Alice.half);
    }
    def twice(layer(Alice.chx_str) -> Alice.chx_str, Alice.chx_str plate) -> Alice.chx_str {
        Alice.chx_str one = layer(Alice.plate);
        return layer(Alice.one);
    }

    // Bread and fillings. Each takes what is on Alice's plate and returns it with one thing more on top.

    def white(Alice.chx_str plate) -> Alice.chx_str {
        return Alice.put(plate, "white bread");
    }
    def toast(Alice.chx_str plate) -> Alice.chx_str {
        Alice.("white bread") ~> Bob.slice;
        Bob.toasted(slice) ~> Alice.hot;
        return Alice.put(plate, chx_cstr(hot));
    }
    def cheese(Alice.chx_str plate) -> Alice.chx_str {
        Bob.("cheese") ~> Alice.slice;
        return Alice.put(plate, slice);
    }
    def much_cheese(Alice.chx_str plate) -> Alice.chx_str {
        return twice(cheese, Alice.plate);
    }
    def salad(Alice.chx_str plate) -> Alice.chx_str {
        Alice.("tomato") ~> Bob.vegetable;
        Bob.washed(vegetable) ~> Alice.clean;
        return Alice.put(plate, chx_cstr(clean));
    }
)

#include "sandwich.Alice.chor.h"
#include "sandwich.Bob.chor.h"

chx_str Alice_empty_plate(void)
{
    return (chx_str){0};
}

chx_str Alice_put(chx_str plate, const char *layer)
{
    return chx_str_len(plate) == 0 ? chx_strf("%s", layer) : chx_strf("%s, %s", chx_cstr(plate), layer);
}

chx_str Bob_toasted(const char *slice)
{
    return chx_strf("toasted %s", slice);
}

chx_str Bob_washed(const char *vegetable)
{
    return chx_strf("washed %s", vegetable);
}

int main(void)
{
    struct sandwich_plain_result plain = {0};
    struct sandwich_healthy_result healthy = {0};
    struct sandwich_hungry_result hungry = {0};
    if (sandwich_plain(&plain, NULL) != CHX_OK || sandwich_healthy(&healthy, NULL) != CHX_OK ||
        sandwich_hungry(&hungry, NULL) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "no sandwich: %s failed in line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    printf("plain: %s\n", chx_cstr(plain.Alice));
    printf("healthy: %s\n", chx_cstr(healthy.Alice));
    printf("hungry: %s\n", chx_cstr(hungry.Alice));
    sandwich_plain_result_drop(&plain);
    sandwich_healthy_result_drop(&healthy);
    sandwich_hungry_result_drop(&hungry);
    return 0;
}

// expect: plain: white bread, cheese, white bread
// expect: healthy: toasted white bread, washed tomato
// expect: hungry: toasted white bread, cheese, cheese, toasted white bread, washed tomato, toasted white bread
