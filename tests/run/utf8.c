// UTF-8 in comments, strings and names – like here: «größer».
// expect: Grüße, 7 €
#include <chorex.h>
#include <stdio.h>

choreography(utf8, (Zoë, Bob),
    // «ein Kommentar» mit ~> und ( darin
    def run(Zoë.int größe) -> Bob.{const char *, int} {
        Zoë.("Grüße") ~> Bob.gruß; /* ✓ */ Zoë.größe ~> Bob.n;
        return Bob.{gruß, n};
    }
)

#include "utf8.Zoë.chor.h"
#include "utf8.Bob.chor.h"

int main(void)
{
    struct utf8_run_result r;
    if (utf8_run(&r, NULL, 7) != CHX_OK)
        return 1;
    printf("%s, %d €\n", r.Bob.v0, r.Bob.v1);
    utf8_run_result_drop(&r);
    return 0;
}
