// A card game with any number of players: everybody sees the first cards, and decides alone about a second one.
// expect: Player[0]: 11, and 9 on the table: 20 wins
// expect: Player[1]: 10, and 9 on the table: 19 loses
// expect: Player[2]: 6, and 9 on the table: 15 loses
// expect: Player[3]: 11, and 9 on the table: 20 wins
// expect: Player[4]: 9, and 9 on the table: 18 loses
// expect: Player[5]: 9, and 9 on the table: 18 loses
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(cards, (Dealer, Player[]),
    int Dealer.draw(void);
    bool Player.wants_another(int own, const int *others, size_t count);

    def play(void) -> Player[*].{int, int, bool} {
        // The first cards lie open.
        Player[*].int first[Player];
        for (p : Player) {
            Dealer.draw() ~> Player[*].first[p];
        }
        Player[*].int hand = first[chx_role_index()];
        // Whether somebody takes another card is told to the dealer only, and nobody else sees the card.
        for (p : Player) {
            if (p.wants_another(hand, first, Player_count)) {
                Dealer.draw() ~> p.second;
                p.hand += second;
            }
        }
        Dealer.draw() ~> Player[*].table;
        return Player[*].{hand, table, (hand + table) % 21 > 19};
    }
)

#include "cards.Dealer.chor.h"
#include "cards.Player.chor.h"

static int Dealer_draw(void)
{
    static const int deck[] = {4, 10, 3, 11, 2, 9, 7, 3, 7, 9, 9, 9, 9};
    static size_t next;
    return deck[next++ % (sizeof deck / sizeof *deck)];
}

// Takes another card if most others have more.
static bool Player_wants_another(int own, const int *others, size_t count)
{
    size_t better = 0;
    for (size_t i = 0; i < count; i++)
        better += others[i] > own;
    return better * 2 > count - 1;
}

int main(int argc, char **argv)
{
    struct cards_cast cast = {.Player = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 6}};
    struct cards_play_result result;
    if (cards_play(&result, &cast) != CHX_OK)
        return 1;
    for (size_t i = 0; i < result.Player.count; i++) {
        int hand = result.Player.item[i].v0, table = result.Player.item[i].v1;
        printf("Player[%zu]: %d, and %d on the table: %d %s\n", i, hand, table, (hand + table) % 21,
               result.Player.item[i].v2 ? "wins" : "loses");
    }
    cards_play_result_drop(&result);
    return 0;
}
