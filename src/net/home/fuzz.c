// fuzz.c: what nodes could say to a home, and what a home or other nodes could say to a life, for libFuzzer (scripts/fuzz).
//
// The bytes are a list of calls. Frames are either decoded from the bytes as they are, or made of small numbers, so that many of
// them fit: identifiers of blocks that exist, lives and epochs close to the right ones. Whatever is said, nothing crashes, what is
// kept stays below a limit, and all memory is given back.

#include "net/home/home_internal.h"
#include "net/session/life_internal.h"

enum { ROLES = 3, NODES = 4, MESSAGE_MAX = 4096, MEMORY_MAX = 4 << 20 };

static const unsigned all[] = {0, 1, 2}, two[] = {0, 1};
static const chx_block blocks[] = {
    {.name = 1, .retries = 1, .participants = all, .participant_count = 3, .has_rescue = true},
    {.name = 2, .retries = 0, .within_ns = 1000, .participants = two, .participant_count = 2},
    {.name = 3, .retries = 0, .participants = all, .participant_count = 3, .has_rescue = true, .is_round = true},
};
static const char *const roles[] = {"A", "B", "C"};

typedef struct {
    const uint8_t *at, *end;
    HomeTable table;
    Home home;
    Life life;
    size_t bytes; // allocated
    unsigned count;
    bool is_short;
    WireBuffer lists[4];
    uint64_t now_ns;
} Fuzz;

static Fuzz fuzz;

static uint8_t next(void)
{
    return fuzz.at < fuzz.end ? *fuzz.at++ : 0;
}

static WireSpan next_bytes(size_t most)
{
    size_t size = next() % (most + 1), left = (size_t)(fuzz.end - fuzz.at);
    WireSpan span = {fuzz.at, size < left ? size : left};
    fuzz.at += span.size;
    return span;
}

static void *fuzz_allocate(void *context, size_t size)
{
    (void)context;
    if (fuzz.is_short && (next() & 3) == 0)
        return NULL;
    uint64_t *block = malloc(16 + size);
    *block = size;
    fuzz.bytes += size;
    fuzz.count++;
    CHECK(fuzz.bytes < MEMORY_MAX);
    return block + 2;
}

static void fuzz_release(void *context, void *memory)
{
    (void)context;
    uint64_t *block = (uint64_t *)memory - 2;
    fuzz.bytes -= *block;
    fuzz.count--;
    free(block);
}

static const NetMemory memory = {fuzz_allocate, fuzz_release, NULL};

// ---- effects ----

static bool on_order(void *context, uint32_t node, WireKind kind, const void *frame)
{
    (void)context;
    CHECK(node != 0 && node <= NODES && wire_body_size(kind, frame) > 0);
    return !fuzz.is_short || (next() & 7) != 0;
}

static bool on_give(void *context, uint32_t node, const WireData *data)
{
    (void)context;
    CHECK(node != 0 && data->to < ROLES);
    return (next() & 3) != 0;
}

static uint32_t on_place(void *context, unsigned role, uint32_t last)
{
    (void)context;
    (void)last;
    CHECK(role < ROLES);
    return next() % (NODES + 1);
}

static void on_describe(void *context, uint32_t node, WireSpan *name, WireSpan *address)
{
    (void)context;
    CHECK(node != 0 && node <= NODES);
    *name = *address = wire_text("a node");
}

static void on_over(void *context, chx_status status, const WireFault *fault)
{
    (void)context;
    CHECK((fault == NULL) == (status == CHX_OK));
}

static bool on_report(void *context, WireKind kind, const void *frame)
{
    (void)context;
    CHECK(wire_body_size(kind, frame) > 0);
    return !fuzz.is_short || (next() & 7) != 0;
}

static bool on_taken(void *context, uint32_t node, const WireTaken *taken)
{
    (void)context;
    CHECK(node != 0 && taken->to < ROLES);
    return (next() & 3) != 0;
}

static uint32_t on_node(void *context, unsigned role, WireSpan name, WireSpan address)
{
    (void)context;
    (void)role;
    (void)address;
    return name.size == 0 ? 0 : 1 + name.data[0] % NODES;
}

static void on_soon(void *context)
{
    (void)context;
}

static void on_wake(void *context, LifeWake what, unsigned peer)
{
    (void)context;
    CHECK(what <= LIFE_WAKE_OVER && peer < ROLES);
}

static const HomeEffects home_table = {
    .order = on_order, .give = on_give, .place = on_place, .describe = on_describe, .over = on_over};
static const LifeEffects life_table = {on_report, on_give, on_taken, on_node, on_soon, on_wake};

// ---- frames ----

// An identifier that fits, for who is in these blocks.
static WireId some_id(const WireId *around, uint32_t attempt, uint32_t *name, uint32_t *ordinal)
{
    uint8_t which = next();
    *name = 1 + which % 4;
    *ordinal = which >> 2 & 3;
    WireId id = block_id(around, around != NULL ? attempt : 0, *name, *ordinal);
    id.bytes[3] ^= which >> 7;
    return id;
}

static WireSpan some_saved(WireBuffer *buffer, unsigned self)
{
    WireBuffer channels = {0}, kept = {0};
    for (uint16_t i = 0; i < ROLES; i++) {
        uint8_t what = next();
        WireChannel channel = {.role = i,
                               .out_epoch = what & 3,
                               .out_number = what >> 2 & 3,
                               .in_epoch = what >> 4 & 3,
                               .in_number = what >> 6};
        WireKept item = {.to = i, .epoch = channel.out_epoch, .number = channel.out_number - 1u, .value = {0}};
        if (i != self)
            wire_add(&channels, WIRE_ITEM_CHANNEL, &channel);
        if (i != self && (what & 1) != 0)
            wire_add(&kept, WIRE_ITEM_KEPT, &item);
    }
    WireSaved saved = {.channels = wire_list(&channels), .kept = wire_list(&kept), .snapshot = next_bytes(100)};
    buffer->size = buffer->count = 0;
    wire_encode_record(buffer, WIRE_SAVED, &saved);
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
    return (WireSpan){buffer->data, buffer->size};
}

static WireList some_fault(WireBuffer *buffer)
{
    buffer->size = buffer->count = 0;
    WireFault fault = {.kind = next() % 9, .why = wire_text("why"), .file = wire_text("file.c")};
    if (fault.kind != 8)
        wire_add(buffer, WIRE_ITEM_FAULT, &fault);
    return wire_list(buffer);
}

// The round behind the one that the role is in.
static WireList next_round(const HomeRole *of, uint16_t role)
{
    const HomePosition *inside = role_innermost(of), *around = NULL;
    if (of->member.count > 1)
        around = (HomePosition *)(void *)of->member.positions[of->member.count - 2];
    WireBlock block = {.name = inside->position.checkpoint->name, .ordinal = inside->position.ordinal + 1};
    block.id = block_id(around != NULL ? &around->id : NULL, around != NULL ? around->position.attempt : 0, block.name,
                        block.ordinal);
    block.saved = some_saved(&fuzz.lists[0], role);
    fuzz.lists[1].size = fuzz.lists[1].count = 0;
    wire_add(&fuzz.lists[1], WIRE_ITEM_BLOCK, &block);
    return wire_list(&fuzz.lists[1]);
}

// What a role that ends has kept for others.
static WireList some_kept(void)
{
    for (uint16_t to = 0, kept = next(); to < ROLES; to++)
        if ((kept >> to & 1) != 0) {
            WireKept item = {.to = to, .number = kept >> 4};
            wire_add(&fuzz.lists[0], WIRE_ITEM_KEPT, &item);
        }
    return wire_list(&fuzz.lists[0]);
}

// A report of a role, near to what the home expects.
static void say_to_home(void)
{
    uint8_t what = next();
    uint16_t role = what >> 4 & 3;
    const HomeRole *of = &fuzz.home.roles[role < ROLES ? role : 0];
    uint32_t life = of->begun + ((what & 0x80) != 0 ? next() % 3 - 1u : 0),
             node = next() % 8 == 0 ? 1 + next() % NODES : of->node;
    const HomePosition *inside = role_innermost(of);
    WireFrame frame;
    uint32_t name, ordinal;
    uint64_t session = 7;
    WireId id = {{0}};
    if (inside != NULL)
        id = inside->id;
    uint32_t attempt = inside != NULL ? inside->position.attempt : 0;
    memset(&frame, 0, sizeof frame);
    switch (what & 7) {
    case 0:
        id = some_id(inside != NULL ? &id : NULL, attempt, &name, &ordinal);
        frame.kind = WIRE_ENTER;
        frame.enter = (WireEnter){session, role, life, id, name, ordinal, next() & 1, some_saved(&fuzz.lists[0], role)};
        break;
    case 1:
    case 2:
        frame.kind = WIRE_ARRIVE;
        frame.arrive = (WireArrive){.session = session, .role = role, .life = life, .id = id, .attempt = attempt};
        if (inside != NULL && (what & 7) == 2)
            frame.arrive.next = next_round(of, role);
        break;
    case 3:
        frame.kind = WIRE_READY;
        frame.ready = (WireReady){session, role, life, of->member.awaited + next() % 2};
        break;
    case 4:
        frame.kind = WIRE_FAIL;
        frame.fail = (WireFail){session, role, life, some_fault(&fuzz.lists[0])};
        break;
    case 5:
        frame.kind = WIRE_END;
        frame.end = (WireEnd){.session = session, .role = role, .life = life, .result = next_bytes(10)};
        frame.end.kept = some_kept();
        break;
    case 6:
        frame.kind = next() % 4 == 0 ? WIRE_REFUSED : WIRE_UNREACHED;
        if (frame.kind == WIRE_REFUSED)
            frame.refused = (WireRefused){.session = session, .role = role, .life = life};
        else
            frame.unreached = (WireUnreached){session, role, life, next() % 4, next() % 4, next() % 4 == 0};
        break;
    default:
        frame.kind = WIRE_TAKEN;
        frame.taken = (WireTaken){session, role, life, next() % 4, 1, next() % 2, next()};
        break;
    }
    home_report(&fuzz.home, node != 0 ? node : 1, &frame, fuzz.now_ns);
    fuzz.lists[0].size = fuzz.lists[0].count = 0;
}

// Any frame, from the bytes as they are.
static void say_raw(bool to_home)
{
    WireFrame frame = {.kind = 32 + next() % 19};
    uint8_t node = 1 + next() % NODES;
    if (wire_decode_body(frame.kind, next_bytes(255), &frame.hello) != WIRE_GOOD)
        return;
    if (to_home)
        home_report(&fuzz.home, node, &frame, fuzz.now_ns);
    else if (frame.kind == WIRE_DATA)
        life_data(&fuzz.life, node, &frame.data);
    else if (frame.kind == WIRE_TAKEN)
        life_taken(&fuzz.life, &frame.taken);
    else
        life_order(&fuzz.life, &frame);
}

static void call_home(void)
{
    uint8_t what = next();
    fuzz.now_ns += what;
    fuzz.is_short = (what & 0x40) != 0;
    switch (what & 15) {
    case 0:
    case 1: {
        uint8_t how = next();
        HomeJoin join = {.role = how & 3,
                         .node = 1 + (how >> 2 & 3),
                         .request = how,
                         .is_anonymous = (how & 0x10) != 0,
                         .may_be_standby = (how & 0x20) != 0};
        if ((how & 0x40) != 0)
            join.seat_key.bytes[0] = how;
        home_join(&fuzz.home, &join, fuzz.now_ns);
        break;
    }
    case 2:
        home_node_lost(&fuzz.home, 1 + next() % NODES, wire_text("lost"), fuzz.now_ns);
        break;
    case 3:
        home_place_found(&fuzz.home, next() % ROLES, 1 + next() % NODES, fuzz.now_ns);
        break;
    case 4:
        home_tick(&fuzz.home, fuzz.now_ns += 100 * next());
        break;
    case 5:
        home_release(&fuzz.home);
        break;
    case 6:
        say_raw(true);
        break;
    default:
        say_to_home();
        break;
    }
    fuzz.is_short = false;
}

// ---- a life ----

static void restore(void)
{
    uint8_t what = next();
    WireBuffer list = {0}, seats = {0}, saved[3] = {{0}};
    WireId around = {{0}};
    uint32_t attempt = 0;
    for (unsigned i = 0; i < (what & 3u); i++) {
        WireBlock block = {.attempt = next() % 3};
        block.id = some_id(i > 0 ? &around : NULL, attempt, &block.name, &block.ordinal);
        block.saved = some_saved(&saved[i], 0);
        wire_add(&list, WIRE_ITEM_BLOCK, &block);
        around = block.id;
        attempt = block.attempt;
    }
    for (uint16_t i = 1; i < ROLES; i++) {
        uint8_t seat = next();
        WireSeat one = {
            .role = i, .life = seat & 3, .has_ended = (seat & 4) != 0, .node = wire_text((seat & 8) != 0 ? "a" : "b")};
        if ((seat & 0x10) != 0)
            wire_add(&seats, WIRE_ITEM_SEAT, &one);
    }
    WireFrame frame = {.kind = WIRE_RESTORE};
    frame.restore = (WireRestore){.session = 7,
                                  .life = fuzz.life.life + (what >> 2 & 3),
                                  .window_messages = 2,
                                  .window_bytes = 1 + (what >> 4),
                                  .blocks = wire_list(&list),
                                  .epoch = next() & 3,
                                  .roster = wire_list(&seats)};
    life_order(&fuzz.life, &frame);
    wire_buffer_fini(&list);
    wire_buffer_fini(&seats);
    for (unsigned i = 0; i < 3; i++)
        wire_buffer_fini(&saved[i]);
}

static void order_life(void)
{
    uint8_t what = next();
    uint32_t life = fuzz.life.life + ((what & 0x80) != 0 ? next() % 3 - 1u : 0), depth = fuzz.life.depth, name, ordinal;
    const LifeBlock *block = depth > 0 ? &fuzz.life.blocks[next() % depth] : NULL;
    bool has_around = block != NULL && block > fuzz.life.blocks;
    WireId id = block != NULL ? block->id : some_id(NULL, 0, &name, &ordinal);
    WireFrame frame;
    memset(&frame, 0, sizeof frame);
    switch (what & 7) {
    case 0:
        frame.kind = WIRE_EACK;
        frame.eack = (WireEack){.session = 7, .life = life};
        if ((what & 8) == 0)
            frame.eack.id = id;
        break;
    case 1:
    case 2:
        frame.kind = WIRE_RECOVER;
        if ((what & 0x10) != 0)
            id = some_id(block != NULL ? &id : NULL, 0, &name, &ordinal);
        frame.recover = (WireRecover){7, 0, life, id, next() % 3, next() % 3, next() % 8, some_fault(&fuzz.lists[0])};
        break;
    case 3:
        frame.kind = WIRE_START;
        frame.start = (WireStart){7, 0, life, fuzz.life.held + (what >> 3 & 1)};
        break;
    case 4:
        frame.kind = WIRE_GO;
        frame.go = (WireGo){.session = 7, .life = life, .id = id, .attempt = block != NULL ? block->attempt : 0};
        if (block != NULL && (what & 8) != 0)
            frame.go.next = block_id(has_around ? &block[-1].id : NULL, has_around ? block[-1].attempt : 0,
                                     block->block->name, block->ordinal + 1);
        break;
    case 5:
        frame.kind = WIRE_LIFE;
        frame.life =
            (WireLife){.session = 7, .life = life, .of = next() % 4, .of_life = next() % 5, .node = wire_text("a")};
        frame.life.has_ended = (what & 8) != 0;
        break;
    case 6:
        frame.kind = WIRE_FENCED;
        frame.fenced = (WireFenced){7, 0, life};
        break;
    default:
        frame.kind = WIRE_STOP;
        frame.stop = (WireStop){.session = 7, .life = life, .status = next() % 5, .fault = some_fault(&fuzz.lists[0])};
        break;
    }
    life_order(&fuzz.life, &frame);
}

static void peer_says(void)
{
    uint8_t what = next(), place = next();
    uint32_t life = fuzz.life.life + (what >> 6);
    const WindowIn *in = &fuzz.life.peers[1 + (what & 1)].in;
    if ((what & 2) != 0) {
        WireData data = {.session = 7, .from = 1 + (what & 1), .from_life = in->life + (place >> 6), .to_life = life};
        data.epoch = in->expected.epoch + (place & 1);
        data.number = (place & 1) == 0 ? in->expected.number + (place >> 1 & 1) : 0;
        data.value = next_bytes(20);
        life_data(&fuzz.life, 1 + (what >> 2 & 3), &data);
    } else {
        WireTaken taken = {7, 1 + (what & 1), in->life, 0, life, place & 3, place >> 2};
        life_taken(&fuzz.life, &taken);
    }
}

static void role_acts(void)
{
    uint8_t what = next();
    Life *life = &fuzz.life;
    unsigned peer = 1 + (what >> 7);
    LifeEntered entered;
    LifeSnapshot snapshot = {1, next_bytes(20)};
    Message message;
    WireFault fault = {.why = wire_text("why")};
    switch (life_asks(life)) {
    case LIFE_ASKS_BEGIN:
        life_restore(life);
        life_begun(life);
        return;
    case LIFE_ASKS_BACK:
        life_went_back(life, life_back(life)->number);
        return;
    case LIFE_ASKS_STOP:
        if (life_stop(life)->is_fenced && (what & 1) != 0)
            life_rejoin(life);
        else
            life_stopped(life);
        return;
    case LIFE_ASKS_NOTHING:
        break;
    }
    switch (what & 7) {
    case 0:
    case 1:
        life_enter(life, 1 + (what >> 3 & 3) % 3, what >> 5 & 1, &snapshot, &entered);
        break;
    case 2:
        if (life->depth > 0)
            life_arrive(life, life_innermost(life)->block->is_round && (what & 8) != 0 ? &snapshot : NULL);
        break;
    case 3:
    case 4:
        life_send(life, peer, what, snapshot.snapshot);
        break;
    case 5:
        if (life_first(life, peer, &message))
            life_consume(life, peer, 1);
        break;
    case 6:
        if (what < 32)
            life_fail(life, &fault);
        break;
    default:
        if (life->depth == 0 && what > 128)
            life_end(life, snapshot.snapshot);
        life_say_taken(life);
        break;
    }
}

static void call_life(void)
{
    uint8_t what = next();
    fuzz.is_short = (what & 0x40) != 0;
    switch (what & 7) {
    case 0:
        restore();
        break;
    case 1:
    case 2:
        order_life();
        break;
    case 3:
        peer_says();
        break;
    case 4:
        say_raw(false);
        break;
    case 5:
        life_release(&fuzz.life);
        life_link_lost(&fuzz.life, 1 + (what >> 4) % NODES);
        break;
    default:
        role_acts();
        break;
    }
    fuzz.is_short = false;
    CHECK(fuzz.life.known <= fuzz.life.depth);
}

static const HomeRestarts restarts[ROLES] = {{5, 0}, {0, 0}, {3, 1000}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz = (Fuzz){.at = data, .end = data + size, .now_ns = 1000};
    HomeChoreography choreography = {"fuzzed", roles, ROLES, 1, blocks, 3};
    CHECK(home_table_init(&fuzz.table, &choreography, &memory));
    HomeOptions options = {.table = &fuzz.table,
                           .definition = "run",
                           .session = 7,
                           .self = 1,
                           .limits = {2, 16},
                           .message_max = MESSAGE_MAX,
                           .absent_ns = 1000000,
                           .restarts = restarts,
                           .memory = &memory,
                           .effects = &home_table};
    LifeOptions life = {.role = 0,
                        .role_count = ROLES,
                        .home = 1,
                        .message_max = MESSAGE_MAX,
                        .limits_max = {4, 16},
                        .blocks = blocks,
                        .block_count = 3,
                        .memory = &memory,
                        .effects = &life_table};
    CHECK(home_init(&fuzz.home, &options, fuzz.now_ns) && life_init(&fuzz.life, &life));
    bool is_home = (next() & 1) != 0;
    while (fuzz.at < fuzz.end)
        if (is_home)
            call_home();
        else
            call_life();
    home_fini(&fuzz.home);
    life_fini(&fuzz.life);
    home_table_fini(&fuzz.table);
    for (unsigned i = 0; i < 4; i++)
        wire_buffer_fini(&fuzz.lists[i]);
    CHECK(fuzz.count == 0);
    return 0;
}
