// home_handed.c: what roles that have ended had kept for others: the home sends it, at once and to each new life (N4).

#include "net/home/home_internal.h"

static void handed_free(Home *home, HomeHanded **place)
{
    HomeHanded *handed = *place;
    *place = handed->next;
    window_out_fini(&handed->out);
    memory_release(home->options.memory, handed);
}

void home_handed_fini(Home *home)
{
    while (home->handed != NULL)
        handed_free(home, &home->handed);
}

static bool give(void *context, uint32_t life, const Message *message, WireSpan more)
{
    const HomeHanded *handed = ((void **)context)[1];
    Home *home = ((void **)context)[0];
    WireData data = {.session = home->options.session,
                     .from = handed->from,
                     .from_life = home->roles[handed->from].life,
                     .to = handed->to,
                     .to_life = life,
                     .epoch = message->epoch,
                     .number = message->number,
                     .site = message->site,
                     .value = message->value,
                     .more = more};
    return home_may_give(home) &&
           home->options.effects->give(home->options.context, home->roles[handed->to].node, &data);
}

static void handed_release(Home *home, HomeHanded *handed)
{
    if (!home->is_over && role_has_begun(&home->roles[handed->to]))
        window_out_release(&handed->out, window_value_max(home->options.message_max), give, (void *[]){home, handed});
}

void home_release(Home *home)
{
    for (HomeHanded *handed = home->handed; handed != NULL; handed = handed->next)
        if (handed->out.given < handed->out.kept.count)
            handed_release(home, handed);
}

void home_handed_meet(Home *home, unsigned role)
{
    for (HomeHanded *handed = home->handed; handed != NULL; handed = handed->next)
        if (handed->to == role) {
            window_out_life(&handed->out, home->roles[role].life);
            handed_release(home, handed);
        }
}

void home_handed_drop(Home *home, unsigned to)
{
    for (HomeHanded **place = &home->handed; *place != NULL;)
        if ((*place)->to == to)
            handed_free(home, place);
        else
            place = &(*place)->next;
}

// One role's, from the list of all; it is put before the others.
static HomeVerdict take_over(Home *home, unsigned from, uint16_t to, WireList kept, HomeHanded **made)
{
    HomeHanded *handed = memory_allocate(home->options.memory, sizeof *handed);
    if (handed == NULL)
        return HOME_NO_MEMORY;
    *handed = (HomeHanded){.next = *made, .from = (uint16_t)from, .to = to};
    window_out_init(&handed->out, home->options.memory, home->options.limits);
    *made = handed;
    WindowVerdict verdict = window_out_take_over(&handed->out, to, kept);
    return verdict == WINDOW_GOOD ? HOME_GOOD : verdict == WINDOW_NO_MEMORY ? HOME_NO_MEMORY : HOME_VIOLATION;
}

HomeVerdict home_take_over(Home *home, unsigned role, WireList kept)
{
    HomeHanded *made = NULL;
    HomeVerdict verdict = HOME_GOOD;
    WireList rest = kept;
    WireKept item;
    unsigned next = 0; // receivers from here on may follow
    while (verdict == HOME_GOOD && wire_next(&rest, WIRE_ITEM_KEPT, &item)) {
        if (item.to + 1u == next)
            continue;
        bool is_right = item.to >= next && item.to != role && item.to < home->options.table->role_count;
        verdict = is_right ? HOME_GOOD : HOME_VIOLATION;
        next = item.to + 1u;
        if (is_right && home->roles[item.to].state != HOME_ENDED)
            verdict = take_over(home, role, item.to, kept, &made);
    }
    while (verdict != HOME_GOOD && made != NULL)
        handed_free(home, &made);
    while (made != NULL) {
        HomeHanded *handed = made;
        made = handed->next;
        handed->next = home->handed;
        home->handed = handed;
        if (role_has_begun(&home->roles[handed->to]))
            window_out_life(&handed->out, home->roles[handed->to].life);
    }
    return verdict;
}

HomeVerdict home_handed_taken(Home *home, uint32_t node, const WireTaken *taken)
{
    uint16_t count = home->options.table->role_count;
    if (taken->from >= count || taken->to >= count)
        return HOME_VIOLATION;
    const HomeRole *from = &home->roles[taken->from], *to = &home->roles[taken->to];
    bool is_current = role_has_begun(from) && from->life == taken->from_life && from->node == node;
    if (!is_current || to->state != HOME_ENDED || to->life != taken->to_life)
        return HOME_GOOD;
    for (HomeHanded **place = &home->handed; *place != NULL; place = &(*place)->next) {
        HomeHanded *handed = *place;
        if (handed->from != taken->to || handed->to != taken->from)
            continue;
        WindowPlace at = {taken->epoch, taken->number};
        if (window_out_taken(&handed->out, taken->from_life, at) == WINDOW_VIOLATION)
            return HOME_VIOLATION;
        if (handed->out.kept.count == 0)
            handed_free(home, place);
        break;
    }
    return HOME_GOOD;
}
