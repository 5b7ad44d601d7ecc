// home.c: see home.h. Here: how orders are given, and how a session ends.

#include "net/home/home_internal.h"

bool home_init(Home *home, const HomeOptions *options, uint64_t now_ns)
{
    uint16_t count = options->table->role_count;
    *home = (Home){.options = *options, .now_ns = now_ns, .open = count, .absent = count};
    if (home->options.message_max == 0)
        home->options.message_max = WIRE_MESSAGE_DEFAULT;
    home->roles = memory_allocate(options->memory, count * sizeof *home->roles);
    if (home->roles == NULL)
        return false;
    for (unsigned i = 0; i < count; i++)
        home->roles[i] = (HomeRole){.life = 1, .has_part = options->participant_count == 0, .absent_since_ns = now_ns};
    for (uint32_t i = 0; i < options->participant_count; i++)
        home->roles[options->participants[i]].has_part = true;
    if (options->participant_count > 0 && !session_is_broken(SESSION_BROKEN_NO_PART_AWAITED))
        home->open = home->absent = (uint16_t)options->participant_count;
    recovery_init(&home->recovery, &home_effects, (chx_runtime *)(void *)home, home->roles, sizeof *home->roles,
                  home->room);
    home_durable_init(home);
    return true;
}

void home_fini(Home *home)
{
    const NetMemory *memory = home->options.memory;
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        HomeRole *role = &home->roles[i];
        for (size_t at = role->member.count; at > 0; at--)
            if (role->member.positions[at - 1]->block != NULL)
                recovery_leave(&home->recovery, role->member.positions[at - 1], false);
        home_cut_positions(home, role, 0);
        memory_release(memory, role->member.positions);
        memory_release(memory, role->restarts);
        home_drop(home, &role->result);
        home_drop(home, &role->base);
    }
    recovery_fini(&home->recovery);
    home_handed_fini(home);
    home_durable_fini(home);
    home_unreached_fini(home);
    for (HomeStandby *standby = home->standbys, *next; standby != NULL; standby = next) {
        next = standby->next;
        memory_release(memory, standby);
    }
    memory_release(memory, home->fault);
    memory_release(memory, home->roles);
}

// ---- bytes and texts ----

bool home_copy(Home *home, HomeBytes *to, WireSpan from)
{
    *to = (HomeBytes){0};
    if (from.size == 0)
        return true;
    to->data = memory_allocate(home->options.memory, from.size);
    if (to->data == NULL)
        return false;
    memcpy(to->data, from.data, from.size);
    to->size = from.size;
    return true;
}

void home_drop(Home *home, HomeBytes *bytes)
{
    memory_release(home->options.memory, bytes->data);
    *bytes = (HomeBytes){0};
}

void home_copy_text(char *to, size_t size, WireSpan from)
{
    size_t length = from.size < size ? from.size : size - 1;
    if (length > 0)
        memcpy(to, from.data, length);
    to[length] = 0;
}

HomeFault home_fault(unsigned role, chx_fault_kind kind, WireSpan why)
{
    HomeFault fault = {.role = role, .kind = kind};
    home_copy_text(fault.why, sizeof fault.why, why);
    return fault;
}

WireFault home_wire_fault(const Home *home, const HomeFault *fault)
{
    return (WireFault){.kind = (uint8_t)fault->kind,
                       .signal = fault->signal,
                       .line = fault->line,
                       .role = wire_text(home_role_name(home, fault->role)),
                       .why = wire_text(fault->why),
                       .file = wire_text(fault->file)};
}

WireList home_fault_list(Home *home, const WireFault *fault, WireBuffer *buffer)
{
    if (fault != NULL && !wire_add(buffer, WIRE_ITEM_FAULT, fault))
        home->lacks_memory = true;
    return wire_list(buffer);
}

// ---- orders ----

void home_order_at(Home *home, uint32_t node, WireKind kind, const void *frame)
{
    if (!home_say(home, node, kind, frame))
        home->lacks_memory = true;
}

void home_order(Home *home, unsigned role, WireKind kind, const void *frame)
{
    const HomeRole *to = &home->roles[role];
    if (home->is_over || to->is_gone)
        return;
    home_order_at(home, to->node, kind, frame);
    if (session_is_broken(SESSION_BROKEN_ROLE_ADDRESS) && to->former != 0 && to->former != to->node &&
        kind != WIRE_RESTORE)
        home_order_at(home, to->former, kind, frame);
}

// ---- the end ----

static bool stop_is_said(Home *home, unsigned role, uint32_t node, uint32_t life)
{
    WireBuffer buffer = {0};
    WireFault fault;
    if (home->fault != NULL) {
        fault = home_wire_fault(home, home->fault);
        wire_add(&buffer, WIRE_ITEM_FAULT, &fault);
    }
    WireStop stop = {.session = home->options.session,
                     .role = (uint16_t)role,
                     .life = life,
                     .status = (uint8_t)home->status,
                     .restarts = home->restarts,
                     .fault = wire_list(&buffer)};
    bool is_said = home_say(home, node, WIRE_STOP, &stop);
    wire_buffer_fini(&buffer);
    return is_said;
}

void home_say_stop(Home *home, unsigned role, uint32_t node, uint32_t life)
{
    stop_is_said(home, role, node, life);
}

// What could not be said for want of memory is said again at the next tick.
static void say_stops(Home *home)
{
    home->owes_stop = false;
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        HomeRole *role = &home->roles[i];
        if (!role->owes_stop)
            continue;
        role->owes_stop = !stop_is_said(home, i, role->node, role->life);
        home->owes_stop |= role->owes_stop;
    }
}

void home_finish(Home *home, chx_status status, const HomeFault *fault)
{
    if (home->is_over)
        return;
    home->is_over = true;
    home->status = status;
    if (fault != NULL) {
        home->fault = memory_allocate(home->options.memory, sizeof *fault);
        if (home->fault != NULL)
            *home->fault = *fault;
    }
    if (home->is_kept)
        cut_end(&home->cut); // it is said when the store has it (C5)
    else
        home_say_outcome(home, fault);
}

void home_say_outcome(Home *home, const HomeFault *fault)
{
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        HomeRole *role = &home->roles[i];
        role->owes_stop = role->state != HOME_ABSENT;
        WireEack eack = {.session = home->options.session, .role = (uint16_t)i, .life = role->life};
        if (home->options.is_durable && role->state == HOME_ENDED && home->status == CHX_OK &&
            !session_is_broken(SESSION_BROKEN_END_FIRST))
            home_order_at(home, role->node, WIRE_EACK, &eack);
    }
    say_stops(home);
    WireFault wire;
    if (fault != NULL)
        wire = home_wire_fault(home, fault);
    home->options.effects->over(home->options.context, home->status, fault != NULL ? &wire : NULL);
}

const char *home_role_named(const Home *home, const char *name)
{
    for (unsigned i = 0; i < home->options.table->role_count; i++)
        if (strcmp(home_role_name(home, i), name) == 0)
            return home_role_name(home, i);
    return "";
}

void home_end_if_all_have(Home *home)
{
    if (home->open == 0)
        home_finish(home, CHX_OK, NULL);
}

void home_fail_lacking(Home *home, unsigned role, const char *what)
{
    HomeFault fault = home_fault(role, CHX_FAULT_SYSTEM, wire_text(what));
    home_finish(home, CHX_FAILED, &fault);
}

void home_settle(Home *home)
{
    home_review_deadlines(home);
    // An order is missing: nobody would know any more what the others do.
    if (home->lacks_memory && !home->is_over)
        home_fail_lacking(home, 0, "out of memory at the home of the session");
    home->lacks_memory = false;
    if (home->owes_stop)
        say_stops(home);
}

void home_cancel(Home *home, WireSpan why, uint64_t now_ns)
{
    home->now_ns = now_ns;
    HomeFault fault = home_fault(0, CHX_FAULT_SYSTEM, why);
    home_finish(home, CHX_CANCELLED, &fault);
}

void home_fail(Home *home, chx_status status, unsigned role, chx_fault_kind kind, WireSpan why, uint64_t now_ns)
{
    home->now_ns = now_ns;
    HomeFault fault = home_fault(role, kind, why);
    home_finish(home, status, &fault);
}

// ---- looking ----

HomeState home_state(const Home *home, unsigned role)
{
    return home->roles[role].state;
}

bool home_has_part(const Home *home, unsigned role)
{
    return home->roles[role].has_part;
}

uint32_t home_life(const Home *home, unsigned role)
{
    return home->roles[role].life;
}

uint32_t home_node(const Home *home, unsigned role)
{
    return home->roles[role].node;
}

WireSpan home_result(const Home *home, unsigned role)
{
    return (WireSpan){home->roles[role].result.data, home->roles[role].result.size};
}

bool home_outcome_fault(const Home *home, chx_fault *fault)
{
    const HomeFault *from = home->fault;
    *fault = (chx_fault){.role = "", .kind = CHX_FAULT_NONE, .why = "", .file = ""};
    if (from == NULL)
        return false;
    *fault = (chx_fault){
        home_role_name(home, from->role), from->kind, (int)from->signal, from->why, from->file, (int)from->line};
    return true;
}
