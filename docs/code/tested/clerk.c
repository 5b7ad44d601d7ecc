// From docs/testing.md: the clerk.

#include "kiosk.h"

//[role]
#include "kiosk.Clerk.chor.h"

int Clerk_price(int count)
{
    const int *each = chx_context();
    if (count <= 0)
        chx_fail("%d can't be bought", count);
    return count * *each;
}
//[/role]
