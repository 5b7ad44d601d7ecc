// print.h: the printers behind diags_print. Only for diag.c.

#ifndef DIAG_PRINT_H
#define DIAG_PRINT_H

#include "compiler/diag/diag.h"

void print_text(Arena *arena, const Sources *sources, const Diagnostic *diagnostic, bool color, FILE *out);
void print_json(Arena *arena, const Sources *sources, const Diagnostic *const *list, size_t count, FILE *out);
void print_sarif(Arena *arena, const Sources *sources, const Diagnostic *const *list, size_t count, FILE *out);

#endif
