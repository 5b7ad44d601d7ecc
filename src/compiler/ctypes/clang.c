// clang.c: libclang's strings, locations and parses, in our terms.

#include "compiler/ctypes/internal.h"

const char *take_text(Arena *arena, CXString string)
{
    const char *chars = clang_getCString(string);
    const char *text = chars == NULL || chars[0] == 0 ? "" : arena_strdup(arena, chars);
    clang_disposeString(string);
    return text;
}

ClangPlace place_of(CXSourceLocation location)
{
    ClangPlace place;
    unsigned offset;
    clang_getFileLocation(location, &place.file, NULL, NULL, &offset);
    place.offset = offset;
    return place;
}

bool cxfile_same(CXFile one, CXFile other)
{
    if (one == NULL || other == NULL || one == other)
        return one == other && one != NULL;
    if (!clang_File_isEqual(one, other))
        return false;
    // All files that are not on disk count as equal to libclang.
    CXString left = clang_getFileName(one), right = clang_getFileName(other);
    bool same = strcmp(clang_getCString(left), clang_getCString(right)) == 0;
    clang_disposeString(left);
    clang_disposeString(right);
    return same;
}

bool place_in(ClangPlace place, CXFile file)
{
    return cxfile_same(place.file, file);
}

// What gcc refuses or what can't be right; clang 14 only warns about them. Qualifiers that get lost are a warning to
// every compiler; the caller says where they matter.
static const char *const severity_args[] = {
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=incompatible-pointer-types-discards-qualifiers",
    "-Werror=incompatible-function-pointer-types",
    "-Werror=implicit-function-declaration",
    // Suggestions would name our own variables.
    "-fno-spell-checking",
    "-ferror-limit=0",
    "-fbracket-depth=1024",
    // So that a variable bound to a literal is a const char *, as it is stored.
    "-Xclang",
    "-fconst-strings",
};

static const char *parse_error_text(enum CXErrorCode code)
{
    switch (code) {
    case CXError_Success:
        return "no error";
    case CXError_Crashed:
        return "libclang crashed; perhaps some C in it is nested too deeply";
    case CXError_InvalidArguments:
        return "libclang does not take these arguments";
    case CXError_ASTReadError:
        return "libclang could not read a syntax tree";
    case CXError_Failure:
        break;
    }
    return "libclang could not parse the file";
}

typedef VECTOR(struct CXUnsavedFile) UnsavedList;

static void add_unsaved(Arena *arena, UnsavedList *list, const char *path, const char *text, size_t size)
{
    struct CXUnsavedFile file = {.Filename = path, .Contents = text, .Length = size};
    vector_push(arena, list, file);
}

// Names of processors and the like that gcc may know and clang does not.
static bool is_machine_arg(const char *arg)
{
    static const char *const starts[] = {"-march=", "-mcpu=", "-mabi=", "-mfpu=", "-mfloat-abi=", "-mavx", "--target="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (scan_starts_with(arg, starts[i]))
            return true;
    return false;
}

typedef VECTOR(const char *) ArgList;

// True if there were some to leave out.
static bool make_args(Arena *arena, const CFlags *flags, bool with_machine, ArgList *args)
{
    bool has_machine = false;
    args->count = 0;
    // A header with a choreography is read as C, too.
    vector_push(arena, args, flags->is_cxx ? "-xc++" : "-xc");
    // gcc takes [[gnu::pure]] in every standard.
    if (!flags->is_cxx)
        vector_push(arena, args, "-fdouble-square-bracket-attributes");
    for (size_t i = 0; i < flags->args.count; i++) {
        // The standard is one of C's.
        if (flags->is_cxx && scan_starts_with(flags->args.items[i], "-std="))
            continue;
        bool is_machine = is_machine_arg(flags->args.items[i]);
        has_machine |= is_machine;
        if (with_machine || !is_machine)
            vector_push(arena, args, flags->args.items[i]);
    }
    for (size_t i = 0; i < sizeof severity_args / sizeof *severity_args; i++)
        vector_push(arena, args, severity_args[i]);
    return has_machine;
}

static void make_files(Arena *arena, const CFlags *flags, UnsavedList *files)
{
    for (size_t i = 0; i < flags->files.count; i++) {
        const CVirtualFile *file = &flags->files.items[i];
        add_unsaved(arena, files, file->path, file->text, strlen(file->text));
        // clang looks a file up by the name that the search makes: "./x.h" for an #include "x.h" in "x.c".
        if (file->path[0] != '/' && !scan_starts_with(file->path, "./"))
            add_unsaved(arena, files, arena_printf(arena, "./%s", file->path), file->text, strlen(file->text));
    }
}

bool parsed_init(Parsed *parsed, Arena *arena, const char *path, const char *text, size_t size, const CFlags *flags,
                 unsigned options, const char **error)
{
    *parsed = (Parsed){0};
    UnsavedList files = {0};
    add_unsaved(arena, &files, path, text, size);
    make_files(arena, flags, &files);
    options |= CXTranslationUnit_KeepGoing;

    ArgList args = {0};
    bool has_machine = make_args(arena, flags, true, &args);
    parsed->index = clang_createIndex(0, 0);
    ParseCall call = {parsed->index,         path,    args.items, (int)args.count, files.items,
                      (unsigned)files.count, options, &parsed->tu};
    enum CXErrorCode code = parse_deep(&call);
    if (parsed->tu == NULL && has_machine && code != CXError_Crashed) {
        make_args(arena, flags, false, &args);
        call.args = args.items;
        call.arg_count = (int)args.count;
        code = parse_deep(&call);
    }
    if (parsed->tu == NULL) {
        parsed_fini(parsed);
        *error = parse_error_text(code == CXError_Success ? CXError_Failure : code);
        return false;
    }
    parsed->file = clang_getFile(parsed->tu, path);
    return true;
}

void parsed_fini(Parsed *parsed)
{
    if (parsed->tu != NULL)
        clang_disposeTranslationUnit(parsed->tu);
    if (parsed->index != NULL)
        clang_disposeIndex(parsed->index);
    *parsed = (Parsed){0};
}
