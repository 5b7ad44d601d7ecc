// command.h: chorcc, the command.

#ifndef DRIVER_COMMAND_H
#define DRIVER_COMMAND_H

#include <stdio.h>

// The exit status: cc's, 1 for errors in the program, 2 for wrong usage.
int command_run(int argc, char **argv);

void help_print(FILE *out);

#endif
