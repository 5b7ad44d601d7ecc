// home_lives.c: who plays a role: lives that are lost, given up and begun (N2, N3, N9, N10).

#include "net/home/home_internal.h"

// ---- losing ----

// No more are remembered, whatever the limit is.
enum { RESTARTS_REMEMBERED = 1 << 20 };

// Not too many within the period? False: too many, or no memory to count them; the fault says so.
static bool restart_is_allowed(Home *home, unsigned role, HomeFault *fault)
{
    const HomeRestarts *limit = home->options.restarts != NULL ? &home->options.restarts[role] : NULL;
    HomeRole *of = &home->roles[role];
    if (limit == NULL || limit->max == 0)
        return true;
    size_t most = limit->max < RESTARTS_REMEMBERED ? limit->max : RESTARTS_REMEMBERED;
    if (of->restarts == NULL && limit->period_ns != 0)
        of->restarts = memory_allocate(home->options.memory, most * sizeof *of->restarts);
    uint64_t *oldest = of->restarts != NULL ? &of->restarts[of->restart_count % most] : NULL;
    bool lacks_memory = limit->period_ns != 0 && oldest == NULL;
    bool is_late = oldest != NULL && home->now_ns - *oldest >= limit->period_ns;
    if (lacks_memory || (of->restart_count >= most && !is_late)) {
        size_t size = strlen(fault->why);
        snprintf(fault->why + size, sizeof fault->why - size, " (%s)",
                 lacks_memory ? "and no memory for a restart" : "and more restarts than the cast allows");
        return false;
    }
    if (oldest != NULL)
        *oldest = home->now_ns;
    of->restart_count++;
    return true;
}

void home_give_up(Home *home, unsigned role)
{
    HomeRole *of = &home->roles[role];
    of->life++;
    of->state = HOME_ABSENT;
    of->member.awaited = 0;
    of->absent_since_ns = home->now_ns;
    of->is_in_gap = false;
    home_count_absent(home, of, 1);
}

// Is there a block that takes up a failure of the role?
static bool is_in_charge(const HomeRole *role)
{
    if (role->is_in_gap && role->member.count == 1)
        return false;
    return role->member.count > 0 && recovery_in_charge(&role->member) != NULL;
}

bool home_lost(Home *home, unsigned role, const HomeFault *why)
{
    HomeRole *of = &home->roles[role];
    HomeFault last = *why, *fault = &last;
    if (home->is_over || !role_has_begun(of))
        return false;
    // Nobody misses it, unless it is the last that the session has waited for.
    if (!of->has_part && fault->kind == CHX_FAULT_LOST && !session_is_broken(SESSION_BROKEN_NO_PART_MISSED)) {
        home_give_up(home, role);
        home_end_if_all_have(home);
        return true;
    }
    bool is_awaited = of->state == HOME_AWAITED && !session_is_broken(SESSION_BROKEN_CHARGE_TWICE);
    // What the system lacks is not there in the next attempt, either: as for roles in one program.
    if (fault->kind == CHX_FAULT_SYSTEM || (!is_awaited && !is_in_charge(of)) ||
        !restart_is_allowed(home, role, fault)) {
        home_finish(home, CHX_FAILED, fault);
        return false;
    }
    home_give_up(home, role);
    home->restarts++;
    if (!is_awaited && home_fail_member(home, of, fault) == RECOVERY_NO_MEMORY)
        home->lacks_memory = true;
    return true;
}

// ---- beginning ----

static bool add_blocks(const HomeRole *role, WireBuffer *list)
{
    WireBlock base = {.saved = {role->base.data, role->base.size}};
    if (role->has_base && role->member.count == 0 && !wire_add(list, WIRE_ITEM_BLOCK, &base))
        return false;
    for (size_t i = 0; i < role->member.count; i++) {
        const HomePosition *position = (HomePosition *)(void *)role->member.positions[i];
        WireBlock block = {.id = position->id,
                           .name = position->position.checkpoint->name,
                           .ordinal = position->position.ordinal,
                           .attempt = position->position.attempt,
                           .saved = {position->saved.data, position->saved.size}};
        if (!wire_add(list, WIRE_ITEM_BLOCK, &block))
            return false;
    }
    return true;
}

// Of a role that has ended, what it had kept comes from here.
static WireSeat seat_of(const Home *home, unsigned role)
{
    const HomeRole *of = &home->roles[role];
    bool has_ended = of->state == HOME_ENDED;
    WireSeat seat = {.role = (uint16_t)role, .life = of->begun, .has_ended = has_ended};
    home->options.effects->describe(home->options.context, has_ended ? home->options.self : of->node, &seat.node,
                                    &seat.address);
    return seat;
}

static bool add_roster(const Home *home, unsigned role, WireBuffer *list)
{
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        if (i == role || home->roles[i].begun == 0)
            continue;
        WireSeat seat = seat_of(home, i);
        if (!wire_add(list, WIRE_ITEM_SEAT, &seat))
            return false;
    }
    return true;
}

// Blocks in another attempt than their first, which the role takes part in and has not entered: the new life has to enter them in
// that attempt. If it only learnt that as the answer to its ENTER, it could consume meanwhile what others have sent in that
// attempt: channels that have gone to a later epoch in another block don't tell the attempts of this one apart.
static bool add_recoveries(const Home *home, unsigned role, WireBuffer *list)
{
    const HomeRole *of = &home->roles[role];
    for (const Block *block = home->recovery.blocks; block != NULL; block = recovery_next_block(block)) {
        if (block->attempt == 0 || !takes_part(block->checkpoint, role) || home_position_in(of, block) != NULL)
            continue;
        WireFault fault = home_block_fault(block);
        WireRecovery recovery = {.id = *home_block_id(home, block),
                                 .depth = home_depth_around(of, block),
                                 .attempt = block->attempt,
                                 .epoch = block->epoch,
                                 .kind = fault.kind,
                                 .signal = fault.signal,
                                 .line = fault.line,
                                 .role = fault.role,
                                 .why = fault.why,
                                 .file = fault.file};
        if (!session_is_broken(SESSION_BROKEN_MARKS_LOST) && !wire_add(list, WIRE_ITEM_RECOVERY, &recovery))
            return false;
    }
    return true;
}

static void order_restore(Home *home, unsigned role, uint64_t request)
{
    const HomeOptions *options = &home->options;
    HomeRole *of = &home->roles[role];
    const HomePosition *innermost = role_innermost(of);
    const Block *block = innermost != NULL ? innermost->position.block : NULL;
    WireBuffer blocks = {0}, roster = {0}, faults = {0}, recoveries = {0};
    if (!add_blocks(of, &blocks) || !add_roster(home, role, &roster) || !add_recoveries(home, role, &recoveries))
        home->lacks_memory = true;
    WireFault fault;
    bool has_fault = block != NULL && block->fault != NULL;
    if (has_fault)
        fault = home_block_fault(block);
    WireRestore restore = {.request = request,
                           .session = options->session,
                           .role = (uint16_t)role,
                           .life = of->life,
                           .choreography = wire_text(options->table->name),
                           .definition = wire_text(options->definition),
                           .protocol = options->table->protocol,
                           .token = options->token,
                           .name = options->name,
                           .opener = options->opener,
                           .term = options->term,
                           .is_durable = options->is_durable,
                           .space = options->space,
                           .seat_key = of->seat_key,
                           .arguments = options->arguments != NULL ? options->arguments[role] : (WireSpan){0},
                           .window_messages = options->limits.messages,
                           .window_bytes = (uint32_t)options->limits.bytes,
                           .blocks = wire_list(&blocks),
                           .epoch = block != NULL ? block->epoch : 0,
                           .roster = wire_list(&roster),
                           .fault = home_fault_list(home, has_fault ? &fault : NULL, &faults),
                           .recoveries = wire_list(&recoveries)};
    if (!home->lacks_memory && wire_body_size(WIRE_RESTORE, &restore) > options->message_max)
        home_fail_lacking(home, role,
                          "what the role has saved for its blocks is larger than a message may be (message_max)");
    else if (!home->lacks_memory)
        home_order(home, role, WIRE_RESTORE, &restore);
    wire_buffer_fini(&blocks);
    wire_buffer_fini(&roster);
    wire_buffer_fini(&faults);
    wire_buffer_fini(&recoveries);
}

void home_tell_life(Home *home, unsigned role)
{
    WireSeat seat = seat_of(home, role);
    bool has_ended = home->roles[role].state == HOME_ENDED;
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        if (i == role || !role_has_begun(&home->roles[i]))
            continue;
        WireLife told = {.session = home->options.session,
                         .role = (uint16_t)i,
                         .life = home->roles[i].life,
                         .of = (uint16_t)role,
                         .of_life = seat.life,
                         .has_ended = has_ended,
                         .node = seat.node,
                         .address = seat.address};
        home_order(home, i, WIRE_LIFE, &told);
    }
}

void home_begin(Home *home, unsigned role, uint32_t node, uint64_t request)
{
    HomeRole *of = &home->roles[role];
    CHECK(of->state == HOME_ABSENT);
    of->state = of->member.awaited != 0 ? HOME_AWAITED : HOME_RUNNING;
    of->begun = of->life;
    of->former = of->node;
    of->node = node;
    of->has_spoken = of->is_gone = of->is_resumed = false;
    if (!home->is_kept && of->has_base) {
        // The life before has said what it began with, and has done nothing.
        home_drop(home, &of->base);
        of->has_base = false;
        home->based--;
    }
    if (home->options.effects->sit != NULL)
        home->options.effects->sit(home->options.context, role, node);
    home_count_absent(home, of, -1);
    if (home->options.effects->seat_key != NULL && wire_id_is_zero(&of->seat_key))
        home->options.effects->seat_key(home->options.context, &of->seat_key);
    order_restore(home, role, request);
    home_let_in(home, role);
    home_tell_life(home, role);
    home_handed_meet(home, role);
}

// ---- places ----

static bool standby_take(Home *home, unsigned role, uint32_t avoid, HomeStandby *taken)
{
    for (HomeStandby **place = &home->standbys; *place != NULL; place = &(*place)->next) {
        HomeStandby *standby = *place;
        if (standby->role != role || standby->node == avoid)
            continue;
        *taken = *standby;
        *place = standby->next;
        home->standby_count--;
        memory_release(home->options.memory, standby);
        return true;
    }
    return false;
}

void home_try_begin(Home *home, unsigned role, uint32_t avoid)
{
    HomeRole *of = &home->roles[role];
    HomeStandby standby;
    if (home->is_over || home->lacks_memory || of->state != HOME_ABSENT || !of->has_part)
        return;
    // One without a certificate has to show its key first.
    uint32_t node = of->is_anonymous ? 0 : home->options.effects->place(home->options.context, role, of->node);
    if (node != 0 && node != avoid) {
        home_begin(home, role, node, 0);
    } else if (standby_take(home, role, avoid, &standby)) {
        of->is_anonymous = standby.is_anonymous;
        of->seat_key = (WireId){{0}};
        home_begin(home, role, standby.node, standby.request);
    }
}

void home_try_begin_elsewhere(Home *home, unsigned role)
{
    HomeRole *of = &home->roles[role];
    uint32_t here = of->node;
    HomeStandby standby;
    if (home->is_over || home->lacks_memory || of->state != HOME_ABSENT || !of->has_part)
        return;
    uint32_t node = of->is_anonymous ? 0 : home->options.effects->place(home->options.context, role, 0);
    if (node != 0 && node != here) {
        home_begin(home, role, node, 0);
    } else if (standby_take(home, role, here, &standby)) {
        of->is_anonymous = standby.is_anonymous;
        of->seat_key = (WireId){{0}};
        home_begin(home, role, standby.node, standby.request);
    } else {
        home_try_begin(home, role, 0);
    }
}

static void standbys_drop(Home *home, uint32_t node)
{
    for (HomeStandby **place = &home->standbys; *place != NULL;) {
        HomeStandby *standby = *place;
        if (standby->node != node) {
            place = &standby->next;
            continue;
        }
        *place = standby->next;
        home->standby_count--;
        memory_release(home->options.memory, standby);
    }
}

void home_node_lost(Home *home, uint32_t node, WireSpan why, uint64_t now_ns)
{
    home->now_ns = now_ns;
    standbys_drop(home, node);
    home_withheld_forget(home, node);
    bool is_any = false;
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        home->roles[i].is_gone = role_has_begun(&home->roles[i]) && home->roles[i].node == node;
        is_any |= home->roles[i].is_gone;
    }
    for (unsigned i = 0; is_any && i < home->options.table->role_count; i++)
        if (home->roles[i].is_gone) {
            HomeFault fault = home_fault(i, CHX_FAULT_LOST, why);
            home_lost(home, i, &fault);
        }
    for (unsigned i = 0; is_any && i < home->options.table->role_count; i++)
        if (home->roles[i].is_gone)
            home_try_begin(home, i, 0);
    home_settle(home);
}

void home_place_found(Home *home, unsigned role, uint32_t node, uint64_t now_ns)
{
    home->now_ns = now_ns;
    if (!home->is_over && home->roles[role].state == HOME_ABSENT)
        home_begin(home, role, node, 0);
    home_settle(home);
}

// ---- JOIN ----

static void refuse(Home *home, const HomeJoin *join, WireRefusal code, const char *text)
{
    WireRefused refused = {
        .request = join->request, .session = home->options.session, .role = (uint16_t)join->role, .code = code};
    refused.text = wire_text(text);
    // Without memory the node asks again.
    home->options.effects->order(home->options.context, join->node, WIRE_REFUSED, &refused);
}

static HomeVerdict stand_by(Home *home, const HomeJoin *join)
{
    for (HomeStandby *standby = home->standbys; standby != NULL; standby = standby->next)
        if (standby->role == join->role && standby->node == join->node) {
            standby->request = join->request;
            return HOME_GOOD;
        }
    if (home->standby_count == HOME_STANDBYS_MAX) {
        refuse(home, join, WIRE_REFUSED_LIMIT, "there are enough nodes that wait to play the role");
        return HOME_GOOD;
    }
    HomeStandby *made = memory_allocate(home->options.memory, sizeof *made), **place = &home->standbys;
    if (made == NULL)
        return HOME_NO_MEMORY;
    *made = (HomeStandby){
        .role = join->role, .node = join->node, .request = join->request, .is_anonymous = join->is_anonymous};
    while (*place != NULL)
        place = &(*place)->next;
    *place = made;
    home->standby_count++;
    return HOME_GOOD;
}

static void join_absent(Home *home, const HomeJoin *join)
{
    HomeRole *role = &home->roles[join->role];
    role->is_anonymous = join->is_anonymous;
    home_begin(home, join->role, join->node, join->request);
}

// Somebody plays the role, or did.
static HomeVerdict join_played(Home *home, const HomeJoin *join, bool shows_key)
{
    HomeRole *role = &home->roles[join->role];
    bool is_unheard = role->node == join->node && !role->has_spoken;
    if (shows_key && role_has_begun(role) && (is_unheard || !role->has_part)) {
        // It has heard that its life before this one is over, and asks to play on: it did not know yet that it does. Nothing is lost,
        // nor is it by one that has nothing to do.
        home_give_up(home, join->role);
        join_absent(home, join);
        return HOME_GOOD;
    }
    if (shows_key && role_has_begun(role)) {
        // It has come back under another name, or sooner than its loss was noticed.
        HomeFault fault =
            home_fault(join->role, CHX_FAULT_LOST, wire_text("the node has come back without what it knew"));
        home_lost(home, join->role, &fault);
        if (role->state == HOME_ABSENT)
            join_absent(home, join);
        return HOME_GOOD;
    }
    if (join->node != role->node && join->may_be_standby)
        return stand_by(home, join);
    WireSpan name = {0}, address;
    home->options.effects->describe(home->options.context, role->node, &name, &address);
    char text[400];
    snprintf(text, sizeof text, "%s is played by %.*s", home_role_name(home, join->role), (int)name.size,
             (const char *)name.data);
    refuse(home, join, WIRE_REFUSED_TAKEN, text);
    return HOME_GOOD;
}

HomeVerdict home_join(Home *home, const HomeJoin *join, uint64_t now_ns)
{
    home->now_ns = now_ns;
    if (join->role >= home->options.table->role_count)
        return HOME_VIOLATION;
    const HomeRole *role = &home->roles[join->role];
    bool has_key = !wire_id_is_zero(&join->seat_key);
    bool shows_key = has_key && wire_id_is(&join->seat_key, &role->seat_key);
    HomeVerdict verdict = HOME_GOOD;
    if (home->is_over)
        refuse(home, join, WIRE_REFUSED_UNKNOWN, "the session is over");
    else if (role->state == HOME_ENDED)
        refuse(home, join, WIRE_REFUSED_TAKEN, "the role has come to its end");
    else if ((has_key && !shows_key) || (role->begun != 0 && role->is_anonymous && !shows_key))
        refuse(home, join, WIRE_REFUSED_RIGHT, "the role is played by somebody who has its key");
    else if (role->state == HOME_ABSENT)
        join_absent(home, join);
    else
        verdict = join_played(home, join, shows_key);
    home_settle(home);
    return verdict;
}
