// A configuration is read as it is meant; each mistake is reported once, on its line, with what to do.

#include "net/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// ---- memory that ends ----

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_RUN_OUT 0
static long allocations_left = -1;
#else
#define CAN_RUN_OUT 1
static long allocations_left = -1; // -1: as many as wanted
void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return __libc_calloc(count, size);
}
#endif

// ---- helpers ----

static const char complete[] = "# A comment.\n"
                               "[node]\n"
                               "name   = shop-1\n"
                               "listen = 0.0.0.0:7741            # missing: dials only\n"
                               "certs  = /etc/chorex\n"
                               "store  = postgresql://user@db1,db2/chorex?target_session_attrs=read-write\n"
                               "deny   = mallory\n"
                               "deny   = trudy deny=eve\n"
                               "\n"
                               "[nodes]\n"
                               "shop-1 = shop.example.org:7741\n"
                               "bank   = [2001:db8::7]:7741\r\n"
                               "\n"
                               "[bookseller]                     # for each choreography\n"
                               "home   = Seller\n"
                               "Seller = shop-1\n"
                               "Bank   = bank\n"
                               "Worker = pool\n"
                               "Buyer  = any\n"
                               "Guest  = anonymous\n"
                               "shared = yes\n"
                               "arguments = opener\n"
                               "\n"
                               "[limits]\n"
                               "keepalive = 500ms     hold = 3s       suspect = 2m      absent = 1h\n"
                               "message_max = 1G  window = 64K    window_messages = 12\n"
                               "link_buffer = 70000   sessions_max = 1   handshake = 5s   keep = 1d\n"
                               "relay = no";

#define NODE "[node]\ncerts = /etc/chorex\n" // lines 1 and 2

static void read_well(const char *text, const char *settings, Config *config)
{
    ConfigErrors errors = {0};
    if (config_parse(text, strlen(text), settings, config, &errors))
        return;
    for (size_t i = 0; i < errors.count; i++) {
        char line[500];
        config_error_format(&errors.items[i], "FILE", line, sizeof line);
        print_error("%s\n", line);
    }
    config_errors_free(&errors);
    fail_msg("refused: %s", text);
}

// The errors must be exactly these: each begins with its place and contains its text, "FILE:3: unknown key", "settings: ...".
static void complains(const char *text, const char *settings, const char *const *expected, size_t count)
{
    Config config;
    ConfigErrors errors;
    if (config_parse(text, strlen(text), settings, &config, &errors))
        fail_msg("accepted: %s (settings %s)", text, settings);
    for (size_t i = 0; i < errors.count || i < count; i++) {
        char line[500] = "nothing";
        if (i < errors.count)
            config_error_format(&errors.items[i], "FILE", line, sizeof line);
        const char *wanted = i < count ? expected[i] : "nothing";
        const char *colon = strchr(wanted, ' ');
        size_t place = colon == NULL ? strlen(wanted) : (size_t)(colon - wanted);
        if (strncmp(line, wanted, place) != 0 || (colon != NULL && strstr(line + place, colon) == NULL))
            fail_msg("in '%s' (settings %s):\nwanted '%s'\ngot    '%s'", text, settings, wanted, line);
    }
    config_errors_free(&errors);
}

#define COMPLAINS(text, settings, ...)                                                                                 \
    complains(text, settings, (const char *const[]){__VA_ARGS__},                                                      \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

// ---- tests ----

static void everything_that_can_be_said_is_read(void **state)
{
    (void)state;
    Config config;
    read_well(complete, NULL, &config);
    assert_string_equal(config.name, "shop-1");
    assert_string_equal(config.listen, "0.0.0.0:7741");
    assert_string_equal(config.certs, "/etc/chorex");
    assert_string_equal(config.store, "postgresql://user@db1,db2/chorex?target_session_attrs=read-write");
    assert_null(config.carrier);
    assert_int_equal(config.denied_count, 3);
    assert_true(config_denies(&config, "mallory") && config_denies(&config, "trudy") && config_denies(&config, "eve"));
    assert_false(config_denies(&config, "bank"));
    assert_int_equal(config.node_count, 2);
    assert_string_equal(config_node(&config, "bank")->address, "[2001:db8::7]:7741");
    assert_null(config_node(&config, "other"));
    const ConfigChoreography *shop = config_choreography(&config, "bookseller");
    assert_non_null(shop);
    assert_string_equal(shop->home, "Seller");
    assert_int_equal(shop->role_count, 5);
    assert_string_equal(config_role(shop, "Bank")->node, "bank");
    assert_int_equal(config_role(shop, "Bank")->line, 17);
    assert_int_equal(config_role(shop, "Worker")->player, PLAYER_POOL);
    assert_int_equal(config_role(shop, "Buyer")->player, PLAYER_ANY);
    assert_int_equal(config_role(shop, "Guest")->player, PLAYER_ANONYMOUS);
    assert_null(config_role(shop, "Guest")->node);
    assert_true(shop->is_shared && shop->takes_opener_arguments);
    const ConfigLimits *limits = &config.limits;
    assert_int_equal(limits->keepalive_ms, 500);
    assert_int_equal(limits->suspect_ms, 120000);
    assert_int_equal(limits->absent_ms, 3600000);
    assert_int_equal(limits->keep_ms, 86400000);
    assert_int_equal(limits->message_max, 1 << 30);
    assert_int_equal(limits->link_buffer, 70000);
    assert_int_equal(limits->window_messages, 12);
    assert_false(limits->relay);
    config_free(&config);
}

static void what_is_not_said_has_its_default(void **state)
{
    (void)state;
    Config config;
    read_well(NODE "\n[shop]\nWorker = pool\n", NULL, &config);
    assert_null(config.name);
    assert_null(config.listen);
    assert_int_equal(config.limits.keepalive_ms, 1000);
    assert_int_equal(config.limits.hold_ms, 3000);
    assert_int_equal(config.limits.suspect_ms, 5000);
    assert_int_equal(config.limits.absent_ms, 60000);
    assert_int_equal(config.limits.message_max, 16 << 20);
    assert_int_equal(config.limits.window, 256 << 10);
    assert_int_equal(config.limits.window_messages, 4096);
    assert_int_equal(config.limits.link_buffer, 4 << 20);
    assert_int_equal(config.limits.sessions_max, 10000);
    assert_int_equal(config.limits.handshake_ms, 5000);
    assert_true(config.limits.relay);
    assert_null(config.choreographies[0].home);
    assert_false(config.choreographies[0].is_shared || config.choreographies[0].takes_opener_arguments);
    config_free(&config);
}

static void settings_go_before_the_file(void **state)
{
    (void)state;
    Config config;
    read_well(complete,
              "suspect=9s, listen=127.0.0.1:0,nodes.bank=here:1,nodes.new=there:2,bookseller.Bank=new,"
              "bookseller.home=Bank,store=\"sqlite:a,b\",limits.relay=yes,deny=oscar,other.Seller=any",
              &config);
    assert_int_equal(config.limits.suspect_ms, 9000);
    assert_string_equal(config.listen, "127.0.0.1:0");
    assert_string_equal(config_node(&config, "bank")->address, "here:1");
    assert_string_equal(config_node(&config, "new")->address, "there:2");
    assert_int_equal(config.node_count, 3);
    const ConfigChoreography *shop = config_choreography(&config, "bookseller");
    assert_string_equal(config_role(shop, "Bank")->node, "new");
    assert_int_equal(shop->role_count, 5);
    assert_string_equal(shop->home, "Bank");
    assert_string_equal(config.store, "sqlite:a,b");
    assert_true(config.limits.relay && config_denies(&config, "oscar"));
    assert_int_equal(config_role(config_choreography(&config, "other"), "Seller")->player, PLAYER_ANY);
    config_free(&config);
    read_well("", "certs=/etc/chorex,name=a", &config); // there need not be a file
    assert_string_equal(config.name, "a");
    config_free(&config);
}

static void quotes_hold_values_with_spaces(void **state)
{
    (void)state;
    Config config;
    read_well("[node]\ncerts = \"/my certificates # here\"   name=x # \"\n", NULL, &config);
    assert_string_equal(config.certs, "/my certificates # here");
    assert_string_equal(config.name, "x");
    config_free(&config);
    read_well("\xEF\xBB\xBF[node]\ncerts=/etc/a#b", NULL, &config);
    assert_string_equal(config.certs, "/etc/a#b");
    config_free(&config);
}

static void lines_that_are_not_settings_are_reported(void **state)
{
    (void)state;
    COMPLAINS("name = a\ncerts = b\n[node]\ncerts = c\n", NULL, "FILE:1: before the first section");
    COMPLAINS(NODE "name\n", NULL, "FILE:3: 'name' is neither");
    COMPLAINS(NODE "= a\n", NULL, "FILE:3: without a key");
    COMPLAINS(NODE "name =\n", NULL, "FILE:3: has no value");
    COMPLAINS(NODE "name = # a\n", NULL, "FILE:3: has no value");
    COMPLAINS("[node]\ncerts = /my certificates\n", NULL, "FILE:2: 'certificates' stands behind the value of 'certs'");
    COMPLAINS(NODE "store = \"sqlite:a\n", NULL, "FILE:3: not closed");
    COMPLAINS(NODE "[limits\nhold = 1s\n", NULL, "FILE:3: ']' is missing");
    COMPLAINS(NODE "[limits] hold = 1s\n", NULL, "FILE:3: begin a new line");
    COMPLAINS(NODE "na\001me = a\n", NULL, "FILE:3: control character");
    COMPLAINS(NODE "na\001me = a\n\002\nnonsense\n", NULL, "FILE:3: control character");
    COMPLAINS(NODE "[]\nx = y\n", NULL, "FILE:3: is no section");
    COMPLAINS(NODE "[my shop]\nA = pool\n", NULL, "FILE:3: 'my shop' is no section");
}

static void mistyped_words_bring_suggestions(void **state)
{
    (void)state;
    COMPLAINS(NODE "nmae = a\n", NULL, "FILE:3: unknown key 'nmae' in [node]; did you mean 'name'?");
    COMPLAINS(NODE "colour = a\n", NULL, "FILE:3: unknown key 'colour' in [node]");
    COMPLAINS("[node]\ncert = /etc/chorex\n", NULL, "FILE:2: did you mean 'certs'?");
    COMPLAINS(NODE "suspect = 4s\n", NULL, "FILE:3: 'suspect' does not belong in [node]: put it in [limits]");
    COMPLAINS(NODE "[limits]\ndeny = a\n", NULL, "FILE:4: put it in [node]");
    COMPLAINS(NODE "[x]\ndeny = a\nhold = 2s\n", NULL, "FILE:4: 'deny' does not belong in [x]: put it in [node]",
              "FILE:5: put it in [limits]");
    COMPLAINS(NODE "[nods]\nbank = h:1\nshop = h:2\n", NULL, "FILE:3: unknown section [nods]; did you mean [nodes]?");
    COMPLAINS(NODE "[limits]\nsuspekt = 4s\n", NULL, "FILE:4: did you mean 'suspect'?");
    COMPLAINS(NODE "[limit]\nhold = 4s\nsuspect = 1s\n", NULL,
              "FILE:3: unknown section [limit]; did you mean [limits]?");
    COMPLAINS("[Node]\nname = a\ncerts = b\n", NULL, "FILE:1: did you mean [node]?");
    COMPLAINS(NODE "[nodes]\nshop-1 = h:1\n[x]\nSeller = shop1\n", NULL,
              "FILE:6: 'shop1', which is not in [nodes]; did you mean 'shop-1'?");
    COMPLAINS(NODE "[x]\nSeller = pol\n", NULL, "FILE:4: did you mean 'pool'?");
    COMPLAINS(NODE "[x]\nSeller = elsewhere\n", NULL, "FILE:4: say there where it is");
    COMPLAINS(NODE "[x]\nSeller = pool\nhom = Seller\n", NULL,
              "FILE:5: unknown key 'hom' in [x]; did you mean 'home'?");
    COMPLAINS(NODE "[x]\nSeller = pool\nhome = Seler\n", NULL,
              "FILE:5: not a role of this section; did you mean 'Seller'?");
    COMPLAINS(NODE "[x]\nhome = Seller\n", NULL, "FILE:4: say which node plays it");
    // What follows from a mistake is not reported.
    COMPLAINS(NODE "[limits]\nhold = 7s\nsuspct = 9s\n", NULL, "FILE:5: did you mean 'suspect'?");
    COMPLAINS(NODE "name=a\n[limits]\nhold = 7s\n[limits]\nsuspect = 9s\n", NULL, "FILE:6: in line 4 already");
    COMPLAINS(NODE "[nodes\nbank = h:1\n[x]\nBank = bank\n", NULL, "FILE:3: ']' is missing");
    COMPLAINS(NODE "[limit]\nhold = 7s\n[x]\nBank = nowhere\n", NULL, "FILE:3: did you mean [limits]?",
              "FILE:6: 'nowhere'");
}

static void a_choreography_may_be_called_nearly_as_a_section(void **state)
{
    (void)state;
    Config config;
    read_well(NODE "[note]\nWriter = pool\n", NULL, &config);
    assert_non_null(config_choreography(&config, "note"));
    config_free(&config);
}

static void values_of_the_wrong_form_are_reported(void **state)
{
    (void)state;
    COMPLAINS(NODE "name = a/b\n", NULL, "FILE:3: 'name' must be a name");
    COMPLAINS(NODE "name = ..\n", NULL, "FILE:3: 'name' must be a name");
    COMPLAINS(NODE "listen = nowhere\nname = x", NULL, "FILE:3: 'nowhere' can't be listened at: it has no port");
    COMPLAINS(NODE "store = mysql:x\n", NULL, "FILE:3: 'sqlite:FILE'");
    COMPLAINS(NODE "carrier = nats:x\n", NULL, "FILE:3: 'nats://HOST:4222'");
    COMPLAINS(NODE "carrier = nats://\n", NULL, "FILE:3: 'nats://HOST:4222'");
    COMPLAINS(NODE "carrier = nats://a:1,\n", NULL, "FILE:3: 'nats://HOST:4222'");
    COMPLAINS(NODE "carrier = nats://a:1,,b:1\n", NULL, "FILE:3: 'nats://HOST:4222'");
    COMPLAINS(NODE "carrier = nats://a:1,b:0\n", NULL, "FILE:3: 'nats://HOST:4222'");
    COMPLAINS(NODE "carrier = nats://a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1,a:1\n", NULL,
              "FILE:3: up to 16 servers");
    COMPLAINS(NODE "deny = a,b\n", NULL, "FILE:3: 'deny' names one node");
    COMPLAINS("[node]\ncerts = \"\"\n", NULL, "FILE:2: 'certs' must be something");
    COMPLAINS(NODE "[limits]\nkeepalive = 1  hold = 0.5s  suspect = 5sec\n", NULL, "FILE:4: 'keepalive' must be a time",
              "FILE:4: 'hold' must be a time", "FILE:4: 'suspect' must be a time");
    COMPLAINS(NODE "[limits]\nabsent = 0s  handshake = 99999999999999999999s keep = 999999d\n", NULL,
              "FILE:4: between 1ms and 366d", "FILE:4: 'handshake' must be a time", "FILE:4: at most 36600d");
    COMPLAINS(NODE "[limits]\nmessage_max = 2G  window = 0  link_buffer = 1K  sessions_max = 1M relay = maybe\n", NULL,
              "FILE:4: between 1 and 1G", "FILE:4: 'window' must be between", "FILE:4: between 64K and 1G",
              "FILE:4: 'sessions_max' must be a whole number", "FILE:4: 'relay' must be 'yes' or 'no'");
    COMPLAINS(NODE "[nodes]\na = h:0\nb = h\npool = h:1\nx/y = h:1\n", NULL, "FILE:4: port 0", "FILE:5: no port",
              "FILE:6: can't be called 'pool'", "FILE:7: not the name of a node");
    COMPLAINS(NODE "[x]\nA-B = pool\nshared = si\narguments = mine\n", NULL, "FILE:4: names of C",
              "FILE:5: 'shared' must be", "FILE:6: 'opener'");
}

static void the_same_thing_twice_is_reported(void **state)
{
    (void)state;
    COMPLAINS(NODE "certs = /b\n", NULL, "FILE:3: 'certs' was said in line 2 already");
    COMPLAINS(NODE "[nodes]\na = h:1\na = h:2\n", NULL, "FILE:5: in line 4 already");
    COMPLAINS(NODE "[x]\nA = pool\nA = any\nhome = A\nhome = A\n", NULL, "FILE:5: in line 4 already",
              "FILE:7: in line 6 already");
    COMPLAINS(NODE "[x]\nA = pool\n[x]\nB = nonsense\n", NULL, "FILE:5: a section [x] in line 3 already");
    COMPLAINS(NODE, "hold=2s,hold=3s", "settings: 'hold' is set twice");
}

static void values_that_do_not_go_together_are_reported(void **state)
{
    (void)state;
    COMPLAINS(NODE "[limits]\nhold = 5s\n", NULL, "FILE:4: 'hold' (5000ms) must be shorter than 'suspect' (5000ms)");
    COMPLAINS(NODE "[limits]\nsuspect = 2s\n", NULL, "FILE:4: 'hold' (3000ms) must be shorter");
    COMPLAINS(NODE "[limits]\nkeepalive = 3s\n", NULL, "FILE:4: 'keepalive' (3000ms) must be shorter than 'hold'");
    COMPLAINS(NODE "[limits]\nkeepalive = 2s hold = 2100ms suspect = 4s\n", NULL, "FILE:4: longer than twice");
    COMPLAINS(NODE, "suspect=1s", "settings: 'hold' (3000ms)");
    COMPLAINS(NODE "listen = a:1\n", NULL, "FILE:3: needs a name");
    COMPLAINS("[node]\nname = a\n", NULL, "FILE: add 'certs = DIRECTORY'");
    COMPLAINS("", NULL, "FILE: add 'certs = DIRECTORY'");
    COMPLAINS(NODE "name = a\nlisten = a:1\ncarrier = nats://h:4222\n[nodes]\nb = c:1\n", NULL,
              "FILE:4: remove 'listen' or 'carrier'", "FILE:7: remove [nodes] or 'carrier'");
    COMPLAINS(NODE "carrier_ca = f\n", NULL, "FILE:3: 'carrier_ca' needs 'carrier', too");
    COMPLAINS(NODE "carrier = nats://h:1\ncarrier_cert = f\ncarrier_key = g\n", NULL,
              "FILE:4: 'carrier_cert' needs 'carrier_ca', too");
    COMPLAINS(NODE "carrier = nats://h:1\ncarrier_ca = e\ncarrier_key = g\n", NULL,
              "FILE:5: 'carrier_key' needs 'carrier_cert', too");
    COMPLAINS(NODE "carrier = nats://h:1\ncarrier_user = f\n", NULL,
              "FILE:4: 'carrier_user' needs 'carrier_password', too");
    COMPLAINS(NODE "carrier = nats://h:1\ncarrier_password = f\n", NULL,
              "FILE:4: 'carrier_password' needs 'carrier_user', too");
    COMPLAINS(NODE "carrier_credentials = f\n", NULL, "FILE:3: 'carrier_credentials' needs 'carrier', too");
}

static void nodes_need_not_be_known_where_there_is_a_directory(void **state)
{
    (void)state;
    Config config;
    read_well(NODE "carrier = nats://h:4222\n[x]\nA = somewhere\n", NULL, &config);
    config_free(&config);
    read_well(NODE "carrier = nats://a:1,[::1]:2,c:3\ncarrier_ca = 1 carrier_cert = 2 carrier_key = 3\n"
                   "carrier_credentials = 4 carrier_user = 5 carrier_password = 6\n",
              NULL, &config);
    assert_string_equal(config.carrier, "nats://a:1,[::1]:2,c:3");
    assert_string_equal(config.carrier_ca, "1");
    assert_string_equal(config.carrier_cert, "2");
    assert_string_equal(config.carrier_key, "3");
    assert_string_equal(config.carrier_credentials, "4");
    assert_string_equal(config.carrier_user, "5");
    assert_string_equal(config.carrier_password, "6");
    config_free(&config);
    read_well(NODE "store = postgresql://db/x\n[x]\nA = somewhere\n", NULL, &config);
    config_free(&config);
    read_well(NODE "name = me\n[x]\nA = me\n", NULL, &config);
    config_free(&config);
}

static void wrong_settings_are_reported(void **state)
{
    (void)state;
    COMPLAINS(NODE, "suspct=9s", "settings: unknown 'suspct'; did you mean 'suspect'?");
    COMPLAINS(NODE, "suspect", "settings: 'suspect' is neither");
    COMPLAINS(NODE, "suspect=", "settings: has no value");
    COMPLAINS(NODE, "suspect=4s hold=2s nonsense", "settings: 'nonsense' stands behind");
    COMPLAINS(NODE, "my shop.A=pool", "settings: 'my shop' is no section");
    COMPLAINS(NODE, "hold\n=1s", "settings: control character");
    COMPLAINS(NODE "[limits]\nholt = 1s\n", "x.A=nowhere", "settings: A can't be played by 'nowhere'",
              "FILE:4: did you mean 'hold'?");
}

static void many_errors_are_cut(void **state)
{
    (void)state;
    char text[4000] = NODE;
    for (int i = 0; i < 300; i++)
        strcat(text, "nonsense\n");
    Config config;
    ConfigErrors errors;
    assert_false(config_parse(text, strlen(text), NULL, &config, &errors));
    assert_int_equal(errors.count, CONFIG_ERRORS_MAX);
    for (size_t i = 0; i < errors.count; i++)
        assert_int_equal(errors.items[i].line, 3 + i);
    config_errors_free(&errors);
}

static void files_that_can_not_be_read_are_reported(void **state)
{
    (void)state;
    Config config;
    ConfigErrors errors;
    assert_false(config_read("/nonexistent/chorex.conf", NULL, &config, &errors));
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(errors.items[0].text, "No such file"));
    config_errors_free(&errors);
    assert_false(config_read("/", NULL, &config, &errors));
    config_errors_free(&errors);
    assert_false(config_read("/dev/zero", NULL, &config, &errors));
    assert_non_null(strstr(errors.items[0].text, "larger than 1M"));
    config_errors_free(&errors);

    char path[] = "/tmp/chorex-config-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, complete, strlen(complete)) == (ssize_t)strlen(complete));
    close(fd);
    assert_true(config_read(path, NULL, &config, &errors));
    assert_string_equal(config.name, "shop-1");
    config_free(&config);
    assert_true(config_read(NULL, "certs=a", &config, &errors));
    config_free(&config);
    unlink(path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    if (!CAN_RUN_OUT)
        skip();
    bool is_good = false;
    for (long n = 0; !is_good; n++) {
        Config config;
        ConfigErrors errors;
        assert_true(n < 1000);
        allocations_left = n;
        is_good = config_parse(complete, strlen(complete), "suspect=9s,other.A=bank", &config, &errors);
        allocations_left = -1;
        if (is_good)
            config_free(&config);
        else
            assert_int_equal(errors.count, 1);
        if (!is_good)
            config_errors_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_can_be_said_is_read),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(settings_go_before_the_file),
        cmocka_unit_test(quotes_hold_values_with_spaces),
        cmocka_unit_test(lines_that_are_not_settings_are_reported),
        cmocka_unit_test(mistyped_words_bring_suggestions),
        cmocka_unit_test(a_choreography_may_be_called_nearly_as_a_section),
        cmocka_unit_test(values_of_the_wrong_form_are_reported),
        cmocka_unit_test(the_same_thing_twice_is_reported),
        cmocka_unit_test(values_that_do_not_go_together_are_reported),
        cmocka_unit_test(nodes_need_not_be_known_where_there_is_a_directory),
        cmocka_unit_test(wrong_settings_are_reported),
        cmocka_unit_test(many_errors_are_cut),
        cmocka_unit_test(files_that_can_not_be_read_are_reported),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
