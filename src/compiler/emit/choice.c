// Choices: how a role learns which way a choice goes, and what it does then.

#include "compiler/emit/function.h"

bool choice_is_mixed(const LocalOp *op)
{
    return op->decides.words != NULL && !roleset_empty(&op->decides);
}

static void put_branch(FunctionEmit *f, const LocalOp *op, const LocalBranch *branch)
{
    if (op->decide == DECIDE_SELF && !choice_is_mixed(op))
        message_tell(f, op, branch->outcome);
    function_ops(f, &branch->body);
}

static bool branch_is_empty(const LocalOp *op, const LocalBranch *branch)
{
    return branch->body.count == 0 && (op->decide != DECIDE_SELF || roleset_empty(&op->to));
}

const char *choice_step(FunctionEmit *f, const LocalOp *op)
{
    return step_begin(f, op, value_is_quiet(&f->ctx, op->condition));
}

// A long chain of else-ifs would be nested too deeply for a C compiler. From some depth on, its parts stand one behind
// the other, and each goes over the rest at its end. Returns the number of the label there; 0: an `else` will do.
static uint32_t chain_label(FunctionEmit *f, const LocalOp *op)
{
    enum { ELSE_IFS_IN_BRACES = 16 };
    const LocalOpList *rest = &op->branches.items[1].body;
    bool is_chain =
        !op->is_switch && op->branches.count == 2 && rest->count == 1 && rest->items[0]->kind == LOCAL_CHOICE;
    return is_chain && f->else_ifs >= ELSE_IFS_IN_BRACES ? ++f->chains : 0;
}

static void put_go_over(FunctionEmit *f, const LocalBranch *branch, uint32_t chain)
{
    if (function_ends(&branch->body))
        return;
    out_statement(&f->ctx.out, f->ctx.out.in_source ? f->ctx.out.line : 0);
    out_printf(&f->ctx.out, "goto over_%u;", chain);
}

// What comes after `else`, behind the `if`.
static void put_rest_of_chain(FunctionEmit *f, const LocalOp *op, uint32_t chain)
{
    if (op->decide == DECIDE_SELF && !choice_is_mixed(op))
        message_tell(f, op, op->branches.items[1].outcome);
    function_ops(f, &op->branches.items[1].body);
    out_end_line(&f->ctx.out);
    out_printf(&f->ctx.out, "over_%u:;\n", chain);
}

static void put_two_ways(FunctionEmit *f, const LocalOp *op)
{
    uint32_t chain = chain_label(f, op);
    put_branch(f, op, &op->branches.items[0]);
    if (chain != 0) {
        put_go_over(f, &op->branches.items[0], chain);
        control_close(&f->ctx.out, "}");
        put_rest_of_chain(f, op, chain);
        return;
    }
    if (branch_is_empty(op, &op->branches.items[1])) {
        control_close(&f->ctx.out, "}");
        return;
    }
    control_else(&f->ctx.out);
    f->else_ifs++;
    put_branch(f, op, &op->branches.items[1]);
    f->else_ifs--;
    control_close(&f->ctx.out, "}");
}

static void put_switch_self(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    function_statement(f, op);
    out_puts(out, "switch (");
    control_condition(&f->ctx, step_begin(f, op, false), op->condition, false);
    out_puts(out, ") {");
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(out, function_line(f, branch->is_implied ? op->span : branch->span));
        control_labels(&f->ctx, &branch->labels, branch->is_default);
        control_case_begin(out, op->condition->has_call);
        put_branch(f, op, branch);
        control_case_end(out, function_ends(&branch->body));
    }
}

static void put_switch_told(FunctionEmit *f, const LocalOp *op)
{
    function_statement(f, op);
    out_puts(&f->ctx.out, "switch (chx_outcome) {");
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(&f->ctx.out, function_line(f, branch->is_implied ? op->span : branch->span));
        out_printf(&f->ctx.out, "case %u: ", branch->outcome);
        control_case_begin(&f->ctx.out, false);
        put_branch(f, op, branch);
        control_case_end(&f->ctx.out, function_ends(&branch->body));
    }
    function_statement(f, op);
    out_printf(&f->ctx.out, "default: chx_bad_branch(chx_this, %u);", op->site);
}

static void put_switch_arrival(FunctionEmit *f, const LocalOp *op, uint32_t chain)
{
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "switch (chx_arriving(chx_this, %s)) { case 0: %s", f->role->from[op->peer],
               function_wait(f, label));
    for (size_t i = 0; i < op->branches.count; i++) {
        const LocalBranch *branch = &op->branches.items[i];
        out_statement(&f->ctx.out, function_line(f, branch->is_implied ? op->span : branch->span));
        for (size_t k = 0; k < branch->arrivals.count; k++)
            out_printf(&f->ctx.out, "case %u: ", branch->arrivals.items[k]);
        if (chain != 0 && i == 1) {
            out_puts(&f->ctx.out, "break;");
            continue;
        }
        control_case_begin(&f->ctx.out, false);
        f->else_ifs += i;
        put_branch(f, op, branch);
        f->else_ifs -= i;
        if (chain != 0)
            put_go_over(f, branch, chain);
        control_case_end(&f->ctx.out, chain != 0 || function_ends(&branch->body));
    }
    function_statement(f, op);
    out_printf(&f->ctx.out, "default: chx_bad_branch(chx_this, %u);", op->site);
}

void choice_told(FunctionEmit *f, const LocalOp *op)
{
    uint32_t label = function_label(f);
    f->uses_outcome = true;
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!chx_told(chx_this, %s, %u, &chx_outcome)) %s", member_sender(f, op, op->peer),
               op->arrives, function_wait(f, label));
}

// The value of the condition as the number of a branch; for a loop, 1 to go on.
static void put_outcome(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    function_statement(f, op);
    if (!op->is_switch) {
        out_puts(out, "chx_outcome = (");
        control_condition(&f->ctx, choice_step(f, op), op->condition, true);
        out_puts(out, op->kind == LOCAL_LOOP ? ") ? 1 : 0;" : ") ? 0 : 1;");
        return;
    }
    out_puts(out, "switch (");
    control_condition(&f->ctx, step_begin(f, op, false), op->condition, false);
    out_puts(out, ") { ");
    for (size_t i = 0; i < op->branches.count; i++) {
        control_labels(&f->ctx, &op->branches.items[i].labels, op->branches.items[i].is_default);
        out_printf(out, "chx_outcome = %u; break; ", op->branches.items[i].outcome);
    }
    out_puts(out, "}");
    if (op->condition->has_call)
        out_puts(out, " chx_step_end(chx_this);");
}

void choice_mixed(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    f->uses_outcome = true;
    function_statement(f, op);
    out_printf(out, "if (%s) {", member_is_one_of(f, op, &op->decides));
    out->indent++;
    message_room(f, op);
    put_outcome(f, op);
    message_tell_variable(f, op);
    control_else(out);
    choice_told(f, op);
    control_close(out, "}");
}

void choice_put(FunctionEmit *f, const LocalOp *op)
{
    if (!op->is_switch && op->decide != DECIDE_ARRIVAL && op->branches.count == 2) {
        if (op->decide == DECIDE_SELF && !choice_is_mixed(op)) {
            message_room(f, op);
            function_statement(f, op);
            control_if(&f->ctx, choice_step(f, op), op->condition);
        } else {
            if (choice_is_mixed(op))
                choice_mixed(f, op);
            else
                choice_told(f, op);
            function_statement(f, op);
            out_printf(&f->ctx.out, "if (chx_outcome == %u) {", op->branches.items[0].outcome);
            f->ctx.out.indent++;
        }
        put_two_ways(f, op);
        return;
    }
    uint32_t chain = op->decide == DECIDE_ARRIVAL ? chain_label(f, op) : 0;
    control_switch_begin(f->loop);
    if (choice_is_mixed(op)) {
        choice_mixed(f, op);
        put_switch_told(f, op);
    } else if (op->decide == DECIDE_SELF) {
        message_room(f, op);
        put_switch_self(f, op);
    } else if (op->decide == DECIDE_TOLD) {
        choice_told(f, op);
        put_switch_told(f, op);
    } else {
        put_switch_arrival(f, op, chain);
    }
    control_switch_end(&f->ctx.out, f->loop);
    if (chain != 0)
        put_rest_of_chain(f, op, chain);
}
