// The text of --help.

#include "compiler/driver/command.h"

void help_print(FILE *out)
{
    fputs("Usage: chorcc [options of the C compiler] files...\n"
          "\n"
          "Compiles and links as cc does. Before that, each choreography in a C file, or in a header that it\n"
          "includes, is projected to its roles, and the companion headers NAME.chor.h and\n"
          "NAME.ROLE.chor.h are written beside the file that holds it.\n"
          "\n"
          "  --emit               only write the companions\n"
          "  --emit-dir=DIR       write them to DIR, which is added to the include path\n"
          "  --stubs NAME.ROLE    print a skeleton of the functions that the role must provide\n"
          "  --central NAME       print the choreography as one sequential C program\n"
          "  --dump=PASS          print what a pass made: tokens, tree, types, local or model\n"
          "  -o FILE              with --stubs and --central: write to FILE\n"
          "\n"
          "  --showme             print the command for the C compiler and do nothing\n"
          "  --showme:compile     print the options for compiling (also --cflags)\n"
          "  --showme:link        print the options for linking (also --libs)\n"
          "  --libs=net           the same for programs with chorex/net.h: roles on several hosts\n"
          "  --libs=nats          the same for those that may reach each other over a NATS server\n"
          "  --libs=sqlite        for programs with chorex/sqlite.h: sessions in a SQLite database\n"
          "  --libs=postgres      for programs with chorex/postgres.h: sessions in PostgreSQL. Several of\n"
          "                       them have commas in between: --libs=net,postgres\n"
          "\n"
          "  --diagnostics=FORM   text, json or sarif, on standard error\n"
          "  --color=WHEN         auto, always or never\n"
          "  --help, --version\n"
          "\n"
          "  -Wdurable-gap        warn about what is done again after a loss: it is in no durable block\n"
          "\n"
          "-w and -Werror work on chorcc's warnings too. All other options are the C compiler's.\n"
          "\n"
          "Environment:\n"
          "  CHORCC_CC            the C compiler behind chorcc (default: cc)\n"
          "  CHORCC_PREFIX        where include/chorex.h and lib/libchorex.a are\n"
          "\n"
          "Exit status: the C compiler's; 1 for errors in a choreography, 2 for wrong usage.\n",
          out);
}
