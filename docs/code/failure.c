#include <chorex.h>
#include <stdio.h>

choreography(failing, (Alice, Bob),
    int Alice.dangerous(void);
    int Alice.safe(void);

    def run() -> Bob.int {
        Bob.int x = 0;
        //[checkpoint]
        checkpoint {
            Alice.dangerous() ~> Bob.x;
            Bob.success(x);
        } rescue {
            Alice.safe() ~> Bob.x;
            Bob.fallback(x);
        }
        //[/checkpoint]
        //[options]
        checkpoint retry 3 within 5s {
            Alice.dangerous() ~> Bob.x;
        } rescue (fault) {
            if ({Alice, Bob}.(fault.kind == CHX_FAULT_DEADLINE)) {
                Bob.x = -1;
            } else {
                Alice.safe() ~> Bob.x;
                Bob.report(fault.role, fault.why, fault.line);
            }
        }
        //[/options]
        return Bob.x;
    }

    bool Bob.more(void);
    def serve() -> Bob.int {
        Bob.int served = 0;
        //[rounds]
        checkpoint while (Bob.more()) {
            Alice.dangerous() ~> Bob.x;
            Bob.success(x);
            Bob.served++;
        } rescue {
            Alice.safe() ~> Bob.x;
            Bob.fallback(x);
        }
        //[/rounds]
        return Bob.served;
    }
)

#include "failing.Alice.chor.h"
#include "failing.Bob.chor.h"

int Alice_dangerous(void)
{
    chx_fail("this never works");
}

int Alice_safe(void)
{
    return 5;
}

void Bob_success(int x)
{
    printf("success %d\n", x);
}

void Bob_fallback(int x)
{
    printf("fallback %d\n", x);
}

void Bob_report(const char *role, const char *why, int line)
{
    printf("%s: %s%s\n", role, why, line > 0 ? "" : "?");
}

bool Bob_more(void)
{
    static int rounds;
    return rounds++ < 2;
}

int main(void)
{
    struct failing_run_result result;
    if (failing_run(&result, NULL) != CHX_OK)
        return 1;
    printf("%d\n", result.Bob);
    struct failing_serve_result served;
    if (failing_serve(&served, NULL) != CHX_OK)
        return 1;
    printf("%d served\n", served.Bob);
    return 0;
}
