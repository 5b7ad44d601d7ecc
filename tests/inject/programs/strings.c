// Strings, bytes, structs with strings and bit-fields, arrays of strings: as arguments, messages, variables and results.
#include "inject.h"

typedef struct {
    const char *first;
    chx_str last;
    unsigned small : 5;
    int age;
} Person;
typedef struct {
    const char *names[3];
} Names;

choreography(strings, (Alice, Bob),
    chx_str Bob.greet(const char *name, int n);
    def greetings(Bob.const char *name, Bob.int n) -> Alice.chx_str {
        Bob.greet(name, n) ~> Alice.text;
        return Alice.text;
    }
    def run(Alice.const char *name, Bob.chx_str other) -> Alice.chx_str, Bob.{Person, const char *} {
        Alice.name ~> Bob.name;
        Alice.chx_str all = {0};
        Bob.int n = 0;
        Alice.int i = 0;
        while (Alice.(i < 3)) {
            Alice.chx_str more = greetings(Bob.name, Bob.n);
            Alice.all = chx_strf("%s%s;", chx_cstr(all), chx_cstr(more));
            Bob.n++;
            Alice.i++;
        }
        Bob.other ~> Alice.last;
        Alice.((Person){name, last, 7, 30}) ~> Bob.person;
        Bob.Person second = person;
        Bob.second.first = "Bea";
        Alice.((Names){{"a", NULL, "c"}}) ~> Bob.names;
        Bob.(chx_bytes_new("\0\1\2", 3)) ~> Alice.bytes;
        Alice.(chx_bytes_len(bytes)) ~> Bob.length;
        Bob.(must(length == 3 && names.names[1] == NULL && strcmp(names.names[2], "c") == 0));
        Bob.(must(strcmp(person.first, "Ann") == 0 && person.small == 7));
        return Alice.all, Bob.{second, names.names[0]};
    }
)

#include "strings.Alice.chor.h"
#include "strings.Bob.chor.h"

chx_str Bob_greet(const char *name, int n)
{
    chx_str unused = chx_strf("%d and much more", n);
    return chx_strf("%s %d %zu", name, n, chx_str_len(unused));
}

static chx_status session(void)
{
    struct strings_cast cast;
    struct strings_run_result r;
    inject_cast(&cast, sizeof cast);
    // It belongs to the caller, and there may be no memory for it: then there is nothing to start with.
    chx_str other = chx_strf("Lee of %d", 7);
    inject_has_nothing = other.text == NULL;
    if (inject_has_nothing)
        return CHX_NO_MEMORY;
    chx_status status = strings_run(&r, &cast, "Ann", other);
    chx_str_drop(other);
    if (status != CHX_OK)
        return status;
    must(strcmp(chx_cstr(r.Alice), "Ann 0 15;Ann 1 15;Ann 2 15;") == 0);
    must(strcmp(r.Bob.v0.first, "Bea") == 0 && r.Bob.v0.small == 7 && r.Bob.v0.age == 30);
    must(strcmp(chx_cstr(r.Bob.v0.last), "Lee of 7") == 0 && strcmp(r.Bob.v1, "a") == 0);
    strings_run_result_drop(&r);
    return CHX_OK;
}

int main(void)
{
    return inject_main(session);
}
