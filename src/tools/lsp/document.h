// document.h: the files that an editor has open, and views of files that it has not.

#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "tools/lsp/analysis.h"
#include "tools/lsp/view.h"

typedef struct {
    char *uri, *path; // the real path
    int64_t version;
    char *text; // ends with a NUL that does not count
    size_t size;
    View *view; // of the text; NULL: not made yet
    // Of the newest text that was looked at, and of the newest that was right; may be the same, may be NULL.
    Analysis *latest, *good;
    int64_t due_ms;    // when it has to be looked at; 0: it was
    int64_t edits;     // so many since it was opened
    int64_t looked_at; // edits then
} Document;

typedef struct ClosedFile ClosedFile;

typedef struct {
    Document **items;
    size_t count, capacity;
    ClosedFile *closed; // views of other files
    size_t closed_count, closed_capacity;
} Documents;

void documents_fini(Documents *documents);
Document *documents_find(const Documents *documents, const char *uri); // NULL: it is not open
Document *documents_find_path(const Documents *documents, const char *path);
// Opens it, or replaces its text. NULL: the address is not one of a file.
Document *documents_open(Documents *documents, const char *uri, int64_t version, const char *text, size_t size);
void documents_close(Documents *documents, Document *document);

void document_replace(Document *document, const char *text, size_t size);
// Replaces what lies between two places.
void document_edit(Document *document, Place start, Place end, const char *text, size_t size);
// Takes an analysis of it.
void document_learn(Document *document, Analysis *analysis);

View *document_view(Document *document);
// A view of an open file, or of one on disk. NULL: it can't be read, or is too large. Lives until the next message.
View *documents_view(Documents *documents, const char *path);

#endif
