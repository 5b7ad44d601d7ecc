// fuzz.c: any text must be found, parsed and dumped without a crash. A libFuzzer target.

#include "compiler/syntax/parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Sources *sources = sources_new(arena);
    Source *source = source_add(sources, "fuzz.c", (const char *)data, size);
    Diags *diags = diags_new(arena, sources);
    FILE *out = fopen("/dev/null", "w");
    Found found;
    find_blocks(arena, sources, source, &found);
    for (size_t i = 0; out != NULL && i < found.blocks.count; i++) {
        const FoundBlock *block = &found.blocks.items[i];
        dump_tokens(sources, block, out);
        size_t errors = diags_errors(diags);
        Tree *tree = parse_block(arena, sources, diags, block);
        dump_tree(sources, tree, out);
        // A block that is broken must not pass in silence.
        if (diags_errors(diags) == errors && (!block->closed || tree->name.text == NULL))
            abort();
    }
    if (out != NULL)
        fclose(out);
    arena_free(arena);
    return 0;
}
