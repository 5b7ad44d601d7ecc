// numbers.h: the numbers under which roles meet: on messages, and of checkpoints.
//
// Usually that is the site of the statement. A role that does not know the outcome of a choice (same.c) can't say in
// which branch it is: what it sends and receives in one branch has the same number as what corresponds to it in the other
// branches, at both ends. The number is the smallest of the sites. A message's number is one for each receiver, so that
// of two receivers of one delivery one can know the branch by the number while the other does not care.

#ifndef CHECK_NUMBERS_H
#define CHECK_NUMBERS_H

#include "compiler/check/program.h"

typedef struct Knowledge Knowledge;
typedef struct Numbers Numbers;

Numbers *numbers_new(Arena *arena, const Program *program, const Knowledge *knowledge);

// Of what `to` is sent there: a value, or the outcome of a choice or loop.
uint32_t number_of_message(const Numbers *numbers, uint32_t site, RoleId to);
// Of the statement as a whole, the same for all roles: a checkpoint's name.
uint32_t number_of_statement(const Numbers *numbers, uint32_t site);

#endif
