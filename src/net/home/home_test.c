// home_test.c: single lines of the tables in docs/hosts-protocol.md, section 3. What they do together is in simulate.c.

#include "net/home/home_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SESSION = 77, A = 0, B = 1, C = 2, ROLES = 3 };

static const unsigned all[] = {A, B, C}, two[] = {A, B};
static const chx_block blocks[] = {
    {.name = 10, .retries = 1, .participants = all, .participant_count = 3, .has_rescue = true},
    {.name = 20, .retries = 0, .participants = two, .participant_count = 2},
    {.name = 30, .participants = two, .participant_count = 2, .has_rescue = true, .is_round = true},
    {.name = 40, .retries = 1, .within_ns = 1000, .participants = two, .participant_count = 2},
};
static const char *const roles[] = {"A", "B", "C"};

// ---- what the home says ----

static char said[4096];
static unsigned allocated;
static bool is_out_of_memory, order_fails, link_is_full;
static uint32_t place;

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

static const char *status_name(chx_status status)
{
    return status == CHX_OK          ? "ok"
           : status == CHX_FAILED    ? "failed"
           : status == CHX_CANCELLED ? "cancelled"
                                     : "another";
}

static void say_life(const WireLife *life)
{
    say("LIFE(%s is told: %s.%u at %.*s%s) ", roles[life->role], roles[life->of], life->of_life, (int)life->node.size,
        (const char *)life->node.data, life->has_ended ? ", ended" : "");
}

static bool on_order(void *context, uint32_t node, WireKind kind, const void *frame)
{
    (void)context;
    if (order_fails)
        return false;
    if (kind == WIRE_RESTORE) {
        const WireRestore *restore = frame;
        say("RESTORE(%s.%u at %u, %u blocks, epoch %u", roles[restore->role], restore->life, node,
            restore->blocks.count, restore->epoch);
        if (restore->recoveries.count > 0)
            say(", knows %u", restore->recoveries.count);
        say(") ");
    } else if (kind == WIRE_RECOVER) {
        const WireRecover *recover = frame;
        say("RECOVER(%s.%u, attempt %u, epoch %u) ", roles[recover->role], recover->life, recover->attempt,
            recover->epoch);
    } else if (kind == WIRE_LIFE) {
        say_life(frame);
    } else if (kind == WIRE_STOP) {
        say("STOP(%s.%u, %s) ", roles[((const WireStop *)frame)->role], ((const WireStop *)frame)->life,
            status_name((chx_status)((const WireStop *)frame)->status));
    } else if (kind == WIRE_FENCED) {
        say("FENCED(%u, %s.%u) ", node, roles[((const WireFenced *)frame)->role], ((const WireFenced *)frame)->life);
    } else if (kind == WIRE_REFUSED) {
        const WireRefused *refused = frame;
        say("REFUSED(%u: %.*s) ", node, (int)refused->text.size, (const char *)refused->text.data);
    } else {
        say("%s(%u) ", wire_shape(kind)->name, node);
    }
    return true;
}

static bool on_give(void *context, uint32_t node, const WireData *data)
{
    (void)context;
    if (link_is_full)
        return false;
    say("DATA(%s.%u to %s.%u at %u: %llu) ", roles[data->from], data->from_life, roles[data->to], data->to_life, node,
        (unsigned long long)data->number);
    return true;
}

static uint32_t on_place(void *context, unsigned role, uint32_t last)
{
    (void)context;
    (void)role;
    (void)last;
    return place;
}

static void on_describe(void *context, uint32_t node, WireSpan *name, WireSpan *address)
{
    static char names[10][8];
    (void)context;
    snprintf(names[node], sizeof names[node], "n%u", node);
    *name = *address = wire_text(names[node]);
}

static void on_over(void *context, chx_status status, const WireFault *fault)
{
    (void)context;
    say("over(%s", status_name(status));
    if (fault != NULL)
        say(", %.*s: %.*s", (int)fault->role.size, (const char *)fault->role.data, (int)fault->why.size,
            (const char *)fault->why.data);
    say(") ");
}

static void on_seat_key(void *context, WireId *key)
{
    (void)context;
    *key = (WireId){{9}};
}

static const HomeEffects effects = {.order = on_order,
                                    .give = on_give,
                                    .place = on_place,
                                    .describe = on_describe,
                                    .over = on_over,
                                    .seat_key = on_seat_key};

#define EXPECT(text)                                                                                                   \
    do {                                                                                                               \
        assert_string_equal(said, text);                                                                               \
        said[0] = 0;                                                                                                   \
    } while (0)

// ---- a session ----

static HomeTable table;
static Home home;
static HomeOptions options;

static int setup(void **state)
{
    (void)state;
    said[0] = 0;
    allocated = 0;
    is_out_of_memory = order_fails = link_is_full = false;
    place = 0;
    HomeChoreography choreography = {"shop", roles, ROLES, 5, blocks, 4};
    assert_true(home_table_init(&table, &choreography, &memory));
    options = (HomeOptions){.table = &table,
                            .definition = "run",
                            .session = SESSION,
                            .self = 9,
                            .limits = {2, 100},
                            .message_max = 4096,
                            .suspect_ns = 500,
                            .absent_ns = 10000,
                            .memory = &memory,
                            .effects = &effects};
    assert_true(home_init(&home, &options, 0));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    home_fini(&home);
    home_table_fini(&table);
    return (int)allocated;
}

static HomeVerdict join(unsigned role, uint32_t node)
{
    return home_join(&home, &(HomeJoin){.role = role, .node = node, .request = 1}, 0);
}

// A is at node 1, B at 2, C at 3.
static void all_join(void)
{
    for (unsigned role = 0; role < ROLES; role++)
        assert_int_equal(join(role, 1 + role), HOME_GOOD);
    said[0] = 0;
}

static HomeVerdict report(uint32_t node, const WireFrame *frame)
{
    return home_report(&home, node, frame, home.now_ns);
}

static WireId id_in(unsigned role, uint32_t name, uint32_t ordinal)
{
    const HomePosition *inside = role_innermost(&home.roles[role]);
    return inside != NULL ? block_id(&inside->id, inside->position.attempt, name, ordinal)
                          : block_id(NULL, 0, name, ordinal);
}

static HomeVerdict enter_in(unsigned role, uint32_t life, uint32_t name, uint32_t attempt)
{
    WireFrame frame = {.kind = WIRE_ENTER,
                       .enter = {SESSION, (uint16_t)role, life, id_in(role, name, 0), name, 0, attempt, {0}}};
    return report(home.roles[role].node, &frame);
}

static void enter(unsigned role, uint32_t name)
{
    assert_int_equal(enter_in(role, home.roles[role].life, name, 0), HOME_GOOD);
}

static HomeVerdict arrive(unsigned role, uint32_t attempt, const WireBlock *next)
{
    WireBuffer list = {0};
    if (next != NULL)
        wire_add(&list, WIRE_ITEM_BLOCK, next);
    const HomePosition *inside = role_innermost(&home.roles[role]);
    WireFrame frame = {.kind = WIRE_ARRIVE,
                       .arrive = {SESSION, (uint16_t)role, home.roles[role].life, {{0}}, attempt, {0}}};
    frame.arrive.next = wire_list(&list);
    if (inside != NULL)
        frame.arrive.id = inside->id;
    HomeVerdict verdict = report(home.roles[role].node, &frame);
    wire_buffer_fini(&list);
    return verdict;
}

static HomeVerdict ready(unsigned role, uint32_t epoch)
{
    return report(home.roles[role].node,
                  &(WireFrame){.kind = WIRE_READY, .ready = {SESSION, (uint16_t)role, home.roles[role].life, epoch}});
}

static HomeVerdict says_fail(unsigned role, uint32_t life, uint32_t node)
{
    WireBuffer list = {0};
    WireFault fault = {.kind = CHX_FAULT_FAIL, .line = 3, .why = wire_text("why"), .file = wire_text("file.c")};
    wire_add(&list, WIRE_ITEM_FAULT, &fault);
    HomeVerdict verdict =
        report(node, &(WireFrame){.kind = WIRE_FAIL, .fail = {SESSION, (uint16_t)role, life, wire_list(&list)}});
    wire_buffer_fini(&list);
    return verdict;
}

static HomeVerdict end(unsigned role, const WireBuffer *kept)
{
    WireFrame frame = {.kind = WIRE_END,
                       .end = {SESSION, (uint16_t)role, home.roles[role].life, wire_text("result"), {0}}};
    if (kept != NULL)
        frame.end.kept = wire_list(kept);
    return report(home.roles[role].node, &frame);
}

// ---- the tests ----

static void a_role_begins_where_a_node_joins(void **state)
{
    (void)state;
    assert_int_equal(join(A, 1), HOME_GOOD);
    EXPECT("RESTORE(A.1 at 1, 0 blocks, epoch 0) ");
    assert_int_equal(join(B, 2), HOME_GOOD);
    EXPECT("RESTORE(B.1 at 2, 0 blocks, epoch 0) LIFE(A is told: B.1 at n2) ");
    assert_int_equal(join(A, 1), HOME_GOOD);
    EXPECT("REFUSED(1: A is played by n1) ");
    assert_int_equal(join(A, 3), HOME_GOOD);
    EXPECT("REFUSED(3: A is played by n1) ");
    assert_int_equal(join(3, 3), HOME_VIOLATION);
    // One that waits takes over when it is needed.
    HomeJoin standby = {.role = B, .node = 4, .request = 5, .may_be_standby = true};
    assert_int_equal(home_join(&home, &standby, 0), HOME_GOOD);
    EXPECT("");
    enter(B, 20);
    said[0] = 0;
    home_node_lost(&home, 2, wire_text("silent"), 5);
    // The block has no attempt left.
    EXPECT("STOP(A.1, failed) STOP(B.1, failed) over(failed, B: silent) ");
}

static void a_standby_takes_over(void **state)
{
    (void)state;
    all_join();
    assert_int_equal(home_join(&home, &(HomeJoin){.role = B, .node = 4, .request = 5, .may_be_standby = true}, 0),
                     HOME_GOOD);
    enter(B, 10);
    said[0] = 0;
    home_node_lost(&home, 2, wire_text("silent"), 5);
    EXPECT("RECOVER(A.1, attempt 1, epoch 1) RECOVER(C.1, attempt 1, epoch 1) RESTORE(B.2 at 4, 1 blocks, epoch 1) "
           "LIFE(A is told: B.2 at n4) LIFE(C is told: B.2 at n4) ");
    // Its predecessor is back, and hears that it is over.
    assert_int_equal(says_fail(B, 1, 2), HOME_GOOD);
    EXPECT("FENCED(2, B.1) ");
    // Who speaks for a life that is elsewhere, or was never begun, breaks the protocol.
    assert_int_equal(says_fail(B, 2, 2), HOME_VIOLATION);
    assert_int_equal(says_fail(B, 3, 4), HOME_VIOLATION);
}

static void who_asks_to_play_on_before_it_knows_that_it_does_has_lost_nothing(void **state)
{
    (void)state;
    all_join();
    HomeRole *role = &home.roles[B];
    role->seat_key = (WireId){{7}};
    enter(B, 10);
    // It is not heard, and heard again: another life begins there, whose RESTORE crosses its JOIN.
    home_node_lost(&home, 2, wire_text("silent"), 5);
    home_place_found(&home, B, 2, 6);
    said[0] = 0;
    HomeJoin join = {.role = B, .node = 2, .request = 9, .seat_key = {{7}}};
    assert_int_equal(home_join(&home, &join, 7), HOME_GOOD);
    EXPECT("RESTORE(B.3 at 2, 1 blocks, epoch 1) LIFE(A is told: B.3 at n2) LIFE(C is told: B.3 at n2) ");
    // If it has done something, that is lost.
    role->has_spoken = true;
    assert_int_equal(home_join(&home, &join, 8), HOME_GOOD);
    EXPECT("RECOVER(A.1, attempt 2, epoch 2) RECOVER(C.1, attempt 2, epoch 2) RESTORE(B.4 at 2, 1 blocks, epoch 2) "
           "LIFE(A is "
           "told: B.4 at n2) LIFE(C is told: B.4 at n2) ");
}

static HomeVerdict asks(unsigned role, uint32_t life, uint32_t node)
{
    WireFrame frame = {.kind = WIRE_READY, .ready = {.session = SESSION, .role = (uint16_t)role, .life = life}};
    return home_report(&home, node, &frame, 0);
}

static void a_life_is_told_whether_it_is_heard(void **state)
{
    (void)state;
    all_join();
    assert_int_equal(asks(B, 1, 2), HOME_GOOD);
    EXPECT("");
    // Having asked is not having done something.
    assert_false(home.roles[B].has_spoken);
    enter(B, 10);
    said[0] = 0;
    home_node_lost(&home, 2, wire_text("silent"), 5);
    said[0] = 0;
    assert_int_equal(asks(B, 1, 2), HOME_GOOD);
    EXPECT("FENCED(2, B.1) ");
    // Others are awaited: to ask is not to be ready.
    assert_int_equal(asks(A, 1, 1), HOME_GOOD);
    EXPECT("");
    home_cancel(&home, wire_text("enough"), 6);
    said[0] = 0;
    assert_int_equal(asks(B, 1, 2), HOME_GOOD);
    EXPECT("STOP(B.1, cancelled) ");
}

static void who_comes_without_a_certificate_comes_back_with_its_key(void **state)
{
    (void)state;
    HomeJoin client = {.role = A, .node = 1, .is_anonymous = true};
    assert_int_equal(home_join(&home, &client, 0), HOME_GOOD);
    enter(A, 10);
    said[0] = 0;
    place = 5;
    client.node = 4;
    assert_int_equal(home_join(&home, &client, 0), HOME_GOOD);
    EXPECT("REFUSED(4: the role is played by somebody who has its key) ");
    home_node_lost(&home, 1, wire_text("silent"), 5);
    EXPECT("");
    client.seat_key.bytes[0] = 8;
    home_join(&home, &client, 0);
    EXPECT("REFUSED(4: the role is played by somebody who has its key) ");
    client.seat_key.bytes[0] = 9;
    home_join(&home, &client, 0);
    EXPECT("RESTORE(A.2 at 4, 1 blocks, epoch 1) ");
    // Sooner than its loss was noticed: it is lost, in an attempt that it pays for.
    client.node = 6;
    home_join(&home, &client, 0);
    EXPECT("RESTORE(A.3 at 6, 1 blocks, epoch 2) ");
}

static void enter_is_acknowledged_or_answered_with_a_recovery(void **state)
{
    (void)state;
    all_join();
    enter(A, 10);
    EXPECT("EACK(1) ");
    place = 1;
    assert_int_equal(says_fail(A, 1, 1), HOME_GOOD);
    EXPECT("RECOVER(B.1, attempt 1, epoch 1) RECOVER(C.1, attempt 1, epoch 1) RESTORE(A.2 at 1, 1 blocks, epoch 1) "
           "LIFE(B is told: A.2 at n1) LIFE(C is told: A.2 at n1) ");
    // B had not heard of it, C had.
    enter(B, 10);
    EXPECT("RECOVER(B.1, attempt 1, epoch 1) ");
    assert_int_equal(home_state(&home, B), HOME_AWAITED);
    assert_int_equal(enter_in(C, 1, 10, 1), HOME_GOOD);
    EXPECT("EACK(3) ");
    // Until READY everything else is void.
    assert_int_equal(arrive(B, 0, NULL), HOME_GOOD);
    EXPECT("");
    assert_int_equal(ready(B, 7), HOME_GOOD);
    EXPECT("");
    assert_int_equal(ready(B, 1), HOME_GOOD);
    EXPECT("START(2) ");
    assert_int_equal(ready(B, 1), HOME_GOOD);
    EXPECT("");
}

static void what_can_not_be_entered_is_a_violation(void **state)
{
    (void)state;
    all_join();
    assert_int_equal(enter_in(C, 1, 20, 0), HOME_VIOLATION); // takes no part
    assert_int_equal(enter_in(A, 1, 15, 0), HOME_VIOLATION); // there is no such block
    assert_int_equal(enter_in(A, 1, 10, 1), HOME_VIOLATION); // nobody has decided that
    WireFrame frame = {.kind = WIRE_ENTER, .enter = {SESSION, A, 1, {{1}}, 10, 0, 0, {0}}};
    assert_int_equal(report(1, &frame), HOME_VIOLATION); // another identifier
    enter(A, 10);
    assert_int_equal(arrive(A, 0, NULL), HOME_GOOD);
    assert_int_equal(enter_in(A, 1, 20, 0), HOME_VIOLATION); // it stands at the end
    assert_int_equal(arrive(A, 0, NULL), HOME_VIOLATION);
    assert_int_equal(arrive(B, 0, NULL), HOME_VIOLATION);
    assert_int_equal(end(A, NULL), HOME_VIOLATION);
    frame = (WireFrame){.kind = WIRE_ENTER, .enter = {SESSION + 1, A, 1, {{1}}, 10, 0, 0, {0}}};
    assert_int_equal(report(1, &frame), HOME_VIOLATION);
    frame = (WireFrame){.kind = WIRE_RESTORE};
    assert_int_equal(report(1, &frame), HOME_VIOLATION);
}

static void a_block_is_over_when_all_have_arrived(void **state)
{
    (void)state;
    all_join();
    enter(A, 20);
    enter(B, 20);
    assert_int_equal(arrive(A, 1, NULL), HOME_VIOLATION);
    assert_int_equal(arrive(A, 0, NULL), HOME_GOOD);
    said[0] = 0;
    assert_int_equal(arrive(B, 0, NULL), HOME_GOOD);
    EXPECT("GO(1) GO(2) ");
    assert_int_equal(home.roles[A].member.count, 0);
    assert_null(home.recovery.blocks);
}

static void all_go_into_the_next_round_or_none(void **state)
{
    (void)state;
    all_join();
    enter(A, 30);
    enter(B, 30);
    WireBlock next = {.id = block_id(NULL, 0, 30, 1), .name = 30, .ordinal = 1, .saved = wire_text("next")};
    WireBlock wrong = next;
    wrong.ordinal = 2;
    assert_int_equal(arrive(A, 0, &wrong), HOME_VIOLATION);
    assert_int_equal(arrive(A, 0, &next), HOME_GOOD);
    assert_int_equal(arrive(B, 0, NULL), HOME_VIOLATION);
    said[0] = 0;
    assert_int_equal(arrive(B, 0, &next), HOME_GOOD);
    EXPECT("GO(1) GO(2) ");
    const HomePosition *position = role_innermost(&home.roles[A]);
    assert_int_equal(position->position.ordinal, 1);
    assert_memory_equal(position->saved.data, "next", 4);
    // A failure right after that belongs to the next round; the rescue may fail any number of times.
    place = 2;
    for (uint32_t i = 1; i < 10; i++) {
        assert_int_equal(says_fail(B, i, 2), HOME_GOOD);
        assert_int_equal(ready(A, i), HOME_GOOD);
    }
    assert_false(home.is_over);
    // In a block that is no round another one can't follow.
    assert_int_equal(role_innermost(&home.roles[B])->position.attempt, 9);
}

static void a_loss_before_ready_is_not_charged(void **state)
{
    (void)state;
    all_join();
    enter(A, 10);
    enter(B, 10);
    home_node_lost(&home, 1, wire_text("silent"), 5);
    assert_int_equal(home_state(&home, A), HOME_ABSENT);
    said[0] = 0;
    home_node_lost(&home, 2, wire_text("silent"), 5);
    EXPECT("");
    assert_int_equal(home.recovery.epoch, 1);
    home_place_found(&home, B, 4, 6);
    EXPECT("RESTORE(B.2 at 4, 1 blocks, epoch 1) LIFE(C is told: B.2 at n4) ");
    // Two lives on one node: the second is awaited already. It gets no orders in between.
    home_place_found(&home, A, 4, 6);
    said[0] = 0;
    home_node_lost(&home, 4, wire_text("silent"), 7);
    EXPECT("RECOVER(C.1, attempt 2, epoch 2) ");
}

static void a_life_that_failed_hears_its_last_word(void **state)
{
    (void)state;
    all_join();
    enter(A, 10);
    said[0] = 0;
    assert_int_equal(says_fail(A, 1, 1), HOME_GOOD);
    EXPECT("RECOVER(B.1, attempt 1, epoch 1) RECOVER(C.1, attempt 1, epoch 1) FENCED(1, A.1) ");
    assert_int_equal(says_fail(B, 1, 2), HOME_GOOD);
    EXPECT("STOP(B.1, failed) STOP(C.1, failed) over(failed, B: why) ");
    assert_int_equal(says_fail(C, 1, 3), HOME_GOOD);
    EXPECT("STOP(C.1, failed) ");
    assert_int_equal(join(A, 1), HOME_GOOD);
    EXPECT("REFUSED(1: the session is over) ");
}

static void a_refused_restore_decides_nothing(void **state)
{
    (void)state;
    all_join();
    WireFrame refused = {.kind = WIRE_REFUSED, .refused = {.session = SESSION, .role = A, .life = 1}};
    place = 1;
    assert_int_equal(report(1, &refused), HOME_GOOD);
    // Not at the same node again.
    EXPECT("");
    assert_int_equal(home_state(&home, A), HOME_ABSENT);
    place = 4;
    home_place_found(&home, A, 4, 6);
    enter(A, 10);
    refused.refused.life = 2;
    assert_int_equal(report(4, &refused), HOME_VIOLATION);
}

static void the_home_sends_what_an_ended_role_had_kept(void **state)
{
    (void)state;
    WireBuffer kept = {0};
    WireKept item = {.to = C, .number = 4, .value = wire_text("x")};
    join(A, 1);
    join(B, 2);
    said[0] = 0;
    wire_add(&kept, WIRE_ITEM_KEPT, &item);
    item.to = B;
    wire_add(&kept, WIRE_ITEM_KEPT, &item);
    assert_int_equal(end(A, &kept), HOME_VIOLATION); // not in order
    kept.size = kept.count = 0;
    wire_add(&kept, WIRE_ITEM_KEPT, &item);
    item.to = C;
    wire_add(&kept, WIRE_ITEM_KEPT, &item);
    is_out_of_memory = true;
    assert_int_equal(end(A, &kept), HOME_NO_MEMORY);
    is_out_of_memory = false;
    EXPECT("");
    link_is_full = true;
    assert_int_equal(end(A, &kept), HOME_GOOD);
    EXPECT("EACK(1) LIFE(B is told: A.1 at n9, ended) ");
    link_is_full = false;
    home_release(&home);
    EXPECT("DATA(A.1 to B.1 at 2: 4) ");
    join(C, 3);
    EXPECT("RESTORE(C.1 at 3, 0 blocks, epoch 0) LIFE(B is told: C.1 at n3) DATA(A.1 to C.1 at 3: 4) ");
    WireFrame taken = {.kind = WIRE_TAKEN, .taken = {SESSION, C, 1, A, 1, 0, 6}};
    assert_int_equal(report(3, &taken), HOME_VIOLATION);
    taken.taken.number = 5;
    assert_int_equal(report(3, &taken), HOME_GOOD);
    assert_int_equal(report(2, &(WireFrame){.kind = WIRE_TAKEN, .taken = {SESSION, B, 1, A, 1, 0, 5}}), HOME_GOOD);
    assert_null(home.handed);
    said[0] = 0;
    assert_int_equal(join(A, 1), HOME_GOOD);
    EXPECT("REFUSED(1: the role has come to its end) ");
    assert_int_equal(end(B, NULL), HOME_GOOD);
    said[0] = 0;
    assert_int_equal(end(C, NULL), HOME_GOOD);
    EXPECT("EACK(3) STOP(A.1, ok) STOP(B.1, ok) STOP(C.1, ok) over(ok) ");
    assert_int_equal(home_result(&home, A).size, 6);
    wire_buffer_fini(&kept);
}

static void time_runs_from_the_entry_and_later_from_the_last_who_is_back(void **state)
{
    (void)state;
    all_join();
    enter(A, 40);
    enter(B, 40);
    assert_int_equal(home_next_ns(&home), 1000);
    said[0] = 0;
    home_tick(&home, 999);
    EXPECT("");
    home_tick(&home, 1000);
    EXPECT("RECOVER(A.1, attempt 1, epoch 1) RECOVER(B.1, attempt 1, epoch 1) ");
    assert_int_equal(home_next_ns(&home), UINT64_MAX);
    home_tick(&home, 5000);
    assert_int_equal(ready(A, 1), HOME_GOOD);
    assert_int_equal(home_next_ns(&home), UINT64_MAX);
    assert_int_equal(ready(B, 1), HOME_GOOD);
    assert_int_equal(home_next_ns(&home), 6000);
    assert_int_equal(arrive(A, 1, NULL), HOME_GOOD);
    said[0] = 0;
    home_tick(&home, 6000);
    EXPECT("STOP(A.1, failed) STOP(B.1, failed) STOP(C.1, failed) over(failed, B: not at the end of the block within 0 "
           "ms) ");
}

static void a_role_that_nobody_plays_ends_the_session(void **state)
{
    (void)state;
    join(A, 1);
    join(B, 2);
    enter(A, 10);
    home_node_lost(&home, 1, wire_text("silent"), 5000);
    said[0] = 0;
    assert_int_equal(home_next_ns(&home), 10000);
    home_place_found(&home, C, 3, 5000);
    assert_int_equal(home_next_ns(&home), 15000);
    said[0] = 0;
    home_tick(&home, 15000);
    EXPECT("STOP(B.1, failed) STOP(C.1, failed) over(failed, A: lost with node n1, and no other node has taken over "
           "within 0 ms) ");
}

static void too_many_restarts_end_the_session(void **state)
{
    (void)state;
    static const HomeRestarts restarts[] = {[B] = {2, 1000}, [C] = {1, 0}};
    home.options.restarts = restarts;
    all_join();
    enter(B, 30);
    place = 2;
    for (uint32_t i = 1; i <= 2; i++)
        assert_int_equal(says_fail(B, i, 2), HOME_GOOD);
    assert_false(home.is_over);
    home.now_ns = 1000;
    assert_int_equal(says_fail(B, 3, 2), HOME_GOOD);
    assert_false(home.is_over);
    home.now_ns = 1500;
    assert_int_equal(home.restarts, 3);
    said[0] = 0;
    for (uint32_t i = 4; i <= 5; i++)
        assert_int_equal(says_fail(B, i, 2), HOME_GOOD);
    assert_true(home.is_over);
    assert_int_equal(home.restarts, 4);
    assert_non_null(strstr(said, "(and more restarts than the cast allows)"));
}

static void cancelling_ends_the_session(void **state)
{
    (void)state;
    all_join();
    WireFrame cancel = {.kind = WIRE_CANCEL, .cancel = {SESSION, B, 1, wire_text("enough")}};
    assert_int_equal(report(2, &cancel), HOME_GOOD);
    EXPECT("STOP(A.1, cancelled) STOP(B.1, cancelled) STOP(C.1, cancelled) over(cancelled, B: enough) ");
    home_cancel(&home, wire_text("again"), 0);
    EXPECT("");
}

static void who_has_ended_may_cancel(void **state)
{
    (void)state;
    all_join();
    assert_int_equal(end(B, NULL), HOME_GOOD);
    said[0] = 0;
    WireFrame cancel = {.kind = WIRE_CANCEL, .cancel = {SESSION, B, 1, wire_text("enough")}};
    assert_int_equal(report(1, &cancel), HOME_VIOLATION);
    assert_int_equal(report(2, &cancel), HOME_GOOD);
    EXPECT("STOP(A.1, cancelled) STOP(B.1, cancelled) STOP(C.1, cancelled) over(cancelled, B: enough) ");
}

static void an_order_that_can_not_be_given_ends_the_session(void **state)
{
    (void)state;
    all_join();
    order_fails = true;
    enter(A, 10);
    EXPECT("over(failed, A: out of memory at the home of the session) ");
    // STOP is said when that is possible again.
    assert_int_not_equal(home_next_ns(&home), UINT64_MAX);
    order_fails = false;
    home_tick(&home, 100);
    EXPECT("STOP(A.1, failed) STOP(B.1, failed) STOP(C.1, failed) ");
    assert_int_equal(home_next_ns(&home), UINT64_MAX);
}

static void without_memory_a_report_has_to_come_again(void **state)
{
    (void)state;
    all_join();
    is_out_of_memory = true;
    assert_int_equal(enter_in(A, 1, 40, 0), HOME_NO_MEMORY);
    is_out_of_memory = false;
    enter(A, 40);
    enter(B, 40);
    is_out_of_memory = true;
    said[0] = 0;
    assert_int_equal(says_fail(A, 1, 1), HOME_GOOD);
    EXPECT("FENCED(1, A.1) STOP(B.1, failed) STOP(C.1, failed) over(failed, A: out of memory at the home of the "
           "session) ");
}

static void what_a_role_saves_has_a_limit(void **state)
{
    (void)state;
    static const uint8_t bytes[3000];
    all_join();
    WireFrame frame = {.kind = WIRE_ENTER, .enter = {SESSION, A, 1, id_in(A, 10, 0), 10, 0, 0, {bytes, sizeof bytes}}};
    assert_int_equal(report(1, &frame), HOME_GOOD);
    said[0] = 0;
    frame.enter.id = id_in(A, 20, 0);
    frame.enter.name = 20;
    assert_int_equal(report(1, &frame), HOME_GOOD);
    EXPECT("STOP(A.1, failed) STOP(B.1, failed) STOP(C.1, failed) over(failed, A: what the role has saved for its "
           "blocks is larger than a "
           "message "
           "may be (message_max)) ");
}

static HomeVerdict unreached(unsigned role, unsigned of, uint32_t of_life, bool is_over)
{
    WireFrame frame = {.kind = WIRE_UNREACHED,
                       .unreached = {SESSION, (uint16_t)role, home.roles[role].life, (uint16_t)of, of_life, is_over}};
    return report(home.roles[role].node, &frame);
}

static void of_two_that_dont_reach_each_other_one_is_given_up(void **state)
{
    (void)state;
    all_join();
    for (unsigned role = 0; role < ROLES; role++)
        enter(role, 10);
    said[0] = 0;
    assert_int_equal(unreached(A, B, 1, false), HOME_GOOD);
    assert_int_equal(unreached(B, A, 1, false), HOME_GOOD);
    assert_int_equal(unreached(C, A, 1, false), HOME_GOOD);
    assert_int_equal(home_next_ns(&home), 500);
    home_tick(&home, 499);
    EXPECT("");
    // Two complain of A, one of B. Nobody else would play it, and its link is up.
    place = 1;
    home_tick(&home, 500);
    EXPECT("RECOVER(B.1, attempt 1, epoch 1) RECOVER(C.1, attempt 1, epoch 1) RESTORE(A.2 at 1, 1 blocks, epoch 1) "
           "LIFE(B is told: A.2 at n1) LIFE(C is told: A.2 at n1) ");
    // What was said of its last life does not count any more, in either direction.
    assert_int_equal(home_next_ns(&home), UINT64_MAX);
    assert_int_equal(unreached(B, A, 1, false), HOME_GOOD);
    assert_int_equal(home_next_ns(&home), UINT64_MAX);
    // Of two alike it is the later one, and it begins elsewhere if it can.
    assert_int_equal(unreached(A, B, 1, false), HOME_GOOD);
    assert_int_equal(unreached(B, A, 2, false), HOME_GOOD);
    place = 4;
    home_tick(&home, 1000);
    assert_int_equal(home_state(&home, B), HOME_RUNNING);
    assert_int_equal(home_life(&home, B), 2);
    assert_int_equal(home_node(&home, B), 4);
    assert_non_null(strstr(said, "FENCED(2, B.1) "));
}

static void who_is_reached_again_is_not_given_up(void **state)
{
    (void)state;
    all_join();
    assert_int_equal(unreached(A, B, 1, false), HOME_GOOD);
    // It counts from the first time.
    home_tick(&home, 300);
    assert_int_equal(unreached(A, B, 1, false), HOME_GOOD);
    assert_int_equal(home_next_ns(&home), 500);
    assert_int_equal(unreached(A, B, 1, true), HOME_GOOD);
    assert_int_equal(unreached(A, B, 1, true), HOME_GOOD);
    home_tick(&home, 2000);
    EXPECT("");
    assert_int_equal(home_life(&home, B), 1);
}

static void complaints_that_can_not_be_are_violations(void **state)
{
    (void)state;
    assert_int_equal(join(A, 1), HOME_GOOD);
    assert_int_equal(join(B, 9), HOME_GOOD); // at the home
    assert_int_equal(join(C, 1), HOME_GOOD); // where A is
    assert_int_equal(unreached(A, A, 1, false), HOME_VIOLATION);
    assert_int_equal(unreached(A, ROLES, 1, false), HOME_VIOLATION);
    assert_int_equal(unreached(A, B, 1, false), HOME_VIOLATION);
    assert_int_equal(unreached(A, C, 1, false), HOME_VIOLATION);
    assert_int_equal(unreached(A, C, 0, false), HOME_VIOLATION);
    assert_int_equal(unreached(A, C, 2, false), HOME_VIOLATION);
}

static void a_new_life_is_told_of_recoveries_in_blocks_to_come(void **state)
{
    (void)state;
    all_join();
    enter(A, 10);
    enter(B, 30);
    place = 1;
    assert_int_equal(says_fail(A, 1, 1), HOME_GOOD);
    said[0] = 0;
    place = 2;
    assert_int_equal(says_fail(B, 1, 2), HOME_GOOD);
    EXPECT("RECOVER(A.2, attempt 1, epoch 2) RESTORE(B.2 at 2, 1 blocks, epoch 2, knows 1) LIFE(A is told: B.2 at n2) "
           "LIFE(C is told: B.2 at n2) ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_role_begins_where_a_node_joins),
        TEST(a_standby_takes_over),
        TEST(a_life_is_told_whether_it_is_heard),
        TEST(who_asks_to_play_on_before_it_knows_that_it_does_has_lost_nothing),
        TEST(who_comes_without_a_certificate_comes_back_with_its_key),
        TEST(enter_is_acknowledged_or_answered_with_a_recovery),
        TEST(what_can_not_be_entered_is_a_violation),
        TEST(a_block_is_over_when_all_have_arrived),
        TEST(all_go_into_the_next_round_or_none),
        TEST(a_loss_before_ready_is_not_charged),
        TEST(a_life_that_failed_hears_its_last_word),
        TEST(of_two_that_dont_reach_each_other_one_is_given_up),
        TEST(who_is_reached_again_is_not_given_up),
        TEST(complaints_that_can_not_be_are_violations),
        TEST(a_refused_restore_decides_nothing),
        TEST(the_home_sends_what_an_ended_role_had_kept),
        TEST(time_runs_from_the_entry_and_later_from_the_last_who_is_back),
        TEST(a_role_that_nobody_plays_ends_the_session),
        TEST(too_many_restarts_end_the_session),
        TEST(cancelling_ends_the_session),
        TEST(who_has_ended_may_cancel),
        TEST(an_order_that_can_not_be_given_ends_the_session),
        TEST(without_memory_a_report_has_to_come_again),
        TEST(what_a_role_saves_has_a_limit),
        TEST(a_new_life_is_told_of_recoveries_in_blocks_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
