// Functions of another choreography: by two pairs of roles, with checkpoints, calls among themselves and role parameters.
// expect: 84 168
// expect: 20
#include <chorex.h>
#include <stdio.h>

choreography(ot, (Sender, Receiver),
    int Sender.pick(int which, int a, int b);

    def transfer(Sender.int a, Sender.int b, Receiver.int which) -> Receiver.int {
        Receiver.which ~> Sender.which;
        Receiver.int got = 0;
        checkpoint {
            Sender.pick(which, a, b) ~> Receiver.got;
        } rescue {
            Receiver.got = -1;
        }
        return twice(Receiver.got);
    }
    def twice(Receiver.int x) -> Receiver.int {
        return relay[Receiver, Sender](Receiver.(x * 2));
    }
    def relay[A, B](A.int x) -> A.int {
        A.x ~> B.x;
        B.x ~> A.y;
        A.note(y);
        return A.y;
    }
)

choreography(game, (Alice, Bob, Carol),
    use ot;
    int Alice.pick(int which, int a, int b);
    def run(Alice.int x) -> Bob.int, Alice.int {
        Bob.int got = ot.transfer[Alice, Bob](Alice.x, Alice.(x + 1), Bob.(1));
        Alice.int back = ot.transfer[Bob, Alice](Bob.got, Bob.(got + 100), Alice.(0));
        Alice.pick(1, 2, 3);
        return Bob.got, Alice.back;
    }
    def nest(Alice.int x) -> Alice.int {
        return plus(minus(plus(Alice.x)));
    }
    def plus(Alice.int x) -> Alice.int { Alice.x ~> Bob.x; Bob.(x + 10) ~> Alice.x; return Alice.x; }
    def minus(Alice.int x) -> Alice.int { return Alice.(x - 1); }
)

#include "game.Alice.chor.h"
#include "game.Bob.chor.h"
#include "game.Carol.chor.h"

// For itself, and for 'ot': there is no Alice_ot_pick.
int Alice_pick(int which, int a, int b) { return which ? b : a; }
void Alice_ot_note(int x) { (void)x; }
int Bob_ot_pick(int which, int a, int b) { return which ? b : a; }
void Bob_note(int x) { (void)x; }

int main(void)
{
    struct game_run_result r;
    if (game_run(&r, NULL, 41) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Bob, r.Alice);
    struct game_nest_result n;
    if (game_nest(&n, NULL, 1) != CHX_OK)
        return 1;
    printf("%d\n", n.Alice);
    return 0;
}
