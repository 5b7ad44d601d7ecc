// A struct of sendable fields is sendable, strings in it included; taking it apart and changing a field copies.
// expect: Ann Lee, 30; Bea Lee, 31
#include <chorex.h>
#include <stdio.h>

struct person { const char *first; chx_str last; int age; };

choreography(people, (Alice, Bob),
    struct person Alice.make(const char *first, int age);
    def run() -> Bob.{struct person, struct person} {
        Alice.make("Ann", 30) ~> Bob.ann;
        Bob.struct person bea = ann;
        Bob.bea.first = "Bea";
        Bob.bea.age += 1;
        Bob.bea ~> Alice.back;
        Alice.back ~> Bob.again;
        return Bob.{ann, again};
    }
)

#include "people.Alice.chor.h"
#include "people.Bob.chor.h"

struct person Alice_make(const char *first, int age) { return (struct person){first, chx_strf("%s", "Lee"), age}; }

int main(void)
{
    struct people_run_result r;
    if (people_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s %s, %d; %s %s, %d\n", r.Bob.v0.first, chx_cstr(r.Bob.v0.last), r.Bob.v0.age, r.Bob.v1.first,
           chx_cstr(r.Bob.v1.last), r.Bob.v1.age);
    people_run_result_drop(&r);
    return 0;
}
