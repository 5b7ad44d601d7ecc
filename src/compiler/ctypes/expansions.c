// expansions.c: which blocks are active: those whose `choreography` the preprocessor expands.

#include "compiler/ctypes/inside.h"

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
    CExpansionList *list;
} Visit;

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    Visit *this = data;
    if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    CXString name = clang_getCursorSpelling(cursor);
    bool is_block = strcmp(clang_getCString(name), "choreography") == 0;
    clang_disposeString(name);
    if (!is_block)
        return CXChildVisit_Continue;
    CXCursor definition = clang_getCursorReferenced(cursor);
    if (!clang_Cursor_isNull(definition) && !clang_Cursor_isMacroFunctionLike(definition))
        return CXChildVisit_Continue;
    Place place = place_of(clang_getCursorLocation(cursor));
    if (place.file != NULL) {
        CExpansion expansion = {take_text(this->arena, clang_getFileName(place.file)), place.offset};
        vector_push(this->arena, this->list, expansion);
    }
    return CXChildVisit_Continue;
}

bool ctypes_expansions(Arena *arena, const Source *source, const CFlags *flags, CExpansionList *list,
                       const char **error)
{
    Parsed parsed;
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_SkipFunctionBodies;
    if (!parsed_init(&parsed, arena, source->path, source->text, source->size, flags, options, error))
        return false;
    Visit this = {arena, list};
    clang_visitChildren(clang_getTranslationUnitCursor(parsed.tu), visit, &this);
    parsed_fini(&parsed);
    return true;
}
