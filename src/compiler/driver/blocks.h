// blocks.h: the files of a translation unit that may hold choreographies.

#ifndef DRIVER_BLOCKS_H
#define DRIVER_BLOCKS_H

#include "compiler/driver/chorcc.h"

// Loads a file and, recursively, what it includes; each file once. Headers of the system are left out. NULL: it can't be read; *error says why.
CFile *blocks_load(Compilation *compilation, const char *path, const char **error);
// Is there a reason to ask libclang about this file: a block, a macro that makes one, or a companion, in it or in what it includes?
bool blocks_concern_us(Compilation *compilation, CFile *file);
// Does this file, given with -include, bring in `file`?
bool blocks_forced_has(Compilation *compilation, const char *forced, const CFile *file);
// Does `from`, or what it includes, or a file given with -include, bring in `file`?
bool blocks_reach(Compilation *compilation, CFile *from, const CFile *file);
// A file in C++ and what it includes: is there text like a block in it, other than in a header that C may include, too?
bool blocks_in_cxx(Compilation *compilation, CFile *file);
bool blocks_is_c_header(const char *path); // by its name
// Reports files that hold a block and are no text for us. False: there was one.
bool blocks_check_text(Compilation *compilation, CFile *file);
// Reports what is in the place of a companion and would make a reader wait, or never end: a pipe, a device. False: there was
// one.
bool blocks_check_companions(Compilation *compilation, CFile *file);
// A file, this one or one that it includes, whose last block is never closed; NULL: there is none.
CFile *blocks_unclosed(Compilation *compilation, CFile *file);
// Is it a header of the library of protocols? It may lie where nothing can be written.
bool blocks_in_library(const CFile *file);
// Does the file contain the word `choreography`, whatever else it is?
bool blocks_word_in_file(const char *path);

#endif
