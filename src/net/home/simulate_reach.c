// simulate_reach.c: see simulate.c. Nodes that can't reach each other, though both reach the home (N12).

#include "net/home/simulate.h"

// Independently of what the home makes of it.
void cut_note(const WireUnreached *unreached)
{
    Said *said = &sim.said[unreached->role][unreached->of];
    bool is_again = said->life == unreached->life && said->of_life == unreached->of_life;
    if (unreached->is_over)
        *said = (Said){0};
    else if (!is_again)
        *said = (Said){unreached->life, unreached->of_life, sim.now_ns};
}

bool cut_is_between(unsigned one, unsigned other)
{
    return (one == sim.cut[0] && other == sim.cut[1]) || (one == sim.cut[1] && other == sim.cut[0]);
}

// What the role said is of lives that there are?
static bool said_counts(unsigned role, unsigned of)
{
    const Said *said = &sim.said[role][of];
    return said->life != 0 && role_has_begun(&sim.home.roles[role]) && sim.home.roles[role].begun == said->life &&
           role_has_begun(&sim.home.roles[of]) && sim.home.roles[of].begun == said->of_life;
}

static unsigned said_of(unsigned role)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sim.program.role_count; i++)
        count += i != role && said_counts(i, role);
    return count;
}

// Is there somebody who can't reach the role, or whom it can't reach, for long enough, and of whom no more roles complain?
static bool may_be_given_up(unsigned role)
{
    for (unsigned i = 0; i < sim.program.role_count; i++) {
        unsigned here = said_of(role), there = said_of(i);
        bool is_due = (said_counts(i, role) && sim.said[i][role].since_ns + SUSPECT_NS <= sim.now_ns) ||
                      (said_counts(role, i) && sim.said[role][i].since_ns + SUSPECT_NS <= sim.now_ns);
        if (i != role && is_due && (here > there || (here == there && role > i)))
            return true;
    }
    return false;
}

// The home's clock. At most one role is given up for a cut at one moment, or the counts have changed meanwhile.
void cut_tick(void)
{
    bool may[ROLES] = {0}, may_fail = sim.is_short_of_memory, was_over = sim.home.is_over;
    uint32_t lives[ROLES] = {0};
    unsigned lost = 0, last = 0;
    for (unsigned i = 0; i < sim.program.role_count; i++) {
        may[i] = may_be_given_up(i);
        lives[i] = sim.home.roles[i].life;
        may_fail |= may[i] && may_fail_session(i);
    }
    for (const HomeDeadline *deadline = sim.home.deadlines; deadline != NULL; deadline = deadline->next)
        may_fail |= deadline->at_ns <= sim.now_ns;
    home_tick(&sim.home, sim.now_ns);
    for (unsigned i = 0; i < sim.program.role_count; i++)
        if (sim.home.roles[i].life != lives[i]) {
            lost++;
            last = i;
        }
    total.unreached += lost;
    sim.cut_losses -= lost < sim.cut_losses ? lost : sim.cut_losses;
    if (lost == 1 && !may[last])
        sim_fail("the wrong one of two roles that can't reach each other is given up");
    if (!was_over && sim.home.is_over && sim.home.status == CHX_FAILED && !may_fail && lost < 2)
        sim_fail("the session fails by the clock, though a block has an attempt left");
}

// A node says that another one is not reached, or is again.
void cut_say(unsigned node, unsigned other, bool is_over)
{
    for (unsigned role = 0; role < sim.program.role_count; role++) {
        Actor *actor = &sim.actors[node][role];
        for (unsigned of = 0;
             actor->exists && actor->life.session == sim.home.options.session && of < sim.program.role_count; of++) {
            if (of == role || life_node(&actor->life, of) != other || (is_over && actor->unreached[of] == 0))
                continue;
            if (is_over)
                life_reached(&actor->life, of, actor->unreached[of]);
            actor->unreached[of] = is_over ? 0 : life_unreached(&actor->life, of, 0);
        }
    }
}

void cut_heal(void)
{
    TRACE("nodes %u and %u reach each other again", sim.cut[0], sim.cut[1]);
    unsigned one = sim.cut[0], other = sim.cut[1];
    sim.cut[0] = sim.cut[1] = 0;
    cut_say(one, other, true);
    cut_say(other, one, true);
}
