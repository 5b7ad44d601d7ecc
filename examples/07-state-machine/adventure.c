// A small text adventure. The Gateway lets a Player in and decides how the Player is asked for moves; the Worker keeps
// the game. The Worker has a bug: a move that is not possible makes it crash, with a real segmentation fault. Every move
// is a round of a checkpointed loop, so a new Worker apologises, and the game is where it was before that move.
//
//     adventure [NAME [MOVES]]     MOVES: words, for example "open take"; - reads them from standard input. Without them
//                                  you play at the terminal; where there is none, the program plays by itself.
//! no-sanitizer
#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum place { ATRIUM, MAILBOX_OPEN, HAS_LEAFLET, LEAFLET_READ, WON, LEFT };

struct game {
    enum place place;
    int moves, crashes;
};

choreography(adventure, (Gateway, Worker, Player),
    bool    Gateway.knows(const char *name);
    chx_str Worker.describe(struct game game);
    chx_str Worker.list_moves(struct game game);
    chx_str Worker.play(struct game *game, chx_str move);
    chx_str Worker.apologise(const char *role, const char *why);
    chx_str Worker.farewell(struct game game, const char *name);
    void    Player.init(void);
    chx_str Player.move(const char *script, int turn);
    bool    Player.forgive(chx_str apology, int patience);
    void    Player.read_out(chx_str text);

    def run(Player.const char *name, Player.const char *script) {
        Player.name ~> Gateway.const char *name;
        Gateway.name ~> Worker.const char *name;
        if (Gateway.knows(name)) {
            play(ask, Worker.name, Player.script);
        } else {
            play(ask_with_hints, Worker.name, Player.script);
        }
    }

    def ask(Worker.struct game game, Player.const char *script, Player.int turn) -> Worker.chx_str {
        Worker.describe(game) ~> Player.chx_str prompt;
        Player.read_out(prompt);
        Player.move(script, turn) ~> Worker.chx_str move;
        return Worker.move;
    }

    def ask_with_hints(Worker.struct game game, Player.const char *script, Player.int turn) -> Worker.chx_str {
        Worker.list_moves(game) ~> Player.chx_str hints;
        Player.read_out(hints);
        return ask(Worker.game, Player.script, Player.turn);
    }

    def play(ask_for_move(Worker.struct game, Player.const char *, Player.int) -> Worker.chx_str,
             Worker.const char *name, Player.const char *script) {
        Worker.struct game game = {ATRIUM, 0, 0};
        Player.int turn = 0;
        Player.int patience = 3;
        checkpoint while (Worker.(game.place < WON)) {
            Worker.chx_str move = ask_for_move(Worker.game, Player.script, Player.turn);
            Worker.play(&game, move) ~> Player.chx_str news;    // may crash, when it has counted the move
            Player.read_out(news);
            Player.turn++;
        } rescue (fault) {
            Worker.apologise(fault.role, fault.why) ~> Player.chx_str apology;
            Player.patience--;
            Player.forgive(apology, patience) ~> Worker.bool forgiven;
            Worker.game.crashes++;
            Worker.game.place = forgiven ? game.place : LEFT;
            Player.turn++;
        }
        Worker.farewell(game, name) ~> Player.chx_str farewell;
        Player.read_out(farewell);
    }
)

#include "adventure.Gateway.chor.h"
#include "adventure.Player.chor.h"
#include "adventure.Worker.chor.h"

static const char *const scenes[] = {
    [ATRIUM] = "You stand in an atrium. There is a mailbox.",
    [MAILBOX_OPEN] = "The mailbox is open. There is a leaflet in it.",
    [HAS_LEAFLET] = "You hold a leaflet.",
    [LEAFLET_READ] = "Now you know what the leaflet says. A door has opened.",
};

static const struct way {
    enum place from;
    const char *move; // NULL: whatever the Player says
    enum place to;
    const char *news;
} ways[] = {
    {ATRIUM, "open", MAILBOX_OPEN, "It opens."},
    {MAILBOX_OPEN, "close", ATRIUM, "It closes."},
    {MAILBOX_OPEN, "take", HAS_LEAFLET, "You take the leaflet."},
    {HAS_LEAFLET, "read", LEAFLET_READ, "\"All roles lead to the end.\""},
    {LEAFLET_READ, NULL, WON, "You leave through the door."},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const struct way *find_way(enum place from, const char *move)
{
    static const struct way quit = {ATRIUM, "quit", LEFT, "You go home."};
    if (strcmp(move, quit.move) == 0)
        return &quit;
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].from == from && (ways[i].move == NULL || strcmp(ways[i].move, move) == 0))
            return &ways[i];
    }
    return NULL;
}

// ---- the Gateway ----

static bool Gateway_knows(const char *name)
{
    static const char *const regulars[] = {"Kim", "Pat"};
    return strcmp(name, regulars[0]) == 0 || strcmp(name, regulars[1]) == 0;
}

// ---- the Worker ----

static chx_str Worker_describe(struct game game)
{
    return chx_strf("%s", scenes[game.place]);
}

static chx_str Worker_list_moves(struct game game)
{
    chx_str list = chx_strf("You can: quit");
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].from == game.place)
            list = chx_strf("%s, %s", chx_cstr(list), ways[i].move != NULL ? ways[i].move : "do what you like");
    }
    return list;
}

// The bug: nobody asks whether there is such a way. (volatile: no compiler may reason the crash away.)
static chx_str Worker_play(struct game *game, chx_str move)
{
    game->moves++;
    const struct way *volatile way = find_way(game->place, chx_cstr(move));
    game->place = way->to;
    return chx_strf("%s", way->news);
}

static chx_str Worker_apologise(const char *role, const char *why)
{
    return chx_strf("Sorry! %s did not survive that: %s. Everything is as it was before.", role, why);
}

static chx_str Worker_farewell(struct game game, const char *name)
{
    return chx_strf("%s %s. Moves: %d, crashes: %d.", game.place == WON ? "Thank you for playing" : "Come again", name,
                    game.moves, game.crashes);
}

// ---- the Player ----

static void Player_init(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0); // what was read ahead would be lost with this Player
}

// The word of the script with this number; without a script the next word of standard input.
static bool next_word(const char *script, int number, char word[32])
{
    if (script == NULL)
        return scanf("%31s", word) == 1;
    for (int used = 0; sscanf(script, "%31s%n", word, &used) == 1; script += used) {
        if (number-- == 0)
            return true;
    }
    return false;
}

static chx_str Player_move(const char *script, int turn)
{
    char word[32];
    fputs("> ", stdout);
    fflush(stdout);
    if (!next_word(script, turn, word)) {
        puts("(no more moves)");
        return chx_strf("quit");
    }
    if (script != NULL || !isatty(STDIN_FILENO))
        puts(word);
    return chx_strf("%s", word);
}

static bool Player_forgive(chx_str apology, int patience)
{
    puts(chx_cstr(apology));
    puts(patience > 0 ? "You say: good." : "You say: once too often.");
    return patience > 0;
}

static void Player_read_out(chx_str text)
{
    puts(chx_cstr(text));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "Pat";
    const char *moves = argc > 2 ? argv[2] : isatty(STDIN_FILENO) ? "-" : "open read take read leave";
    if (argc > 3 || name[0] == '-') {
        fprintf(stderr, "usage: adventure [NAME [MOVES]]\n"
                        "  MOVES  words, for example \"open take\"; - reads them from standard input\n");
        return 2;
    }
    if (adventure_run(NULL, name, strcmp(moves, "-") == 0 ? NULL : moves) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "adventure: %s failed at %s:%d: %s\n", report->role, report->file, report->line, report->why);
        return 1;
    }
    return 0;
}
