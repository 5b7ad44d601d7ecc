// flags.c: the C compiler's arguments, reduced to those that decide how a file reads.
//
// A list of what is kept, not of what is dropped: an option that clang does not know would spoil the parse.

#include "compiler/ctypes/internal.h"

typedef struct {
    const char *name;
    bool joined;   // -Idir, -std=c11
    bool separate; // -I dir
} Option;

static const Option kept_options[] = {
    {"-I", true, true},
    {"-D", true, true},
    {"-U", true, true},
    {"-isystem", true, true},
    {"-iquote", true, true},
    {"-idirafter", true, true},
    {"-include", true, true},
    {"-imacros", true, true},
    {"-isysroot", true, true},
    {"-iprefix", true, true},
    {"-iwithprefixbefore", true, true},
    {"-iwithprefix", true, true},
    {"--sysroot=", true, false},
    {"--sysroot", false, true},
    {"--target=", true, false},
    {"-m32", false, false},
    {"-m64", false, false},
    {"-mx32", false, false},
    {"-march=", true, false},
    {"-mcpu=", true, false},
    {"-mabi=", true, false},
    {"-mfpu=", true, false},
    {"-mfloat-abi=", true, false},
    {"-mthumb", false, false},
    {"-marm", false, false},
    {"-msse", true, false},
    {"-mno-sse", true, false},
    {"-mavx", true, false},
    {"-mno-avx", true, false},
    {"-mfma", false, false},
    {"-mbmi", true, false},
    {"-mpopcnt", false, false},
    {"-maes", false, false},
    {"-mlong-double-", true, false},
    {"-pthread", false, false},
    {"-nostdinc", false, false},
    {"-undef", false, false},
    {"-trigraphs", false, false},
    {"-fshort-enums", false, false},
    {"-fno-short-enums", false, false},
    {"-fsigned-char", false, false},
    {"-fno-signed-char", false, false},
    {"-funsigned-char", false, false},
    {"-fno-unsigned-char", false, false},
    {"-fshort-wchar", false, false},
    {"-fno-short-wchar", false, false},
    {"-fms-extensions", false, false},
    {"-fno-ms-extensions", false, false},
    {"-fno-builtin", true, false},
    {"-fbuiltin", false, false},
    {"-fpack-struct", true, false},
    {"-fopenmp", false, false},
    {"-ffreestanding", false, false},
    {"-fhosted", false, false},
    {"-fno-asm", false, false},
    {"-fgnu89-inline", false, false},
    {"-fdollars-in-identifiers", false, false},
    {"-fno-dollars-in-identifiers", false, false},
    {"-fPIC", false, false},
    {"-fpic", false, false},
    {"-fPIE", false, false},
    {"-fpie", false, false},
};

// Options that are dropped together with the argument that follows.
static const char *const dropped_with_argument[] = {
    "-o",
    "-l",
    "-L",
    "-x",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "--param",
    "-specs",
    "-wrapper",
    "-arch",
    "-target",
};

// gcc's names of the newest standard that clang 14 does not know yet.
static const char *standard_of(const char *name)
{
    if (strcmp(name, "c23") == 0)
        return "c2x";
    if (strcmp(name, "gnu23") == 0)
        return "gnu2x";
    return name;
}

static const Option *find_kept(const char *arg)
{
    for (size_t i = 0; i < sizeof kept_options / sizeof *kept_options; i++) {
        const Option *option = &kept_options[i];
        if (strcmp(arg, option->name) == 0 || (option->joined && scan_starts_with(arg, option->name)))
            return option;
    }
    return NULL;
}

static bool takes_argument(const char *arg)
{
    for (size_t i = 0; i < sizeof dropped_with_argument / sizeof *dropped_with_argument; i++)
        if (strcmp(arg, dropped_with_argument[i]) == 0)
            return true;
    return false;
}

// -Wp,-DX=1,-UY: options for the preprocessor.
static void add_for_preprocessor(Arena *arena, const char *list, CFlags *flags)
{
    while (*list != 0) {
        size_t length = strcspn(list, ",");
        if (scan_starts_with(list, "-D") || scan_starts_with(list, "-U") || scan_starts_with(list, "-I"))
            vector_push(arena, &flags->args, arena_copy(arena, list, length));
        list += length + (list[length] == ',');
    }
}

void cflags_from_cc(Arena *arena, const char *const *cc_args, size_t count, CFlags *flags)
{
    const char *standard = "gnu17";
    for (size_t i = 0; i < count; i++) {
        const char *arg = cc_args[i];
        const Option *kept = find_kept(arg);
        if (scan_starts_with(arg, "-std=") || scan_starts_with(arg, "--std=")) {
            const char *name = strchr(arg, '=') + 1;
            if (strstr(name, "++") == NULL)
                standard = standard_of(arena_strdup(arena, name));
        } else if (strcmp(arg, "-ansi") == 0) {
            standard = "c90";
        } else if (scan_starts_with(arg, "-Wp,")) {
            add_for_preprocessor(arena, arg + strlen("-Wp,"), flags);
        } else if (kept != NULL) {
            vector_push(arena, &flags->args, arena_strdup(arena, arg));
            if (kept->separate && strcmp(arg, kept->name) == 0 && i + 1 < count)
                vector_push(arena, &flags->args, arena_strdup(arena, cc_args[++i]));
        } else if (takes_argument(arg)) {
            i++;
        }
    }
    vector_push(arena, &flags->args, arena_printf(arena, "-std=%s", standard));
}
