// tail.h: calls that need no frame of their caller any more. Used by project.c when a function is complete.

#ifndef PROJECT_TAIL_H
#define PROJECT_TAIL_H

#include "compiler/project/local.h"

// Marks the tail calls and drops a `return` without value where the function ends anyway.
void tail_mark(LocalFunction *function);

#endif
