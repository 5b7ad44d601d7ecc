// The program chorcc.

#include "compiler/driver/command.h"

int main(int argc, char **argv)
{
    return command_run(argc, argv);
}
