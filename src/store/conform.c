// conform.c: see conform.h. Each function shows one thing, with sessions of a choreography that is named after it.

#define _GNU_SOURCE

#include "store/conform.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { LEASE_MS = 300, LONG_LEASE_MS = 600000, PATIENCE_MS = 20000, PAUSE_MS = 10, THREADS = 2, ROUNDS = 50 };

// ---- helpers ----

// A connection of a node.
typedef struct {
    const chx_store_ops *ops;
    void *store;
    uint64_t writer[2];
    char why[CHX_STORE_WHY];
} User;

static void user_init(const StoreWorld *world, const char *node, User *user)
{
    static _Atomic uint64_t writers;
    *user = (User){.ops = world->ops, .writer = {0x0123456789abcdef, 0x8000000000000000 + ++writers}};
    int error = world->ops->open(world->place, node, user->writer, &user->store, user->why);
    if (error != 0)
        fail_msg("the store can't be opened: %s", user->why);
}

static void user_fini(User *user)
{
    user->ops->close(user->store);
}

static int commit(User *user, chx_store_change *changes, size_t count)
{
    user->why[0] = '\0';
    return user->ops->commit(user->store, changes, count, user->why);
}

#define DONE(call)                                                                                                     \
    do {                                                                                                               \
        int result_ = (call);                                                                                          \
        if (result_ != 0)                                                                                              \
            fail_msg("%s: %s (%s)", #call, strerror(-result_), user.why);                                              \
    } while (0)

static chx_store_piece piece(uint32_t level, uint32_t role, const char *text)
{
    return (chx_store_piece){.level = level, .role = role, .data = text, .size = strlen(text)};
}

static chx_store_key key_of(const char *choreography, const char *name)
{
    return (chx_store_key){.choreography = choreography, .space = "", .name = name};
}

static chx_store_change beginning(chx_store_key key, const chx_store_piece *pieces, size_t count)
{
    return (chx_store_change){.key = key,
                              .term = 1,
                              .token = {0xfedcba9876543210, 7},
                              .definition = "run",
                              .protocol_digest = 0xffffffff00000001,
                              .home = "home",
                              .pieces = pieces,
                              .piece_count = count};
}

static chx_store_change change_of(chx_store_key key, uint64_t term, uint64_t version, const chx_store_piece *pieces,
                                  size_t count)
{
    return (chx_store_change){.key = key, .term = term, .version = version, .pieces = pieces, .piece_count = count};
}

// One change; true: it was applied.
static bool change_one(User *user, chx_store_change change)
{
    int error = commit(user, &change, 1);
    if (error != 0)
        fail_msg("commit: %s (%s)", strerror(-error), user->why);
    return change.is_applied;
}

static void load(User *user, chx_store_key key, chx_store_cut *cut)
{
    int error = user->ops->load(user->store, &key, cut, user->why);
    if (error != 0)
        fail_msg("load: %s (%s)", strerror(-error), user->why);
}

static uint64_t version_of(User *user, chx_store_key key)
{
    chx_store_cut cut;
    load(user, key, &cut);
    uint64_t version = cut.version;
    user->ops->release(user->store, &cut);
    return version;
}

// The session has exactly these pieces, written "level/role=text level/role=text".
static void expect_pieces(User *user, chx_store_key key, const char *expected)
{
    char text[1000] = "";
    chx_store_cut cut;
    load(user, key, &cut);
    for (size_t i = 0; i < cut.piece_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u/%u=%.*s", i > 0 ? " " : "", cut.pieces[i].level,
                 cut.pieces[i].role, (int)cut.pieces[i].size, (const char *)cut.pieces[i].data);
    user->ops->release(user->store, &cut);
    assert_string_equal(text, expected);
}

static void pass(const StoreWorld *world, uint64_t ms)
{
    if (world->pass != NULL)
        world->pass(world, ms);
    else
        nanosleep(&(struct timespec){.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000}, NULL);
}

// ---- sessions ----

static void a_session_is_as_it_was_made(const StoreWorld *world)
{
    User user;
    chx_store_key key = {.choreography = "made", .space = "shop", .name = "order-1"};
    chx_store_piece pieces[] = {piece(0, CHX_STORE_HEAD, "head"), piece(0, 0, "seller"), piece(0, 1, "buyer")};
    chx_store_cut cut;
    user_init(world, "home", &user);
    chx_store_change change = beginning(key, pieces, 3);
    change.term = 5;
    assert_true(change_one(&user, change));
    load(&user, key, &cut);
    assert_string_equal(cut.key.choreography, "made");
    assert_string_equal(cut.key.space, "shop");
    assert_string_equal(cut.key.name, "order-1");
    assert_true(cut.term == 5 && cut.version == 1);
    assert_true(cut.token[0] == 0xfedcba9876543210 && cut.token[1] == 7);
    assert_true(cut.protocol_digest == 0xffffffff00000001);
    assert_true(memcmp(cut.writer, user.writer, sizeof cut.writer) == 0);
    assert_string_equal(cut.definition, "run");
    assert_string_equal(cut.home, "home");
    assert_true(cut.outcome == CHX_STORE_UNFINISHED);
    assert_true(cut.changed_ms > 0);
    user.ops->release(user.store, &cut);
    expect_pieces(&user, key, "0/0=seller 0/1=buyer 0/2147483647=head");
    user_fini(&user);
    // Also for somebody else.
    user_init(world, "other", &user);
    expect_pieces(&user, key, "0/0=seller 0/1=buyer 0/2147483647=head");
    user_fini(&user);
}

static void what_is_not_there_is_not_found(const StoreWorld *world)
{
    User user;
    chx_store_cut cut;
    chx_store_key key = {.choreography = "absent", .space = "one", .name = "x"}, other = key, third = key;
    user_init(world, "home", &user);
    assert_int_equal(user.ops->load(user.store, &key, &cut, user.why), -ENOENT);
    assert_non_null(strstr(user.why, "'x'"));
    assert_true(change_one(&user, beginning(key, NULL, 0)));
    other.space = "two";
    third.choreography = "elsewhere";
    assert_int_equal(user.ops->load(user.store, &other, &cut, user.why), -ENOENT);
    assert_int_equal(user.ops->load(user.store, &third, &cut, user.why), -ENOENT);
    expect_pieces(&user, key, "");
    user_fini(&user);
}

static void pieces_are_put_replaced_and_dropped(const StoreWorld *world)
{
    User user;
    chx_store_key key = key_of("pieces", "x");
    chx_store_piece base[] = {piece(0, 0, "a"), piece(0, 1, "b")};
    chx_store_piece entry[] = {piece(1, 0, "c"), piece(1, 1, "d"), piece(2, 1, "e")};
    chx_store_piece again[] = {piece(1, 1, "D"), piece(0, 1, "longer than before")};
    chx_store_piece instead[] = {piece(1, 0, "f"), piece(3, 9, "g")};
    user_init(world, "home", &user);
    assert_true(change_one(&user, beginning(key, base, 2)));
    assert_true(change_one(&user, change_of(key, 1, 1, entry, 3)));
    expect_pieces(&user, key, "0/0=a 0/1=b 1/0=c 1/1=d 2/1=e");
    assert_true(change_one(&user, change_of(key, 1, 2, again, 2)));
    expect_pieces(&user, key, "0/0=a 0/1=longer than before 1/0=c 1/1=D 2/1=e");
    // Removed first, then put.
    chx_store_change change = change_of(key, 1, 3, instead, 2);
    change.drops = true;
    change.drop_from = 1;
    assert_true(change_one(&user, change));
    expect_pieces(&user, key, "0/0=a 0/1=longer than before 1/0=f 3/9=g");
    // drop_from counts only if there is something to be dropped.
    change = change_of(key, 1, 4, NULL, 0);
    assert_true(change_one(&user, change));
    expect_pieces(&user, key, "0/0=a 0/1=longer than before 1/0=f 3/9=g");
    change = change_of(key, 1, 5, base, 2);
    change.drops = true;
    assert_true(change_one(&user, change));
    expect_pieces(&user, key, "0/0=a 0/1=b");
    user_fini(&user);
}

static void the_outcome_is_kept(const StoreWorld *world)
{
    User user;
    chx_store_key key = key_of("outcome", "x");
    chx_store_piece base[] = {piece(0, 0, "a"), piece(1, 0, "b")};
    chx_store_piece results[] = {piece(CHX_STORE_RESULTS, 0, "42"), piece(CHX_STORE_RESULTS, CHX_STORE_HEAD, "ok")};
    chx_store_cut cut;
    user_init(world, "home", &user);
    assert_true(change_one(&user, beginning(key, base, 2)));
    chx_store_change change = change_of(key, 1, 1, results, 2);
    change.outcome = CHX_STORE_OVER;
    change.drops = true;
    assert_true(change_one(&user, change));
    load(&user, key, &cut);
    assert_true(cut.outcome == CHX_STORE_OVER);
    assert_true(cut.version == 2 && cut.term == 1 && cut.token[1] == 7);
    assert_string_equal(cut.definition, "run");
    assert_string_equal(cut.home, "home");
    user.ops->release(user.store, &cut);
    expect_pieces(&user, key, "2147483647/0=42 2147483647/2147483647=ok");
    user_fini(&user);
}

static void a_change_needs_the_right_term_and_version(const StoreWorld *world)
{
    User user, other;
    chx_store_key key = key_of("stale", "x");
    chx_store_piece first = piece(0, 0, "first"), second = piece(0, 0, "second"), wrong = piece(0, 0, "wrong");
    chx_store_cut cut;
    user_init(world, "home", &user);
    user_init(world, "home", &other);
    assert_false(change_one(&user, change_of(key, 1, 1, &wrong, 1))); // There is none yet.
    assert_true(change_one(&user, beginning(key, &first, 1)));
    assert_false(change_one(&other, beginning(key, &wrong, 1)));
    assert_true(change_one(&user, change_of(key, 1, 1, &second, 1)));
    assert_false(change_one(&other, change_of(key, 1, 1, &wrong, 1))); // too late
    assert_false(change_one(&other, change_of(key, 1, 3, &wrong, 1))); // too early
    assert_false(change_one(&other, change_of(key, 2, 2, &wrong, 1)));
    assert_false(change_one(&other, change_of(key, 0, 2, &wrong, 1)));
    chx_store_change drops = change_of(key, 1, 1, NULL, 0);
    drops.drops = true;
    drops.outcome = CHX_STORE_OVER;
    assert_false(change_one(&other, drops));
    load(&other, key, &cut);
    assert_true(cut.version == 2 && cut.outcome == CHX_STORE_UNFINISHED);
    assert_true(memcmp(cut.writer, user.writer, sizeof cut.writer) == 0);
    other.ops->release(other.store, &cut);
    expect_pieces(&other, key, "0/0=second");
    assert_true(change_one(&other, change_of(key, 1, 2, NULL, 0)));
    load(&user, key, &cut);
    assert_true(memcmp(cut.writer, other.writer, sizeof cut.writer) == 0);
    user.ops->release(user.store, &cut);
    user_fini(&other);
    user_fini(&user);
}

static void stale_changes_do_not_hinder_others(const StoreWorld *world)
{
    User user;
    chx_store_key keys[] = {key_of("beside", "a"), key_of("beside", "b"), key_of("beside", "c"), key_of("beside", "d")};
    chx_store_piece old = piece(0, 0, "old"), new = piece(0, 0, "new");
    user_init(world, "home", &user);
    chx_store_change begin[] = {beginning(keys[0], &old, 1), beginning(keys[1], &old, 1)};
    DONE(commit(&user, begin, 2));
    assert_true(begin[0].is_applied && begin[1].is_applied);
    chx_store_change all[] = {change_of(keys[0], 1, 9, &new, 1), beginning(keys[2], &new, 1),
                              change_of(keys[1], 1, 1, &new, 1), beginning(keys[0], &new, 1),
                              change_of(keys[3], 1, 1, &new, 1)};
    for (size_t i = 0; i < 5; i++)
        all[i].is_applied = i != 1; // what is not set would be seen
    DONE(commit(&user, all, 5));
    assert_false(all[0].is_applied);
    assert_true(all[1].is_applied);
    assert_true(all[2].is_applied);
    assert_false(all[3].is_applied);
    assert_false(all[4].is_applied);
    expect_pieces(&user, keys[0], "0/0=old");
    expect_pieces(&user, keys[1], "0/0=new");
    expect_pieces(&user, keys[2], "0/0=new");
    DONE(commit(&user, all, 0));
    user_fini(&user);
}

static void one_commit_may_change_a_session_twice(const StoreWorld *world)
{
    User user;
    chx_store_key one = key_of("twice", "x"), other = key_of("twice", "y");
    chx_store_piece first[] = {piece(0, 0, "a"), piece(1, 0, "b")}, second[] = {piece(1, 1, "c")};
    user_init(world, "home", &user);
    chx_store_change all[] = {beginning(one, first, 2), change_of(one, 1, 1, second, 1), beginning(other, first, 1),
                              change_of(one, 1, 1, first, 2), change_of(one, 1, 2, first, 1)};
    all[1].drops = true;
    all[1].drop_from = 1;
    DONE(commit(&user, all, 5));
    assert_true(all[0].is_applied && all[1].is_applied && all[2].is_applied && all[4].is_applied);
    assert_false(all[3].is_applied);
    expect_pieces(&user, one, "0/0=a 1/1=c");
    assert_true(version_of(&user, one) == 3);
    user_fini(&user);
}

static void many_sessions_share_a_commit(const StoreWorld *world)
{
    enum { MANY = 300 };
    User user;
    char names[MANY][16];
    chx_store_change changes[MANY];
    chx_store_piece pieces[MANY][2];
    user_init(world, "home", &user);
    for (uint64_t version = 0; version < 3; version++) {
        for (unsigned i = 0; i < MANY; i++) {
            snprintf(names[i], sizeof names[i], "s%u", i * 7919 % MANY);
            pieces[i][0] = piece(0, i % 3, names[i]);
            pieces[i][1] = piece((uint32_t)version + 1, 0, "x");
            changes[i] = version == 0 ? beginning(key_of("many", names[i]), pieces[i], 2)
                                      : change_of(key_of("many", names[i]), 1, version, pieces[i], 2);
        }
        DONE(commit(&user, changes, MANY));
        for (unsigned i = 0; i < MANY; i++)
            assert_true(changes[i].is_applied);
    }
    for (unsigned i = 0; i < MANY; i++) {
        char text[100];
        snprintf(text, sizeof text, "0/%u=%.15s 1/0=x 2/0=x 3/0=x", i % 3, names[i]);
        expect_pieces(&user, key_of("many", names[i]), text);
    }
    user_fini(&user);
}

// Roles that are put by themselves, together, and by themselves again: the later one counts, however the store has put them together.
static void roles_may_be_put_in_any_company(const StoreWorld *world)
{
    enum { ROLES = 300 };
    static chx_store_change changes[ROLES + 3];
    static chx_store_piece alone[ROLES], all[ROLES], again[2];
    static char texts[ROLES][16];
    User user;
    chx_store_key key = key_of("company", "x");
    chx_store_cut cut;
    user_init(world, "home", &user);
    for (uint32_t i = 0; i < ROLES; i++) {
        snprintf(texts[i], sizeof texts[i], "%u", i);
        alone[i] = piece(1, i * 77, texts[i]);
        all[ROLES - 1 - i] = piece(1, i * 77, "all");
        changes[i + 1] = change_of(key, 1, i + 1, &alone[i], 1);
    }
    changes[0] = beginning(key, NULL, 0);
    changes[ROLES + 1] = change_of(key, 1, ROLES + 1, all + 100, ROLES - 100); // the first 200
    again[0] = piece(1, 77, "again");
    again[1] = piece(1, 250 * 77, "again");
    changes[ROLES + 2] = change_of(key, 1, ROLES + 2, again, 2);
    DONE(commit(&user, changes, ROLES + 3));
    load(&user, key, &cut);
    assert_int_equal(cut.piece_count, ROLES);
    for (uint32_t i = 0; i < ROLES; i++) {
        const char *expected = i == 1 || i == 250 ? "again" : i < 200 ? "all" : texts[i];
        assert_int_equal(cut.pieces[i].role, i * 77);
        assert_int_equal(cut.pieces[i].size, strlen(expected));
        assert_memory_equal(cut.pieces[i].data, expected, strlen(expected));
    }
    user.ops->release(user.store, &cut);
    chx_store_change drops = change_of(key, 1, ROLES + 3, again, 1);
    drops.drops = true;
    assert_true(change_one(&user, drops));
    expect_pieces(&user, key, "1/77=again");
    user_fini(&user);
}

static unsigned char *random_bytes(size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    uint32_t seed = 1;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(seed >> 24);
    }
    return bytes;
}

static void pieces_have_any_size(const StoreWorld *world)
{
    User user;
    size_t sizes[] = {0, 1, 255, 2000, 8192, 100000, world->large_bytes};
    chx_store_cut cut;
    unsigned char *bytes = random_bytes(world->large_bytes);
    chx_store_piece pieces[7];
    user_init(world, "home", &user);
    for (uint32_t i = 0; i < 7; i++)
        pieces[i] = (chx_store_piece){.level = 0, .role = i, .data = i == 0 ? NULL : bytes + i, .size = sizes[i]};
    pieces[6].data = bytes;
    assert_true(change_one(&user, beginning(key_of("sizes", "x"), pieces, 7)));
    load(&user, key_of("sizes", "x"), &cut);
    assert_int_equal(cut.piece_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(cut.pieces[i].size, sizes[i]);
        assert_non_null(cut.pieces[i].data);
        assert_true(i == 0 || memcmp(cut.pieces[i].data, pieces[i].data, sizes[i]) == 0);
    }
    user.ops->release(user.store, &cut);
    // Smaller again.
    assert_true(change_one(&user, change_of(key_of("sizes", "x"), 1, 1, pieces, 2)));
    DONE(user.ops->drop(user.store, &(chx_store_key){"sizes", "", "x"}, 0, user.why));
    free(bytes);
    user_fini(&user);
}

static void names_may_be_strange(const StoreWorld *world)
{
    static const char *const names[] = {"",   " ",         "a'b\"c",        "x; DROP TABLE session; --",
                                        "%_", "{\"a\",b}", "\\x00 \\N",     "line\nbreak\ttab",
                                        "A",  "a",         "Stra\303\237e", "\360\237\216\273 \346\227\245"};
    enum { NAMES = sizeof names / sizeof names[0] };
    char long_name[1001] = "", too_long[5000] = "";
    User user;
    chx_store_cut cut;
    user_init(world, "home", &user);
    for (size_t i = 0; i < NAMES; i++) {
        chx_store_key key = {.choreography = "names", .space = names[NAMES - 1 - i], .name = names[i]};
        chx_store_piece it = piece(0, 0, names[i]);
        chx_store_change change = beginning(key, &it, 1);
        change.home = names[i];
        change.definition = names[i];
        assert_true(change_one(&user, change));
        assert_true(change_one(&user, change_of(key, 1, 1, NULL, 0)));
    }
    for (size_t i = 0; i < NAMES; i++) {
        chx_store_key key = {.choreography = "names", .space = names[NAMES - 1 - i], .name = names[i]};
        load(&user, key, &cut);
        assert_true(cut.version == 2);
        assert_string_equal(cut.key.name, names[i]);
        assert_string_equal(cut.home, names[i]);
        assert_string_equal(cut.definition, names[i]);
        user.ops->release(user.store, &cut);
    }
    memset(long_name, 'n', sizeof long_name - 1);
    assert_true(change_one(&user, beginning(key_of("names", long_name), NULL, 0)));
    memset(too_long, 'n', sizeof too_long - 1);
    chx_store_change bad[] = {beginning(key_of("names", "good"), NULL, 0),
                              beginning(key_of("names", too_long), NULL, 0)};
    assert_int_equal(commit(&user, bad, 2), -ENAMETOOLONG);
    assert_non_null(strstr(user.why, "too long"));
    bad[1].key.name = "\377\376";
    assert_int_equal(commit(&user, bad, 2), -EINVAL);
    assert_non_null(strstr(user.why, "UTF-8"));
    chx_store_key good = key_of("names", "good");
    assert_int_equal(user.ops->load(user.store, &good, &cut, user.why), -ENOENT);
    user_fini(&user);
}

// ---- lists ----

typedef struct {
    User *user;
    char names[400];
    size_t count, limit;
    bool loads;
} Seen;

static bool note(void *context, const chx_store_cut *cut)
{
    Seen *seen = context;
    if (strlen(seen->names) + strlen(cut->key.name) + 2 < sizeof seen->names) {
        strcat(seen->names, cut->key.name);
        strcat(seen->names, " ");
    }
    assert_int_equal(cut->piece_count, 0);
    if (seen->loads) {
        expect_pieces(seen->user, cut->key, "0/0=x");
        assert_true(change_one(seen->user, change_of(cut->key, cut->term, cut->version, NULL, 0)));
    }
    return ++seen->count < seen->limit;
}

static Seen list(User *user, const chx_store_filter *filter, size_t limit)
{
    Seen seen = {.user = user, .limit = limit};
    int error = user->ops->each(user->store, filter, note, &seen, user->why);
    if (error != 0)
        fail_msg("each: %s (%s)", strerror(-error), user->why);
    return seen;
}

static void lists_are_filtered(const StoreWorld *world)
{
    User user, other;
    chx_store_piece it = piece(0, 0, "x");
    chx_store_cut cut;
    user_init(world, "list-home", &user);
    user_init(world, "list-other", &other);
    chx_store_change all[] = {beginning(key_of("list", "a"), &it, 1), beginning(key_of("list", "b"), &it, 1),
                              beginning(key_of("list", "c"), &it, 1), beginning(key_of("list2", "d"), &it, 1)};
    all[0].home = all[1].home = all[3].home = "list-home";
    all[2].home = "list-other";
    all[1].outcome = CHX_STORE_OVER;
    DONE(commit(&user, all, 4));
    assert_string_equal(list(&user, &(chx_store_filter){.choreography = "list"}, 100).names, "a b c ");
    assert_string_equal(list(&user, &(chx_store_filter){.choreography = "list", .unfinished_only = true}, 100).names,
                        "a c ");
    assert_string_equal(list(&user, &(chx_store_filter){.home = "list-home"}, 100).names, "a b d ");
    assert_string_equal(list(&user, &(chx_store_filter){.choreography = "list", .home = "list-other"}, 100).names,
                        "c ");
    assert_string_equal(list(&user, &(chx_store_filter){.choreography = "nothing"}, 100).names, "");
    assert_true(list(&user, NULL, 100000).count >= 4);
    assert_int_equal(list(&user, NULL, 2).count, 2);
    load(&user, key_of("list", "c"), &cut);
    uint64_t made_ms = cut.changed_ms;
    user.ops->release(user.store, &cut);
    assert_string_equal(
        list(&user, &(chx_store_filter){.choreography = "list2", .changed_before_ms = made_ms}, 9).names, "");
    assert_string_equal(
        list(&user, &(chx_store_filter){.choreography = "list2", .changed_before_ms = made_ms + 60000}, 9).names, "d ");
    // Homes without a lease.
    chx_store_filter orphans = {.choreography = "list", .orphans_only = true, .unfinished_only = true};
    assert_string_equal(list(&user, &orphans, 100).names, "a c ");
    DONE(user.ops->lease(user.store, LONG_LEASE_MS, user.why));
    assert_string_equal(list(&user, &orphans, 100).names, "c ");
    DONE(other.ops->lease(other.store, LONG_LEASE_MS, other.why));
    assert_string_equal(list(&user, &orphans, 100).names, "");
    DONE(user.ops->lease(user.store, 0, user.why));
    assert_string_equal(list(&user, &orphans, 100).names, "a ");
    DONE(other.ops->lease(other.store, 0, other.why));
    user_fini(&other);
    user_fini(&user);
}

// More than a store reads at once, which the function that is called changes meanwhile.
static void lists_may_be_long_and_change(const StoreWorld *world)
{
    enum { MANY = 1200 };
    static char names[MANY][16];
    static chx_store_change changes[MANY];
    User user;
    chx_store_piece it = piece(0, 0, "x");
    user_init(world, "home", &user);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        changes[i] = beginning(key_of("long", names[i]), &it, 1);
    }
    DONE(commit(&user, changes, MANY));
    Seen seen = {.user = &user, .limit = MANY + 1, .loads = true};
    DONE(user.ops->each(user.store, &(chx_store_filter){.choreography = "long"}, note, &seen, user.why));
    assert_int_equal(seen.count, MANY);
    assert_true(version_of(&user, key_of("long", "1199")) == 2);
    user_fini(&user);
}

static void sessions_are_dropped(const StoreWorld *world)
{
    User user;
    chx_store_key key = key_of("dropped", "a"), over = key_of("dropped", "over"), late = key_of("dropped", "late");
    chx_store_piece it = piece(0, 0, "x"), other = piece(1, 1, "y");
    chx_store_cut cut;
    user_init(world, "home", &user);
    assert_true(change_one(&user, beginning(key, &it, 1)));
    DONE(user.ops->drop(user.store, &key, 0, user.why));
    assert_int_equal(user.ops->load(user.store, &key, &cut, user.why), -ENOENT);
    assert_int_equal(user.ops->drop(user.store, &key, 0, user.why), -ENOENT);
    assert_false(change_one(&user, change_of(key, 1, 1, &it, 1)));
    // A new one has nothing of the old one.
    assert_true(change_one(&user, beginning(key, &other, 1)));
    expect_pieces(&user, key, "1/1=y");
    // Those that are over, for a while.
    chx_store_change change = beginning(over, &it, 1);
    change.outcome = CHX_STORE_OVER;
    assert_true(change_one(&user, change));
    DONE(user.ops->drop(user.store, NULL, 60000, user.why));
    expect_pieces(&user, over, "0/0=x");
    pass(world, 60);
    change.key = late;
    assert_true(change_one(&user, change));
    DONE(user.ops->drop(user.store, NULL, 50, user.why));
    assert_int_equal(user.ops->load(user.store, &over, &cut, user.why), -ENOENT);
    DONE(user.ops->drop(user.store, NULL, 0, user.why));
    assert_int_equal(user.ops->load(user.store, &late, &cut, user.why), -ENOENT);
    expect_pieces(&user, key, "1/1=y");
    user_fini(&user);
}

// ---- homes ----

static int take(User *user, chx_store_key key, uint64_t term, bool by_hand, uint64_t *new_term)
{
    user->why[0] = '\0';
    return user->ops->take(user->store, &key, term, by_hand, new_term, user->why);
}

static void a_session_is_taken_when_the_lease_is_over(const StoreWorld *world)
{
    User home, user;
    chx_store_key key = key_of("taken", "x");
    chx_store_piece it = piece(0, 0, "x");
    chx_store_cut cut;
    uint64_t term = 0;
    user_init(world, "taken-home", &home);
    user_init(world, "taken-other", &user);
    assert_int_equal(take(&user, key, 1, false, &term), -ENOENT);
    chx_store_change change = beginning(key, &it, 1);
    change.home = "taken-home";
    DONE(home.ops->lease(home.store, LONG_LEASE_MS, home.why));
    assert_true(change_one(&home, change));
    assert_int_equal(take(&user, key, 1, false, &term), -EBUSY);
    assert_non_null(strstr(user.why, "taken-home"));
    assert_int_equal(take(&user, key, 2, false, &term), -ESTALE);
    assert_int_equal(take(&user, key, 2, true, &term), -ESTALE);
    assert_true(term == 0 && version_of(&user, key) == 1);
    // A shorter one replaces it; it ends by itself.
    DONE(home.ops->lease(home.store, LEASE_MS, home.why));
    assert_int_equal(take(&user, key, 1, false, &term), -EBUSY);
    pass(world, LEASE_MS + PAUSE_MS);
    DONE(take(&user, key, 1, false, &term));
    assert_true(term == 2);
    load(&user, key, &cut);
    assert_true(cut.term == 2 && cut.version == 1);
    assert_string_equal(cut.home, "taken-other");
    assert_true(memcmp(cut.writer, user.writer, sizeof cut.writer) == 0);
    user.ops->release(user.store, &cut);
    expect_pieces(&user, key, "0/0=x");
    // The former home has nothing to say.
    assert_false(change_one(&home, change_of(key, 1, 1, NULL, 0)));
    assert_int_equal(take(&home, key, 1, false, &term), -ESTALE);
    assert_true(change_one(&user, change_of(key, 2, 1, NULL, 0)));
    user_fini(&user);
    user_fini(&home);
}

static void a_home_may_take_its_own_session(const StoreWorld *world)
{
    User home, again, user;
    chx_store_key key = key_of("own", "x");
    uint64_t term = 0;
    user_init(world, "own-home", &home);
    user_init(world, "own-home", &again);
    user_init(world, "own-other", &user);
    chx_store_change change = beginning(key, NULL, 0);
    change.home = "own-home";
    assert_true(change_one(&home, change));
    DONE(home.ops->lease(home.store, LONG_LEASE_MS, home.why));
    DONE(take(&again, key, 1, false, &term));
    assert_true(term == 2);
    assert_int_equal(take(&user, key, 2, false, &term), -EBUSY);
    DONE(take(&user, key, 2, true, &term));
    assert_true(term == 3);
    // A lease that is given up is over at once.
    assert_true(change_one(&home, beginning(key_of("own", "y"), NULL, 0)));
    DONE(home.ops->lease(home.store, 0, home.why));
    DONE(take(&user, key_of("own", "y"), 1, false, &term));
    user_fini(&user);
    user_fini(&again);
    user_fini(&home);
}

// ---- two at once ----

typedef struct {
    const StoreWorld *world;
    pthread_barrier_t *barrier;
    char node[16];
    unsigned taken, made, changed;
} Racer;

// Trying again is all that a busy store asks for.
static void race_change(User *user, chx_store_change change, unsigned *count)
{
    int error;
    while ((error = commit(user, &change, 1)) == -EAGAIN)
        ;
    if (error != 0)
        fail_msg("commit: %s (%s)", strerror(-error), user->why);
    *count += change.is_applied;
}

static void *race(void *context)
{
    Racer *racer = context;
    User user;
    char names[ROUNDS][8];
    user_init(racer->world, racer->node, &user);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t term;
        int error;
        snprintf(names[i], sizeof names[i], "%u", i);
        pthread_barrier_wait(racer->barrier);
        race_change(&user, beginning(key_of("race", names[i]), NULL, 0), &racer->made);
        pthread_barrier_wait(racer->barrier);
        race_change(&user, change_of(key_of("race", names[i]), 1, 1, NULL, 0), &racer->changed);
        pthread_barrier_wait(racer->barrier);
        while ((error = take(&user, key_of("race", names[i]), 1, false, &term)) == -EAGAIN)
            ;
        assert_true(error == 0 || error == -ESTALE);
        racer->taken += error == 0;
    }
    // Many at once, in opposite orders: they may not wait for each other forever.
    for (uint64_t round = 0; round < 10; round++) {
        chx_store_change changes[ROUNDS];
        for (unsigned i = 0; i < ROUNDS; i++)
            changes[racer->node[0] == 'a' ? i : ROUNDS - 1 - i] =
                change_of(key_of("race", names[i]), 2, 2 + round, NULL, 0);
        pthread_barrier_wait(racer->barrier);
        int error;
        while ((error = commit(&user, changes, ROUNDS)) == -EAGAIN)
            ;
        assert_int_equal(error, 0);
        for (unsigned i = 0; i < ROUNDS; i++)
            racer->changed += changes[i].is_applied;
    }
    user_fini(&user);
    return NULL;
}

static void one_of_two_wins(const StoreWorld *world)
{
    if (world->pass != NULL)
        return; // It is for one thread.
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    Racer racers[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (Racer){.world = world, .barrier = &barrier};
        snprintf(racers[i].node, sizeof racers[i].node, "%c", 'a' + i);
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(racers[0].made + racers[1].made, ROUNDS);
    assert_int_equal(racers[0].taken + racers[1].taken, ROUNDS);
    assert_int_equal(racers[0].changed + racers[1].changed, ROUNDS + 10 * ROUNDS);
}

// ---- watching ----

static void others_changes_are_noticed(const StoreWorld *world)
{
    User user, other;
    int descriptor = -1;
    uint64_t term;
    if (world->ops->watch == NULL)
        return;
    user_init(world, "watch-user", &user);
    user_init(world, "watch-other", &other);
    assert_true(change_one(&user, beginning(key_of("watch", "x"), NULL, 0)));
    for (uint64_t round = 1; round <= 3; round++) {
        DONE(user.ops->watch(user.store, &descriptor, user.why));
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, 0), 0);
        assert_int_equal(take(&other, key_of("watch", "x"), round, true, &term), 0);
        assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
    }
    user_fini(&other);
    user_fini(&user);
}

// ---- the directory ----

static bool choose(void *context, const chx_store_offer *offer)
{
    Seen *seen = context;
    snprintf(seen->names + strlen(seen->names), sizeof seen->names - strlen(seen->names), "%s@%s ", offer->node,
             offer->address);
    return ++seen->count < seen->limit;
}

// Those that were seen until one was chosen: the limit-th.
static Seen claim(User *user, const char *role, uint64_t digest, size_t limit, int expected)
{
    Seen seen = {.limit = limit};
    assert_int_equal(user->ops->claim(user->store, "offers", role, digest, choose, &seen, user->why), expected);
    return seen;
}

static chx_store_offer offer_of(const char *node, const char *address, uint32_t busy, uint32_t places)
{
    return (chx_store_offer){.choreography = "offers",
                             .role = "Worker",
                             .node = node,
                             .address = address,
                             .protocol_digest = UINT64_MAX,
                             .busy = busy,
                             .places = places};
}

static void the_least_busy_one_is_claimed(const StoreWorld *world)
{
    User user, one, two;
    if (world->ops->offer == NULL)
        return;
    user_init(world, "offer-user", &user);
    user_init(world, "offer-one", &one);
    user_init(world, "offer-two", &two);
    DONE(one.ops->offer(one.store, &(chx_store_offer){"offers", "Worker", "offer-one", "h:1", UINT64_MAX, 1, 4},
                        one.why));
    claim(&user, "Worker", UINT64_MAX, 9, -ENOENT); // It has no lease.
    DONE(one.ops->lease(one.store, LONG_LEASE_MS, one.why));
    DONE(two.ops->lease(two.store, LONG_LEASE_MS, two.why));
    chx_store_offer second = offer_of("offer-two", "h:2", 0, 2);
    DONE(two.ops->offer(two.store, &second, two.why));
    claim(&user, "Waiter", UINT64_MAX, 9, -ENOENT);
    claim(&user, "Worker", 3, 9, -ENOENT);
    // Nobody is chosen: nobody is busier.
    assert_string_equal(claim(&user, "Worker", UINT64_MAX, 9, -ENOENT).names, "offer-two@h:2 offer-one@h:1 ");
    assert_string_equal(claim(&user, "Worker", UINT64_MAX, 9, -ENOENT).names, "offer-two@h:2 offer-one@h:1 ");
    // 1 of 4 and 0 of 2; then 1 of 4 and 1 of 2; 2 of 4 and 1 of 2, and so on until all are taken.
    assert_string_equal(claim(&user, "Worker", UINT64_MAX, 1, 0).names, "offer-two@h:2 ");
    assert_string_equal(claim(&user, "Worker", UINT64_MAX, 1, 0).names, "offer-one@h:1 ");
    assert_int_equal(claim(&user, "Worker", UINT64_MAX, 2, 0).count, 2);
    claim(&user, "Worker", UINT64_MAX, 1, 0);
    claim(&user, "Worker", UINT64_MAX, 1, 0);
    claim(&user, "Worker", UINT64_MAX, 1, -ENOENT);
    // It has fewer to do again.
    second.busy = 1;
    second.address = "h:3";
    DONE(two.ops->offer(two.store, &second, two.why));
    assert_string_equal(claim(&user, "Worker", UINT64_MAX, 1, 0).names, "offer-two@h:3 ");
    second.busy = 0;
    DONE(two.ops->offer(two.store, &second, two.why));
    second.places = 0;
    DONE(two.ops->offer(two.store, &second, two.why));
    claim(&user, "Worker", UINT64_MAX, 1, -ENOENT);
    // With the lease the offer is over.
    second.places = 2;
    DONE(two.ops->offer(two.store, &second, two.why));
    DONE(two.ops->lease(two.store, 0, two.why));
    claim(&user, "Worker", UINT64_MAX, 1, -ENOENT);
    user_fini(&two);
    user_fini(&one);
    user_fini(&user);
}

// ----

void store_conforms(const StoreWorld *world)
{
    a_session_is_as_it_was_made(world);
    what_is_not_there_is_not_found(world);
    pieces_are_put_replaced_and_dropped(world);
    the_outcome_is_kept(world);
    a_change_needs_the_right_term_and_version(world);
    stale_changes_do_not_hinder_others(world);
    one_commit_may_change_a_session_twice(world);
    many_sessions_share_a_commit(world);
    roles_may_be_put_in_any_company(world);
    pieces_have_any_size(world);
    names_may_be_strange(world);
    lists_are_filtered(world);
    lists_may_be_long_and_change(world);
    sessions_are_dropped(world);
    a_session_is_taken_when_the_lease_is_over(world);
    a_home_may_take_its_own_session(world);
    one_of_two_wins(world);
    others_changes_are_noticed(world);
    the_least_busy_one_is_claimed(world);
}
