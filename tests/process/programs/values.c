// Strings, bytes, arrays and structs, small and larger than a channel: they arrive whole, and the rescue finds them as
// they were at the entry.
#include "kill.h"

typedef struct {
    int round;
    unsigned small : 5;
    signed int other : 9;
    chx_str text;
    double numbers[3];
} Parcel;

// A text of this size that nothing else looks like.
static chx_str text_new(int n, int size)
{
    char *text = (char *)chx_alloc((size_t)size + 1);
    for (int i = 0; i < size; i++)
        text[i] = (char)('a' + (n + i) % 26);
    return chx_str_new(text, (size_t)size);
}

static int text_is(chx_str text, int n, int size)
{
    if (chx_str_len(text) != (size_t)size)
        return 0;
    for (int i = 0; i < size; i++)
        if (chx_cstr(text)[i] != (char)('a' + (n + i) % 26))
            return 0;
    return 1;
}

static Parcel parcel_new(int n, int size)
{
    return (Parcel){.round = n, .small = n % 32, .other = n % 200 - 100, .text = text_new(n, size), .numbers = {n, 0.5, -n}};
}

static int parcel_is(Parcel parcel, int n, int size)
{
    return parcel.round == n && parcel.small == (unsigned)n % 32 && parcel.other == n % 200 - 100 &&
           parcel.numbers[0] == n && parcel.numbers[2] == -n && text_is(parcel.text, n, size);
}

static int size_of(int n)
{
    return n % 7 == 0 ? 300000 : n % 5 == 0 ? 70000 : n * 13 % 500;
}

choreography(values, (A, B),
    def run(A.int rounds) -> A.unsigned, B.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        A.rounds ~> {A, B}.n;
        A.chx_str kept = text_new(0, 10);
        B.Parcel parcel = parcel_new(0, 10);
        B.const char *name = "none";
        while ({A, B}.(n > 0)) {
            checkpoint retry 1000000 {
                A.kept = text_new(n, 2000);
                B.parcel = parcel_new(n, 3000);
                B.name = n % 2 == 0 ? "even" : "odd";
                checkpoint {
                    A.(fresh()) ~> {A, B}.t;
                    A.kept = text_new(t, 5);
                    B.name = "lost";
                    A.{risky(t), parcel_new(t, size_of(n))} ~> B.{int x, Parcel got};
                    B.(expect(x, t));
                    B.(expect(parcel_is(got, t, size_of(n)), 1));
                    B.parcel = got;
                    B.{risky(t), text_new(t, size_of(n + 1))} ~> A.{int y, chx_str back};
                    A.(expect(y, t));
                    A.(expect(text_is(back, t, size_of(n + 1)), 1));
                    A.(text_new(risky(t), size_of(n + 2))) ~> B.more;
                    A.(text_new(risky(t), 9)) ~> B.last;
                    B.(expect(text_is(more, t, size_of(n + 2)), 1));
                    B.(expect(text_is(last, t, 9), 1));
                    A.a = a * 31 + 1;
                    B.b = b * 31 + 1;
                } rescue {
                    A.(restored(text_is(kept, n, 2000), 1));
                    B.(restored(parcel_is(parcel, n, 3000), 1));
                    B.(restored(strcmp(name, n % 2 == 0 ? "even" : "odd"), 0));
                    B.parcel ~> A.p;
                    A.(expect(parcel_is(p, n, 3000), 1));
                    A.{risky(n), kept} ~> B.{int z, chx_str theirs};
                    B.(expect(z, n));
                    B.(expect(text_is(theirs, n, 2000), 1));
                    A.a = a * 31 + 2;
                    B.b = b * 31 + 2;
                }
            }
            {A, B}.n = n - 1;
        }
        return A.a, B.b;
    }
)

#include "values.A.chor.h"
#include "values.B.chor.h"

static chx_status session(unsigned isolated)
{
    struct values_cast cast;
    struct values_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = values_run(&r, &cast, 60);
    if (status == CHX_OK)
        kill_agree("history", r.A, r.B);
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 150);
}
