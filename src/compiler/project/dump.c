// dump.c: a local program as text, one operation on a line, its site in brackets, and its number if that is another one. For people and golden files.

#include "compiler/project/project.h"

#include "base/text.h"

#include <inttypes.h>

#define SITE_COLUMN 72

typedef struct {
    const LocalProgram *local;
    FILE *out;
    int indent;
    Text line;
} LocalDump;

static void dump_list(LocalDump *dump, const LocalOpList *list);

// ---- lines ----

static void line_end(LocalDump *dump)
{
    fprintf(dump->out, "%*s%s\n", dump->indent * 2, "", dump->line.chars);
    text_init(&dump->line, dump->local->program->arena);
}

static void line_end_site(LocalDump *dump, uint32_t site)
{
    int width = SITE_COLUMN - dump->indent * 2;
    fprintf(dump->out, "%*s%-*s [%" PRIu32 "]\n", dump->indent * 2, "", width > 0 ? width : 0, dump->line.chars, site);
    text_init(&dump->line, dump->local->program->arena);
}

// Messages whose numbers are not the site. " as 7", or " as 7 to Bob".
static void line_end_message(LocalDump *dump, const LocalOp *op)
{
    Text numbers;
    text_init(&numbers, dump->local->program->arena);
    size_t count = 0;
    for (ROLESET_EACH(role, &op->to)) {
        if (op->leaves.items[count++] == op->site)
            continue;
        text_printf(&numbers, "%s%" PRIu32, numbers.length > 0 ? ", " : " as ", op->leaves.items[count - 1]);
        if (op->leaves.count > 1)
            text_printf(&numbers, " to %s", dump->local->program->role_names[role]);
    }
    bool is_told = (op->kind == LOCAL_CHOICE || op->kind == LOCAL_LOOP) && op->decide == DECIDE_TOLD;
    if ((op->kind == LOCAL_RECEIVE || is_told) && op->arrives != op->site)
        text_printf(&numbers, " as %" PRIu32, op->arrives);
    if (op->kind == LOCAL_CHECKPOINT && op->number != op->site)
        text_printf(&numbers, " as %" PRIu32, op->number);
    int width = SITE_COLUMN - dump->indent * 2;
    fprintf(dump->out, "%*s%-*s [%" PRIu32 "%s]\n", dump->indent * 2, "", width > 0 ? width : 0, dump->line.chars,
            op->site, numbers.chars);
    text_init(&dump->line, dump->local->program->arena);
}

static void put_roles(LocalDump *dump, const RoleSet *roles)
{
    const char *separator = "";
    for (ROLESET_EACH(role, roles)) {
        text_printf(&dump->line, "%s%s", separator, dump->local->program->role_names[role]);
        separator = ", ";
    }
}

// ---- C ----

static const char *variable_name(const LocalDump *dump, const VariableList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->role == dump->local->role)
            return list->items[i]->c_name;
    return "?";
}

// Line breaks and indentation in the user's text are of no interest here.
static void put_c_text(LocalDump *dump, const char *text)
{
    for (; *text != '\0'; text++) {
        bool is_space = *text == ' ' || *text == '\t' || *text == '\n' || *text == '\r';
        bool after_space = dump->line.length > 0 && dump->line.chars[dump->line.length - 1] == ' ';
        if (!is_space)
            text_add(&dump->line, text, 1);
        else if (!after_space)
            text_puts(&dump->line, " ");
    }
}

static void put_expr(LocalDump *dump, const Expr *expr)
{
    for (size_t i = 0; i < expr->pieces.count; i++) {
        const Piece *piece = &expr->pieces.items[i];
        if (piece->kind == PIECE_TEXT)
            put_c_text(dump, piece->text);
        else if (piece->kind == PIECE_VARIABLE)
            text_puts(&dump->line, variable_name(dump, &piece->variables));
        else
            text_printf(&dump->line, "%s_%s", dump->local->name, piece->function->name);
    }
}

static void put_value(LocalDump *dump, const Value *value)
{
    if (value->is_tuple)
        text_puts(&dump->line, "{");
    for (size_t i = 0; i < value->exprs.count; i++) {
        text_puts(&dump->line, i > 0 ? ", " : "");
        put_expr(dump, value->exprs.items[i]);
    }
    if (value->is_tuple)
        text_puts(&dump->line, "}");
}

static void put_pattern(LocalDump *dump, const Pattern *pattern)
{
    if (pattern->field != NULL)
        text_printf(&dump->line, ".%s = ", pattern->field);
    switch (pattern->kind) {
    case PATTERN_BIND:
        text_puts(&dump->line, variable_name(dump, &pattern->variables));
        break;
    case PATTERN_PLACE:
        put_expr(dump, pattern->expr);
        break;
    case PATTERN_DROP:
        text_puts(&dump->line, "_");
        break;
    case PATTERN_MATCH:
        text_puts(&dump->line, "(");
        put_expr(dump, pattern->expr);
        text_puts(&dump->line, ")");
        break;
    case PATTERN_TUPLE:
    case PATTERN_STRUCT:
        text_puts(&dump->line, "{");
        for (size_t i = 0; i < pattern->parts.count; i++) {
            text_puts(&dump->line, i > 0 ? ", " : "");
            put_pattern(dump, pattern->parts.items[i]);
        }
        text_puts(&dump->line, "}");
        break;
    }
}

static const char *type_text(const CType *type)
{
    return type != NULL && type->spelling != NULL ? type->spelling : "?";
}

// ": int", or ": {int, bool}" for a tuple: what is on the wire.
static void put_types(LocalDump *dump, const LocalOp *op)
{
    text_puts(&dump->line, op->is_tuple ? ": {" : ": ");
    for (size_t i = 0; i < op->types.count; i++)
        text_printf(&dump->line, "%s%s", i > 0 ? ", " : "", type_text(op->types.items[i]));
    text_puts(&dump->line, op->is_tuple ? "}" : "");
}

// ---- operations ----

static void dump_step(LocalDump *dump, const LocalOp *op)
{
    if (op->target == NULL) {
        put_expr(dump, op->value);
    } else {
        put_pattern(dump, op->target);
        if (op->op == NULL)
            text_puts(&dump->line, " = 0");
        else if (op->value == NULL)
            text_puts(&dump->line, op->op);
        else {
            text_printf(&dump->line, " %s ", op->op);
            put_expr(dump, op->value);
        }
    }
    line_end_site(dump, op->site);
}

static void dump_comparison(LocalDump *dump, const LocalOp *op)
{
    const char *name = variable_name(dump, &op->compared->variables);
    if (op->kind == LOCAL_SEND) {
        text_printf(&dump->line, "send digest of %s to ", name);
        put_roles(dump, &op->to);
    } else {
        text_printf(&dump->line, "compare %s with digest from %s", name, dump->local->program->role_names[op->peer]);
    }
    line_end_site(dump, op->site);
}

static void dump_message(LocalDump *dump, const LocalOp *op)
{
    if (op->kind == LOCAL_SEND) {
        text_puts(&dump->line, "send ");
        put_value(dump, &op->sent);
        put_types(dump, op);
        text_puts(&dump->line, " to ");
        put_roles(dump, &op->to);
        if (op->own != NULL) {
            text_puts(&dump->line, ", keep ");
            put_pattern(dump, op->own);
            text_puts(&dump->line, roleset_empty(&op->own_if) ? "" : " as ");
            put_roles(dump, &op->own_if);
        }
    } else {
        text_puts(&dump->line, "receive ");
        put_pattern(dump, op->target);
        put_types(dump, op);
        text_printf(&dump->line, " from %s", dump->local->program->role_names[op->peer]);
    }
    line_end_message(dump, op);
}

static void dump_call(LocalDump *dump, const LocalOp *op)
{
    if (op->result != NULL) {
        put_pattern(dump, op->result);
        text_puts(&dump->line, " = ");
    }
    text_printf(&dump->line, "%s%scall %s(", op->returns_result ? "return " : "", op->is_tail ? "tail " : "",
                op->callee->name);
    for (size_t i = 0; i < op->arg_count; i++) {
        text_printf(&dump->line, "%s%s = ", i > 0 ? ", " : "", op->args[i].param->c_name);
        put_expr(dump, op->args[i].value);
    }
    text_puts(&dump->line, ")");
    line_end_site(dump, op->site);
}

// How the outcome is learned: "(n < 6), tells Carol", "told by Alice", "by what Alice sends".
static void put_decide(LocalDump *dump, const LocalOp *op)
{
    switch (op->decide) {
    case DECIDE_SELF:
        text_puts(&dump->line, "(");
        put_expr(dump, op->condition);
        text_puts(&dump->line, ")");
        if (!roleset_empty(&op->decides)) {
            text_puts(&dump->line, " as ");
            put_roles(dump, &op->decides);
            text_printf(&dump->line, ", others told by %s", dump->local->program->role_names[op->peer]);
        }
        if (!roleset_empty(&op->to)) {
            text_puts(&dump->line, ", tells ");
            put_roles(dump, &op->to);
        }
        break;
    case DECIDE_TOLD:
        text_printf(&dump->line, "told by %s", dump->local->program->role_names[op->peer]);
        break;
    case DECIDE_ARRIVAL:
        text_printf(&dump->line, "by what %s sends", dump->local->program->role_names[op->peer]);
        break;
    case DECIDE_FOREVER:
        text_puts(&dump->line, "ever");
        break;
    }
}

static void put_branch_name(LocalDump *dump, const LocalOp *op, const LocalBranch *branch)
{
    if (!op->is_switch) {
        text_puts(&dump->line, branch->outcome == 0 ? "then" : "else");
    } else {
        text_puts(&dump->line, branch->labels.count > 0 ? "case " : "");
        for (size_t i = 0; i < branch->labels.count; i++) {
            text_puts(&dump->line, i > 0 ? ", " : "");
            put_expr(dump, branch->labels.items[i]);
        }
        if (branch->is_default)
            text_puts(&dump->line, branch->labels.count > 0 ? ", default" : "default");
    }
    for (size_t i = 0; i < branch->arrivals.count; i++)
        text_printf(&dump->line, "%s[%" PRIu32 "]", i > 0 ? ", " : " on ", branch->arrivals.items[i]);
}

static void dump_choice(LocalDump *dump, const LocalOp *op)
{
    text_puts(&dump->line, op->is_switch ? "switch " : "if ");
    put_decide(dump, op);
    line_end_message(dump, op);
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        if (branch->is_implied && branch->body.count == 0)
            continue;
        put_branch_name(dump, op, branch);
        line_end(dump);
        dump_list(dump, &branch->body);
    }
}

static void dump_loop(LocalDump *dump, const LocalOp *op)
{
    static const char *const words[] = {[LOOP_WHILE] = "while ", [LOOP_DO] = "do-while ", [LOOP_FOR] = "for "};
    text_puts(&dump->line, words[op->loop]);
    put_decide(dump, op);
    line_end_message(dump, op);
    dump_list(dump, &op->body);
    if (op->step.count > 0) {
        text_puts(&dump->line, "step");
        line_end(dump);
        dump_list(dump, &op->step);
    }
}

static void dump_checkpoint(LocalDump *dump, const LocalOp *op)
{
    text_puts(&dump->line, op->is_round ? "round, " : "");
    text_puts(&dump->line, op->is_durable ? "durable checkpoint of " : "checkpoint of ");
    put_roles(dump, &op->participants);
    if (op->has_within)
        text_printf(&dump->line, ", within %" PRIu64 " ns", op->within_ns);
    if (op->has_retry)
        text_printf(&dump->line, ", retry %" PRIu32, op->retry);
    line_end_message(dump, op);
    dump_list(dump, &op->body);
    if (op->has_rescue) {
        text_puts(&dump->line, op->fault != NULL ? "rescue (fault)" : "rescue");
        line_end(dump);
        dump_list(dump, &op->rescue);
    }
}

static void dump_each(LocalDump *dump, const LocalOp *op)
{
    const char *const *names = dump->local->program->role_names;
    if (op->index != NULL) {
        text_printf(&dump->line, "%s is %s[", op->position->c_name, names[op->family]);
        put_expr(dump, op->index);
        text_puts(&dump->line, "]");
    } else {
        text_printf(&dump->line, "for each %s of %s%s", op->position->c_name, names[op->family],
                    op->is_own ? ", for itself only" : "");
    }
    line_end_site(dump, op->site);
    dump_list(dump, &op->body);
}

static void put_variables(LocalDump *dump, const char *what, const VariableList *variables)
{
    for (size_t i = 0; i < variables->count; i++)
        text_printf(&dump->line, "%s%s", i == 0 ? what : ", ", variables->items[i]->c_name);
}

static void dump_arm(LocalDump *dump, const LocalOp *op)
{
    text_puts(&dump->line, "arm of ");
    put_roles(dump, &op->participants);
    put_variables(dump, " with ", &op->uses);
    put_variables(dump, " gives ", &op->owns);
    line_end_site(dump, op->site);
    dump_list(dump, &op->body);
}

static void dump_op(LocalDump *dump, const LocalOp *op)
{
    if (op->is_guarded) {
        text_puts(&dump->line, "as ");
        put_roles(dump, &op->who);
        text_puts(&dump->line, ": ");
    }
    switch (op->kind) {
    case LOCAL_EACH:
        dump_each(dump, op);
        break;
    case LOCAL_STEP:
        dump_step(dump, op);
        break;
    case LOCAL_SEND:
    case LOCAL_RECEIVE:
        if (op->compared != NULL)
            dump_comparison(dump, op);
        else
            dump_message(dump, op);
        break;
    case LOCAL_CALL:
        dump_call(dump, op);
        break;
    case LOCAL_CHOICE:
        dump_choice(dump, op);
        break;
    case LOCAL_LOOP:
        dump_loop(dump, op);
        break;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        text_printf(&dump->line, "%s loop [%" PRIu32 "]", op->kind == LOCAL_BREAK ? "break" : "continue",
                    op->loop_op->site);
        line_end_site(dump, op->site);
        break;
    case LOCAL_RETURN:
        text_puts(&dump->line, op->returned.exprs.count > 0 ? "return " : "return");
        put_value(dump, &op->returned);
        line_end_site(dump, op->site);
        break;
    case LOCAL_CHECKPOINT:
        dump_checkpoint(dump, op);
        break;
    case LOCAL_PAR:
        text_puts(&dump->line, "par");
        line_end_site(dump, op->site);
        dump_list(dump, &op->body);
        break;
    case LOCAL_ARM:
        dump_arm(dump, op);
        break;
    }
}

static void dump_list(LocalDump *dump, const LocalOpList *list)
{
    dump->indent++;
    for (size_t i = 0; i < list->count; i++)
        dump_op(dump, list->items[i]);
    dump->indent--;
}

// ---- functions and the whole ----

static void dump_function(LocalDump *dump, const LocalFunction *function)
{
    text_printf(&dump->line, "function %s(", function->name);
    for (size_t i = 0; i < function->params.count; i++)
        text_printf(&dump->line, "%s%s: %s", i > 0 ? ", " : "", function->params.items[i]->c_name,
                    type_text(function->params.items[i]->type));
    text_puts(&dump->line, ")");
    if (function->result != NULL) {
        text_puts(&dump->line, function->result->is_tuple ? " -> {" : " -> ");
        for (size_t i = 0; i < function->result->types.count; i++)
            text_printf(&dump->line, "%s%s", i > 0 ? ", " : "", type_text(function->result->types.items[i]));
        text_puts(&dump->line, function->result->is_tuple ? "}" : "");
    }
    line_end(dump);
    dump->indent++;
    for (size_t i = 0; i < function->variables.count; i++) {
        const Variable *variable = function->variables.items[i];
        if (variable->is_param || variable->is_fault || variable->is_index)
            continue;
        text_printf(&dump->line, "var %s: %s", variable->c_name, type_text(variable->type));
        line_end(dump);
    }
    dump->indent--;
    dump_list(dump, &function->body);
}

void dump_local_function(const LocalProgram *local, const LocalFunction *function, FILE *out)
{
    LocalDump dump = {.local = local, .out = out};
    text_init(&dump.line, local->program->arena);
    dump_function(&dump, function);
}

void dump_local(const LocalProgram *local, FILE *out)
{
    LocalDump dump = {.local = local, .out = out};
    text_init(&dump.line, local->program->arena);
    text_printf(&dump.line, "role %s", local->name);
    line_end(&dump);
    dump.indent = 1;
    if (!roleset_empty(&local->sends_to)) {
        text_puts(&dump.line, "sends to ");
        put_roles(&dump, &local->sends_to);
        line_end(&dump);
    }
    if (!roleset_empty(&local->receives_from)) {
        text_puts(&dump.line, "receives from ");
        put_roles(&dump, &local->receives_from);
        line_end(&dump);
    }
    for (size_t i = 0; i < local->provides.count; i++) {
        text_printf(&dump.line, "provides %s", local->provides.items[i]->name);
        line_end(&dump);
    }
    for (size_t i = 0; i < local->functions.count; i++)
        dump_function(&dump, local->functions.items[i]);
}
