// machine.c: a game of four turns between a Worker, which keeps its state, and a Player. Variants: plain; checkpoint:
// the four messages of a move are a block; crash: in its second turn the Player asks for something impossible.

#include "bench/table1/work.h"

enum state { ATRIUM, MAILBOX_OPEN, HAS_LEAFLET, LEAFLET_READ, END };

choreography(machine, (Gateway, Worker, Player),
    bool Gateway.on_foot(const char *name);
    chx_str Worker.prompt(int state);
    int Worker.next(int state, chx_str move);
    chx_str Player.move(chx_str prompt, int round, bool clumsy);
    int Player.configure(int state);

    def walk(Worker.int state, Player.int round, Player.bool clumsy) -> Worker.{int, int} {
        Worker.prompt(state) ~> Player.chx_str prompt;
        Player.move(prompt, round, clumsy) ~> Worker.chx_str move;
        Worker.state = next(state, move);
        Worker.state ~> Player.int state;
        Player.configure(state) ~> Worker.int configuration;
        return Worker.{state, configuration};
    }
    def ride(Worker.int state, Player.int round, Player.bool clumsy) -> Worker.{int, int} {
        return walk(Worker.state, Player.round, Player.clumsy);
    }

    def walk_safely(Worker.int state, Player.int round, Player.bool clumsy) -> Worker.{int, int} {
        Worker.int configuration = 0;
        checkpoint {
            Worker.prompt(state) ~> Player.chx_str prompt;
            Player.move(prompt, round, clumsy) ~> Worker.chx_str move;
            Worker.state = next(state, move);
            Worker.state ~> Player.int now;
            Player.configure(now) ~> Worker.configuration;
        } rescue {
            Worker.(chx_strf("sorry")) ~> Player.chx_str apology;
            Player.(chx_str_len(apology) > 0 ? chx_strf("good") : chx_strf("bad")) ~> Worker.chx_str answer;
            Worker.configuration = (int)chx_str_len(answer);
        }
        return Worker.{state, configuration};
    }
    def ride_safely(Worker.int state, Player.int round, Player.bool clumsy) -> Worker.{int, int} {
        return walk_safely(Worker.state, Player.round, Player.clumsy);
    }

    def game(move(Worker.int, Player.int, Player.bool) -> Worker.{int, int}, Worker.const char *name, Worker.int state,
             Player.int round, Player.bool clumsy) -> Player.chx_str {
        Worker.{int now, int configuration} = move(Worker.state, Player.round, Player.clumsy);
        if (Worker.(now == END)) {
            Worker.(chx_strf("Thank you for playing %s", name)) ~> Player.chx_str thanks;
            return Player.thanks;
        }
        Worker.configuration ~> Player._;
        return game(move, Worker.name, Worker.now, Player.(round + 1), Player.clumsy);
    }

    def plain(Player.const char *name, Player.bool clumsy) -> Player.chx_str {
        Player.name ~> Gateway.const char *name;
        Gateway.name ~> Worker.const char *name;
        if (Gateway.on_foot(name)) {
            return game(walk, Worker.name, Worker.(0), Player.(0), Player.clumsy);
        }
        return game(ride, Worker.name, Worker.(0), Player.(0), Player.clumsy);
    }
    def checkpoints(Player.const char *name, Player.bool clumsy) -> Player.chx_str {
        Player.name ~> Gateway.const char *name;
        Gateway.name ~> Worker.const char *name;
        if (Gateway.on_foot(name)) {
            return game(walk_safely, Worker.name, Worker.(0), Player.(0), Player.clumsy);
        }
        return game(ride_safely, Worker.name, Worker.(0), Player.(0), Player.clumsy);
    }
)

#include "machine.Gateway.chor.h"
#include "machine.Player.chor.h"
#include "machine.Worker.chor.h"

static bool Gateway_on_foot(const char *name)
{
    return strlen(name) % 2 == 1;
}

static chx_str Worker_prompt(int state)
{
    static const char *const prompts[] = {"You stand in an atrium.", "The mailbox is open.", "You have a leaflet.",
                                          "You have read it."};
    return chx_str_new(prompts[state], strlen(prompts[state]));
}

static int Worker_next(int state, chx_str move)
{
    static const char *const moves[] = {"open", "take", "read", NULL};
    if (moves[state] != NULL && strcmp(chx_cstr(move), moves[state]) != 0)
        chx_fail("nobody can %s here", chx_cstr(move));
    return state + 1;
}

static chx_str Player_move(chx_str prompt, int round, bool clumsy)
{
    static const char *const moves[2][5] = {{"open", "take", "read", "leave", "leave"},
                                            {"open", "read", "take", "read", "leave"}};
    if (chx_str_len(prompt) == 0)
        chx_fail("nothing to see");
    return chx_str_new(moves[clumsy][round], strlen(moves[clumsy][round]));
}

static int Player_configure(int state)
{
    return state;
}

static bool sample(const WorkOptions *options)
{
    chx_str thanks = {0};
    chx_status status;
    if (work_is(options, "plain")) {
        struct machine_plain_result result;
        status = machine_plain(&result, NULL, "Pat", false);
        thanks = status == CHX_OK ? result.Player : thanks;
    } else {
        struct machine_checkpoints_result result;
        status = machine_checkpoints(&result, NULL, "Pat", work_is(options, "crash"));
        thanks = status == CHX_OK ? result.Player : thanks;
    }
    bool good = status == CHX_OK && strcmp(chx_cstr(thanks), "Thank you for playing Pat") == 0;
    chx_str_drop(thanks);
    return good;
}

int main(int argc, char **argv)
{
    WorkOptions options = work_options(argc, argv, 0);
    return work_measure(&options, sample);
}
