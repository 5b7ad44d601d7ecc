// The store in SQLite: what every store does; databases that are busy, damaged, another program's, or not there; a full disk.

#define _GNU_SOURCE

#include "store/conform.h"
#include "store/sqlite/database.h"

#include "chorex/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/chorex-sqlite-XXXXXX";
static const uint64_t writer[2] = {1, 2};

static const char *path_of(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void *open_store(const char *name)
{
    void *store;
    char why[CHX_STORE_WHY] = "";
    if (chx_store_ops_sqlite.open(path_of(name), "", writer, &store, why) != 0)
        fail_msg("%s", why);
    return store;
}

static void refuses(const char *place, int error, const char *text)
{
    void *store;
    char why[CHX_STORE_WHY] = "";
    assert_int_equal(chx_store_ops_sqlite.open(place, "", writer, &store, why), error);
    if (strstr(why, text) == NULL)
        fail_msg("'%s' is not in '%s'", text, why);
}

// With any program for SQLite.
static void run_sql(const char *name, const char *text)
{
    sqlite3 *connection;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path_of(name), &connection), SQLITE_OK);
    if (sqlite3_exec(connection, text, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", text, message);
    sqlite3_close(connection);
}

static chx_store_change change_of(const char *name, uint64_t version, const chx_store_piece *pieces, size_t count)
{
    return (chx_store_change){.key = {"shop", "", name},
                              .term = 1,
                              .version = version,
                              .definition = "run",
                              .home = "",
                              .pieces = pieces,
                              .piece_count = count};
}

static int commit_one(void *store, chx_store_change change, char why[CHX_STORE_WHY])
{
    int error = chx_store_ops_sqlite.commit(store, &change, 1, why);
    assert_true(error == 0 || !change.is_applied);
    return error;
}

static int load(void *store, const char *name, char why[CHX_STORE_WHY])
{
    chx_store_cut cut;
    int error = chx_store_ops_sqlite.load(store, &(chx_store_key){"shop", "", name}, &cut, why);
    if (error == 0)
        chx_store_ops_sqlite.release(store, &cut);
    return error;
}

static void sqlite_conforms(void **state)
{
    (void)state;
    store_conforms(
        &(StoreWorld){.ops = &chx_store_ops_sqlite, .place = path_of("conform.db"), .large_bytes = (size_t)100 << 20});
}

// ---- what is not a store ----

static void places_that_are_no_store_are_refused(void **state)
{
    (void)state;
    refuses("", -EINVAL, "needs the name of a file");
    refuses(":memory:", -EINVAL, "needs the name of a file");
    refuses(path_of("no/such/folder.db"), -ENOENT, "No such file or directory");
    refuses(folder, -EISDIR, "can't be opened");
    FILE *file = fopen(path_of("text.db"), "w");
    for (int i = 0; i < 100; i++)
        fprintf(file, "This is not a database, but a text of many lines.\n");
    fclose(file);
    refuses(path_of("text.db"), -EINVAL, "is not a SQLite database");
    run_sql("foreign.db", "CREATE TABLE address (name TEXT)");
    refuses(path_of("foreign.db"), -EINVAL, "is a database of another program");
    run_sql("foreign2.db", "PRAGMA application_id = 77");
    refuses(path_of("foreign2.db"), -EINVAL, "is a database of another program");
    // Neither was changed.
    run_sql("foreign.db", "INSERT INTO address VALUES ('x')");
    assert_int_equal(access(path_of("foreign.db-wal"), F_OK), -1);
    chx_store_ops_sqlite.close(open_store("newer.db"));
    run_sql("newer.db", "PRAGMA user_version = 3");
    refuses(path_of("newer.db"), -EINVAL, "was made by another version of Chorex (format 3, this one has 2)");
}

// root may write anything; so somebody else does it.
static void a_database_that_can_not_be_written_is_reported(void **state)
{
    (void)state;
    chx_store_ops_sqlite.close(open_store("readonly.db"));
    chmod(path_of("readonly.db"), 0444);
    chmod(folder, 0555);
    pid_t child = fork();
    if (child == 0) {
        void *store;
        char why[CHX_STORE_WHY] = "";
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(2);
        int error = chx_store_ops_sqlite.open(path_of("readonly.db"), "", writer, &store, why);
        if (error == 0)
            error = commit_one(store, change_of("a", 0, NULL, 0), why);
        _exit(error == -EROFS && strstr(why, "can't be written") != NULL ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    chmod(folder, 0755);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// ---- others ----

static void a_busy_database_may_be_tried_again(void **state)
{
    void *store = open_store("busy.db");
    char why[CHX_STORE_WHY] = "";
    uint64_t term;
    sqlite3 *other;
    (void)state;
    assert_int_equal(commit_one(store, change_of("a", 0, NULL, 0), why), 0);
    assert_int_equal(sqlite3_open(path_of("busy.db"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(commit_one(store, change_of("a", 1, NULL, 0), why), -EAGAIN);
    assert_non_null(strstr(why, "another process is writing to"));
    assert_int_equal(chx_store_ops_sqlite.lease(store, 1000, why), -EAGAIN);
    assert_int_equal(chx_store_ops_sqlite.take(store, &(chx_store_key){"shop", "", "a"}, 1, false, &term, why),
                     -EAGAIN);
    assert_int_equal(load(store, "a", why), 0); // Reading goes on.
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    assert_int_equal(commit_one(store, change_of("a", 1, NULL, 0), why), 0);
    sqlite3_close(other);
    chx_store_ops_sqlite.close(store);
}

enum { PROCESSES = 4, COMMITS = 100, MOST_PROCESSES = 8 };

// All at the same time; each must succeed.
static void in_processes(int count, void (*run)(int number))
{
    pid_t children[MOST_PROCESSES];
    for (int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0)
            run(i);
    }
    for (int i = 0; i < count; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

// The first of them makes the tables; all change their own sessions, and one together.
static void commit_in_process(int number)
{
    void *store;
    char why[CHX_STORE_WHY], name[16];
    uint64_t version = 0;
    int error;
    while ((error = chx_store_ops_sqlite.open(path_of("shared.db"), "", writer, &store, why)) == -EAGAIN)
        ;
    snprintf(name, sizeof name, "%d", number);
    while (error == 0 && version < COMMITS) {
        chx_store_change changes[] = {change_of(name, version, NULL, 0), change_of("shared", version, NULL, 0)};
        error = chx_store_ops_sqlite.commit(store, changes, 2, why);
        if (error == 0 && !changes[0].is_applied)
            error = -ESTALE;
        version += error == 0;
        error = error == -EAGAIN ? 0 : error;
    }
    if (error == 0)
        chx_store_ops_sqlite.close(store);
    else
        fprintf(stderr, "process %d: %s\n", number, why);
    _exit(error != 0);
}

static void processes_share_a_database(void **state)
{
    char name[16], why[CHX_STORE_WHY];
    chx_store_cut cut;
    (void)state;
    in_processes(PROCESSES, commit_in_process);
    void *store = open_store("shared.db");
    for (int i = 0; i <= PROCESSES; i++) {
        snprintf(name, sizeof name, "%d", i);
        chx_store_key key = {"shop", "", i < PROCESSES ? name : "shared"};
        assert_int_equal(chx_store_ops_sqlite.load(store, &key, &cut, why), 0);
        assert_int_equal(cut.version, COMMITS);
        chx_store_ops_sqlite.release(store, &cut);
    }
    chx_store_ops_sqlite.close(store);
}

enum { OPENERS = 6, FRESH = 100 };

// Each finds the database in whatever state the others have brought it to: no file, an empty one, a log, tables.
static void open_fresh(int number)
{
    char name[32], why[CHX_STORE_WHY];
    for (int i = 0; i < FRESH; i++) {
        void *store;
        int error;
        snprintf(name, sizeof name, "fresh%d.db", i);
        while ((error = chx_store_ops_sqlite.open(path_of(name), "", writer, &store, why)) == -EAGAIN)
            ;
        if (error != 0) {
            fprintf(stderr, "process %d, database %d: %s\n", number, i, why);
            _exit(1);
        }
        chx_store_ops_sqlite.close(store);
    }
    _exit(0);
}

static void processes_make_databases_together(void **state)
{
    (void)state;
    in_processes(OPENERS, open_fresh);
}

// ---- damage ----

static void damage_is_found(void **state)
{
    static const char *const damages[] = {
        "UPDATE chunk SET data = data || x'00' WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = "
        "'bad')",
        "UPDATE chunk SET data = x'' WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE chunk SET data = replace(data, 'bc', 'bd') WHERE id >> 24 = (SELECT id FROM session WHERE name = "
        "'bad')",
        "UPDATE chunk SET roles = 7 WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE chunk SET level = 2 WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE chunk SET version = 7 WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE chunk SET sum = sum + 1 WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE chunk SET id = (SELECT id FROM session WHERE name = 'bad') << 24 WHERE level = 1 "
        "AND id >> 24 = (SELECT id FROM session WHERE name = 'third')",
        "DELETE FROM chunk WHERE level = 1 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "DELETE FROM chunk WHERE level = 0 AND id >> 24 = (SELECT id FROM session WHERE name = 'bad')",
        "UPDATE session SET chunks = chunks + 1 WHERE name = 'bad'",
        "UPDATE session SET version = 2 WHERE name = 'bad'",
        "UPDATE session SET term = 2 WHERE name = 'bad'",
        "UPDATE session SET token = x'00' WHERE name = 'bad'",
        "UPDATE session SET home = 'x' WHERE name = 'bad'",
        "UPDATE session SET definition = 'x' WHERE name = 'bad'",
        "UPDATE session SET outcome = 1 WHERE name = 'bad'",
        "UPDATE session SET protocol_digest = 1 WHERE name = 'bad'",
    };
    chx_store_piece pieces[] = {{.level = 0, .role = 0, .data = "a", .size = 1},
                                {.level = 1, .role = 0, .data = "bc", .size = 2}};
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        char name[32], why[CHX_STORE_WHY] = "";
        uint64_t term;
        snprintf(name, sizeof name, "damaged%zu.db", i);
        void *store = open_store(name);
        assert_int_equal(commit_one(store, change_of("good", 0, pieces, 2), why), 0);
        assert_int_equal(commit_one(store, change_of("bad", 0, pieces, 2), why), 0);
        assert_int_equal(commit_one(store, change_of("third", 0, pieces, 2), why), 0);
        run_sql(name, damages[i]);
        if (load(store, "bad", why) != -EBADMSG)
            fail_msg("not found: %s", damages[i]);
        assert_non_null(strstr(why, "session 'bad' of shop is damaged"));
        assert_int_equal(load(store, "good", why), 0);
        // Neither a change nor a new home makes a damaged session look whole.
        if (strncmp(damages[i], "UPDATE session", 14) == 0 || strncmp(damages[i], "DELETE", 6) == 0) {
            commit_one(store, change_of("bad", 1, NULL, 0), why);
            commit_one(store, change_of("bad", 1, pieces, 1), why);
            commit_one(store, change_of("bad", 2, NULL, 0), why);
            chx_store_ops_sqlite.take(store, &(chx_store_key){"shop", "", "bad"}, 1, true, &term, why);
            chx_store_ops_sqlite.take(store, &(chx_store_key){"shop", "", "bad"}, 2, true, &term, why);
            assert_int_equal(load(store, "bad", why), -EBADMSG);
        }
        assert_int_equal(commit_one(store, change_of("good", 1, pieces, 1), why), 0);
        assert_int_equal(chx_store_ops_sqlite.drop(store, &(chx_store_key){"shop", "", "bad"}, 0, why), 0);
        assert_int_equal(load(store, "good", why), 0);
        chx_store_ops_sqlite.close(store);
    }
}

// ---- a file that is not there any more ----

static void a_file_that_is_removed_is_noticed(void **state)
{
    char why[CHX_STORE_WHY] = "", path[100], other[100];
    chx_store_piece piece = {.data = "x", .size = 1};
    (void)state;
    void *store = open_store("here.db");
    snprintf(path, sizeof path, "%s", path_of("here.db"));
    snprintf(other, sizeof other, "%s", path_of("elsewhere.db"));
    assert_int_equal(commit_one(store, change_of("a", 0, &piece, 1), why), 0);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(commit_one(store, change_of("a", 1, &piece, 1), why), -EAGAIN);
    assert_non_null(strstr(why, "was removed or replaced"));
    assert_int_equal(load(store, "a", why), -EAGAIN);
    assert_int_equal(chx_store_ops_sqlite.lease(store, 1000, why), -EAGAIN);
    // Another one in its place.
    FILE *file = fopen(path, "w");
    fclose(file);
    assert_int_equal(commit_one(store, change_of("a", 1, &piece, 1), why), -EAGAIN);
    // When it is put back, it goes on.
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(commit_one(store, change_of("a", 1, &piece, 1), why), 0);
    assert_int_equal(load(store, "a", why), 0);
    chx_store_ops_sqlite.close(store);
}

// ---- a full disk ----

// What the operating system says about a file that may not grow is what it says about a full disk.
static void a_full_disk_is_reported_and_waited_for(void **state)
{
    char why[CHX_STORE_WHY] = "";
    static char bytes[1 << 20];
    chx_store_piece small = {.data = "x", .size = 1}, large = {.data = bytes, .size = sizeof bytes};
    struct rlimit old, low;
    chx_store_cut cut;
    (void)state;
    void *store = open_store("full.db");
    assert_int_equal(commit_one(store, change_of("a", 0, &small, 1), why), 0);
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 200000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    int error = commit_one(store, change_of("a", 1, &large, 1), why);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_true(error == -ENOSPC || error == -EIO || error == -EINPROGRESS);
    assert_int_equal(chx_store_ops_sqlite.load(store, &(chx_store_key){"shop", "", "a"}, &cut, why), 0);
    assert_true(cut.version == 1 && cut.piece_count == 1 && cut.pieces[0].size == 1);
    chx_store_ops_sqlite.release(store, &cut);
    assert_int_equal(commit_one(store, change_of("a", 1, &large, 1), why), 0);
    assert_int_equal(load(store, "a", why), 0);
    chx_store_ops_sqlite.close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqlite_conforms),
        cmocka_unit_test(places_that_are_no_store_are_refused),
        cmocka_unit_test(a_database_that_can_not_be_written_is_reported),
        cmocka_unit_test(a_busy_database_may_be_tried_again),
        cmocka_unit_test(processes_share_a_database),
        cmocka_unit_test(processes_make_databases_together),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(a_file_that_is_removed_is_noticed),
        cmocka_unit_test(a_full_disk_is_reported_and_waited_for),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
