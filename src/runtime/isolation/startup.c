// startup.c: see startup.h.

#define _GNU_SOURCE
#include "runtime/isolation/startup.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char here; // in the object whose constructor has to run

bool startup_is_marked(void)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    return name != NULL && strcmp(name, STARTUP_PATH) == 0;
}

// ---- the objects that this process consists of ----

typedef struct {
    const char *name;  // "": the program itself
    const void *first; // in its first page
    const char *soname;
    const char *strings;       // which the numbers of DT_NEEDED are places in; NULL: there are none
    const ElfW(Dyn) * dynamic; // NULL: there is none
    bool is_here;              // the address in question lies in it
    bool is_included;          // loaded at the start
} Object;

typedef struct {
    Object *list; // the program itself is the first
    size_t count, capacity;
    bool is_complete; // else there was no memory for all of them
} Objects;

static bool object_contains(const struct dl_phdr_info *info, const void *address)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (uintptr_t)address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

// Addresses in the dynamic section are changed in memory to where the object lies, but not on every machine.
static const char *object_strings(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic)
{
    uintptr_t at = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_STRTAB)
            at = dynamic->d_un.d_ptr;
    if (at != 0 && !object_contains(info, (const void *)at))
        at += info->dlpi_addr;
    return at != 0 && object_contains(info, (const void *)at) ? (const char *)at : NULL;
}

static Object object_of(const struct dl_phdr_info *info, bool is_program)
{
    Object object = {.name = is_program || info->dlpi_name == NULL ? "" : info->dlpi_name, .is_included = is_program};
    object.first = info->dlpi_phdr;
    object.is_here = object_contains(info, &here);
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            object.dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (object.dynamic == NULL)
        return object;
    object.strings = object_strings(info, object.dynamic);
    for (const ElfW(Dyn) *entry = object.dynamic; object.strings != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            object.soname = object.strings + entry->d_un.d_val;
    return object;
}

static int objects_add(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    Objects *objects = context;
    if (objects->count == objects->capacity) {
        size_t capacity = objects->capacity == 0 ? 32 : objects->capacity * 2;
        Object *grown = realloc(objects->list, capacity * sizeof *grown);
        if (grown == NULL)
            return 1;
        objects->list = grown;
        objects->capacity = capacity;
    }
    objects->list[objects->count] = object_of(info, objects->count == 0);
    objects->count++;
    return 0;
}

static bool object_is_called(const Object *object, const char *needed)
{
    const char *base = strrchr(object->name, '/');
    return (object->soname != NULL && strcmp(object->soname, needed) == 0) || strcmp(object->name, needed) == 0 ||
           (base != NULL && strcmp(base + 1, needed) == 0);
}

// Those that an object names as needed are loaded whenever it is.
static bool objects_include_needed(Objects *objects, const Object *object)
{
    bool is_any = false;
    if (object->strings == NULL)
        return false;
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        for (size_t i = 1; entry->d_tag == DT_NEEDED && i < objects->count; i++) {
            Object *needed = &objects->list[i];
            if (!needed->is_included && object_is_called(needed, object->strings + entry->d_un.d_val))
                is_any = needed->is_included = true;
        }
    return is_any;
}

static Objects objects_list(void)
{
    Objects objects = {0};
    objects.is_complete = dl_iterate_phdr(objects_add, &objects) == 0;
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (size_t i = 0; i < objects.count; i++)
            if (objects.list[i].is_included)
                is_any |= objects_include_needed(&objects, &objects.list[i]);
    }
    return objects;
}

static const Object *objects_here(const Objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].is_here)
            return &objects->list[i];
    return NULL;
}

// The program itself, without looking at the others.
static int program_copy(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(struct dl_phdr_info *)context = *info;
    return 1;
}

static bool is_in_program(void)
{
    struct dl_phdr_info program = {0};
    dl_iterate_phdr(program_copy, &program);
    return object_contains(&program, &here);
}

static int name_find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    if (!object_contains(info, &here))
        return 0;
    *(const char **)context = info->dlpi_name;
    return 1;
}

const char *startup_object(void)
{
    const char *name = STARTUP_PROGRAM;
    if (!is_in_program())
        dl_iterate_phdr(name_find, &name);
    return name;
}

// ---- refusals ----

static chx_status refuse(char *why, int error, const char *format, ...) CHX_PRINTF(3, 4);

// `error` is errno if something could not be found out, perhaps for lack of something; else 0.
static chx_status refuse(char *why, int error, const char *format, ...)
{
    bool is_shortage = error == ENOMEM || error == EMFILE || error == ENFILE;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(why, REPORT_WHY_SIZE, format, arguments);
    va_end(arguments);
    if (is_shortage && size < REPORT_WHY_SIZE)
        snprintf(why + size, REPORT_WHY_SIZE - (size_t)size, ": %s", strerrordesc_np(error));
    return is_shortage ? CHX_NO_MEMORY : CHX_INVALID;
}

// ---- files ----

typedef struct {
    char path[PATH_MAX + 16]; // may end in " (deleted)"; "": none
    unsigned long device, inode;
} Mapping;

// What is mapped at the address. False: that is not known; errno says why, or is 0.
static bool mapping_find(const void *address, Mapping *found)
{
    errno = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    bool is_found = false;
    while (file != NULL && !is_found && getline(&line, &size, file) > 0) {
        uintptr_t from, to;
        unsigned high, low;
        int path = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %x:%x %lu %n", &from, &to, &high, &low, &found->inode, &path) < 5)
            continue;
        is_found = (uintptr_t)address - from < to - from;
        line[strcspn(line, "\n")] = '\0';
        found->device = makedev(high, low);
        snprintf(found->path, sizeof found->path, "%s", line + path);
    }
    int error = is_found ? 0 : errno;
    free(line);
    if (file != NULL)
        fclose(file);
    errno = error;
    return is_found && found->inode != 0;
}

// Some file systems have another device number for the mapping than for the file: then the names count.
static bool mapping_is(const Mapping *mapping, const struct stat *file, const char *path)
{
    return mapping->inode == file->st_ino && (mapping->device == file->st_dev || strcmp(mapping->path, path) == 0);
}

// Is the file that would be executed the one that the program was loaded from? It is not if that was done by another
// program: the dynamic loader called as a command, an emulator.
static chx_status executable_check(const struct stat *executable, char *why)
{
    char path[PATH_MAX + 16] = "";
    struct dl_phdr_info info = {0};
    Mapping program;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    dl_iterate_phdr(program_copy, &info);
    if (!mapping_find(info.dlpi_phdr, &program))
        return refuse(why, errno, "it can't be found out which file the program was loaded from");
    if (mapping_is(&program, executable, path) || strcmp(program.path, path) == 0)
        return CHX_OK;
    return refuse(why, 0, "the program was started through %.300s: start it directly", path);
}

// A process with rights that its user does not have must not trust what it is given, a helper's descriptors least of all.
static const char *rights_refusal(void)
{
    if (getauxval(AT_SECURE) != 0)
        return "the program has rights that its user does not have (it is set-user-ID or set-group-ID, or has "
               "capabilities)";
    if (getuid() != geteuid() || getgid() != getegid())
        return "the program's effective user or group is not its real one";
    return NULL;
}

// Would executing the file change who the process acts for?
static const char *more_rights_refusal(const struct stat *executable)
{
    bool is_root = getuid() == 0 && geteuid() == 0;
    if ((executable->st_mode & S_ISUID) != 0 && executable->st_uid != geteuid())
        return "its file is set-user-ID: started once more, it would get rights that the program has given up";
    if ((executable->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && executable->st_gid != getegid())
        return "its file is set-group-ID: started once more, it would get rights that the program has given up";
    if (!is_root && getxattr("/proc/self/exe", "security.capability", NULL, 0) > 0)
        return "its file has capabilities: started once more, it would get rights that the program has given up";
    return NULL;
}

// A shared library that was there at the start is there again if its name still leads to the same file.
static chx_status library_check(char *why)
{
    Objects objects = objects_list();
    const Object *object = objects_here(&objects);
    char path[PATH_MAX] = "";
    Mapping mapping;
    struct stat file;
    chx_status status = CHX_OK;
    errno = 0;
    if (!objects.is_complete || object == NULL)
        status = refuse(why, objects.is_complete ? 0 : ENOMEM, "it can't be found out which library this is");
    else if (!object->is_included)
        status = refuse(why, 0,
                        "the choreography is in %.300s, which was loaded at run time: link it into the program, or "
                        "name the library when the program is linked",
                        object->name);
    else if (!mapping_find(object->first, &mapping) || realpath(object->name, path) == NULL || stat(path, &file) != 0 ||
             !mapping_is(&mapping, &file, path))
        status = refuse(why, errno,
                        "the choreography is in %.300s, and that name leads to another file by now, or to none: a "
                        "program that is started now would not have it",
                        object->name);
    free(objects.list);
    return status;
}

chx_status startup_check(char *why)
{
    struct stat executable;
    const char *refusal = rights_refusal();
    // Without the file nothing can be executed, and that is said then.
    if (refusal == NULL && stat("/proc/self/exe", &executable) != 0)
        return CHX_OK;
    if (refusal == NULL)
        refusal = more_rights_refusal(&executable);
    if (refusal != NULL)
        return refuse(why, 0, "%s", refusal);
    chx_status status = executable_check(&executable, why);
    return status == CHX_OK && !is_in_program() ? library_check(why) : status;
}
