// Tic-tac-toe. Moves are the only messages: both players hold the same game, so each of them sees for itself whose turn
// it is, which moves are allowed and who has won.

#include <chorex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SQUARES 9
#define RESIGN 0 // not a square

typedef struct {
    unsigned stones[2]; // X's squares and O's, one bit for each: square 1 is the lowest
    int moves[SQUARES]; // squares 1 to 9, in the order played
    int count;
} game;

// Macros, not functions: what two roles agree on must be computed without calls.
#define BIT(square) (1u << (square) >> 1)
#define MINE(g) ((g).stones[(g).count % 2]) // of the player whose turn it is
#define THEIRS(g) ((g).stones[1 - (g).count % 2])
#define TAKEN(g) ((g).stones[0] | (g).stones[1])
#define LEGAL(g, square) ((square) >= 1 && (square) <= SQUARES && (TAKEN(g) & BIT(square)) == 0)
#define LINE(stones, line) (((stones) & (line)) == (line))
#define WON(stones)                                                                                                    \
    (LINE(stones, 0007u) || LINE(stones, 0070u) || LINE(stones, 0700u) || LINE(stones, 0111u) ||                       \
     LINE(stones, 0222u) || LINE(stones, 0444u) || LINE(stones, 0421u) || LINE(stones, 0124u))

choreography(tictactoe, (PlayerX, PlayerO),

    int PlayerX.choose(const char *how, game g);
    int PlayerO.choose(const char *how, game g);

    // `how` says who chooses a role's moves: see main. The results are the game and the square last named.
    def run(PlayerX.const char *how, PlayerO.const char *how) -> {PlayerX, PlayerO}.{game, int} {
        {PlayerX, PlayerO}.game g = {0};
        return turn[PlayerX, PlayerO]({PlayerX, PlayerO}.g, PlayerX.how, PlayerO.how);
    }

    // One move of Mover; then the roles are exchanged. Every `if` is decided by both, alike, and costs no message.
    def turn[Mover, Other]({Mover, Other}.game g, Mover.const char *how, Other.const char *how)
        -> {Mover, Other}.{game, int} {
        Mover.choose(how, g) ~> {Mover, Other}.square;
        if ({Mover, Other}.(!LEGAL(g, square))) {
            return {Mover, Other}.{g, square};      // Mover has resigned, or does not keep to the rules
        }
        {Mover, Other}.g.stones[g.count % 2] |= BIT(square);
        {Mover, Other}.g.moves[g.count] = square;
        {Mover, Other}.g.count++;
        if ({Mover, Other}.(WON(THEIRS(g)) || g.count == SQUARES)) {
            return {Mover, Other}.{g, square};
        }
        return turn[Other, Mover]({Other, Mover}.g, Other.how, Mover.how);
    }
)

#include "tictactoe.PlayerX.chor.h"
#include "tictactoe.PlayerO.chor.h"

static void show(game g)
{
    for (int square = 1; square <= SQUARES; square++) {
        char sign = g.stones[0] & BIT(square) ? 'X' : g.stones[1] & BIT(square) ? 'O' : (char)('0' + square);
        printf(" %c%s", sign, square == SQUARES ? "\n" : square % 3 == 0 ? "\n---+---+---\n" : " |");
    }
}

static game after(game g, int square)
{
    g.stones[g.count % 2] |= BIT(square);
    g.moves[g.count++] = square;
    return g;
}

// ---- minimax ----

// What the game is worth to the player whose turn it is if both play well: above 0 won, and the sooner the more.
// Results outside of low..high need not be exact.
static int worth(game g, int low, int high)
{
    if (WON(THEIRS(g)))
        return g.count - SQUARES - 1;
    if (g.count == SQUARES)
        return 0;
    for (int square = 1; square <= SQUARES && low < high; square++) {
        if (!LEGAL(g, square))
            continue;
        int value = -worth(after(g, square), -high, -low);
        if (value > low)
            low = value;
    }
    return low;
}

static int choose_best(game g)
{
    int best = RESIGN;
    int best_value = -2 * SQUARES;
    for (int square = 1; square <= SQUARES; square++) {
        if (!LEGAL(g, square))
            continue;
        int value = -worth(after(g, square), -2 * SQUARES, -best_value);
        if (value > best_value) {
            best = square;
            best_value = value;
        }
    }
    return best;
}

// ---- a person ----

// Reads a line, cut to `size`. Byte by byte, so that nothing is taken from whoever reads next. False at the end.
static bool read_line(char *line, size_t size)
{
    size_t length = 0;
    char c;
    while (read(STDIN_FILENO, &c, 1) == 1) {
        if (c == '\n') {
            line[length] = '\0';
            return true;
        }
        if (length + 1 < size)
            line[length++] = c;
    }
    line[length] = '\0';
    return length > 0;
}

static int ask(game g)
{
    char line[16];
    show(g);
    for (;;) {
        printf("%s, your square (1 to 9, q to resign): ", chx_role_name());
        fflush(stdout);
        if (!read_line(line, sizeof line) || strcmp(line, "q") == 0) {
            printf("\n");
            fflush(stdout);
            return RESIGN;
        }
        int square = line[0] - '0';
        if (strlen(line) == 1 && LEGAL(g, square)) {
            printf("\n");
            fflush(stdout);
            return square;
        }
        printf("'%s' is not a free square.\n", line);
    }
}

// ---- both roles ----

static int choose(const char *how, game g)
{
    if (strcmp(how, "minimax") == 0)
        return choose_best(g);
    if (strcmp(how, "person") == 0)
        return ask(g);
    size_t turn = (size_t)g.count / 2; // of a script: a digit for each move
    return turn < strlen(how) ? how[turn] - '0' : RESIGN;
}

int PlayerX_choose(const char *how, game g)
{
    return choose(how, g);
}

int PlayerO_choose(const char *how, game g)
{
    return choose(how, g);
}

static bool is_player(const char *how)
{
    return strcmp(how, "minimax") == 0 || strcmp(how, "person") == 0 || strspn(how, "123456789") == strlen(how);
}

int main(int count, char **arguments)
{
    const char *x = count > 1 ? arguments[1] : "minimax";
    const char *o = count > 2 ? arguments[2] : "minimax";
    if (count > 3 || !is_player(x) || !is_player(o)) {
        fprintf(stderr, "usage: %s [X [O]]\nX and O are 'minimax', 'person' or squares, such as 159\n", arguments[0]);
        return 2;
    }
    struct tictactoe_run_result result;
    if (tictactoe_run(&result, NULL, x, o) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "tictactoe: %s failed at line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    game g = result.PlayerX.v0; // PlayerO has the same one
    int square = result.PlayerX.v1;
    char mover = g.count % 2 == 0 ? 'X' : 'O', other = g.count % 2 == 0 ? 'O' : 'X';

    printf("moves:");
    for (int i = 0; i < g.count; i++)
        printf(" %d", g.moves[i]);
    printf("\n");
    show(g);
    if (WON(THEIRS(g)))
        printf("%c wins\n", other);
    else if (g.count == SQUARES)
        printf("a draw\n");
    else if (square == RESIGN)
        printf("%c resigns, %c wins\n", mover, other);
    else
        printf("%c names square %d, which is taken: %c wins\n", mover, square, other);
    return 0;
}
