// table.c: a choreography's blocks, as the recovery machine wants them: see home.h.

#include "net/home/home.h"

static void table_fill(HomeTable *table)
{
    size_t at = 0;
    for (size_t i = 0; i < table->block_count; i++) {
        const chx_block *block = &table->blocks[i];
        table->first[i] = at;
        for (uint32_t place = 0; place < block->participant_count; place++)
            table->checkpoints[at++] = (chx_checkpoint){.site = block->name,
                                                        .name = block->name,
                                                        .rescue_at = block->has_rescue,
                                                        .retries = block->retries,
                                                        .within_ns = block->within_ns,
                                                        .participants = block->participants,
                                                        .participant_count = block->participant_count,
                                                        .position = place,
                                                        .is_round = block->is_round,
                                                        .is_durable = block->is_durable};
    }
}

bool home_table_init(HomeTable *table, const HomeChoreography *choreography, const NetMemory *memory)
{
    if (choreography->role_count > UINT16_MAX)
        return false;
    *table = (HomeTable){.name = choreography->name,
                         .roles = choreography->roles,
                         .role_count = (uint16_t)choreography->role_count,
                         .protocol = choreography->protocol,
                         .blocks = choreography->blocks,
                         .block_count = choreography->block_count,
                         .memory = memory};
    size_t count = 0;
    for (size_t i = 0; i < table->block_count; i++)
        count += table->blocks[i].participant_count;
    if (table->block_count == 0)
        return true;
    table->checkpoints = memory_allocate(memory, count * sizeof *table->checkpoints);
    table->first = memory_allocate(memory, table->block_count * sizeof *table->first);
    if (table->checkpoints == NULL || table->first == NULL) {
        home_table_fini(table);
        return false;
    }
    table_fill(table);
    return true;
}

void home_table_fini(HomeTable *table)
{
    memory_release(table->memory, table->checkpoints);
    memory_release(table->memory, table->first);
    table->checkpoints = NULL;
    table->first = NULL;
}
