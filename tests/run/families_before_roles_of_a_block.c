// A block of roles that stand behind a family has the same participants for all of them.
// expect: 1 0
#include <chorex.h>
#include <stdio.h>

choreography(bank, (Teller, Branch[], Guard),
    bool Guard.alive(bool is_there);

    def watch(Guard.bool is_there) -> Teller.bool {
        Teller.bool answer = false;
        checkpoint {
            Guard.alive(is_there) ~> Teller.answer;
        } rescue {
            Teller.answer = false;
        }
        return Teller.answer;
    }
)

#include "bank.Branch.chor.h"
#include "bank.Guard.chor.h"
#include "bank.Teller.chor.h"

bool Guard_alive(bool is_there)
{
    if (!is_there)
        chx_fail("not there");
    return true;
}

int main(void)
{
    struct bank_cast cast = {.Branch = {.count = 3}};
    struct bank_watch_result first, second;
    if (bank_watch(&first, &cast, true) != CHX_OK || bank_watch(&second, &cast, false) != CHX_OK)
        return 1;
    printf("%d %d\n", first.Teller, second.Teller);
    return 0;
}
