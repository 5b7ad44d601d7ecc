// Functions of another choreography.
// expect: Bob has 20, Alice 30
#include <chorex.h>
#include <stdio.h>

//[library]
choreography(choose, (Sender, Receiver),
    int Sender.pick(int which, int a, int b);

    def transfer(Sender.int a, Sender.int b, Receiver.int which) -> Receiver.int {
        Receiver.which ~> Sender.which;
        Sender.pick(which, a, b) ~> Receiver.got;
        return Receiver.got;
    }
)
//[/library]

//[user]
choreography(game, (Alice, Bob),
    use choose;

    def run() -> Alice.int, Bob.int {
        Bob.int b = choose.transfer[Alice, Bob](Alice.(10), Alice.(20), Bob.(1));
        Alice.int a = choose.transfer[Bob, Alice](Bob.(30), Bob.(40), Alice.(0));
        return Alice.a, Bob.b;
    }
)

#include "game.Alice.chor.h"
#include "game.Bob.chor.h"

int Alice_choose_pick(int which, int a, int b)      // Alice, as the Sender of 'choose'
{
    return which == 0 ? a : b;
}

int Bob_pick(int which, int a, int b)               // there is no Bob_choose_pick: this one will do
{
    return which == 0 ? a : b;
}
//[/user]

int main(void)
{
    struct game_run_result result;
    if (game_run(&result, NULL) != CHX_OK)
        return 1;
    printf("Bob has %d, Alice %d\n", result.Bob, result.Alice);
    return 0;
}
