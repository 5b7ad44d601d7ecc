// A role in a process of its own looks for what two others tell each other: through its descriptors, its memory, and
// whatever its mappings can be made to show. It also tries to cut off the memory that it shares. It finds nothing, and
// the others go on.
//! no-sim
//! no-central
//! no-process
//! no-sanitizer
// expect: descriptors: nothing found
// expect: memory: nothing found
// expect: grown mappings: nothing found
// expect: cut off: 0
// expect: more than its own: 0
// expect: Bob has got the secret
#define _GNU_SOURCE
#include <chorex.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECRET_BYTES = 64 };
typedef struct {
    unsigned char bytes[SECRET_BYTES];
} Secret;
typedef struct {
    int in_files, in_memory, in_grown, cut_off, strange;
} Found;

choreography(secrets, (Alice, Bob, Eve, Dora),
    Secret Alice.make(void);
    Found Eve.search(void);
    bool Bob.is_it(Secret secret);
    def run() -> Bob.bool, Eve.Found {
        Alice.Secret secret = make();
        Bob.bool good = false;
        Eve.Found found;
        // It is saved, too.
        checkpoint {
            Alice.secret ~> Bob.secret;
            Bob.good = is_it(secret);
            Bob.secret ~> Dora.copy;
            Dora.copy ~> Alice._;
            // Everybody has a channel to everybody.
            Alice.(1) ~> Eve._;
            Dora.(1) ~> Eve._;
            Bob.(1) ~> Eve._;
            Eve.found = search();
            Eve.(1) ~> {Alice, Bob, Dora}._;
            Bob.secret ~> Alice._;
        }
        return Bob.good, Eve.found;
    }
)

#include "secrets.Alice.chor.h"
#include "secrets.Bob.chor.h"
#include "secrets.Dora.chor.h"
#include "secrets.Eve.chor.h"

// Known to everybody by its rule; who only looks for it never has it in memory.
static unsigned char secret_byte(size_t i)
{
    return (unsigned char)(0x80 | (i * i * 31 + i * 7 + 19));
}

Secret Alice_make(void)
{
    Secret secret;
    for (size_t i = 0; i < SECRET_BYTES; i++)
        secret.bytes[i] = secret_byte(i);
    return secret;
}

static bool is_secret(const unsigned char *bytes)
{
    size_t i = 0;
    while (i < SECRET_BYTES && bytes[i] == secret_byte(i))
        i++;
    return i == SECRET_BYTES;
}

bool Bob_is_it(Secret secret)
{
    return is_secret(secret.bytes);
}

// What stands in the file from `from` to `to`. What can't be read is skipped.
static int search_range(int file, off_t from, off_t to)
{
    enum { PART = 1 << 16 };
    static unsigned char part[PART + SECRET_BYTES];
    int found = 0;
    for (off_t at = from; at < to; at += PART) {
        size_t wanted = to - at < PART + SECRET_BYTES ? (size_t)(to - at) : PART + SECRET_BYTES;
        ssize_t got = pread(file, part, wanted, at);
        for (ssize_t i = 0; i + SECRET_BYTES <= got; i++)
            found += is_secret(part + i);
    }
    memset(part, 0, sizeof part);
    return found;
}

static int search_file(int file)
{
    int found = 0;
    off_t from = 0, to;
    while ((from = lseek(file, from, SEEK_DATA)) >= 0 && (to = lseek(file, from, SEEK_HOLE)) > from) {
        found += search_range(file, from, to);
        from = to;
    }
    return found;
}

// All that it has must be known: nothing of others may come along.
static bool is_its_own(const char *target)
{
    return strstr(target, "/memfd:chorex (deleted)") == target || strstr(target, "pipe:") == target ||
           strstr(target, "socket:") == target;
}

static void search_files(Found *found)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int files = 0, sockets = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char target[256] = "";
        int file = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || file <= 2 || file == dirfd(folder))
            continue;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) < 0)
            continue;
        found->strange += !is_its_own(target);
        sockets += strstr(target, "socket:") == target;
        if (strstr(target, "/memfd:") != target)
            continue;
        files++;
        found->in_files += search_file(file);
        found->cut_off += ftruncate(file, 0) == 0;
        found->cut_off += ftruncate(file, (off_t)1 << 40) == 0;
    }
    if (folder != NULL)
        closedir(folder);
    // Its own, since Dora is a thread, and one for it and each of the other two.
    found->strange += files != 3;
    // With which the program calls it back.
    found->strange += sockets != 1;
}

static void search_memory(Found *found)
{
    char line[512];
    uintptr_t begins[64];
    size_t count = 0;
    int memory = open("/proc/self/mem", O_RDONLY);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || strstr(line, "[v") != NULL)
            continue;
        found->in_memory += search_range(memory, (off_t)begin, (off_t)end);
        if (strstr(line, "memfd:") != NULL && count < 64)
            begins[count++] = begin;
    }
    if (maps != NULL)
        fclose(maps);
    // A second, larger one of the same file, which is then turned to the file's beginning.
    for (size_t i = 0; i < count; i++) {
        enum { GROWN = 64 << 20 };
        void *grown = mremap((void *)begins[i], 0, GROWN, MREMAP_MAYMOVE);
        if (grown == MAP_FAILED)
            continue;
        found->in_grown += search_range(memory, (off_t)(uintptr_t)grown, (off_t)(uintptr_t)grown + GROWN);
        if (remap_file_pages(grown, GROWN, 0, 0, 0) == 0)
            found->in_grown += search_range(memory, (off_t)(uintptr_t)grown, (off_t)(uintptr_t)grown + GROWN);
        munmap(grown, GROWN);
    }
    close(memory);
}

Found Eve_search(void)
{
    Found found = {0};
    search_files(&found);
    search_memory(&found);
    return found;
}

static void print_found(const char *where, int found)
{
    if (found == 0)
        printf("%s: nothing found\n", where);
    else
        printf("%s: found %d times\n", where, found);
}

int main(void)
{
    struct secrets_cast cast = {.Alice = {.isolation = CHX_PROCESS},
                                .Bob = {.isolation = CHX_PROCESS},
                                .Eve = {.isolation = CHX_PROCESS}};
    struct secrets_run_result r;
    if (secrets_run(&r, &cast) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    print_found("descriptors", r.Eve.in_files);
    print_found("memory", r.Eve.in_memory);
    print_found("grown mappings", r.Eve.in_grown);
    printf("cut off: %d\nmore than its own: %d\n", r.Eve.cut_off, r.Eve.strange);
    puts(r.Bob ? "Bob has got the secret" : "Bob has got something else");
    return 0;
}
