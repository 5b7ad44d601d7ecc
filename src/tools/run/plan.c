// plan.c: which nodes a run has, where they are, and what they are given: certificates and configurations.
//
// Without a file that says it (--hosts), every role is a node on this host, with a certificate that is thrown away afterwards.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include "net/config/config.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

PlanNode *plan_add(Plan *plan, const char *name)
{
    plan->nodes = run_grow(plan->nodes, plan->count + 1, sizeof *plan->nodes);
    PlanNode *node = &plan->nodes[plan->count++];
    *node = (PlanNode){.name = run_text("%s", name), .roles = run_text("%s", ""), .is_started = true, .held = -1};
    return node;
}

// ---- the folder ----

static int folder_make(Plan *plan, const RunOptions *options)
{
    const char *temporary = getenv("TMPDIR");
    if (options->keep != NULL) {
        plan->is_kept = true;
        if (mkdir(options->keep, 0700) != 0 && errno != EEXIST)
            return run_error("'%s' can't be made: %s", options->keep, strerror(errno));
        plan->folder = realpath(options->keep, NULL);
        return plan->folder != NULL ? 0 : run_error("'%s': %s", options->keep, strerror(errno));
    }
    plan->folder = run_text("%s/chorex-run-XXXXXX", temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    if (mkdtemp(plan->folder) != NULL)
        return 0;
    int status = run_error("no directory can be made for certificates: %s: %s", plan->folder, strerror(errno));
    plan->folder = NULL;
    return status;
}

// It has files only.
static void folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

// ---- certificates ----

// Runs chorex-certs, which lies beside this program. 0, or an exit status.
static int certs_call(char **arguments)
{
    char path[PATH_MAX + sizeof "chorex-certs"];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash != NULL ? slash + 1 : path, "chorex-certs");
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        execv(path, arguments);
        execvp("chorex-certs", arguments);
        fprintf(stderr, "chorex run: error: chorex-certs can't be started: %s\n", strerror(errno));
        _exit(EXIT_WRONG);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return run_error("chorex-certs can't be started: %s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG;
}

// Certificates know names of ASCII only.
static const char *certificate_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            return "*";
    return name;
}

// "twobuyer/Seller,auction/Seller"
static char *certificate_roles(const Program *program, const char *role)
{
    char *text = run_text("%s", "");
    for (size_t i = 0; i < program->count; i++) {
        if (strcmp(program->roles[i].role, role) != 0)
            continue;
        char *longer = run_text("%s%s%s/%s", text, text[0] != '\0' ? "," : "",
                                certificate_name(program->roles[i].choreography), certificate_name(role));
        free(text);
        text = longer;
    }
    return text;
}

static int certificates_make(const Plan *plan, const Program *program)
{
    char *init[] = {"certs", "init", plan->certs, NULL};
    char *path = run_text("%s/ca.pem", plan->certs);
    int status = access(path, F_OK) == 0 ? 0 : certs_call(init);
    free(path);
    for (size_t i = 0; i < plan->count && status == 0; i++) {
        char *roles = certificate_roles(program, plan->nodes[i].roles);
        char *node[] = {"certs",     "node", plan->nodes[i].name, "--roles", roles, "--dir", plan->certs,
                        "--replace", "--ip", "127.0.0.1",         "--days",  "2",   NULL};
        status = certs_call(node);
        free(roles);
    }
    return status;
}

// ---- every role a node here ----

// A port that is free, and is kept: sockets that only have an address don't keep a listener from it, but the system does not give its
// port to anybody else.
static int node_place(PlanNode *node)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1;
    node->held = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (node->held < 0 || setsockopt(node->held, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(node->held, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(node->held, (struct sockaddr *)&address, &size) != 0)
        return run_error("no port on 127.0.0.1 can be had: %s", strerror(errno));
    node->address = run_text("127.0.0.1:%u", ntohs(address.sin_port));
    node->dialled = node->address;
    node->listen = node->address;
    return 0;
}

static const PlanNode *node_of_role(const Plan *plan, const char *role)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->nodes[i].roles, role) == 0)
            return &plan->nodes[i];
    return NULL;
}

static int try_nodes(Plan *plan, const Program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        const char *role = program->roles[i].role;
        if (node_of_role(plan, role) != NULL)
            continue;
        bool is_name = config_is_node_name(role) && strcmp(role, "ca") != 0 && strcmp(role, "pool") != 0 &&
                       strcmp(role, "any") != 0 && strcmp(role, "anonymous") != 0;
        PlanNode *node = plan_add(plan, role);
        if (!is_name)
            node->name = run_text("node-%zu", plan->count);
        node->roles = run_text("%s", role);
        int status = node_place(node);
        if (status != 0)
            return status;
    }
    return 0;
}

static void try_sections(Plan *plan, const Program *program)
{
    size_t size;
    FILE *out = open_memstream(&plan->sections, &size);
    const char *last = "";
    for (size_t i = 0; i < program->count; i++) {
        const ProgramRole *role = &program->roles[i];
        if (strcmp(role->choreography, last) != 0)
            fprintf(out, "\n[%s]\n", role->choreography);
        last = role->choreography;
        fprintf(out, "%s = %s\n", role->role, node_of_role(plan, role->role)->name);
    }
    fclose(out);
}

static int try_plan(Plan *plan, const Program *program)
{
    plan->certs = plan->folder;
    int status = try_nodes(plan, program);
    if (status == 0)
        try_sections(plan, program);
    return status == 0 ? certificates_make(plan, program) : status;
}

// ---- proxies ----

static int chaos_begin(Plan *plan, const char *text)
{
    ChaosSpec spec;
    char address[300];
    const char *why = chaos_parse(text, &spec);
    if (why != NULL)
        return run_error("--chaos: %s", why);
    plan->chaos = chaos_new(&spec);
    if (plan->chaos == NULL)
        return run_error("--chaos: %s", strerror(errno));
    for (size_t i = 0; i < plan->count; i++) {
        if (!chaos_add(plan->chaos, "127.0.0.1:0", plan->nodes[i].address, address, sizeof address))
            return run_error("--chaos: no proxy for %s (%s): %s", plan->nodes[i].name, plan->nodes[i].address,
                             strerror(errno));
        plan->nodes[i].dialled = run_text("%s", address);
    }
    return 0;
}

// ---- configurations ----

static char *config_text(const Plan *plan, const PlanNode *node, const char *limits)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "# Written by chorex run.\n[node]\nname = %s\nlisten = %s\ncerts = \"%s\"\n%s\n[nodes]\n", node->name,
            node->listen, plan->certs, plan->own != NULL ? plan->own : "");
    for (size_t i = 0; i < plan->count; i++)
        fprintf(out, "%s = %s\n", plan->nodes[i].name,
                &plan->nodes[i] == node ? node->address : plan->nodes[i].dialled);
    fputs(plan->sections, out);
    if (limits != NULL) {
        fputs("\n[limits]\n", out);
        for (const char *at = limits; *at != '\0'; at++)
            fputc(*at == ',' ? '\n' : *at, out);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static int config_check(const PlanNode *node)
{
    Config config;
    ConfigErrors errors;
    char text[512];
    if (config_parse(node->text, strlen(node->text), NULL, &config, &errors)) {
        config_free(&config);
        return 0;
    }
    for (size_t i = 0; i < errors.count; i++) {
        config_error_format(&errors.items[i], node->config, text, sizeof text);
        run_error("the configuration of %s: %s", node->name, text);
    }
    config_errors_free(&errors);
    return EXIT_WRONG;
}

static int configs_write(Plan *plan, const RunOptions *options)
{
    for (size_t i = 0; i < plan->count; i++) {
        PlanNode *node = &plan->nodes[i];
        if (!node->is_started)
            continue;
        // A file with limits of its own has them in its sections.
        node->text = config_text(plan, node, options->hosts == NULL ? options->limits : NULL);
        node->config = run_text("%s/%s.conf", plan->folder, node->name);
        int status = config_check(node);
        if (status != 0)
            return status;
        FILE *file = fopen(node->config, "we");
        bool is_written = file != NULL && fputs(node->text, file) >= 0;
        if (file == NULL || fclose(file) != 0 || !is_written)
            return run_error("'%s' can't be written: %s", node->config, strerror(errno));
    }
    return 0;
}

int plan_make(Plan *plan, const RunOptions *options, const Program *program)
{
    *plan = (Plan){0};
    int status = folder_make(plan, options);
    if (status == 0)
        status = options->hosts != NULL ? hosts_plan(plan, options, program) : try_plan(plan, program);
    if (status == 0 && options->chaos != NULL)
        status = chaos_begin(plan, options->chaos);
    return status == 0 ? configs_write(plan, options) : status;
}

void plan_end(Plan *plan)
{
    if (plan->folder != NULL && !plan->is_kept)
        folder_remove(plan->folder);
    chaos_free(plan->chaos);
    plan->chaos = NULL;
}
