// life_test.c: single lines of the tables in docs/hosts-protocol.md, section 4. What they do together is in home/simulate.c.

#include "net/session/life_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SESSION = 77, HOME = 1, ROLES = 3 };

static const unsigned all[] = {0, 1, 2}, two[] = {0, 1};
static const chx_block blocks[] = {
    {.name = 10, .retries = 1, .participants = all, .participant_count = 3, .has_rescue = true},
    {.name = 20, .retries = 0, .participants = two, .participant_count = 2},
    {.name = 30, .participants = all, .participant_count = 3, .has_rescue = true, .is_round = true},
};

// ---- what the life says ----

static char said[4096];
static unsigned allocated;
static bool is_out_of_memory, link_is_full;

static void say(const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(said);
    va_start(arguments, format);
    vsnprintf(said + length, sizeof said - length, format, arguments);
    va_end(arguments);
}

static void *test_allocate(void *context, size_t size)
{
    (void)context;
    if (is_out_of_memory)
        return NULL;
    allocated++;
    return malloc(size);
}

static void test_release(void *context, void *memory)
{
    (void)context;
    allocated--;
    free(memory);
}

static const NetMemory memory = {test_allocate, test_release, NULL};

static bool on_report(void *context, WireKind kind, const void *frame)
{
    (void)context;
    if (is_out_of_memory)
        return false;
    say("%s", wire_shape(kind)->name);
    if (kind == WIRE_READY)
        say("(%u)", ((const WireReady *)frame)->epoch);
    if (kind == WIRE_ENTER)
        say("(%u.%u.%u)", ((const WireEnter *)frame)->name, ((const WireEnter *)frame)->ordinal,
            ((const WireEnter *)frame)->attempt);
    if (kind == WIRE_END)
        say("(%u kept)", ((const WireEnd *)frame)->kept.count);
    say(" ");
    return true;
}

static bool on_give(void *context, uint32_t node, const WireData *data)
{
    (void)context;
    if (link_is_full)
        return false;
    say("DATA(%u:%u:%u.%llu) ", node, data->to_life, data->epoch, (unsigned long long)data->number);
    return true;
}

static bool on_taken(void *context, uint32_t node, const WireTaken *taken)
{
    (void)context;
    say("TAKEN(%u:%u:%u.%llu) ", node, taken->to_life, taken->epoch, (unsigned long long)taken->number);
    return true;
}

static uint32_t on_node(void *context, unsigned role, WireSpan name, WireSpan address)
{
    (void)context;
    (void)role;
    (void)address;
    return is_out_of_memory ? 0 : (uint32_t)(name.data[0] - '0');
}

static void on_soon(void *context)
{
    (void)context;
    say("soon ");
}

static void on_wake(void *context, LifeWake what, unsigned peer)
{
    static const char *const names[] = {"message", "room", "go", "order", "over"};
    (void)context;
    if (what == LIFE_WAKE_MESSAGE || what == LIFE_WAKE_ROOM)
        say("%s%u ", names[what], peer);
    else
        say("%s ", names[what]);
}

static const LifeEffects effects = {on_report, on_give, on_taken, on_node, on_soon, on_wake};

#define EXPECT(text)                                                                                                   \
    do {                                                                                                               \
        assert_string_equal(said, text);                                                                               \
        said[0] = 0;                                                                                                   \
    } while (0)

static int setup(void **state)
{
    (void)state;
    said[0] = 0;
    allocated = 0;
    is_out_of_memory = link_is_full = false;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return (int)allocated;
}

// ---- short ways to say it ----

static Life life_new(void)
{
    Life life;
    LifeOptions options = {.role = 0,
                           .role_count = ROLES,
                           .home = HOME,
                           .message_max = 4096,
                           .limits_max = {4, 1000},
                           .blocks = blocks,
                           .block_count = 3,
                           .memory = &memory,
                           .effects = &effects};
    assert_true(life_init(&life, &options));
    return life;
}

static WireRestore restore_of(uint32_t number, const WireBuffer *roster)
{
    return (WireRestore){.session = SESSION,
                         .life = number,
                         .window_messages = 2,
                         .window_bytes = 100,
                         .roster = roster != NULL ? wire_list(roster) : (WireList){0}};
}

// Role 1 is at node 2, role 2 at the home.
static LifeVerdict restore(Life *life, uint32_t number)
{
    WireBuffer roster = {0};
    WireSeat one = {.role = 1, .life = 1, .node = wire_text("2")},
             other = {.role = 2, .life = 1, .node = wire_text("1")};
    wire_add(&roster, WIRE_ITEM_SEAT, &one);
    wire_add(&roster, WIRE_ITEM_SEAT, &other);
    WireFrame frame = {.kind = WIRE_RESTORE, .restore = restore_of(number, &roster)};
    LifeVerdict verdict = life_order(life, &frame);
    wire_buffer_fini(&roster);
    return verdict;
}

static Life life_running(void)
{
    Life life = life_new();
    assert_int_equal(restore(&life, 1), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_BEGIN);
    assert_non_null(life_restore(&life));
    assert_int_equal(life_begun(&life), LIFE_GOOD);
    said[0] = 0;
    return life;
}

static LifeEntered enter(Life *life, uint32_t name, uint32_t ordinal)
{
    LifeEntered entered;
    assert_int_equal(life_enter(life, name, ordinal, &(LifeSnapshot){1, {0}}, &entered), LIFE_GOOD);
    return entered;
}

static LifeVerdict eack(Life *life, uint32_t number, WireId id)
{
    return life_order(life, &(WireFrame){.kind = WIRE_EACK, .eack = {SESSION, 0, number, id}});
}

static LifeVerdict recover(Life *life, WireId id, uint32_t attempt, uint32_t epoch)
{
    return life_order(
        life, &(WireFrame){.kind = WIRE_RECOVER, .recover = {SESSION, 0, life->life, id, 0, attempt, epoch, {0}}});
}

static LifeVerdict start(Life *life, uint32_t epoch)
{
    return life_order(life, &(WireFrame){.kind = WIRE_START, .start = {SESSION, 0, life->life, epoch}});
}

static LifeVerdict go(Life *life, WireId id, uint32_t attempt, WireId next)
{
    return life_order(life, &(WireFrame){.kind = WIRE_GO, .go = {SESSION, 0, life->life, id, attempt, next}});
}

static LifeVerdict told(Life *life, uint16_t of, uint32_t of_life, const char *node, bool has_ended)
{
    WireFrame frame = {.kind = WIRE_LIFE,
                       .life = {.session = SESSION, .life = life->life, .of = of, .of_life = of_life}};
    frame.life.node = wire_text(node);
    frame.life.has_ended = has_ended;
    return life_order(life, &frame);
}

static LifeVerdict data(Life *life, uint32_t to_life, uint32_t from_life, uint32_t node, uint32_t epoch,
                        uint64_t number)
{
    return life_data(life, node,
                     &(WireData){.session = SESSION,
                                 .from = 1,
                                 .from_life = from_life,
                                 .to_life = to_life,
                                 .epoch = epoch,
                                 .number = number});
}

static WireId outer(uint32_t name)
{
    return block_id(NULL, 0, name, 0);
}

static const WireId none;

// ---- the tests ----

static void a_life_begins_with_restore(void **state)
{
    (void)state;
    Life life = life_new();
    assert_int_equal(eack(&life, 1, outer(10)), LIFE_VIOLATION);
    assert_int_equal(restore(&life, 1), LIFE_GOOD);
    EXPECT("message1 message2 order ");
    assert_false(life_may_act(&life));
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_ASKED);
    const WireRestore *first = life_restore(&life);
    // A newer one comes while the role reads; it stays what it was.
    assert_int_equal(restore(&life, 1), LIFE_VIOLATION);
    assert_int_equal(restore(&life, 3), LIFE_GOOD);
    assert_int_equal(restore(&life, 2), LIFE_GOOD);
    assert_int_equal(first->life, 1);
    assert_int_equal(life_begun(&life), LIFE_ASKED);
    assert_int_equal(life_asks(&life), LIFE_ASKS_BEGIN);
    assert_int_equal(life_restore(&life)->life, 3);
    assert_int_equal(life_begun(&life), LIFE_GOOD);
    assert_true(life_may_act(&life));
    life_fini(&life);
}

static void windows_that_are_too_large_are_refused(void **state)
{
    (void)state;
    Life life = life_new();
    WireFrame frame = {.kind = WIRE_RESTORE, .restore = restore_of(1, NULL)};
    frame.restore.window_messages = 5;
    assert_int_equal(life_order(&life, &frame), LIFE_GOOD);
    EXPECT("REFUSED ");
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    life_fini(&life);
}

static void what_was_saved_by_a_liar_is_a_failure(void **state)
{
    (void)state;
    Life life = life_new();
    WireBuffer list = {0};
    WireBlock block = {.id = outer(10), .name = 10, .saved = wire_text("nonsense")};
    wire_add(&list, WIRE_ITEM_BLOCK, &block);
    WireFrame frame = {.kind = WIRE_RESTORE, .restore = restore_of(1, NULL)};
    frame.restore.blocks = wire_list(&list);
    assert_int_equal(life_order(&life, &frame), LIFE_GOOD);
    EXPECT("FAIL ");
    // The next life may have better luck.
    assert_int_equal(restore(&life, 2), LIFE_GOOD);
    // A block that is not there, or with another identifier, is the home's mistake.
    said[0] = 0;
    frame.restore.life = 3;
    block.ordinal = 1;
    list.size = list.count = 0;
    wire_add(&list, WIRE_ITEM_BLOCK, &block);
    frame.restore.blocks = wire_list(&list);
    assert_int_equal(life_order(&life, &frame), LIFE_VIOLATION);
    EXPECT("");
    wire_buffer_fini(&list);
    life_fini(&life);
}

static void what_is_sent_in_a_block_waits_until_the_home_knows_it(void **state)
{
    (void)state;
    Life life = life_running();
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("DATA(2:1:0.0) ");
    enter(&life, 10, 0);
    EXPECT("ENTER(10.0.0) ");
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("");
    // To a role at the home it travels behind ENTER.
    assert_int_equal(life_send(&life, 2, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("DATA(1:1:0.0) ");
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_FULL);
    assert_int_equal(eack(&life, 1, outer(20)), LIFE_GOOD);
    EXPECT("");
    assert_int_equal(eack(&life, 1, outer(10)), LIFE_GOOD);
    EXPECT("DATA(2:1:0.1) ");
    life_fini(&life);
}

static void a_role_goes_back_and_waits_for_start(void **state)
{
    (void)state;
    Life life = life_running();
    enter(&life, 10, 0);
    eack(&life, 1, outer(10));
    enter(&life, 20, 0);
    said[0] = 0;
    assert_int_equal(recover(&life, outer(10), 1, 4), LIFE_GOOD);
    EXPECT("order ");
    assert_int_equal(life_asks(&life), LIFE_ASKS_BACK);
    assert_int_equal(life_arrive(&life, NULL), LIFE_ASKED);
    uint64_t number = life_back(&life)->number;
    assert_int_equal(life_back(&life)->depth, 1);
    assert_int_equal(life_back(&life)->name, 10);
    // A later decision comes before it is back.
    assert_int_equal(recover(&life, outer(10), 2, 5), LIFE_GOOD);
    assert_int_equal(life_went_back(&life, number), LIFE_ASKED);
    EXPECT("order ");
    assert_int_equal(life_went_back(&life, life_back(&life)->number), LIFE_GOOD);
    EXPECT("READY(5) ");
    assert_int_equal(life.depth, 1);
    // Repeated, or of an attempt before: nothing.
    assert_int_equal(recover(&life, outer(10), 1, 4), LIFE_GOOD);
    assert_int_equal(recover(&life, outer(10), 2, 5), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    assert_false(life_may_act(&life));
    assert_int_equal(start(&life, 4), LIFE_GOOD);
    assert_false(life_may_act(&life));
    assert_int_equal(start(&life, 5), LIFE_GOOD);
    EXPECT("go ");
    assert_true(life_may_act(&life));
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("DATA(2:1:5.0) ");
    // There is no such attempt.
    assert_int_equal(recover(&life, outer(10), 3, 6), LIFE_VIOLATION);
    life_fini(&life);
}

static void a_recovery_is_remembered_until_the_block_is_entered(void **state)
{
    (void)state;
    Life life = life_running();
    assert_int_equal(recover(&life, outer(10), 1, 4), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    LifeEntered entered = enter(&life, 10, 0);
    EXPECT("ENTER(10.0.1) ");
    assert_int_equal(entered.attempt, 1);
    assert_int_equal(entered.epoch, 4);
    assert_null(life.marks);
    // One that is inside of a block is forgotten when that goes to another attempt.
    WireId inner = block_id(&life.blocks[0].id, 1, 20, 0);
    WireFrame frame = {.kind = WIRE_RECOVER, .recover = {SESSION, 0, 1, inner, 1, 1, 5, {0}}};
    assert_int_equal(life_order(&life, &frame), LIFE_GOOD);
    frame.recover.depth = 2;
    frame.recover.id.bytes[0] ^= 1;
    assert_int_equal(life_order(&life, &frame), LIFE_VIOLATION);
    assert_non_null(life.marks);
    recover(&life, outer(10), 2, 6);
    assert_int_equal(life_went_back(&life, life_back(&life)->number), LIFE_GOOD);
    assert_null(life.marks);
    life_fini(&life);
}

static void go_is_for_the_innermost_block_at_whose_end_the_role_stands(void **state)
{
    (void)state;
    Life life = life_running();
    enter(&life, 10, 0);
    eack(&life, 1, outer(10));
    assert_int_equal(go(&life, outer(10), 0, none), LIFE_VIOLATION);
    assert_int_equal(life_arrive(&life, NULL), LIFE_GOOD);
    assert_int_equal(go(&life, outer(20), 0, none), LIFE_VIOLATION);
    assert_int_equal(go(&life, outer(10), 1, none), LIFE_VIOLATION);
    assert_int_equal(go(&life, outer(10), 0, outer(20)), LIFE_VIOLATION);
    said[0] = 0;
    assert_int_equal(go(&life, outer(10), 0, none), LIFE_GOOD);
    EXPECT("go ");
    assert_true(life_may_act(&life));
    assert_int_equal(life.depth, 0);
    life_fini(&life);
}

static void the_next_round_begins_with_go(void **state)
{
    (void)state;
    Life life = life_running();
    enter(&life, 30, 0);
    eack(&life, 1, outer(30));
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    assert_int_equal(life_arrive(&life, &(LifeSnapshot){2, {0}}), LIFE_GOOD);
    WireId second = block_id(NULL, 0, 30, 1);
    assert_int_equal(go(&life, outer(30), 0, none), LIFE_VIOLATION);
    assert_int_equal(go(&life, outer(30), 0, second), LIFE_GOOD);
    assert_true(life_may_act(&life));
    // Before the role notices it has to go back, to the beginning of the second round: what it sent in the first one stays.
    assert_int_equal(recover(&life, second, 1, 3), LIFE_GOOD);
    assert_int_equal(life_back(&life)->ordinal, 1);
    assert_int_equal(life_went_back(&life, life_back(&life)->number), LIFE_GOOD);
    assert_int_equal(life.peers[1].out.kept.count, 1);
    life_fini(&life);
}

static void a_new_life_of_a_peer_gets_everything_again(void **state)
{
    (void)state;
    Life life = life_running();
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    said[0] = 0;
    assert_int_equal(told(&life, 1, 2, "3", false), LIFE_GOOD);
    EXPECT("message1 DATA(3:2:0.0) ");
    assert_int_equal(told(&life, 1, 1, "2", false), LIFE_GOOD);
    EXPECT("");
    // It has ended: nobody will consume what is kept.
    assert_int_equal(told(&life, 1, 2, "1", true), LIFE_GOOD);
    EXPECT("room1 message1 ");
    assert_int_equal(life.peers[1].out.kept.count, 0);
    assert_int_equal(told(&life, 0, 2, "1", false), LIFE_VIOLATION);
    assert_int_equal(told(&life, 3, 2, "1", false), LIFE_VIOLATION);
    life_fini(&life);
}

static void what_a_lost_link_may_have_lost_is_given_again(void **state)
{
    (void)state;
    Life life = life_running();
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("DATA(2:1:0.0) ");
    life_link_lost(&life, 3);
    EXPECT("");
    life_link_lost(&life, 2);
    EXPECT("soon DATA(2:1:0.0) TAKEN(2:1:0.0) ");
    life_fini(&life);
}

static void data_for_a_coming_life_waits(void **state)
{
    (void)state;
    Life life = life_running();
    Message message;
    assert_int_equal(data(&life, 2, 1, 2, 0, 0), LIFE_GOOD);
    EXPECT("");
    assert_int_equal(data(&life, 3, 1, 2, 0, 0), LIFE_GOOD);
    assert_int_equal(restore(&life, 2), LIFE_GOOD);
    life_restore(&life);
    life_begun(&life);
    assert_true(life_first(&life, 1, &message));
    life_consume(&life, 1, 1);
    // For the life before: dropped. For itself, repeated: TAKEN again.
    said[0] = 0;
    assert_int_equal(data(&life, 1, 1, 2, 0, 1), LIFE_GOOD);
    life_say_taken(&life);
    said[0] = 0;
    assert_int_equal(data(&life, 2, 1, 2, 0, 0), LIFE_GOOD);
    EXPECT("soon ");
    life_say_taken(&life);
    EXPECT("TAKEN(2:1:0.1) ");
    assert_int_equal(data(&life, 2, 1, 2, 0, 5), LIFE_VIOLATION);
    life_fini(&life);
}

static void a_link_without_room_gets_it_later(void **state)
{
    (void)state;
    Life life = life_running();
    link_is_full = true;
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    EXPECT("");
    link_is_full = false;
    life_release(&life);
    EXPECT("DATA(2:1:0.0) ");
    WireTaken taken = {.session = SESSION, .from = 1, .from_life = 1, .to_life = 1, .number = 2};
    assert_int_equal(life_taken(&life, &taken), LIFE_VIOLATION);
    taken.number = 1;
    assert_int_equal(life_taken(&life, &taken), LIFE_GOOD);
    assert_int_equal(life.peers[1].out.kept.count, 0);
    life_fini(&life);
}

static void the_end_is_acknowledged(void **state)
{
    (void)state;
    Life life = life_running();
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_GOOD);
    said[0] = 0;
    assert_int_equal(eack(&life, 1, none), LIFE_VIOLATION);
    assert_int_equal(life_end(&life, wire_text("result")), LIFE_GOOD);
    EXPECT("END(1 kept) ");
    assert_int_equal(eack(&life, 1, none), LIFE_GOOD);
    EXPECT("over ");
    assert_int_equal(life.state, LIFE_OVER);
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    // The outcome of all is told later.
    assert_false(life.has_outcome);
    assert_int_equal(
        life_order(&life, &(WireFrame){.kind = WIRE_STOP, .stop = {.session = SESSION, .life = 1, .status = CHX_OK}}),
        LIFE_GOOD);
    assert_true(life.has_outcome);
    assert_int_equal(life_stop(&life)->status, CHX_OK);
    life_fini(&life);
}

static void stop_and_fenced_are_last_words(void **state)
{
    (void)state;
    Life life = life_running();
    WireFrame fenced = {.kind = WIRE_FENCED, .fenced = {SESSION, 0, 1}};
    assert_int_equal(life_order(&life, &fenced), LIFE_GOOD);
    EXPECT("order ");
    assert_int_equal(life_asks(&life), LIFE_ASKS_STOP);
    assert_true(life_stop(&life)->is_fenced);
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_ASKED);
    life_rejoin(&life);
    assert_int_equal(life.state, LIFE_NONE);
    assert_int_equal(restore(&life, 2), LIFE_GOOD);
    life_restore(&life);
    life_begun(&life);
    assert_int_equal(life_order(&life, &fenced), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    WireFrame stop = {.kind = WIRE_STOP, .stop = {.session = SESSION, .life = 2, .status = CHX_CANCELLED}};
    said[0] = 0;
    assert_int_equal(life_order(&life, &stop), LIFE_GOOD);
    EXPECT("order over ");
    assert_int_equal(life_stop(&life)->status, CHX_CANCELLED);
    life_stopped(&life);
    assert_int_equal(restore(&life, 3), LIFE_VIOLATION);
    life_fini(&life);
}

static void after_a_failure_the_object_waits_for_the_next_life(void **state)
{
    (void)state;
    Life life = life_running();
    enter(&life, 10, 0);
    said[0] = 0;
    assert_int_equal(life_fail(&life, &(WireFault){.why = wire_text("why")}), LIFE_GOOD);
    EXPECT("FAIL ");
    assert_int_equal(recover(&life, outer(10), 1, 1), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_NOTHING);
    assert_int_equal(restore(&life, 2), LIFE_GOOD);
    assert_int_equal(life_asks(&life), LIFE_ASKS_BEGIN);
    life_fini(&life);
}

static void without_memory_nothing_is_done(void **state)
{
    (void)state;
    Life life = life_new();
    is_out_of_memory = true;
    assert_int_equal(restore(&life, 1), LIFE_NO_MEMORY);
    is_out_of_memory = false;
    assert_int_equal(restore(&life, 1), LIFE_GOOD);
    life_restore(&life);
    life_begun(&life);
    said[0] = 0;
    LifeEntered entered;
    is_out_of_memory = true;
    assert_int_equal(life_enter(&life, 10, 0, &(LifeSnapshot){1, {0}}, &entered), LIFE_NO_MEMORY);
    assert_int_equal(life_send(&life, 1, 0, wire_text("x")), LIFE_NO_MEMORY);
    assert_int_equal(life_end(&life, wire_text("")), LIFE_NO_MEMORY);
    assert_int_equal(recover(&life, outer(10), 1, 1), LIFE_NO_MEMORY);
    assert_int_equal(told(&life, 1, 2, "2", false), LIFE_NO_MEMORY);
    EXPECT("");
    is_out_of_memory = false;
    enter(&life, 10, 0);
    EXPECT("ENTER(10.0.0) ");
    life_fini(&life);
}

static void what_nobody_would_take_is_too_large(void **state)
{
    (void)state;
    static const uint8_t bytes[5000];
    Life life = life_running();
    LifeEntered entered;
    LifeSnapshot snapshot = {1, {bytes, sizeof bytes}};
    assert_int_equal(life_send(&life, 1, 0, snapshot.snapshot), LIFE_TOO_LARGE);
    assert_int_equal(life_enter(&life, 10, 0, &snapshot, &entered), LIFE_TOO_LARGE);
    assert_int_equal(life.depth, 0);
    assert_int_equal(life_end(&life, snapshot.snapshot), LIFE_TOO_LARGE);
    EXPECT("");
    life_fini(&life);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_life_begins_with_restore),
        TEST(windows_that_are_too_large_are_refused),
        TEST(what_was_saved_by_a_liar_is_a_failure),
        TEST(what_is_sent_in_a_block_waits_until_the_home_knows_it),
        TEST(a_role_goes_back_and_waits_for_start),
        TEST(a_recovery_is_remembered_until_the_block_is_entered),
        TEST(go_is_for_the_innermost_block_at_whose_end_the_role_stands),
        TEST(the_next_round_begins_with_go),
        TEST(a_new_life_of_a_peer_gets_everything_again),
        TEST(what_a_lost_link_may_have_lost_is_given_again),
        TEST(data_for_a_coming_life_waits),
        TEST(a_link_without_room_gets_it_later),
        TEST(the_end_is_acknowledged),
        TEST(stop_and_fenced_are_last_words),
        TEST(after_a_failure_the_object_waits_for_the_next_life),
        TEST(without_memory_nothing_is_done),
        TEST(what_nobody_would_take_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
