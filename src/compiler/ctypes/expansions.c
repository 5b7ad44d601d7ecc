// expansions.c: which blocks are active: those whose `choreography` the preprocessor expands.

#include "compiler/ctypes/internal.h"

#include <sys/stat.h>

static const char *without_dot(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        while (*path == '/')
            path++;
    }
    return path;
}

bool file_same(const char *one, const char *other)
{
    if (strcmp(without_dot(one), without_dot(other)) == 0)
        return true;
    struct stat left, right;
    return stat(one, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

typedef struct {
    Arena *arena;
    const char *macro;
    CExpansionList *list;
    bool is_ours; // `choreography` is what it should be
} Visit;

static const char block_word[] = "choreography";

static bool cursor_is(CXCursor cursor, const char *name)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    bool is = strcmp(clang_getCString(spelling), name) == 0;
    clang_disposeString(spelling);
    return is;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Visit *this = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MacroDefinition && !this->is_ours && cursor_is(cursor, block_word))
        this->is_ours = clang_Cursor_isMacroFunctionLike(cursor) != 0;
    if (kind != CXCursor_MacroExpansion || !cursor_is(cursor, this->macro))
        return CXChildVisit_Continue;
    CXCursor definition = clang_getCursorReferenced(cursor);
    if (strcmp(this->macro, block_word) == 0 && !clang_Cursor_isNull(definition) &&
        !clang_Cursor_isMacroFunctionLike(definition))
        return CXChildVisit_Continue;
    ClangPlace place = place_of(clang_getCursorLocation(cursor));
    if (place.file != NULL) {
        CExpansion expansion = {take_text(this->arena, clang_getFileName(place.file)), place.offset};
        vector_push(this->arena, this->list, expansion);
    }
    return CXChildVisit_Continue;
}

bool ctypes_expansions(Arena *arena, const Source *source, const CFlags *flags, const char *macro, CExpansionList *list,
                       const char **error)
{
    Parsed parsed;
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_SkipFunctionBodies;
    if (!parsed_init(&parsed, arena, source->path, source->text, source->size, flags, options, error))
        return false;
    Visit this = {.arena = arena, .macro = macro, .list = list};
    clang_visitChildren(clang_getTranslationUnitCursor(parsed.tu), visit, &this);
    if (!this.is_ours)
        list->count = 0;
    parsed_fini(&parsed);
    return true;
}
