// home_durable.c: a session that is kept in a store (docs/hosts-protocol.md, section 5). What has to be committed when is said by the
// machine that sessions of one program use as well (runtime/durable/cut.h). Here it is fed with what the recovery machine decides about
// durable blocks, and every order that follows from something that the store does not have waits until it has it.

#include "net/home/home_internal.h"

struct HomeWithheld {
    HomeWithheld *next;
    uint32_t node;
    WireKind kind;
    size_t size;
    uint8_t bytes[];
};

static Home *home_of_cut(Cut *cut)
{
    return (Home *)(void *)((unsigned char *)cut - offsetof(Home, cut));
}

bool home_is_durable_block(const Home *home, const chx_checkpoint *checkpoint)
{
    return home->options.is_durable && checkpoint->is_durable;
}

// ---- orders that wait ----

// One of the wrong variants of the model: these are said before the store knows.
static bool is_said_first(WireKind kind)
{
    bool begins = kind == WIRE_START || kind == WIRE_RESTORE || kind == WIRE_RECOVER;
    return (kind == WIRE_EACK && session_is_broken(SESSION_BROKEN_ENTER_FIRST)) ||
           (kind == WIRE_GO && session_is_broken(SESSION_BROKEN_GO_FIRST)) ||
           (begins && session_is_broken(SESSION_BROKEN_DECIDE_FIRST));
}

static bool must_wait(const Home *home)
{
    return home->is_kept &&
           (home->cut.state == CUT_ENDS || (home->cut.state == CUT_RUNS && !cut_is_settled(&home->cut)));
}

static bool withhold(Home *home, uint32_t node, WireKind kind, const void *frame)
{
    size_t size = wire_body_size(kind, frame);
    HomeWithheld *made = memory_allocate(home->options.memory, sizeof *made + size), **end = &home->withheld;
    if (made == NULL)
        return false;
    *made = (HomeWithheld){.node = node, .kind = kind, .size = size};
    wire_write_body(made->bytes, kind, frame);
    while (*end != NULL)
        end = &(*end)->next;
    *end = made;
    return true;
}

bool home_say(Home *home, uint32_t node, WireKind kind, const void *frame)
{
    if (home->is_kept && home->cut.state == CUT_LOST)
        return true;
    if (must_wait(home) && !is_said_first(kind))
        return withhold(home, node, kind, frame);
    return home->options.effects->order(home->options.context, node, kind, frame);
}

static void say_withheld(Home *home)
{
    for (HomeWithheld *first; (first = home->withheld) != NULL;) {
        WireFrame frame = {.kind = first->kind};
        home->withheld = first->next;
        bool is_good = wire_decode_body(first->kind, (WireSpan){first->bytes, first->size}, &frame.data) == WIRE_GOOD;
        CHECK(is_good);
        home_order_at(home, first->node, first->kind, &frame.data);
        memory_release(home->options.memory, first);
    }
}

// Another process is there, or nobody: none of it is for it.
void home_withheld_forget(Home *home, uint32_t node)
{
    for (HomeWithheld **place = &home->withheld; *place != NULL;) {
        HomeWithheld *item = *place;
        if (node != 0 && item->node != node) {
            place = &item->next;
            continue;
        }
        *place = item->next;
        memory_release(home->options.memory, item);
    }
}

bool home_may_give(const Home *home)
{
    return !must_wait(home);
}

// ---- what the machine asks for ----

static void effect_commit(Cut *cut)
{
    Home *home = home_of_cut(cut);
    home->options.effects->commit(home->options.context);
}

static void effect_settled(Cut *cut)
{
    Home *home = home_of_cut(cut);
    say_withheld(home);
    home_release(home);
}

static void effect_over(Cut *cut)
{
    Home *home = home_of_cut(cut);
    home_withheld_forget(home, 0);
    home_say_outcome(home, home->fault);
}

static void effect_lost(Cut *cut)
{
    Home *home = home_of_cut(cut);
    home_withheld_forget(home, 0);
    home->is_over = true;
    home->owes_stop = false;
    home->options.effects->lost(home->options.context);
}

static const CutEffects cut_effects = {effect_commit, effect_settled, effect_over, effect_lost};

void home_durable_init(Home *home)
{
    cut_init(&home->cut, &cut_effects, home->options.table->role_count);
}

void home_durable_fini(Home *home)
{
    home_withheld_forget(home, 0);
    cut_fini(&home->cut);
}

// ---- events of blocks ----

// The role may begin the body of its innermost block, if that is durable and the entry, or the attempt, is in the store or about to be
// (C3, C6).
void home_let_in(Home *home, unsigned role)
{
    const HomeRole *of = &home->roles[role];
    const HomePosition *position = role_innermost(of);
    if (position == NULL || of->state != HOME_RUNNING || position->position.arrived ||
        !home_is_durable_block(home, position->position.checkpoint))
        return;
    if (home->cut.depth < of->member.count && !session_is_broken(SESSION_BROKEN_NO_BARRIER))
        return;
    WireEack eack = {.session = home->options.session, .role = (uint16_t)role, .life = of->life, .id = position->id};
    home_order(home, role, WIRE_EACK, &eack);
}

HomeVerdict home_durable_enter(Home *home, unsigned role, const Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    CutEntry entry = {.name = checkpoint->name,
                      .ordinal = block->ordinal,
                      .attempt = block->attempt,
                      .retries = checkpoint->retries,
                      .has_rescue = checkpoint->rescue_at != 0,
                      .is_round = checkpoint->is_round};
    size_t depth = home->cut.depth;
    if (!cut_enter(&home->cut, block->depth, &entry))
        return HOME_VIOLATION;
    if (home->cut.depth == depth) {
        if (session_is_broken(SESSION_BROKEN_NO_BARRIER))
            home_let_in(home, role);
        return HOME_GOOD;
    }
    for (unsigned i = 0; i < home->options.table->role_count; i++)
        home_let_in(home, i);
    return HOME_GOOD;
}

void home_durable_decide(Home *home, const Block *block)
{
    if (home_is_durable_block(home, block->checkpoint))
        cut_decide(&home->cut, block->depth, block->attempt);
}

void home_durable_arrive(Home *home, const Block *block, bool renews)
{
    bool is_last = block->arrived + 1 == block->checkpoint->participant_count;
    if (!is_last || !home_is_durable_block(home, block->checkpoint))
        return;
    if (renews)
        cut_renew(&home->cut, block->depth);
    else
        cut_leave(&home->cut, block->depth);
}

// At the beginning of the session: what the role begins with (C2). Nobody acts before all of that is in the store.
HomeVerdict home_on_base(Home *home, unsigned role, const WireArrive *arrive)
{
    HomeRole *of = &home->roles[role];
    WireList list = arrive->next;
    WireBlock base;
    if (home->is_kept || of->has_base || !wire_next(&list, WIRE_ITEM_BLOCK, &base) || base.name != 0)
        return HOME_VIOLATION;
    if (!home_copy(home, &of->base, base.saved))
        return HOME_NO_MEMORY;
    of->has_base = true;
    if (++home->based < home->options.table->role_count)
        return HOME_GOOD;
    home->is_kept = true;
    cut_begin(&home->cut, home->options.term);
    for (unsigned i = 0; i < home->options.table->role_count; i++) {
        WireGo go = {.session = home->options.session, .role = (uint16_t)i, .life = home->roles[i].life};
        home_order(home, i, WIRE_GO, &go);
    }
    return HOME_GOOD;
}

// ---- commits ----

bool home_take_change(Home *home, CutChange *change)
{
    return cut_take(&home->cut, change);
}

WireSpan home_piece(const Home *home, uint32_t level, unsigned role)
{
    const HomeRole *of = &home->roles[role];
    CHECK(level <= of->member.count);
    const HomeBytes *bytes = level == 0 ? &of->base : &((HomePosition *)(void *)of->member.positions[level - 1])->saved;
    WireSaved saved;
    if (wire_decode_body(WIRE_SAVED, (WireSpan){bytes->data, bytes->size}, &saved) != WIRE_GOOD)
        return (WireSpan){0};
    return saved.snapshot;
}

size_t home_kept_bytes(const Home *home)
{
    size_t size = 0;
    for (unsigned i = 0; i < home->options.table->role_count; i++)
        size += home->roles[i].base.size + home->roles[i].saved_bytes + home->roles[i].result.size;
    return size;
}

void home_head(const Home *home, uint32_t level, HomeHead *head)
{
    const CutEntry *entry = &home->cut.entries[level - 1];
    const Block *block = home->roles[0].member.positions[level - 1]->block;
    *head = (HomeHead){.block = entry->name, .ordinal = entry->ordinal, .attempt = entry->attempt};
    if (entry->attempt > 0 && block->fault != NULL)
        head->fault = block->fault->fault;
    else
        head->fault.kind = CHX_FAULT_NONE;
}

void home_committed(Home *home, bool is_applied, uint64_t now_ns)
{
    home->now_ns = now_ns;
    if (is_applied)
        cut_committed(&home->cut);
    else
        cut_stale(&home->cut);
    home_settle(home);
}

void home_give_up_store(Home *home, WireSpan why, uint64_t now_ns)
{
    home->now_ns = now_ns;
    bool was_over = home->is_over;
    home_withheld_forget(home, 0);
    home->is_kept = false;
    HomeFault fault = home_fault(0, CHX_FAULT_SYSTEM, why);
    if (was_over)
        home_say_outcome(home, home->fault);
    else
        home_finish(home, CHX_FAILED, &fault);
    home_settle(home);
}

// ---- going on from the store ----

// What was saved, with channels in which nothing has been said: all are empty at the edge of a durable block.
static bool saved_of(Home *home, unsigned role, WireSpan snapshot, HomeBytes *saved)
{
    WireBuffer channels = {0}, buffer = {0};
    bool is_good = true;
    for (uint16_t i = 0; i < home->options.table->role_count && is_good; i++) {
        WireChannel channel = {.role = i};
        is_good = i == role || wire_add(&channels, WIRE_ITEM_CHANNEL, &channel);
    }
    WireSaved record = {.snapshot = snapshot, .channels = wire_list(&channels)};
    is_good = is_good && wire_encode_record(&buffer, WIRE_SAVED, &record) &&
              home_copy(home, saved, (WireSpan){buffer.data, buffer.size});
    wire_buffer_fini(&channels);
    wire_buffer_fini(&buffer);
    return is_good;
}

// Why the block at this level is in another attempt: what the store says, or, for the innermost one, the loss.
static bool block_resume(Home *home, Block *block, const HomeResume *from, uint32_t level)
{
    const CutEntry *entry = &home->cut.entries[level - 1];
    if (entry->attempt == 0)
        return true;
    BlockFault *kept = memory_allocate(home->options.memory, sizeof *kept + BLOCK_WHY_BYTES);
    if (kept == NULL)
        return false;
    const chx_fault *fault = &from->heads[level - 1].fault;
    bool is_lost = level == home->cut.depth || fault->kind == CHX_FAULT_NONE;
    *kept = (BlockFault){.fault = {.role = "", .kind = CHX_FAULT_LOST, .file = ""}};
    snprintf(kept->why, HOME_WHY_BYTES, "%s", is_lost ? "the home of the session was lost in this block" : fault->why);
    if (!is_lost) {
        kept->fault = *fault;
        kept->fault.role = home_role_named(home, fault->role);
        kept->fault.file = "";
    }
    kept->fault.why = kept->why;
    block->fault = kept;
    block->attempt = entry->attempt;
    block->epoch = home->recovery.epoch;
    return true;
}

static HomeVerdict resume_level(Home *home, const HomeResume *from, unsigned role, uint32_t level)
{
    HomeRole *of = &home->roles[role];
    HomePosition *around = role_innermost(of);
    Block *parent = around != NULL ? around->position.block : NULL;
    const CutEntry *entry = &home->cut.entries[level - 1];
    const chx_checkpoint *checkpoint = home_find_checkpoint(home, entry->name, role);
    WireSpan snapshot = from->piece(from->context, level, role);
    if (checkpoint == NULL || !checkpoint->is_durable || snapshot.size == 0)
        return HOME_VIOLATION;
    HomeBytes saved;
    HomePosition *position = saved_of(home, role, snapshot, &saved)
                                 ? home_make_position(home, of, (WireSpan){saved.data, saved.size})
                                 : NULL;
    home_drop(home, &saved);
    if (position == NULL)
        return HOME_NO_MEMORY;
    Block *block = recovery_find_block(&home->recovery, parent, checkpoint, entry->ordinal);
    bool is_good = block != NULL && (block->references > 0 || block_resume(home, block, from, level));
    if (!is_good ||
        !recovery_enter(&home->recovery, &position->position, parent, checkpoint, entry->ordinal, ATTEMPT_CURRENT)) {
        home_drop(home, &position->saved);
        memory_release(home->options.memory, position);
        return HOME_NO_MEMORY;
    }
    position->id = home_id_under(around, entry->name, entry->ordinal);
    of->member.positions[of->member.count++] = &position->position;
    of->saved_bytes += position->saved.size;
    return HOME_GOOD;
}

static HomeVerdict resume_role(Home *home, const HomeResume *from, unsigned role)
{
    HomeRole *of = &home->roles[role];
    WireSpan base = from->piece(from->context, 0, role);
    if (base.size == 0)
        return HOME_VIOLATION;
    if (!saved_of(home, role, base, &of->base))
        return HOME_NO_MEMORY;
    of->has_base = of->is_resumed = true;
    for (uint32_t level = 1; level <= home->cut.depth; level++) {
        HomeVerdict verdict = resume_level(home, from, role, level);
        if (verdict != HOME_GOOD)
            return verdict;
    }
    return HOME_GOOD;
}

HomeVerdict home_resume(Home *home, const HomeResume *from)
{
    for (size_t i = 0; i < from->depth; i++) {
        const chx_block *block =
            blocks_find(home->options.table->blocks, home->options.table->block_count, from->heads[i].block);
        home->cut.depth = i;
        if (block == NULL)
            return HOME_VIOLATION;
        if (!cut_reserve(&home->cut))
            return HOME_NO_MEMORY;
        home->cut.entries[i] = (CutEntry){.name = block->name,
                                          .ordinal = from->heads[i].ordinal,
                                          .attempt = from->heads[i].attempt,
                                          .retries = block->retries,
                                          .has_rescue = block->has_rescue,
                                          .is_round = block->is_round};
    }
    CutResumed resumed = cut_resume(&home->cut, home->options.term, from->version, from->depth);
    home->recovery.epoch = 1;
    HomeVerdict verdict = HOME_GOOD;
    for (unsigned i = 0; i < home->options.table->role_count && verdict == HOME_GOOD; i++)
        verdict = resume_role(home, from, i);
    if (verdict != HOME_GOOD)
        return verdict;
    home->is_kept = true;
    if (resumed == CUT_NEXT_ATTEMPT)
        cut_go_on(&home->cut);
    if (resumed == CUT_NONE_LEFT) {
        HomeFault fault =
            home_fault(0, CHX_FAULT_LOST,
                       wire_text("the home of the session was lost in a durable block, which has no attempt left"));
        home_finish(home, CHX_FAILED, &fault);
    }
    return HOME_GOOD;
}
