// describe.h: a program says which roles it can play, for those who start it (chorex run).
//
// With CHOREX_DESCRIBE=1 in its environment, a program that libchorex is linked into writes this to its standard output, and ends with
// status 0 before main:
//
//   chorex-describe-1 VERSION           the first line that counts: constructors of the program may have written something before
//   net yes                             or no: is libchorex-net there?
//   role CHOREOGRAPHY ROLE INDEX IMPLEMENTATION PROTOCOL FILE
//                                       one for each implementation; INDEX: in the order of roles; PROTOCOL: its digest, 16 digits
//   end
//
// The first word is in the program's file, so one can see there that the program understands the question before it is started.
// Where the library is in a shared library of the program, nothing is said: the program's own constructors are still to run.

#ifndef RUNTIME_ISOLATION_DESCRIBE_H
#define RUNTIME_ISOLATION_DESCRIBE_H

// Called by the library's constructor, when all roles are registered. Does not return if the question was asked.
void describe_if_asked(void);

#endif
