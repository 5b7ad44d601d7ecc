// new.h: a first program for `chorex new`.

#ifndef CHOREX_NEW_H
#define CHOREX_NEW_H

// Writes NAME.c and says how to build it. The exit status.
int new_program(const char *name);

#endif
