// Control flow in emitted C, for projected and sequential programs alike.

#include "compiler/emit/control.h"

void control_close(Out *out, const char *text)
{
    out->indent--;
    out_end_line(out);
    for (unsigned i = 0; i < out->indent; i++)
        out_puts(out, "    ");
    out_puts(out, text);
}

// ---- conditions ----

void control_condition(RoleContext *ctx, const char *step, const Expr *condition, bool is_bool)
{
    bool releases = is_bool && condition->has_call;
    out_printf(&ctx->out, "%s, %s", step, releases ? "chx_decided(chx_this, " : "");
    value_expr(ctx, condition);
    out_puts(&ctx->out, releases ? ")" : "");
}

void control_if(RoleContext *ctx, const char *step, const Expr *condition)
{
    out_puts(&ctx->out, "if (");
    control_condition(ctx, step, condition, true);
    out_puts(&ctx->out, ") {");
    ctx->out.indent++;
}

void control_else(Out *out)
{
    control_close(out, "} else {");
    out->indent++;
}

// ---- switches ----

void control_switch_begin(LoopLabels *loop)
{
    if (loop != NULL)
        loop->switches++;
}

void control_switch_end(Out *out, LoopLabels *loop)
{
    out->indent++;
    control_close(out, "}");
    if (loop != NULL)
        loop->switches--;
}

void control_labels(RoleContext *ctx, const ExprList *labels, bool is_default)
{
    for (size_t i = 0; i < labels->count; i++) {
        out_puts(&ctx->out, "case ");
        value_expr(ctx, labels->items[i]);
        out_puts(&ctx->out, ": ");
    }
    out_puts(&ctx->out, is_default ? "default: " : "");
}

// The braces of a case are for the reader only. Deep inside they are left out: a C compiler counts them.
static bool case_has_braces(unsigned indent)
{
    enum { INDENT_WITH_BRACES = 20 };
    return indent <= INDENT_WITH_BRACES;
}

void control_case_begin(Out *out, bool releases)
{
    bool has_braces = case_has_braces(out->indent);
    out_puts(out, has_braces ? "{" : "");
    if (releases)
        out_puts(out, has_braces ? " chx_step_end(chx_this);" : "chx_step_end(chx_this);");
    out->indent++;
}

void control_case_end(Out *out, bool is_left)
{
    if (!is_left) {
        out_statement(out, out->in_source ? out->line : 0);
        out_puts(out, "break;");
    }
    if (case_has_braces(out->indent - 1))
        control_close(out, "}");
    else
        out->indent--;
}

// ---- loops ----

static void put_label(Out *out, const char *what, uint32_t number)
{
    out_end_line(out);
    out_printf(out, "chx_%s_%u:;\n", what, number);
}

void control_loop_begin(RoleContext *ctx, const LoopLabels *loop, const char *step, const Expr *condition)
{
    Out *out = &ctx->out;
    if (loop->head == LOOP_HEAD_WHILE) {
        out_puts(out, "while (");
        control_condition(ctx, step, condition, true);
        out_puts(out, ") {");
    } else {
        out_puts(out, loop->head == LOOP_HEAD_DO ? "do {" : "for (;;) {");
    }
    out->indent++;
}

void control_loop_turn(Out *out, const LoopLabels *loop)
{
    if (loop->has_continue)
        put_label(out, "continue", loop->number);
}

void control_loop_end(RoleContext *ctx, const LoopLabels *loop, const char *step, const Expr *condition)
{
    Out *out = &ctx->out;
    control_close(out, loop->head == LOOP_HEAD_DO ? "} while (" : "}");
    if (loop->head == LOOP_HEAD_DO) {
        control_condition(ctx, step, condition, true);
        out_puts(out, ");");
    }
    if (loop->has_break)
        put_label(out, "break", loop->number);
}

void control_jump(Out *out, LoopLabels *loop, bool is_break, bool in_switch)
{
    if (is_break && in_switch) {
        loop->has_break = true;
        out_printf(out, "goto chx_break_%u;", loop->number);
    } else if (!is_break && !loop->plain_continue) {
        loop->has_continue = true;
        out_printf(out, "goto chx_continue_%u;", loop->number);
    } else {
        out_puts(out, is_break ? "break;" : "continue;");
    }
}
