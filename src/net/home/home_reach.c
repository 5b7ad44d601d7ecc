// home_reach.c: roles whose nodes reach the home, but not each other, not even through a relay (N12). They say so, and after a while one of
// them is given up: the one that more roles complain of, and of two alike the later one. So if a single node is cut off from the others, it
// is its role that goes.

#include "net/home/home_internal.h"

static bool is_of_current_life(const HomeRole *role, uint32_t life)
{
    return role_has_begun(role) && role->begun == life;
}

// Does it still mean two lives that there are?
static bool counts(const Home *home, const HomeComplaint *complaint)
{
    return (is_of_current_life(&home->roles[complaint->role], complaint->life) &&
            is_of_current_life(&home->roles[complaint->of], complaint->of_life)) ||
           session_is_broken(SESSION_BROKEN_CUT_OLD);
}

static HomeComplaint **find(Home *home, unsigned role, unsigned of)
{
    HomeComplaint **place = &home->complaints;
    while (*place != NULL && ((*place)->role != role || (*place)->of != of))
        place = &(*place)->next;
    return place;
}

static void drop(Home *home, HomeComplaint **place)
{
    HomeComplaint *complaint = *place;
    *place = complaint->next;
    memory_release(home->options.memory, complaint);
}

HomeVerdict home_on_unreached(Home *home, unsigned role, const WireUnreached *said)
{
    if (said->of >= home->options.table->role_count || said->of == role)
        return HOME_VIOLATION;
    const HomeRole *self = &home->roles[role], *of = &home->roles[said->of];
    if (said->of_life == 0 || said->of_life > of->begun)
        return HOME_VIOLATION;
    HomeComplaint **place = find(home, role, said->of), *complaint = *place;
    if (said->is_over) {
        if (complaint != NULL && !session_is_broken(SESSION_BROKEN_CUT_OVER))
            drop(home, place);
        return HOME_GOOD;
    }
    if (!is_of_current_life(of, said->of_life))
        return HOME_GOOD; // it will be told of another one
    // Who reaches the home reaches what is there.
    if (of->node == home->options.self || of->node == self->node)
        return HOME_VIOLATION;
    if (complaint != NULL && counts(home, complaint))
        return HOME_GOOD;
    if (complaint == NULL)
        complaint = memory_allocate(home->options.memory, sizeof *complaint);
    if (complaint == NULL)
        return HOME_NO_MEMORY;
    *complaint = (HomeComplaint){.next = *place != NULL ? complaint->next : NULL,
                                 .role = (uint16_t)role,
                                 .of = said->of,
                                 .life = self->begun,
                                 .of_life = said->of_life,
                                 .since_ns = home->now_ns};
    *place = complaint;
    return HOME_GOOD;
}

// How many roles complain of this one?
static unsigned count_of(const Home *home, unsigned role)
{
    unsigned count = 0;
    for (const HomeComplaint *complaint = home->complaints; complaint != NULL; complaint = complaint->next)
        count += complaint->of == role && counts(home, complaint);
    return count;
}

static unsigned loser_of(const Home *home, unsigned one, unsigned other)
{
    unsigned of_one = count_of(home, one), of_other = count_of(home, other);
    if (of_one == of_other)
        return one > other ? one : other;
    return (of_one > of_other) != session_is_broken(SESSION_BROKEN_CUT_FEWER) ? one : other;
}

static void give_up(Home *home, unsigned loser, unsigned other)
{
    HomeRole *of = &home->roles[loser];
    uint32_t node = of->node, life = of->life;
    WireSpan name = {0}, other_name = {0}, address;
    HomeFault fault = home_fault(loser, CHX_FAULT_LOST, (WireSpan){0});
    char other_text[HOME_WHY_BYTES / 3];
    home->options.effects->describe(home->options.context, home->roles[other].node, &other_name, &address);
    home_copy_text(other_text, sizeof other_text, other_name);
    home->options.effects->describe(home->options.context, node, &name, &address);
    snprintf(fault.why, sizeof fault.why, "nodes %.*s and %s can't reach each other, not even through the home",
             (int)(name.size < sizeof other_text ? name.size : sizeof other_text), (const char *)name.data, other_text);
    if (!home_lost(home, loser, &fault))
        return;
    home_try_begin_elsewhere(home, loser);
    // Its last word, unless its successor is there.
    if (of->state == HOME_ABSENT || of->node != node)
        home_fence(home, node, loser, life);
}

static uint64_t due_ns(const Home *home, const HomeComplaint *complaint)
{
    if (home->options.suspect_ns == 0 || session_is_broken(SESSION_BROKEN_CUT_IGNORED))
        return UINT64_MAX;
    return complaint->since_ns + (session_is_broken(SESSION_BROKEN_CUT_AT_ONCE) ? 0 : home->options.suspect_ns);
}

void home_expire_unreached(Home *home)
{
    for (HomeComplaint **place = &home->complaints; *place != NULL && !home->is_over;) {
        const HomeComplaint *complaint = *place;
        if (!counts(home, complaint)) {
            drop(home, place);
            continue;
        }
        if (due_ns(home, complaint) > home->now_ns) {
            place = &(*place)->next;
            continue;
        }
        unsigned role = complaint->role, of = complaint->of;
        unsigned loser = loser_of(home, role, of);
        drop(home, place);
        give_up(home, loser, loser == role ? of : role);
        place = &home->complaints; // others may be about lives that are gone now
    }
}

uint64_t home_unreached_ns(const Home *home)
{
    uint64_t next = UINT64_MAX;
    for (const HomeComplaint *complaint = home->complaints; complaint != NULL; complaint = complaint->next)
        next = due_ns(home, complaint) < next ? due_ns(home, complaint) : next;
    return next;
}

void home_unreached_fini(Home *home)
{
    while (home->complaints != NULL)
        drop(home, &home->complaints);
}
