// home_blocks.c: the blocks of a session: what roles say about them goes into the recovery machine, and what that decides
// becomes orders.

#include "net/home/home_internal.h"

// ---- memory of the machine ----

static void *machine_allocate(chx_runtime *runtime, size_t size)
{
    return memory_allocate(((Home *)(void *)runtime)->options.memory, size);
}

static void machine_release(chx_runtime *runtime, void *memory)
{
    memory_release(((Home *)(void *)runtime)->options.memory, memory);
}

static void *machine_page_take(chx_runtime *runtime)
{
    return machine_allocate(runtime, BLOCK_PAGE_BYTES);
}

// ---- positions ----

void home_cut_positions(Home *home, HomeRole *role, size_t count)
{
    while (role->member.count > count) {
        HomePosition *position = role_innermost(role);
        role->saved_bytes -= position->saved.size;
        home_drop(home, &position->saved);
        home_drop(home, &position->next);
        memory_release(home->options.memory, position);
        role->member.count--;
    }
}

static bool make_room(Home *home, Member *member)
{
    if (member->count < member->capacity)
        return true;
    size_t capacity = member->capacity > 0 ? 2 * member->capacity : 2;
    Position **positions = memory_allocate(home->options.memory, capacity * sizeof *positions);
    if (positions == NULL)
        return false;
    if (member->count > 0)
        memcpy(positions, member->positions, member->count * sizeof *positions);
    memory_release(home->options.memory, member->positions);
    member->positions = positions;
    member->capacity = capacity;
    return true;
}

WireId home_id_under(const HomePosition *around, uint32_t name, uint32_t ordinal)
{
    return around != NULL ? block_id(&around->id, around->position.attempt, name, ordinal)
                          : block_id(NULL, 0, name, ordinal);
}

// The role's own view of a block that it takes part in; NULL: there is no such block, or it takes no part.
const chx_checkpoint *home_find_checkpoint(const Home *home, uint32_t name, unsigned role)
{
    const HomeTable *table = home->options.table;
    const chx_block *block = blocks_find(table->blocks, table->block_count, name);
    if (block == NULL || !block_has(block, role))
        return NULL;
    uint32_t place = 0;
    while (block->participants[place] != role)
        place++;
    return &table->checkpoints[table->first[block - table->blocks] + place];
}

// ---- where roles are ----

// Its position in the block; NULL: it is not inside.
HomePosition *home_position_in(const HomeRole *role, const Block *block)
{
    if (role->member.count <= block->depth)
        return NULL;
    Position *position = role->member.positions[block->depth];
    return position->block == block ? (HomePosition *)(void *)position : NULL;
}

// Some participant is inside: else there would be no record.
const WireId *home_block_id(const Home *home, const Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (uint32_t i = 0; i < checkpoint->participant_count; i++) {
        const HomePosition *position = home_position_in(&home->roles[checkpoint->participants[i]], block);
        if (position != NULL)
            return &position->id;
    }
    return NULL;
}

uint32_t home_depth_around(const HomeRole *role, const Block *block)
{
    const Block *around = block->parent;
    while (around != NULL && home_position_in(role, around) == NULL)
        around = around->parent;
    return around != NULL ? around->depth + 1 : 0;
}

// ---- faults ----

WireFault home_block_fault(const Block *block)
{
    const chx_fault *fault = &block->fault->fault;
    return (WireFault){.kind = (uint8_t)fault->kind,
                       .signal = (uint32_t)fault->signal,
                       .line = (uint32_t)fault->line,
                       .role = wire_text(fault->role),
                       .why = wire_text(fault->why),
                       .file = wire_text(fault->file)};
}

static chx_fault cause_of(const Home *home, const HomeFault *fault)
{
    return (chx_fault){
        home_role_name(home, fault->role), fault->kind, (int)fault->signal, fault->why, fault->file, (int)fault->line};
}

// The machine keeps one text of a fault; the name of the file comes behind it.
static void keep_file(BlockFault *fault)
{
    _Static_assert(HOME_WHY_BYTES + HOME_FILE_BYTES <= BLOCK_WHY_BYTES, "both texts have room");
    char *file = fault->why + strlen(fault->why) + 1;
    memmove(file, fault->fault.file, strlen(fault->fault.file) + 1);
    fault->fault.file = file;
}

RecoveryVerdict home_fail_member(Home *home, HomeRole *role, const HomeFault *fault)
{
    chx_fault cause = cause_of(home, fault);
    return recovery_fail(&home->recovery, &role->member, false, &cause);
}

RecoveryVerdict home_expire_block(Home *home, Block *block, const HomeFault *fault)
{
    chx_fault cause = cause_of(home, fault);
    return recovery_expire(&home->recovery, &block, &cause);
}

// ---- going back ----

static void order_recover(Home *home, unsigned role, const Block *block, const WireId *id)
{
    WireBuffer buffer = {0};
    WireFault fault = home_block_fault(block);
    WireRecover recover = {.session = home->options.session,
                           .role = (uint16_t)role,
                           .life = home->roles[role].life,
                           .id = *id,
                           .depth = home_depth_around(&home->roles[role], block),
                           .attempt = block->attempt,
                           .epoch = block->epoch,
                           .fault = home_fault_list(home, &fault, &buffer)};
    home_order(home, role, WIRE_RECOVER, &recover);
    wire_buffer_fini(&buffer);
}

static void await(HomeRole *role, uint32_t epoch)
{
    role->state = HOME_AWAITED;
    role->member.awaited = epoch;
}

static void go_back(Home *home, HomeRole *role, HomePosition *position)
{
    if (!recovery_return(&home->recovery, &role->member, &position->position))
        home->lacks_memory = true;
    home_cut_positions(home, role, position->position.block->depth + 1);
    home_drop(home, &position->next);
    position->renews = false;
}

// The block has gone to another attempt (N5, N8, N10).
static void on_roll_back(Recovery *recovery, const Block *block)
{
    Home *home = home_of(recovery);
    const chx_checkpoint *checkpoint = block->checkpoint;
    keep_file(block->fault);
    home_durable_decide(home, block);
    const WireId *id = home_block_id(home, block);
    CHECK(id != NULL);
    for (uint32_t i = 0; i < checkpoint->participant_count; i++) {
        unsigned number = checkpoint->participants[i];
        HomeRole *role = &home->roles[number];
        HomePosition *position = home_position_in(role, block);
        if (position != NULL)
            go_back(home, role, position);
        if (role_has_begun(role))
            order_recover(home, number, block, id);
        if (position != NULL && (role_has_begun(role) || session_is_broken(SESSION_BROKEN_AWAIT_ABSENT))) {
            HomeState state = role->state;
            await(role, block->epoch);
            if (state == HOME_ABSENT)
                role->state = state;
        }
    }
}

void home_on_ready(Home *home, unsigned role, uint32_t epoch)
{
    HomeRole *of = &home->roles[role];
    if (of->state != HOME_AWAITED || !recovery_ready(&of->member, epoch))
        return;
    of->state = HOME_RUNNING;
    WireStart start = {.session = home->options.session, .role = (uint16_t)role, .life = of->life, .epoch = epoch};
    home_order(home, role, WIRE_START, &start);
    home_let_in(home, role);
}

// ---- entering ----

HomePosition *home_make_position(Home *home, HomeRole *role, WireSpan saved)
{
    if (!make_room(home, &role->member))
        return NULL;
    HomePosition *position = memory_allocate(home->options.memory, sizeof *position);
    if (position == NULL)
        return NULL;
    *position = (HomePosition){0};
    if (home_copy(home, &position->saved, saved))
        return position;
    memory_release(home->options.memory, position);
    return NULL;
}

// Could a new life of the role still be told all that it has saved?
static bool has_room(const Home *home, const HomeRole *role, size_t more)
{
    return role->member.count < UINT16_MAX && role->saved_bytes + more <= home->options.message_max;
}

static void fail_too_large(Home *home, unsigned role)
{
    home_fail_lacking(home, role,
                      "what the role has saved for its blocks is larger than a message may be (message_max)");
}

static void answer_enter(Home *home, unsigned role, HomePosition *position)
{
    HomeRole *of = &home->roles[role];
    Block *block = position->position.block;
    if (position->position.attempt != block->attempt) {
        if (!recovery_return(&home->recovery, &of->member, &position->position))
            home->lacks_memory = true;
        if (!session_is_broken(SESSION_BROKEN_NO_ANSWER)) {
            await(of, block->epoch);
            order_recover(home, role, block, &position->id);
            return;
        }
    }
    if (home_is_durable_block(home, block->checkpoint))
        return; // it is let in when all are there and the store knows
    WireEack eack = {.session = home->options.session, .role = (uint16_t)role, .life = of->life, .id = position->id};
    home_order(home, role, WIRE_EACK, &eack);
}

HomeVerdict home_on_enter(Home *home, unsigned role, const WireEnter *enter)
{
    HomeRole *of = &home->roles[role];
    HomePosition *around = role_innermost(of);
    Block *parent = around != NULL ? around->position.block : NULL;
    const chx_checkpoint *checkpoint = home_find_checkpoint(home, enter->name, role);
    if (checkpoint == NULL || (around != NULL && around->position.arrived))
        return HOME_VIOLATION;
    WireId id = home_id_under(around, enter->name, enter->ordinal);
    const Block *block =
        block_find(parent != NULL ? parent->children : home->recovery.blocks, checkpoint, enter->ordinal);
    if (!wire_id_is(&id, &enter->id) || enter->attempt > (block != NULL ? block->attempt : 0))
        return HOME_VIOLATION;
    if (!has_room(home, of, enter->saved.size)) {
        fail_too_large(home, role);
        return HOME_GOOD;
    }
    if (home->options.is_durable && !cut_reserve(&home->cut))
        return HOME_NO_MEMORY;
    HomePosition *position = home_make_position(home, of, enter->saved);
    if (position == NULL)
        return HOME_NO_MEMORY;
    if (!recovery_enter(&home->recovery, &position->position, parent, checkpoint, enter->ordinal, enter->attempt)) {
        home_drop(home, &position->saved);
        memory_release(home->options.memory, position);
        return HOME_NO_MEMORY;
    }
    position->id = id;
    of->member.positions[of->member.count++] = &position->position;
    of->saved_bytes += position->saved.size;
    answer_enter(home, role, position);
    if (home_is_durable_block(home, checkpoint))
        return home_durable_enter(home, role, position->position.block);
    return HOME_GOOD;
}

// ---- the end of a block ----

// Is this what the next round must be?
static bool next_is_right(const HomeRole *role, const HomePosition *position, const WireBlock *next)
{
    const chx_checkpoint *checkpoint = position->position.checkpoint;
    size_t count = role->member.count;
    const HomePosition *around = count > 1 ? (HomePosition *)(void *)role->member.positions[count - 2] : NULL;
    WireId id = home_id_under(around, checkpoint->name, position->position.ordinal + 1);
    return checkpoint->is_round && next->name == checkpoint->name && next->ordinal == position->position.ordinal + 1 &&
           next->attempt == 0 && wire_id_is(&next->id, &id);
}

// All participants go on with another round, or none does.
static bool is_agreed(const Home *home, const Block *block, bool renews)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (uint32_t i = 0; i < checkpoint->participant_count && block->arrived > 0; i++)
        if (block->is_there[i])
            return home_position_in(&home->roles[checkpoint->participants[i]], block)->renews == renews;
    return true;
}

HomeVerdict home_on_arrive(Home *home, unsigned role, const WireArrive *arrive)
{
    HomeRole *of = &home->roles[role];
    HomePosition *position = role_innermost(of);
    if (home->options.is_durable && position == NULL && wire_id_is_zero(&arrive->id))
        return home_on_base(home, role, arrive);
    if (position == NULL || position->position.arrived || !wire_id_is(&position->id, &arrive->id) ||
        position->position.attempt != arrive->attempt)
        return HOME_VIOLATION;
    WireList list = arrive->next;
    WireBlock next;
    bool has_next = wire_next(&list, WIRE_ITEM_BLOCK, &next);
    // What comes behind an outermost durable block is said with its end.
    bool is_edge = of->member.count == 1 && home_is_durable_block(home, position->position.checkpoint);
    bool gives_base = is_edge && has_next && next.name == 0 && wire_id_is_zero(&next.id);
    bool renews = has_next && !gives_base;
    if (is_edge && !has_next)
        return HOME_VIOLATION;
    if ((renews && !next_is_right(of, position, &next)) || !is_agreed(home, position->position.block, renews))
        return HOME_VIOLATION;
    if (renews && !has_room(home, of, next.saved.size)) {
        fail_too_large(home, role);
        return HOME_GOOD;
    }
    if (renews && !home_copy(home, &position->next, next.saved))
        return HOME_NO_MEMORY;
    HomeBytes base = {0};
    if (gives_base && !home_copy(home, &base, next.saved))
        return HOME_NO_MEMORY;
    if (gives_base) {
        home_drop(home, &of->base);
        of->base = base;
    }
    position->renews = renews;
    home_durable_arrive(home, position->position.block, renews);
    if (!recovery_arrive(&home->recovery, &position->position, renews))
        home->lacks_memory = true;
    return HOME_GOOD;
}

// The next round has begun for the role (R5).
static void renew(Home *home, HomeRole *role, HomePosition *position, WireGo *go)
{
    size_t count = role->member.count;
    const HomePosition *around = count > 1 ? (HomePosition *)(void *)role->member.positions[count - 2] : NULL;
    position_renew(&position->position);
    position->id = go->next = home_id_under(around, position->position.checkpoint->name, position->position.ordinal);
    position->renews = false;
    if (session_is_broken(SESSION_BROKEN_OLD_ROUND)) {
        home_drop(home, &position->next);
        return;
    }
    role->saved_bytes += position->next.size - position->saved.size;
    home_drop(home, &position->saved);
    position->saved = position->next;
    position->next = (HomeBytes){0};
    role->is_in_gap = session_is_broken(SESSION_BROKEN_ROUND_GAP);
}

static void on_go(Recovery *recovery, Member *member, Block *block)
{
    Home *home = home_of(recovery);
    HomeRole *role = (HomeRole *)(void *)member;
    HomePosition *position = role_innermost(role);
    unsigned number = (unsigned)(role - home->roles);
    WireGo go = {.session = home->options.session,
                 .role = (uint16_t)number,
                 .life = role->life,
                 .id = position->id,
                 .attempt = position->position.attempt};
    if (block->done) {
        recovery_leave(recovery, &position->position, true);
        home_cut_positions(home, role, member->count - 1);
    } else {
        renew(home, role, position, &go);
    }
    home_order(home, number, WIRE_GO, &go);
}

const RecoveryEffects home_effects = {
    .allocate = machine_allocate,
    .release = machine_release,
    .page_take = machine_page_take,
    .page_give = machine_release,
    .arm = home_arm,
    .disarm = home_disarm,
    .roll_back = on_roll_back,
    .go = on_go,
};
