// protocol.c: what roles must have in common to play together, whoever compiled them: the digest of the protocol, and the
// table of blocks, by which one place decides for all of them.
//
// The digest is that of a text that says what travels and in which order, role by role. What a role does by itself is not
// in it: expressions, names of variables, functions. Nor is a choice or loop in which only one role does such things.

#include "compiler/emit/internal.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    Text text;
} Protocol;

// ---- types, as docs/wire.md has them ----

static void put_type(Protocol *protocol, const CType *type);

static void put_fields(Protocol *protocol, const CType *type)
{
    for (size_t i = 0; i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        if (field->name == NULL) {
            if (!field->is_bitfield)
                put_fields(protocol, field->type);
            continue;
        }
        text_printf(&protocol->text, "%s:", field->name);
        put_type(protocol, field->type);
        text_puts(&protocol->text, ";");
    }
}

// Standard types have one size in messages, whatever their size here.
static unsigned wire_size(const CType *type)
{
    static const struct {
        const char *name;
        unsigned size;
    } known[] = {{"signed char", 1}, {"unsigned char", 1}, {"short", 2},     {"unsigned short", 2},
                 {"int", 4},         {"unsigned int", 4},  {"__int128", 16}, {"unsigned __int128", 16}};
    for (size_t i = 0; type->kind == CTYPE_INTEGER && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type->canonical, known[i].name) == 0)
            return known[i].size;
    }
    return type->size > 8 ? 16 : 8;
}

// Without spaces: where they stand is a matter of taste.
static void put_codec(Protocol *protocol, const CType *type)
{
    text_printf(&protocol->text, "codec %s ", type->canonical);
    for (const char *c = type->codec; *c != '\0'; c++) {
        if (strchr(" \t\r\n", *c) == NULL)
            text_add(&protocol->text, c, 1);
    }
}

static void put_type(Protocol *protocol, const CType *type)
{
    switch (type->kind) {
    case CTYPE_BOOL:
        text_puts(&protocol->text, "bool");
        break;
    case CTYPE_INTEGER:
    case CTYPE_ENUM:
        // Whether a plain char has a sign depends on the machine.
        if (strcmp(type->canonical, "char") == 0)
            text_puts(&protocol->text, "char");
        else
            text_printf(&protocol->text, "%c%u", type->is_signed ? 'i' : 'u', wire_size(type));
        break;
    case CTYPE_FLOAT:
    case CTYPE_COMPLEX:
        text_puts(&protocol->text, type->canonical);
        break;
    case CTYPE_STRUCT:
        text_puts(&protocol->text, type->is_sendable ? "{" : "-");
        if (type->is_sendable) {
            put_fields(protocol, type);
            text_puts(&protocol->text, "}");
        }
        break;
    case CTYPE_ARRAY:
        text_printf(&protocol->text, "[%" PRIu64 "]", type->count);
        put_type(protocol, type->element);
        break;
    case CTYPE_SEQUENCE:
        text_puts(&protocol->text, "[]");
        put_type(protocol, type->element);
        break;
    case CTYPE_CSTRING:
        text_puts(&protocol->text, "string");
        break;
    case CTYPE_STR:
    case CTYPE_BYTES:
        text_puts(&protocol->text, type->kind == CTYPE_STR ? "str" : "bytes");
        break;
    case CTYPE_CODEC:
        put_codec(protocol, type);
        break;
    default:
        text_puts(&protocol->text, "-"); // an argument that can't travel
        break;
    }
}

// ---- operations ----

static bool put_list(Protocol *protocol, const LocalOpList *list);

static void put_roles(Protocol *protocol, const RoleSet *roles)
{
    for (ROLESET_EACH(role, roles))
        text_printf(&protocol->text, " %u", role);
}

static void put_receivers(Protocol *protocol, const LocalOp *op)
{
    size_t next = 0;
    for (ROLESET_EACH(role, &op->to))
        text_printf(&protocol->text, " %u as %" PRIu32, role, op->leaves.items[next++]);
}

static void put_message(Protocol *protocol, const LocalOp *op)
{
    if (op->kind == LOCAL_SEND) {
        text_puts(&protocol->text, "send");
        put_receivers(protocol, op);
    } else {
        text_printf(&protocol->text, "receive %u as %" PRIu32, op->peer, op->arrives);
    }
    text_puts(&protocol->text, op->compared != NULL ? " digest" : op->is_tuple ? " tuple" : "");
    for (size_t i = 0; i < op->types.count; i++) {
        text_puts(&protocol->text, " ");
        put_type(protocol, op->types.items[i]);
    }
    // Two who compare their values must encode them alike.
    if (op->compared != NULL && op->compared->type != NULL) {
        text_puts(&protocol->text, " of ");
        put_type(protocol, op->compared->type);
    }
    text_puts(&protocol->text, "\n");
}

static void put_decide(Protocol *protocol, const LocalOp *op)
{
    static const char *const words[] = {" self", " told", " arrival", " ever"};
    text_puts(&protocol->text, words[op->decide]);
    if (op->decide == DECIDE_SELF)
        put_receivers(protocol, op);
    if (op->decide == DECIDE_TOLD || op->decide == DECIDE_ARRIVAL)
        text_printf(&protocol->text, " %u", op->peer);
    if (op->decide == DECIDE_TOLD)
        text_printf(&protocol->text, " as %" PRIu32, op->arrives);
    text_puts(&protocol->text, "\n");
}

static bool put_branches(Protocol *protocol, const LocalOp *op)
{
    bool has_some = false;
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        text_printf(&protocol->text, "branch %" PRIu32, branch->outcome);
        for (size_t k = 0; k < branch->arrivals.count; k++)
            text_printf(&protocol->text, " on %" PRIu32, branch->arrivals.items[k]);
        text_puts(&protocol->text, "\n");
        has_some |= put_list(protocol, &branch->body);
    }
    return has_some;
}

// Nobody else notices it: what was written of it is taken back.
static bool put_choice(Protocol *protocol, const LocalOp *op)
{
    size_t before = protocol->text.length;
    text_puts(&protocol->text, op->kind == LOCAL_CHOICE ? "choice" : "loop");
    if (op->kind == LOCAL_LOOP)
        text_printf(&protocol->text, " %d", op->loop);
    put_decide(protocol, op);
    bool has_some = !roleset_empty(&op->to) || op->decide == DECIDE_TOLD || op->decide == DECIDE_ARRIVAL;
    has_some |= put_branches(protocol, op);
    has_some |= put_list(protocol, &op->body);
    text_puts(&protocol->text, "step\n");
    has_some |= put_list(protocol, &op->step);
    text_puts(&protocol->text, "end\n");
    // A loop without an end is one even if nothing is in it.
    if (has_some || op->decide == DECIDE_FOREVER)
        return true;
    protocol->text.length = before;
    protocol->text.chars[before] = '\0';
    return false;
}

static void put_checkpoint(Protocol *protocol, const LocalOp *op)
{
    text_printf(&protocol->text, "block %" PRIu32 " retry %" PRIu32 " within %" PRIu64 "%s%s%s of", op->number,
                op->has_retry ? op->retry : 0, op->has_within ? op->within_ns : 0, op->is_round ? " round" : "",
                op->has_rescue ? " rescue" : "", op->is_durable ? " durable" : "");
    put_roles(protocol, &op->participants);
    text_puts(&protocol->text, "\n");
    put_list(protocol, &op->body);
    text_puts(&protocol->text, "rescue\n");
    put_list(protocol, &op->rescue);
    text_puts(&protocol->text, "end\n");
}

// Has it anything in it that others notice?
static bool put_op(Protocol *protocol, const LocalOp *op)
{
    switch (op->kind) {
    case LOCAL_STEP:
        return false;
    case LOCAL_SEND:
    case LOCAL_RECEIVE:
        put_message(protocol, op);
        return true;
    case LOCAL_CALL:
        text_printf(&protocol->text, "call %" PRIu32 "\n", op->callee->instance->id);
        return true;
    case LOCAL_CHOICE:
    case LOCAL_LOOP:
        return put_choice(protocol, op);
    case LOCAL_EACH:
        text_printf(&protocol->text, "each %" PRIu32 " %s\n", op->family, op->is_own ? "own" : "");
        put_list(protocol, &op->body);
        text_puts(&protocol->text, "end\n");
        return true;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        text_puts(&protocol->text, op->kind == LOCAL_BREAK ? "break\n" : "continue\n");
        return true;
    case LOCAL_RETURN:
        text_puts(&protocol->text, "return\n");
        return true;
    case LOCAL_PAR:
    case LOCAL_ARM:
        text_puts(&protocol->text, op->kind == LOCAL_PAR ? "par" : "arm");
        put_roles(protocol, &op->participants);
        text_puts(&protocol->text, "\n");
        put_list(protocol, &op->body);
        text_puts(&protocol->text, "end\n");
        return true;
    case LOCAL_CHECKPOINT:
        put_checkpoint(protocol, op);
        return true;
    }
    return true;
}

static bool put_list(Protocol *protocol, const LocalOpList *list)
{
    bool has_some = false;
    for (size_t i = 0; i < list->count; i++)
        has_some |= put_op(protocol, list->items[i]);
    return has_some;
}

// ---- the whole ----

// What C code gives and gets, which may be on another host than the role.
static void put_definition(Protocol *protocol, const Instance *instance)
{
    text_printf(&protocol->text, "definition %s %" PRIu32 "\n", instance->name, instance->id);
    for (size_t i = 0; i < instance->params.count; i++) {
        text_puts(&protocol->text, "argument of");
        put_roles(protocol, &instance->params.items[i].at);
        text_puts(&protocol->text, " ");
        put_type(protocol, instance->params.items[i].type);
        text_puts(&protocol->text, "\n");
    }
    for (size_t i = 0; i < instance->results.count; i++) {
        const Result *result = &instance->results.items[i];
        text_printf(&protocol->text, "%s of", result->is_tuple ? "results" : "result");
        put_roles(protocol, &result->at);
        for (size_t k = 0; k < result->types.count; k++) {
            text_puts(&protocol->text, " ");
            put_type(protocol, result->types.items[k]);
        }
        text_puts(&protocol->text, "\n");
    }
}

const char *emit_protocol(Arena *arena, const Program *program, LocalProgram *const *locals)
{
    Protocol protocol;
    text_init(&protocol.text, arena);
    text_printf(&protocol.text, "choreography %s\n", program->name);
    for (size_t i = 0; i < program->instances.count; i++) {
        if (program->instances.items[i]->is_entry)
            put_definition(&protocol, program->instances.items[i]);
    }
    for (RoleId role = 0; role < program->role_count; role++) {
        text_printf(&protocol.text, "role %s\n", program->role_names[role]);
        for (size_t i = 0; i < locals[role]->functions.count; i++) {
            const LocalFunction *function = locals[role]->functions.items[i];
            text_printf(&protocol.text, "function %" PRIu32 "\n", function->instance->id);
            put_list(&protocol, &function->body);
        }
    }
    return protocol.text.chars;
}

uint64_t emit_protocol_digest(Arena *arena, const Program *program, LocalProgram *const *locals)
{
    const char *text = emit_protocol(arena, program, locals);
    return fnv1a(FNV_START, text, strlen(text));
}

// ---- blocks ----

typedef VECTOR(const LocalOp *) BlockList;

static void collect_blocks(Arena *arena, const LocalOpList *list, BlockList *blocks)
{
    for (size_t i = 0; i < list->count; i++) {
        const LocalOp *op = list->items[i];
        if (op->kind == LOCAL_CHECKPOINT)
            vector_push(arena, blocks, op);
        for (size_t k = 0; k < op->branches.count; k++)
            collect_blocks(arena, &op->branches.items[k].body, blocks);
        collect_blocks(arena, &op->body, blocks);
        collect_blocks(arena, &op->step, blocks);
        collect_blocks(arena, &op->rescue, blocks);
    }
}

static int compare_blocks(const void *one, const void *other)
{
    uint32_t a = (*(const LocalOp *const *)one)->number;
    uint32_t b = (*(const LocalOp *const *)other)->number;
    return a < b ? -1 : a > b;
}

// Blocks of one name are alike in all that stands here: it is the same block, or somebody can't tell them apart.
static size_t keep_one_of_each(BlockList *blocks)
{
    size_t count = 0;
    if (blocks->count > 0)
        qsort(blocks->items, blocks->count, sizeof blocks->items[0], compare_blocks);
    for (size_t i = 0; i < blocks->count; i++) {
        if (i == 0 || blocks->items[i]->number != blocks->items[i - 1]->number)
            blocks->items[count++] = blocks->items[i];
    }
    return count;
}

void emit_participants(const Program *program, const RoleSet *participants, Out *out)
{
    for (ROLESET_EACH(role, participants)) {
        out_puts(out, role == roleset_next(participants, 0) ? "" : ", ");
        if (program->role_of[role] != role)
            out_printf(out, "CHX_ONE_MEMBER | %u", program->role_of[role]);
        else
            out_printf(out, "%u", role);
    }
}

size_t emit_blocks(Arena *arena, const Program *program, LocalProgram *const *locals, Out *out)
{
    BlockList blocks = {0};
    for (RoleId role = 0; role < program->role_count; role++) {
        for (size_t i = 0; i < locals[role]->functions.count; i++)
            collect_blocks(arena, &locals[role]->functions.items[i]->body, &blocks);
    }
    size_t count = keep_one_of_each(&blocks);
    for (size_t i = 0; i < count; i++) {
        const RoleSet *participants = &blocks.items[i]->participants;
        out_printf(out, "static const unsigned %s_chx_block_%" PRIu32 "_participants[] = {", program->name,
                   blocks.items[i]->number);
        emit_participants(program, participants, out);
        out_puts(out, "};\n");
    }
    if (count > 0)
        out_printf(out, "static const chx_block %s_chx_all_blocks[] = {\n", program->name);
    for (size_t i = 0; i < count; i++) {
        const LocalOp *op = blocks.items[i];
        out_printf(out, "    {%" PRIu32 ", %" PRIu32 ", UINT64_C(%" PRIu64 "), %s_chx_block_%" PRIu32 "_participants, ",
                   op->number, op->has_retry ? op->retry : 0, op->has_within ? op->within_ns : 0, program->name,
                   op->number);
        out_printf(out, "%zu, %s, %s, %s},\n", roleset_count(&op->participants), op->has_rescue ? "true" : "false",
                   op->is_round ? "true" : "false", op->is_durable ? "true" : "false");
    }
    if (count > 0)
        out_puts(out, "};\n");
    return count;
}
