// window_simulate.c: two roles on several hosts, over windows: random choreographies, lives that are lost or given up by
// mistake, frames that are late or lost with a host, memory that runs out.
//
//     window-simulate [--trace] SEED COUNT
//
// What decides and what the roles do besides is here, in few lines, as docs/hosts-protocol.md says; the channels are those of
// window.h. What a message must be when it is consumed is known from the choreography: each value says which send it comes from,
// and in which attempts of the blocks around, and the receiver must be at that receive in the same attempts. Nothing may hang.

#include "net/session/place.h"

#include "base/check.h"

enum {
    OPS = 32,
    BLOCKS = 10,
    DEPTH = 4,
    LIVES = 8,
    NODES = 2 * LIVES + 2,
    HOME = NODES - 1,
    FRAMES = 128,
    VALUE_BYTES = 64,
    STEPS = 20000,
};

// ---- the choreography ----

typedef enum { OP_MESSAGE, OP_ENTER, OP_LEAVE, OP_END } OpKind;
typedef struct {
    OpKind kind;
    unsigned from; // the role that sends
    unsigned block;
    unsigned members; // of the block, a bit for each role
} Op;

typedef struct {
    uint64_t id;
    unsigned attempt;
    unsigned members;
    unsigned start;   // op behind the entry
    WindowPlace mark; // of the channel out, at the entry
    uint8_t *saved;
    size_t saved_size;
} Block;

typedef enum { ENTER, ARRIVE, READY, FAIL, END, RESTORE, EACK, RECOVER, START, GO, LIFE } Kind;
static const char *const kind_names[] = {"ENTER", "ARRIVE",  "READY", "FAIL", "END", "RESTORE",
                                         "EACK",  "RECOVER", "START", "GO",   "LIFE"};

// A report or an order.
typedef struct {
    Kind kind;
    Block block; // of ENTER, with what was saved; of others: id and attempt
    unsigned op; // of ENTER
    uint32_t epoch;
    uint32_t life, node; // of LIFE
    bool is_ended;
    Block stack[DEPTH]; // of RESTORE; what was saved belongs to the home
    unsigned depth;
} Note;

typedef struct {
    Note notes[FRAMES];
    unsigned first, count;
} Notes;

// One life of a role.
typedef struct {
    unsigned role;
    uint32_t life, node;
    bool exists; // the home has begun it
    bool acts;   // RESTORE was heard
    bool alive;
    bool arrived, ending, has_ended;
    unsigned op, depth, known;
    uint32_t held;
    Block stack[DEPTH];
    WindowOut out;
    WindowIn in;
    Notes up, down;
} Life;

typedef struct {
    bool is_taken;
    uint32_t to_life, from_life;
    Message message;
    uint8_t value[VALUE_BYTES];
} Frame;

typedef struct {
    Frame frames[FRAMES];
    unsigned first, count;
} Wire;

typedef struct {
    uint64_t id;
    unsigned members, attempt, arrived, depth;
    uint64_t around[DEPTH];
    uint32_t epoch;
} Record;

typedef struct {
    uint32_t life; // 1, 2, ...
    bool absent, ended;
    uint32_t awaited;
    Block stack[DEPTH];
    unsigned depth;
} View;

typedef struct {
    uint64_t random, seed;
    bool is_traced, is_short_of_memory;
    unsigned blocks; // allocated
    unsigned faults;
    Op ops[OPS + 1];
    unsigned op_count, block_count;
    WindowLimits limits;
    NetMemory memory;
    Life lives[2][LIVES];
    Wire wires[NODES][NODES];
    View views[2];
    Record records[64];
    unsigned record_count;
    uint32_t epoch;
    WindowOut handed[2]; // of a role that has ended, at the home
    bool over;
    uint64_t consumed;
    // for the statistics
    unsigned lost, repeated, waited, failed;
} Sim;

static Sim sim;

#define TRACE(...)                                                                                                     \
    do {                                                                                                               \
        if (sim.is_traced) {                                                                                           \
            printf(__VA_ARGS__);                                                                                       \
            putchar('\n');                                                                                             \
        }                                                                                                              \
    } while (0)

_Noreturn static void sim_fail(const char *what)
{
    printf("seed %llu: %s\n", (unsigned long long)sim.seed, what);
    exit(1);
}

static uint64_t draw(uint64_t below)
{
    uint64_t x = sim.random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x % below;
}

static bool chance(unsigned percent)
{
    return draw(100) < percent;
}

static void *sim_allocate(void *context, size_t size)
{
    (void)context;
    if (sim.is_short_of_memory && chance(20))
        return NULL;
    sim.blocks++;
    return malloc(size);
}

static void sim_release(void *context, void *memory)
{
    (void)context;
    sim.blocks--;
    free(memory);
}

static Note *notes_add(Notes *notes, Kind kind)
{
    CHECK(notes->count < FRAMES);
    Note *note = &notes->notes[(notes->first + notes->count++) % FRAMES];
    *note = (Note){.kind = kind};
    return note;
}

static Note *notes_take(Notes *notes)
{
    Note *note = &notes->notes[notes->first];
    notes->first = (notes->first + 1) % FRAMES;
    notes->count--;
    return note;
}

static void notes_clear(Notes *notes)
{
    while (notes->count > 0)
        free(notes_take(notes)->block.saved);
}

static Life *current(unsigned role)
{
    return &sim.lives[role][sim.views[role].life];
}

// ---- making a choreography ----

static void add_op(Op op)
{
    sim.ops[sim.op_count++] = op;
}

static void make_ops(unsigned members, unsigned depth)
{
    unsigned count = 1 + (unsigned)draw(4);
    while (count-- > 0 && sim.op_count + 2 * depth + 6 < OPS) {
        bool is_block = depth < DEPTH && sim.block_count < BLOCKS && chance(depth == 0 ? 70 : 35);
        if (is_block) {
            Op op = {.kind = OP_ENTER, .block = sim.block_count++, .members = members};
            if (members == 3 && chance(25))
                op.members = 1 + (unsigned)draw(2);
            add_op(op);
            make_ops(op.members, depth + 1);
            op.kind = OP_LEAVE;
            add_op(op);
        } else if (members == 3) {
            add_op((Op){.kind = OP_MESSAGE, .from = (unsigned)draw(3) != 0, .members = 3});
        }
    }
}

// The next op of this role from `op` on.
static unsigned op_of(unsigned role, unsigned op)
{
    unsigned around = 0; // blocks of others that it would be in
    for (; sim.ops[op].kind != OP_END; op++) {
        bool is_mine = (sim.ops[op].members >> role & 1) != 0;
        if (is_mine && around == 0)
            return op;
        if (!is_mine && sim.ops[op].kind == OP_ENTER)
            around++;
        if (!is_mine && sim.ops[op].kind == OP_LEAVE)
            around--;
    }
    return op;
}

static size_t make_value(const Life *life, unsigned op, uint8_t *value)
{
    size_t size = 2 + life->depth + op * 7 % 40;
    memset(value, (int)op, VALUE_BYTES);
    value[0] = (uint8_t)op;
    value[1] = (uint8_t)life->depth;
    for (unsigned i = 0; i < life->depth; i++)
        value[2 + i] = (uint8_t)life->stack[i].attempt;
    return size;
}

// ---- frames ----

static void put_at_end(uint32_t from, uint32_t to, const Frame *frame)
{
    Wire *wire = &sim.wires[from][to];
    CHECK(wire->count < FRAMES);
    Frame *place = &wire->frames[(wire->first + wire->count++) % FRAMES];
    *place = *frame;
    if (frame->message.value.size > 0)
        memcpy(place->value, frame->message.value.data, frame->message.value.size);
    place->message.value.data = place->value;
}

static bool put_frame(uint32_t from, uint32_t to, const Frame *frame)
{
    if (sim.wires[from][to].count >= FRAMES / 2)
        return false;
    put_at_end(from, to, frame);
    return true;
}

typedef struct {
    uint32_t from_life, from, to;
} Way;

static bool give(void *context, uint32_t life, const Message *message, WireSpan more)
{
    const Way *way = context;
    if (chance(10))
        return false;
    Frame frame = {.to_life = life, .from_life = way->from_life, .message = *message};
    bool is_put = put_frame(way->from, way->to, &frame), is_sound = true;
    while (is_put && window_more_next(&more, &frame.message, &is_sound))
        put_at_end(way->from, way->to, &frame);
    CHECK(is_sound);
    return is_put;
}

// What the peer's life that is known to this one is called, and where it is.
static Life *met(const Life *life)
{
    return &sim.lives[1 - life->role][life->out.life];
}

static bool may_release(const Life *life)
{
    return life->acts && life->alive && life->held == 0 && life->known == life->depth && life->out.life != 0 &&
           life->out.given < life->out.kept.count;
}

static void release(Life *life)
{
    if (may_release(life))
        window_out_release(&life->out, chance(50) ? WINDOW_MORE_MAX : draw(60), give,
                           &(Way){life->life, life->node, met(life)->node});
}

static void say_taken(Life *life)
{
    WindowPlace place;
    if (window_in_taken(&life->in, &place) == WINDOW_SAY_NOTHING)
        return;
    Frame frame = {.is_taken = true,
                   .to_life = life->in.life,
                   .from_life = life->life,
                   .message = {.epoch = place.epoch, .number = place.number}};
    if (put_frame(life->node, life->in.node, &frame))
        window_in_said(&life->in);
}

// The life at this node that a frame for life n concerns: the latest that has begun there, or n if its RESTORE is on the way.
static Life *life_at(uint32_t node, unsigned role, uint32_t to_life)
{
    Life *found = NULL;
    for (uint32_t i = 1; i < LIVES; i++) {
        Life *life = &sim.lives[role][i];
        if (life->exists && life->alive && life->node == node && (life->acts || i == to_life))
            found = life;
    }
    return found;
}

static unsigned role_at(uint32_t node)
{
    return node >= 1 + LIVES;
}

static void check_verdict(WindowVerdict verdict)
{
    if (verdict == WINDOW_VIOLATION)
        sim_fail("a role that keeps to the protocol is said to violate it");
    sim.repeated += verdict == WINDOW_REPEATED;
    sim.waited += verdict == WINDOW_WAITS;
}

// False: it has to come again.
static bool deliver_to(Life *life, uint32_t node, const Frame *frame)
{
    WindowVerdict verdict;
    if (frame->is_taken)
        verdict = frame->to_life == life->life
                      ? window_out_taken(&life->out, frame->from_life, message_place(&frame->message))
                      : WINDOW_DROPPED;
    else
        verdict = window_in_data(&life->in, frame->to_life, frame->from_life, node, &frame->message);
    TRACE("  role %u life %u gets %s (%u, %llu) of life %u for %u: %d", life->role, life->life,
          frame->is_taken ? "TAKEN" : "DATA", frame->message.epoch, (unsigned long long)frame->message.number,
          frame->from_life, frame->to_life, (int)verdict);
    check_verdict(verdict);
    if (verdict == WINDOW_LATER)
        sim_fail("a frame for a life that was not begun here");
    return verdict != WINDOW_NO_MEMORY;
}

static void deliver(uint32_t from, uint32_t to)
{
    Wire *wire = &sim.wires[from][to];
    const Frame *frame = &wire->frames[wire->first];
    if (to == HOME) {
        unsigned role = 1 - role_at(from);
        check_verdict(window_out_taken(&sim.handed[role], frame->from_life, message_place(&frame->message)));
    } else {
        Life *life = life_at(to, role_at(to), frame->to_life);
        if (life != NULL && !deliver_to(life, from, frame))
            return;
    }
    wire->first = (wire->first + 1) % FRAMES;
    wire->count--;
}

// ---- the home ----

static Record *find_record(uint64_t id)
{
    for (unsigned i = 0; i < sim.record_count; i++)
        if (sim.records[i].id == id)
            return &sim.records[i];
    return NULL;
}

static bool record_is_inside(const Record *record, uint64_t id)
{
    for (unsigned i = 0; i < record->depth; i++)
        if (record->around[i] == id)
            return true;
    return false;
}

static void view_cut(View *view, unsigned depth)
{
    while (view->depth > depth)
        free(view->stack[--view->depth].saved);
}

static int view_find(const View *view, uint64_t id)
{
    for (unsigned i = 0; i < view->depth; i++)
        if (view->stack[i].id == id)
            return (int)i;
    return -1;
}

static void order_recover(unsigned role, const Record *record)
{
    Note *note = notes_add(&current(role)->down, RECOVER);
    note->block.id = record->id;
    note->block.attempt = record->attempt;
    note->epoch = record->epoch;
    sim.views[role].awaited = record->epoch;
}

// The block goes to its next attempt. `lost`: the role whose life was given up.
static void decide(Record *record, unsigned lost)
{
    uint64_t id = record->id;
    record->attempt++;
    record->epoch = ++sim.epoch;
    record->arrived = 0;
    for (unsigned i = 0; i < sim.record_count;)
        if (record_is_inside(&sim.records[i], id))
            sim.records[i] = sim.records[--sim.record_count];
        else
            i++;
    record = find_record(id);
    for (unsigned role = 0; role < 2; role++) {
        View *view = &sim.views[role];
        int at = view_find(view, id);
        if (at < 0)
            continue;
        view_cut(view, (unsigned)at + 1);
        view->stack[at].attempt = record->attempt;
        if (role != lost && !view->absent)
            order_recover(role, record);
    }
}

static void on_lost(unsigned role)
{
    View *view = &sim.views[role];
    if (view->depth == 0 || view->life + 1 == LIVES) {
        sim.over = true; // the session fails; or there were too many faults for this simulation
        return;
    }
    TRACE("role %u life %u is given up", role, view->life);
    bool was_awaited = view->awaited != 0;
    uint64_t id = view->stack[view->depth - 1].id;
    view->life++;
    view->absent = true;
    view->awaited = 0;
    if (!was_awaited)
        decide(find_record(id), role);
}

static bool has_begun(unsigned role)
{
    return !sim.views[role].absent && !sim.views[role].ended;
}

// What the peer has to be told of a role.
static void tell_life(unsigned role, Note *note)
{
    const View *view = &sim.views[role];
    note->life = view->absent ? view->life - 1 : view->life;
    note->is_ended = view->ended;
    note->node = view->ended ? (uint32_t)HOME : sim.lives[role][note->life].node;
}

static void begin(unsigned role)
{
    View *view = &sim.views[role];
    Life *life = current(role), *before = life - 1;
    bool is_same_node = view->life > 1 && !before->alive && before->node != 0 && chance(60);
    *life = (Life){.role = role, .life = view->life, .exists = true, .alive = true};
    life->node = is_same_node ? before->node : 1 + role * LIVES + view->life;
    window_out_init(&life->out, &sim.memory, sim.limits);
    window_in_init(&life->in, &sim.memory, sim.limits, view->life);
    view->absent = false;
    Note *note = notes_add(&life->down, RESTORE);
    note->depth = view->depth;
    for (unsigned i = 0; i < view->depth; i++) {
        note->stack[i] = view->stack[i];
        note->stack[i].saved = malloc(view->stack[i].saved_size);
        memcpy(note->stack[i].saved, view->stack[i].saved, view->stack[i].saved_size);
    }
    note->epoch = view->depth > 0 ? find_record(view->stack[view->depth - 1].id)->epoch : 0;
    tell_life(1 - role, note);
    TRACE("role %u life %u begins at node %u, depth %u, epoch %u", role, view->life, life->node, note->depth,
          note->epoch);
    if (has_begun(1 - role))
        tell_life(role, notes_add(&current(1 - role)->down, LIFE));
    if (sim.views[1 - role].ended)
        window_out_life(&sim.handed[1 - role], view->life);
}

static void on_enter(unsigned role, Note *note)
{
    View *view = &sim.views[role];
    Record *record = find_record(note->block.id);
    if (record == NULL) {
        CHECK(sim.record_count < 64);
        record = &sim.records[sim.record_count++];
        *record = (Record){.id = note->block.id, .members = note->block.members, .depth = view->depth};
        for (unsigned i = 0; i < view->depth; i++)
            record->around[i] = view->stack[i].id;
    }
    view->stack[view->depth] = note->block;
    view->stack[view->depth++].attempt = record->attempt;
    note->block.saved = NULL;
    if (record->attempt > note->block.attempt)
        order_recover(role, record);
    else
        notes_add(&current(role)->down, EACK)->block.id = record->id;
}

static void on_arrive(unsigned role, const Note *note)
{
    Record *record = find_record(note->block.id);
    if (record == NULL || record->attempt != note->block.attempt)
        return;
    record->arrived |= 1u << role;
    if (record->arrived != record->members)
        return;
    for (unsigned other = 0; other < 2; other++)
        if ((record->members >> other & 1) != 0) {
            view_cut(&sim.views[other], sim.views[other].depth - 1);
            Note *go = notes_add(&current(other)->down, GO);
            go->block.id = record->id;
            go->block.attempt = record->attempt;
        }
    *record = sim.records[--sim.record_count];
}

static void on_end(unsigned role, const Note *note)
{
    WireSaved saved;
    CHECK(wire_decode_body(WIRE_SAVED, (WireSpan){note->block.saved, note->block.saved_size}, &saved) == WIRE_GOOD);
    while (window_out_take_over(&sim.handed[role], (uint16_t)(1 - role), saved.kept) == WINDOW_NO_MEMORY)
        ;
    const View *other = &sim.views[1 - role];
    sim.views[role].ended = true;
    if (!other->absent)
        window_out_life(&sim.handed[role], other->life);
    if (has_begun(1 - role))
        tell_life(role, notes_add(&current(1 - role)->down, LIFE));
    Life *life = current(role);
    if (chance(50))
        life->alive = false; // the process exits; what its links have not delivered may be lost
    for (uint32_t node = 0; node < NODES && !life->alive && chance(50); node++)
        sim.wires[life->node][node].count = 0;
}

static void hear_report(Life *life)
{
    Note *note = notes_take(&life->up);
    unsigned role = life->role;
    View *view = &sim.views[role];
    bool is_void = life->life != view->life || view->absent || view->ended ||
                   (view->awaited != 0 && note->kind != READY && note->kind != FAIL);
    TRACE("home hears %s of role %u life %u%s", kind_names[note->kind], role, life->life, is_void ? ": void" : "");
    if (is_void)
        ;
    else if (note->kind == ENTER)
        on_enter(role, note);
    else if (note->kind == ARRIVE)
        on_arrive(role, note);
    else if (note->kind == FAIL)
        on_lost(role);
    else if (note->kind == END)
        on_end(role, note);
    else if (view->awaited == note->epoch) {
        view->awaited = 0;
        notes_add(&life->down, START)->epoch = note->epoch;
    }
    free(note->block.saved);
}

// ---- a life ----

// SAVED, as ENTER and END say it.
static void save(const Life *life, Block *block)
{
    WireBuffer channels = {0}, kept = {0}, buffer = {0};
    CHECK(window_save(&life->out, &life->in, (uint16_t)(1 - life->role), &channels, &kept));
    WireSaved saved = {.channels = wire_list(&channels), .kept = wire_list(&kept)};
    CHECK(wire_encode_record(&buffer, WIRE_SAVED, &saved));
    block->saved = malloc(buffer.size);
    block->saved_size = buffer.size;
    memcpy(block->saved, buffer.data, buffer.size);
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
    wire_buffer_fini(&buffer);
}

static void back_to(Life *life, unsigned depth, unsigned attempt, uint32_t epoch)
{
    life->depth = depth;
    Block *block = &life->stack[depth - 1];
    block->attempt = attempt;
    life->op = block->start;
    life->arrived = false;
    if (life->known > depth)
        life->known = depth;
    if (block->members == 3) {
        window_out_back(&life->out, block->mark, epoch);
        window_in_reset(&life->in, epoch);
    }
}

// False: no memory.
static bool on_restore(Life *life, const Note *note)
{
    unsigned other = 1 - life->role;
    WireSaved saved;
    for (unsigned i = 0; i < note->depth; i++) {
        WireSpan bytes = {note->stack[i].saved, note->stack[i].saved_size};
        CHECK(wire_decode_body(WIRE_SAVED, bytes, &saved) == WIRE_GOOD);
        if (!window_saved_is_sound(&saved, (uint16_t)life->role, 2))
            sim_fail("what was saved is not sound");
        WindowVerdict verdict =
            i + 1 == note->depth ? window_load(&life->out, &life->in, (uint16_t)other, &saved) : WINDOW_GOOD;
        if (verdict == WINDOW_VIOLATION)
            sim_fail("what was saved can't be read");
        if (verdict == WINDOW_NO_MEMORY)
            return false;
        life->stack[i] = note->stack[i];
        life->stack[i].saved = NULL;
    }
    for (unsigned i = 0; i < note->depth; i++)
        free(note->stack[i].saved);
    life->acts = true;
    life->known = note->depth;
    life->op = op_of(life->role, 0);
    if (note->depth > 0)
        back_to(life, note->depth, note->stack[note->depth - 1].attempt, note->epoch);
    if (note->life != 0) {
        window_out_life(&life->out, note->life);
        window_in_life(&life->in, note->life, note->node);
        if (note->is_ended)
            window_out_ended(&life->out);
    }
    return true;
}

static int stack_find(const Life *life, uint64_t id)
{
    for (unsigned i = 0; i < life->depth; i++)
        if (life->stack[i].id == id)
            return (int)i;
    return -1;
}

static void on_go(Life *life, const Note *note)
{
    const Block *block = &life->stack[life->depth - 1];
    if (!life->arrived || life->depth == 0 || block->id != note->block.id || block->attempt != note->block.attempt)
        sim_fail("GO for a block that the role is not in");
    life->depth--;
    if (life->known > life->depth)
        life->known = life->depth;
    life->arrived = false;
    life->op = op_of(life->role, life->op + 1);
}

static void on_life(Life *life, const Note *note)
{
    if (note->is_ended)
        window_out_ended(&life->out);
    window_out_life(&life->out, note->life);
    window_in_life(&life->in, note->life, note->node);
}

static void hear_order(Life *life)
{
    const Note *note = &life->down.notes[life->down.first];
    int at = stack_find(life, note->block.id);
    TRACE("role %u life %u hears %s epoch %u life %u", life->role, life->life, kind_names[note->kind], note->epoch,
          note->life);
    if (note->kind == RESTORE && !on_restore(life, note))
        return;
    notes_take(&life->down);
    if (note->kind == EACK && at >= 0 && life->known < (unsigned)at + 1)
        life->known = (unsigned)at + 1;
    if (note->kind == RECOVER && at >= 0 && life->stack[at].attempt < note->block.attempt) {
        back_to(life, (unsigned)at + 1, note->block.attempt, note->epoch);
        life->held = note->epoch;
        notes_add(&life->up, READY)->epoch = note->epoch;
    }
    if (note->kind == START && life->held == note->epoch) {
        life->held = 0;
        life->known = life->depth;
    }
    if (note->kind == GO)
        on_go(life, note);
    if (note->kind == LIFE)
        on_life(life, note);
    release(life);
}

static void do_enter(Life *life, const Op *op)
{
    const Block *around = life->depth > 0 ? &life->stack[life->depth - 1] : NULL;
    uint64_t id = around != NULL ? around->id * 31 + around->attempt + 1 : 0;
    Block block = {.id = id * 1000003 + op->block + 1,
                   .members = op->members,
                   .mark = window_out_mark(&life->out),
                   .start = op_of(life->role, life->op + 1)};
    life->stack[life->depth++] = block;
    save(life, &block);
    notes_add(&life->up, ENTER)->block = block;
    life->op = block.start;
}

static bool consume(Life *life, const Op *op)
{
    Message message;
    if (!window_in_first(&life->in, &message))
        return false;
    uint8_t value[VALUE_BYTES];
    size_t size = make_value(life, (unsigned)(op - sim.ops), value);
    if (message.site != life->op || message.value.size != size || memcmp(message.value.data, value, size) != 0)
        sim_fail(message.site != life->op ? "a role consumes a message that was sent elsewhere"
                                          : "a role consumes a message of another attempt");
    window_in_consume(&life->in, 1);
    sim.consumed++;
    WindowPlace place;
    if (window_in_taken(&life->in, &place) == WINDOW_SAY_NOW || chance(20))
        say_taken(life);
    life->op = op_of(life->role, life->op + 1);
    return true;
}

// False: it has to wait.
static bool act(Life *life)
{
    const Op *op = &sim.ops[life->op];
    uint8_t value[VALUE_BYTES];
    if (op->kind == OP_MESSAGE && op->from != life->role)
        return consume(life, op);
    if (op->kind == OP_MESSAGE) {
        size_t size = make_value(life, life->op, value);
        if (!window_out_has_room(&life->out))
            return false;
        if (window_out_send(&life->out, life->op, (WireSpan){value, size}))
            life->op = op_of(life->role, life->op + 1);
        release(life);
    } else if (op->kind == OP_ENTER) {
        do_enter(life, op);
    } else if (op->kind == OP_LEAVE) {
        if (life->arrived)
            return false;
        life->arrived = true;
        notes_add(&life->up, ARRIVE)->block =
            (Block){.id = life->stack[life->depth - 1].id, .attempt = life->stack[life->depth - 1].attempt};
    } else {
        life->ending = true;
        save(life, &notes_add(&life->up, END)->block);
    }
    return true;
}

// ---- faults ----

static void forget_wires(uint32_t node)
{
    for (uint32_t other = 0; other < NODES; other++) {
        Wire *wire = &sim.wires[node][other];
        wire->count = (unsigned)draw(wire->count + 1);
        sim.wires[other][node].count = 0;
    }
}

static void fault(unsigned role)
{
    Life *life = current(role);
    const View *view = &sim.views[role];
    if (view->absent || view->ended || view->depth == 0 || !life->acts || life->ending)
        return;
    sim.faults--;
    sim.lost++;
    switch (draw(3)) {
    case 0: // its own node reports it
        TRACE("role %u life %u fails", role, life->life);
        life->alive = false;
        notes_add(&life->up, FAIL);
        break;
    case 1: // its host is lost
        TRACE("role %u life %u: host lost", role, life->life);
        life->alive = false;
        notes_clear(&life->up);
        forget_wires(life->node);
        life->node = 0; // no later life begins there
        on_lost(role);
        break;
    default: // it goes on without knowing that it was given up
        on_lost(role);
        break;
    }
}

// ---- steps ----

// Something that can be done, drawn from all of it; false: nothing moves any more.
typedef struct {
    enum { HEAR_REPORT, HEAR_ORDER, ACT, RELEASE, TAKEN, DELIVER, BEGIN, HAND_OVER } what;
    Life *life;
    uint32_t from, to;
} Choice;

static Choice choices[1024];
static unsigned choice_count;

static void offer(int what, Life *life, uint32_t from, uint32_t to)
{
    CHECK(choice_count < 1024);
    choices[choice_count++] = (Choice){what, life, from, to};
}

static bool can_act(Life *life)
{
    const Op *op = &sim.ops[life->op];
    Message message;
    if (!life->acts || life->held != 0 || life->ending)
        return false;
    if (op->kind == OP_MESSAGE && op->from != life->role)
        return window_in_first(&life->in, &message);
    if (op->kind == OP_MESSAGE)
        return window_out_has_room(&life->out);
    return op->kind != OP_LEAVE || !life->arrived;
}

static void collect(void)
{
    WindowPlace place;
    choice_count = 0;
    for (unsigned role = 0; role < 2; role++) {
        for (uint32_t i = 1; i < LIVES; i++) {
            Life *life = &sim.lives[role][i];
            if (life->exists && life->up.count > 0)
                offer(HEAR_REPORT, life, 0, 0);
            if (!life->exists || !life->alive)
                continue;
            if (life->down.count > 0)
                offer(HEAR_ORDER, life, 0, 0);
            if (can_act(life))
                offer(ACT, life, 0, 0);
            if (may_release(life))
                offer(RELEASE, life, 0, 0);
            if (life->acts && window_in_taken(&life->in, &place) != WINDOW_SAY_NOTHING)
                offer(TAKEN, life, 0, 0);
        }
        if (sim.views[role].absent)
            offer(BEGIN, NULL, role, 0);
        if (sim.views[role].ended && has_begun(1 - role) && sim.handed[role].given < sim.handed[role].kept.count)
            offer(HAND_OVER, NULL, role, 0);
    }
    for (uint32_t from = 0; from < NODES; from++)
        for (uint32_t to = 0; to < NODES; to++)
            if (sim.wires[from][to].count > 0)
                offer(DELIVER, NULL, from, to);
}

static void step(const Choice *choice)
{
    Life *life = choice->life;
    switch (choice->what) {
    case HEAR_REPORT:
        hear_report(life);
        break;
    case HEAR_ORDER:
        hear_order(life);
        break;
    case ACT:
        act(life);
        break;
    case RELEASE:
        release(life);
        break;
    case TAKEN:
        say_taken(life);
        break;
    case DELIVER:
        deliver(choice->from, choice->to);
        break;
    case BEGIN:
        begin(choice->from);
        break;
    case HAND_OVER:
        window_out_release(&sim.handed[choice->from], WINDOW_MORE_MAX, give,
                           &(Way){sim.views[choice->from].life, HOME, current(1 - choice->from)->node});
        break;
    }
}

static void sim_start(uint64_t seed, bool is_traced)
{
    uint64_t consumed = sim.consumed;
    unsigned lost = sim.lost, repeated = sim.repeated, waited = sim.waited, failed = sim.failed + sim.over;
    memset(&sim, 0, sizeof sim);
    sim.consumed = consumed;
    sim.lost = lost;
    sim.repeated = repeated;
    sim.waited = waited;
    sim.failed = failed;
    sim.random = sim.seed = seed;
    sim.is_traced = is_traced;
    sim.memory = (NetMemory){sim_allocate, sim_release, NULL};
    for (unsigned least = 4 + (unsigned)draw(14); sim.op_count < least;)
        make_ops(3, 0);
    sim.ops[sim.op_count] = (Op){.kind = OP_END, .members = 3};
    sim.limits = (WindowLimits){1 + (uint32_t)draw(4), 20 + draw(100)};
    sim.faults = (unsigned)draw(5);
    sim.is_short_of_memory = chance(30);
    for (unsigned role = 0; role < 2; role++) {
        sim.views[role] = (View){.life = 1, .absent = true};
        window_out_init(&sim.handed[role], &sim.memory, sim.limits);
    }
}

static void sim_end(void)
{
    for (unsigned role = 0; role < 2; role++) {
        for (uint32_t i = 1; i < LIVES; i++) {
            Life *life = &sim.lives[role][i];
            if (!life->exists)
                continue;
            for (unsigned n = 0; n < life->down.count; n++)
                for (unsigned d = 0; d < DEPTH; d++)
                    free(life->down.notes[(life->down.first + n) % FRAMES].stack[d].saved);
            notes_clear(&life->up);
            window_out_fini(&life->out);
            window_in_fini(&life->in);
        }
        view_cut(&sim.views[role], 0);
        window_out_fini(&sim.handed[role]);
    }
    if (sim.blocks != 0)
        sim_fail("memory is not given back");
}

static void run(uint64_t seed, bool is_traced)
{
    sim_start(seed, is_traced);
    for (unsigned i = 0; !sim.over && !(sim.views[0].ended && sim.views[1].ended); i++) {
        if (i == STEPS)
            sim_fail("it does not end");
        // Looking for what can be done must not depend on chance.
        bool is_short = sim.is_short_of_memory;
        sim.is_short_of_memory = false;
        collect();
        sim.is_short_of_memory = is_short;
        if (choice_count == 0)
            sim_fail("nothing moves any more");
        if (sim.faults > 0 && chance(4))
            fault((unsigned)draw(2));
        else
            step(&choices[draw(choice_count)]);
    }
    sim_end();
}

int main(int argc, char **argv)
{
    bool is_traced = argc > 1 && strcmp(argv[1], "--trace") == 0;
    if (argc != 3 + is_traced) {
        fprintf(stderr, "usage: window-simulate [--trace] SEED COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[1 + is_traced], NULL, 10), count = strtoull(argv[2 + is_traced], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        run(seed, is_traced);
    printf("%llu seeds: %llu messages consumed, %u lives lost, %u messages came again, %u waited for a life, "
           "%u sessions failed\n",
           (unsigned long long)count, (unsigned long long)sim.consumed, sim.lost, sim.repeated, sim.waited,
           sim.failed + sim.over);
    return 0;
}
