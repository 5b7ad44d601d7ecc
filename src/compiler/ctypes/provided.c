// provided.c: whether the functions that companions ask for are there, in the whole translation unit.

#include "compiler/ctypes/internal.h"

typedef struct {
    CXFile included;
    const char *path; // of the file with the #include
    uint32_t offset;
} Inclusion;

typedef struct Other Other;
struct Other {
    Other *next; // another declaration of the same name
    CXCursor cursor;
};

typedef struct {
    CXCursor cursor;
    ClangPlace place;
    const char *name;
    unsigned times; // the companion was entered so often before
    size_t order;
} StaticDeclaration;

typedef struct {
    Arena *arena;
    CXTranslationUnit tu;
    VECTOR(Inclusion) inclusions;     // of companions, in the order of the translation unit
    VECTOR(StaticDeclaration) wanted; // static declarations in companions, in order
    Map names;                        // name to Other *
    size_t order;                     // so many declarations have been seen
    CDefinedList *defined;
} Provided;

static bool is_companion(Arena *arena, CXFile file)
{
    static const char ending[] = ".chor.h";
    const char *path = file == NULL ? "" : take_text(arena, clang_getFileName(file));
    size_t length = strlen(path);
    return length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

// libclang gives the place of the file's name; the directive starts at the '#' before.
static uint32_t directive_start(CXTranslationUnit tu, ClangPlace place)
{
    size_t size;
    const char *text = clang_getFileContents(tu, place.file, &size);
    uint32_t start = place.offset;
    while (text != NULL && start < size && start > 0 && text[start] != '#' && text[start] != '\n')
        start--;
    return text != NULL && start < size && text[start] == '#' ? start : place.offset;
}

// Called for each file as often as it is really entered.
static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Provided *this = data;
    if (depth == 0 || !is_companion(this->arena, file))
        return;
    ClangPlace place = place_of(stack[0]);
    if (place.file == NULL)
        return;
    Inclusion inclusion = {file, take_text(this->arena, clang_getFileName(place.file)),
                           directive_start(this->tu, place)};
    vector_push(this->arena, &this->inclusions, inclusion);
}

// A declaration that does not lie behind the last one of the same companion belongs to the next time it was entered.
static unsigned times_before(const Provided *this, ClangPlace place)
{
    for (size_t i = this->wanted.count; i > 0; i--) {
        const StaticDeclaration *last = &this->wanted.items[i - 1];
        if (cxfile_same(last->place.file, place.file))
            return last->times + (place.offset <= last->place.offset);
    }
    return 0;
}

static const char *canonical_type(Arena *arena, CXCursor cursor)
{
    return take_text(arena, clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(cursor))));
}

static void add_defined(Provided *this, CXCursor cursor, ClangPlace place, const char *name)
{
    if (place.file == NULL || is_companion(this->arena, place.file))
        return;
    CDefined defined = {
        .name = name,
        .path = take_text(this->arena, clang_getFileName(place.file)),
        .offset = place.offset,
        .type = take_text(this->arena, clang_getTypeSpelling(clang_getCursorType(cursor))),
        .canonical = canonical_type(this->arena, cursor),
        .is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static,
        .order = this->order,
    };
    vector_push(this->arena, this->defined, defined);
}

static enum CXChildVisitResult visit_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Provided *this = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl && kind != CXCursor_TypedefDecl)
        return CXChildVisit_Continue;
    ClangPlace place = place_of(clang_getCursorLocation(cursor));
    const char *name = take_text(this->arena, clang_getCursorSpelling(cursor));
    Other *other = ARENA_NEW(this->arena, Other);
    *other = (Other){map_get(&this->names, name), cursor};
    map_put(&this->names, name, other);
    this->order++;
    if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor))
        add_defined(this, cursor, place, name);
    if (kind == CXCursor_FunctionDecl && clang_Cursor_getStorageClass(cursor) == CX_SC_Static &&
        !clang_isCursorDefinition(cursor) && is_companion(this->arena, place.file)) {
        StaticDeclaration wanted = {cursor, place, name, times_before(this, place), this->order};
        vector_push(this->arena, &this->wanted, wanted);
    }
    return CXChildVisit_Continue;
}

// The directive that brought the declaration in: of a companion that was entered several times, the one of that time.
static const Inclusion *inclusion_of(const Provided *this, const StaticDeclaration *wanted)
{
    unsigned times = wanted->times;
    const Inclusion *found = NULL;
    for (size_t i = 0; i < this->inclusions.count; i++) {
        if (!cxfile_same(this->inclusions.items[i].included, wanted->place.file))
            continue;
        found = &this->inclusions.items[i];
        if (times-- == 0)
            break;
    }
    return found;
}

static void find_conflict(const Provided *this, const StaticDeclaration *wanted, CProvided *provided)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(wanted->cursor));
    for (const Other *other = map_get(&this->names, wanted->name); other != NULL; other = other->next) {
        CXType other_type = clang_getCursorType(other->cursor);
        ClangPlace place = place_of(clang_getCursorLocation(other->cursor));
        if (place.file == NULL || clang_equalTypes(clang_getCanonicalType(other_type), type))
            continue;
        // The list runs backwards: a definition wins, else the first declaration.
        bool is_definition = clang_isCursorDefinition(other->cursor);
        provided->conflict_path = take_text(this->arena, clang_getFileName(place.file));
        provided->conflict_offset = place.offset;
        provided->conflict_type = take_text(this->arena, clang_getTypeSpelling(other_type));
        if (is_definition)
            return;
    }
}

// The first declaration before the companion's own that gives the function to the whole program.
static void find_outside(const Provided *this, const StaticDeclaration *wanted, CProvided *provided)
{
    const Other *other = map_get(&this->names, wanted->name);
    while (other != NULL && !clang_equalCursors(other->cursor, wanted->cursor))
        other = other->next;
    for (other = other == NULL ? NULL : other->next; other != NULL; other = other->next) {
        ClangPlace place = place_of(clang_getCursorLocation(other->cursor));
        if (clang_getCursorKind(other->cursor) != CXCursor_FunctionDecl || place.file == NULL)
            continue;
        // What follows a static declaration is static as well.
        if (clang_Cursor_getStorageClass(other->cursor) == CX_SC_Static) {
            provided->outside_path = NULL;
            continue;
        }
        provided->outside_path = take_text(this->arena, clang_getFileName(place.file));
        provided->outside_offset = place.offset;
        provided->outside_is_definition = clang_isCursorDefinition(other->cursor);
    }
}

static void add_provided(const Provided *this, const StaticDeclaration *wanted, CProvidedList *list)
{
    CXCursor definition = clang_getCursorDefinition(wanted->cursor);
    bool is_defined = !clang_Cursor_isNull(definition);
    // What a companion itself defines is not the user's to provide.
    if (is_defined && is_companion(this->arena, place_of(clang_getCursorLocation(definition)).file))
        return;
    unsigned line;
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(wanted->cursor), &file, &line, NULL, NULL);
    const Inclusion *inclusion = inclusion_of(this, wanted);
    CProvided provided = {
        .name = wanted->name,
        .companion = take_text(this->arena, clang_getFileName(wanted->place.file)),
        .line = line,
        .include_path = inclusion == NULL ? NULL : inclusion->path,
        .include_offset = inclusion == NULL ? 0 : inclusion->offset,
        .is_defined = is_defined,
        .type = take_text(this->arena, clang_getTypeSpelling(clang_getCursorType(wanted->cursor))),
        .canonical = canonical_type(this->arena, wanted->cursor),
        .order = wanted->order,
    };
    find_conflict(this, wanted, &provided);
    find_outside(this, wanted, &provided);
    vector_push(this->arena, list, provided);
}

bool ctypes_provided(Arena *arena, const Source *source, const CFlags *flags, CProvidedList *list,
                     CDefinedList *defined, const char **error)
{
    Parsed parsed;
    if (!parsed_init(&parsed, arena, source->path, source->text, source->size, flags, CXTranslationUnit_None, error))
        return false;
    Provided this = {.arena = arena, .tu = parsed.tu, .defined = defined};
    map_init(&this.names, arena);
    clang_getInclusions(parsed.tu, visit_inclusion, &this);
    clang_visitChildren(clang_getTranslationUnitCursor(parsed.tu), visit_name, &this);
    for (size_t i = 0; i < this.wanted.count; i++)
        add_provided(&this, &this.wanted.items[i], list);
    parsed_fini(&parsed);
    return true;
}
