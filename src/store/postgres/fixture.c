// fixture.c: see fixture.h. PostgreSQL refuses to run as root; then it runs as the user postgres, or nobody.

#define _GNU_SOURCE

#include "store/postgres/fixture.h"

#include <fcntl.h>
#include <glob.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, PAUSE_MS = 10 };

// The folder with its programs, in which Debian does not let them be found; "": there is none.
static const char *programs(void)
{
    static char folder[200];
    glob_t found;
    if (folder[0] == '\0' && glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0) {
        snprintf(folder, sizeof folder, "%s", found.gl_pathv[found.gl_pathc - 1]);
        *strrchr(folder, '/') = '\0';
        globfree(&found);
    }
    return folder;
}

bool postgres_fixture_exists(void)
{
    return programs()[0] != '\0';
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "PostgreSQL can't be started: %s\n", what);
    abort();
}

static const struct passwd *other_user(void)
{
    const struct passwd *user = getpwnam("postgres");
    return user != NULL ? user : getpwnam("nobody");
}

// Runs one of its programs, with what it prints in a file.
static pid_t run(const PostgresFixture *server, char *const *arguments)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    char path[300];
    snprintf(path, sizeof path, "%s/log", server->folder);
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666), null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(log, 1);
    dup2(log, 2);
    if (getuid() == 0) {
        const struct passwd *user = other_user();
        if (user == NULL || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
            _exit(1);
    }
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent)
        _exit(1);
    snprintf(path, sizeof path, "%s/%s", programs(), arguments[0]);
    execv(path, arguments);
    _exit(127);
}

void postgres_fixture_start(PostgresFixture *server)
{
    char data[60], unix_folder[80];
    snprintf(data, sizeof data, "%s/data", server->folder);
    snprintf(unix_folder, sizeof unix_folder, "unix_socket_directories=%s", server->folder);
    char *const arguments[] = {"postgres",
                               "-D",
                               data,
                               "-c",
                               "listen_addresses=",
                               "-c",
                               unix_folder,
                               "-c",
                               "shared_buffers=16MB",
                               "-c",
                               "max_connections=40",
                               "-c",
                               server->syncs ? "fsync=on" : "fsync=off",
                               NULL};
    server->pid = run(server, arguments);
    for (int waited_ms = 0; PQping(server->url) != PQPING_OK; waited_ms += PAUSE_MS) {
        if (waited_ms >= PATIENCE_MS || waitpid(server->pid, NULL, WNOHANG) == server->pid)
            give_up("see the file 'log' in its folder");
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
}

void postgres_fixture_init(PostgresFixture *server, bool syncs)
{
    char data[60];
    int status;
    *server = (PostgresFixture){.syncs = syncs};
    snprintf(server->folder, sizeof server->folder, "/tmp/chorex-postgres-XXXXXX");
    if (mkdtemp(server->folder) == NULL)
        give_up("there is no folder for it");
    if (getuid() == 0 && chown(server->folder, other_user()->pw_uid, other_user()->pw_gid) != 0)
        give_up("its folder can't be given to another user");
    snprintf(data, sizeof data, "%s/data", server->folder);
    snprintf(server->url, sizeof server->url, "postgresql://chorex@/postgres?host=%s", server->folder);
    char *const arguments[] = {"initdb", "-D", data,   "-A",         "trust",     "-U",
                               "chorex", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions",
                               NULL};
    pid_t child = run(server, arguments);
    if (waitpid(child, &status, 0) != child || status != 0)
        give_up("initdb has failed");
    postgres_fixture_start(server);
}

void postgres_fixture_kill(PostgresFixture *server)
{
    if (server->pid == 0)
        return;
    kill(server->pid, SIGQUIT);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

void postgres_fixture_fini(PostgresFixture *server)
{
    char command[100];
    postgres_fixture_kill(server);
    snprintf(command, sizeof command, "rm -rf %s", server->folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", server->folder);
}
