// blocks.h: the files of a translation unit that may hold choreographies.

#ifndef DRIVER_BLOCKS_H
#define DRIVER_BLOCKS_H

#include "compiler/driver/chorcc.h"

// Loads a file and, recursively, what it includes with quotes; each file once. NULL: it can't be read; *error says why.
CFile *blocks_load(Compilation *compilation, const char *path, const char **error);
// Is there a reason to ask libclang about this file: a block, a macro that makes one, or a companion, in it or in what it includes?
bool blocks_concern_us(Compilation *compilation, CFile *file);
// Reports files that hold a block and are no text for us. False: there was one.
bool blocks_check_text(Compilation *compilation, CFile *file);
// A file, this one or one that it includes, whose last block is never closed; NULL: there is none.
CFile *blocks_unclosed(Compilation *compilation, CFile *file);
// Does the file contain the word `choreography`, whatever else it is?
bool blocks_word_in_file(const char *path);

#endif
