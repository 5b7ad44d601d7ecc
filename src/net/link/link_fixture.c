// link_fixture.c: see link_fixture.h.

#include "net/link/link_fixture.h"

const WireId own = {{0x40, 1}}, small_peer = {{0x30, 2}}, large_peer = {{0x50, 3}}, other_peer = {{0x60, 4}};

static void note(Fixture *f, const char *what, int number)
{
    size_t size = strlen(f->log);
    if (number >= 0)
        snprintf(f->log + size, sizeof f->log - size, "%s %d, ", what, number);
    else
        snprintf(f->log + size, sizeof f->log - size, "%s, ", what);
}

static void *test_allocate(void *context, size_t size)
{
    Fixture *f = context;
    if (f->has_no_memory)
        return NULL;
    f->blocks++;
    return malloc(size);
}

static void test_release(void *context, void *memory)
{
    ((Fixture *)context)->blocks--;
    free(memory);
}

static uint64_t test_random(void *context)
{
    (void)context;
    return 0x1234567;
}

static void test_dial(void *context, unsigned number)
{
    note(context, "dial", (int)number);
}

static void test_close(void *context, unsigned number, const char *why)
{
    (void)why;
    note(context, "close", (int)number);
}

static bool test_deliver(void *context, const WireFrame *frame)
{
    Fixture *f = context;
    if (f->refuses)
        return false;
    f->delivered++;
    if (frame->kind == WIRE_DATA) {
        f->last = frame->data.number;
        f->last_site = frame->data.site;
        f->last_size = frame->data.value.size;
    }
    if (f->complains)
        link_complain(&f->link, "no such role");
    return true;
}

static bool test_greet(void *context, unsigned number, const WireHello *hello)
{
    (void)context;
    (void)number;
    return hello->node.size == 4 && memcmp(hello->node.data, "bank", 4) == 0;
}

static void test_up(void *context)
{
    note(context, "up", -1);
}

static void test_down(void *context)
{
    note(context, "down", -1);
}

static void test_room(void *context)
{
    note(context, "room", -1);
}

static void test_lost(void *context, LinkLoss loss)
{
    note(context, "lost", (int)loss);
}

static const LinkEffects effects = {test_allocate, test_release, test_random, test_dial, test_close, test_deliver,
                                    test_greet,    test_up,      test_down,   test_room, test_lost};

Fixture *fixture_new(bool may_dial)
{
    Fixture *f = calloc(1, sizeof *f);
    LinkOptions options = link_defaults;
    options.incarnation = own;
    options.node = "shop-1";
    options.build = "test";
    options.may_dial = may_dial;
    f->now_ns = 100 * s;
    link_init(&f->link, &options, &effects, f, f->now_ns);
    return f;
}

void fixture_free(Fixture *f)
{
    link_fini(&f->link);
    assert_int_equal(f->blocks, 0);
    for (int i = 0; i < LINK_CONNECTIONS; i++)
        wire_buffer_fini(&f->out[i]);
    free(f);
}

void expect_log(Fixture *f, const char *expected)
{
    assert_string_equal(f->log, expected);
    f->log[0] = 0;
}

void drain(Fixture *f, unsigned number)
{
    WireSpan pieces[3];
    for (int turns = 0; link_has_output(&f->link, number); turns++) {
        unsigned count = link_output(&f->link, number, pieces, 3, 1 << 20, f->now_ns);
        size_t total = 0;
        for (unsigned i = 0; i < count; i++) {
            WireBuffer *out = &f->out[number];
            if (out->capacity < out->size + pieces[i].size) {
                out->capacity = 2 * (out->size + pieces[i].size);
                out->data = realloc(out->data, out->capacity);
            }
            memcpy(out->data + out->size, pieces[i].data, pieces[i].size);
            out->size += pieces[i].size;
            total += pieces[i].size;
        }
        if (total == 0)
            return;
        link_wrote(&f->link, number, total, f->now_ns);
        assert_true(turns < 10000);
    }
}

bool written(Fixture *f, unsigned number, WireFrame *frame)
{
    drain(f, number);
    if (f->out[number].size == f->read[number])
        return false;
    WireRaw raw;
    WireVerdict verdict;
    WireSplit split =
        wire_split(f->out[number].data + f->read[number], f->out[number].size - f->read[number], &raw, &verdict);
    if (split == WIRE_MORE)
        return false;
    assert_int_equal(split, WIRE_WHOLE);
    assert_int_equal(wire_decode(&raw, frame), WIRE_GOOD);
    f->read[number] += raw.size;
    return true;
}

void expect_written(Fixture *f, unsigned number, WireKind kind, WireFrame *frame)
{
    assert_true(written(f, number, frame));
    assert_int_equal(frame->kind, kind);
}

void expect_nothing(Fixture *f, unsigned number)
{
    WireFrame frame;
    assert_false(written(f, number, &frame));
}

void forget_written(Fixture *f, unsigned number)
{
    drain(f, number);
    f->out[number].size = f->read[number] = 0;
}

void say(Fixture *f, unsigned number, WireKind kind, uint64_t frame_number, const void *frame)
{
    WireBuffer buffer = {0};
    assert_true(wire_encode(&buffer, kind, frame_number, frame));
    link_input(&f->link, number, buffer.data, buffer.size, f->now_ns);
    wire_buffer_fini(&buffer);
}

WireHello hello_of(WireId incarnation, WireId peer, uint64_t received, uint64_t dialled)
{
    return (WireHello){.magic = WIRE_MAGIC,
                       .version = WIRE_VERSION,
                       .incarnation = incarnation,
                       .peer = peer,
                       .received = received,
                       .dialled = dialled,
                       .message_max = WIRE_MESSAGE_DEFAULT,
                       .node = wire_text("bank"),
                       .build = wire_text("test")};
}

void say_hello(Fixture *f, unsigned number, WireId incarnation, WireId peer, uint64_t received, uint64_t dialled)
{
    WireHello hello = hello_of(incarnation, peer, received, dialled);
    say(f, number, WIRE_HELLO, 0, &hello);
}

void say_data(Fixture *f, unsigned number, uint64_t frame_number)
{
    say(f, number, WIRE_DATA, frame_number, &(WireData){.number = frame_number, .value = wire_text("x")});
}

LinkSending send_data(Fixture *f, uint64_t lane, uint32_t site, size_t size)
{
    static uint8_t bytes[1 << 21];
    return link_send(&f->link, LINK_DATA, lane, WIRE_DATA,
                     &(WireData){.session = lane, .site = site, .value = {bytes, size}});
}

unsigned accept_up(Fixture *f, WireId incarnation, uint64_t dialled)
{
    int number = link_accepted(&f->link, f->now_ns);
    assert_true(number >= 0);
    say_hello(f, (unsigned)number, incarnation, f->link.received > 0 ? own : (WireId){{0}}, 0, dialled);
    assert_int_equal(f->link.state, LINK_UP);
    return (unsigned)number;
}

Fixture *fixture_up(void)
{
    Fixture *f = fixture_new(false);
    accept_up(f, large_peer, 1);
    forget_written(f, 0);
    expect_log(f, "up, ");
    return f;
}

void tick(Fixture *f, uint64_t step_ns)
{
    f->now_ns += step_ns;
    link_tick(&f->link, f->now_ns);
}
