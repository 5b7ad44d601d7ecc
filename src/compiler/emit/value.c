// Values in emitted code: expressions, assignments, messages in parts, patterns, steps.

#include "compiler/emit/value.h"

#include <string.h>

uint32_t context_line(const RoleContext *ctx, Span span)
{
    return span.file == FILE_NONE ? 0 : span_position(ctx->program->sources, span).line;
}

const char *context_step_begin(const RoleContext *ctx, uint32_t site, Span span)
{
    if (ctx->is_central && ctx->member != NULL)
        return arena_printf(ctx->arena, "chx_central_at_member(chx_this, %u, %s, %u, %u)", ctx->role, ctx->member, site,
                            context_line(ctx, span));
    if (ctx->is_central)
        return arena_printf(ctx->arena, "chx_central_at(chx_this, %u, %u, %u)", ctx->role, site,
                            context_line(ctx, span));
    if (ctx->counter != 0)
        return arena_printf(ctx->arena, "chx_step_begin_again(chx_this, %u, %u)", site, ctx->counter);
    return arena_printf(ctx->arena, "chx_step_begin(chx_this, %u)", site);
}

static bool is_integer(const CType *type)
{
    return type->kind == CTYPE_INTEGER || type->kind == CTYPE_ENUM || type->kind == CTYPE_BOOL;
}

bool value_is_quiet(const RoleContext *ctx, const Expr *expr)
{
    for (size_t i = 0; expr->is_arithmetic && i < expr->pieces.count; i++) {
        const Piece *piece = &expr->pieces.items[i];
        if (piece->kind == PIECE_VARIABLE && !is_integer(piece_variable(expr, piece, ctx->role)->type))
            return false;
    }
    return expr->is_arithmetic;
}

// ---- local C ----

// In a sequential program the role's functions lie in a table, as pointers. What is not called there must be a function
// all the same: `&f`, `typeof(f)`, `sizeof f` mean the function and not the table's entry.
static const char *function_text(const RoleContext *ctx, const Piece *piece)
{
    const char *name = arena_printf(ctx->arena, "%s%s", ctx->functions, piece->function->name);
    return ctx->is_central && !piece->is_called ? arena_printf(ctx->arena, "(*%s)", name) : name;
}

// `text`: what is printed of a piece of TEXT, as it is or on one line.
static const char *piece_text(RoleContext *ctx, const Expr *expr, const Piece *piece, const char *text)
{
    switch (piece->kind) {
    case PIECE_TEXT:
        return text;
    case PIECE_VARIABLE:
        if (piece_variable(expr, piece, ctx->role)->is_fixed)
            return arena_printf(ctx->arena, "((size_t)%zu)", piece_variable(expr, piece, ctx->role)->fixed);
        if (piece_variable(expr, piece, ctx->role)->is_count)
            return arena_printf(ctx->arena, "chx_members(chx_this, %u)",
                                piece_variable(expr, piece, ctx->role)->family);
        if (ctx->is_central && piece_variable(expr, piece, ctx->role)->is_index)
            return arena_printf(ctx->arena, "chx_here->chx_index_%u",
                                piece_variable(expr, piece, ctx->role)->each->view);
        ctx->uses_variables = true;
        return arena_printf(ctx->arena, "%s%s", ctx->variables, piece_variable(expr, piece, ctx->role)->c_name);
    case PIECE_FUNCTION:
        return function_text(ctx, piece);
    }
    return "";
}

static void put_pieces(RoleContext *ctx, const Expr *expr)
{
    bool parens = expr->needs_parentheses;
    if (parens)
        out_puts(&ctx->out, "(");
    for (size_t i = 0; i < expr->pieces.count; i++)
        out_puts(&ctx->out, piece_text(ctx, expr, &expr->pieces.items[i], expr->pieces.items[i].text));
    if (parens)
        out_puts(&ctx->out, ")");
}

void value_expr(RoleContext *ctx, const Expr *expr)
{
    uint32_t line = context_line(ctx, expr->span);
    if (line != 0 && !(ctx->out.in_source && ctx->out.line == line)) {
        ctx->out.indent++;
        out_statement(&ctx->out, line);
        ctx->out.indent--;
    }
    // Nobody complains about a plain variable or a constant.
    bool is_plain = expr->is_variable || expr->is_constant;
    if (line != 0 && !is_plain)
        out_column(&ctx->out, span_position(ctx->program->sources, expr->span).column - expr->needs_parentheses);
    put_pieces(ctx, expr);
}

char *value_text(RoleContext *ctx, const Expr *expr)
{
    Text text;
    text_init(&text, ctx->arena);
    for (size_t i = 0; i < expr->pieces.count; i++)
        text_puts(&text, piece_text(ctx, expr, &expr->pieces.items[i], expr->pieces.items[i].line));
    return text.chars;
}

bool value_makes(const Value *value)
{
    for (size_t i = 0; i < value->exprs.count; i++) {
        if (value->exprs.items[i]->has_call)
            return true;
    }
    return false;
}

static const char *descriptor(RoleContext *ctx, const CType *type)
{
    return types_use(ctx->types, type);
}

// ---- from expressions ----

// An array can be initialised with braces or a string, but not assigned.
static bool is_initialiser(const Expr *expr)
{
    return expr->is_braces || expr->is_literal;
}

// A macro may stand for a string literal, which is shorter or longer than the array.
static bool may_be_literal(const CType *type, const Expr *expr)
{
    return type->is_char_array && !expr->is_variable && !is_initialiser(expr);
}

void value_temporary(RoleContext *ctx, const char *name, const CType *type, const Expr *expr)
{
    Out *out = &ctx->out;
    out_puts(out, type_declare(ctx->arena, type, name));
    if (type->kind != CTYPE_ARRAY || is_initialiser(expr)) {
        out_puts(out, " = ");
        value_expr(ctx, expr);
        out_puts(out, "; ");
    } else if (may_be_literal(type, expr)) {
        out_printf(out, " = {0}; memcpy(%s, ", name);
        value_expr(ctx, expr);
        out_printf(out, ", sizeof %s < sizeof(%s) ? sizeof %s : sizeof(%s)); ", name, value_text(ctx, expr), name,
                   value_text(ctx, expr));
    } else {
        out_printf(out, "; memcpy(%s, ", name);
        value_expr(ctx, expr);
        out_printf(out, ", sizeof %s); ", name);
    }
}

// place = expr, without regard to ownership.
static void assign_bits(RoleContext *ctx, const char *place, const CType *type, const Expr *expr)
{
    Out *out = &ctx->out;
    if (type->kind == CTYPE_ARRAY && (is_initialiser(expr) || may_be_literal(type, expr))) {
        out_puts(out, "{ ");
        value_temporary(ctx, "chx_array", type, expr);
        out_printf(out, "memcpy(%s, chx_array, sizeof chx_array); } ", place);
    } else if (type->kind == CTYPE_ARRAY) {
        out_printf(out, "memmove(%s, ", place);
        value_expr(ctx, expr);
        out_printf(out, ", sizeof %s); ", place);
    } else {
        out_printf(out, "%s = ", place);
        if (expr->is_braces)
            out_printf(out, "(%s)", type_name(ctx->arena, type));
        value_expr(ctx, expr);
        out_puts(out, "; ");
    }
}

bool value_is_cstring_variable(const RoleContext *ctx, const Expr *expr)
{
    return expr->is_variable && piece_variable(expr, &expr->pieces.items[0], ctx->role)->type->kind == CTYPE_CSTRING;
}

void value_assign(RoleContext *ctx, const char *place, const CType *type, const Expr *expr)
{
    Out *out = &ctx->out;
    const char *set = type->kind == CTYPE_CSTRING ? "chx_set_cstring"
                      : type->kind == CTYPE_STR   ? "chx_set_str"
                      : type->kind == CTYPE_BYTES ? "chx_set_bytes"
                                                  : NULL;
    if (type->kind == CTYPE_CSTRING && value_is_cstring_variable(ctx, expr))
        set = "chx_share_cstring";
    if (!type->is_owning) {
        assign_bits(ctx, place, type, expr);
    } else if (set != NULL && !expr->is_braces) {
        out_printf(out, "%s(&%s, ", set, place);
        value_expr(ctx, expr);
        out_puts(out, "); ");
    } else {
        out_puts(out, "{ ");
        value_temporary(ctx, "chx_value", type, expr);
        bool moves = type->kind == CTYPE_CODEC && expr->given != NULL;
        out_printf(out, "%s(&%s, &%s, &chx_value); ", moves ? "chx_set_moved" : "chx_set", descriptor(ctx, type),
                   place);
        if (!moves)
            value_release(ctx, "chx_value", type, expr);
        out_puts(out, "} ");
    }
}

void value_zero(RoleContext *ctx, const char *place, const CType *type)
{
    switch (type->kind) {
    case CTYPE_BOOL:
        out_printf(&ctx->out, "%s = false;", place);
        break;
    case CTYPE_INTEGER:
    case CTYPE_FLOAT:
    case CTYPE_COMPLEX:
    case CTYPE_ENUM:
        out_printf(&ctx->out, "%s = 0;", place);
        break;
    case CTYPE_POINTER:
        out_printf(&ctx->out, "%s = NULL;", place);
        break;
    default:
        if (type->is_owning)
            out_printf(&ctx->out, "chx_value_drop(&%s, &%s);", descriptor(ctx, type), place);
        else
            out_printf(&ctx->out, "memset(&%s, 0, sizeof %s);", place, place);
    }
}

// ---- what a step holds ----

const char *value_hold(RoleContext *ctx, const Shape *shape)
{
    Held *held = NULL;
    for (size_t i = 0; i < ctx->held->count && held == NULL; i++) {
        Held *item = &ctx->held->items[i];
        if (!item->is_taken && strcmp(item->descriptor, shape->descriptor) == 0)
            held = item;
    }
    if (held == NULL) {
        const char *name = arena_printf(ctx->arena, "chx_held_%zu", ctx->held->count + 1);
        Held item = {.name = name, .declaration = shape_declare(ctx->arena, shape, name)};
        item.descriptor = shape->descriptor;
        vector_push(ctx->arena, ctx->held, item);
        held = &ctx->held->items[ctx->held->count - 1];
    }
    held->is_taken = true;
    ctx->uses_variables = true;
    return arena_printf(ctx->arena, "%s%s", ctx->variables, held->name);
}

void value_hold_none(RoleContext *ctx)
{
    for (size_t i = 0; i < ctx->held->count; i++)
        ctx->held->items[i].is_taken = false;
}

const char *value_hold_given(RoleContext *ctx, const CType *type, const Expr *expr)
{
    if (ctx->held == NULL || type->kind != CTYPE_CODEC || expr->given == NULL)
        return NULL;
    Shape shape = types_shape(ctx->types, type);
    const char *held = value_hold(ctx, &shape);
    assign_bits(ctx, held, type, expr);
    return held;
}

Gathered value_gather(RoleContext *ctx, const char *name, const Shape *shape, const Value *value)
{
    Gathered gathered = {name, shape, value, ARENA_ARRAY(ctx->arena, const char *, value->exprs.count)};
    if (shape->type != NULL) {
        gathered.held[0] = value_hold_given(ctx, shape->type, value->exprs.items[0]);
        if (gathered.held[0] != NULL)
            out_printf(&ctx->out, "%s = %s; ", type_declare(ctx->arena, shape->type, name), gathered.held[0]);
        else
            value_temporary(ctx, name, shape->type, value->exprs.items[0]);
        return gathered;
    }
    out_printf(&ctx->out, "%s; ", shape_declare(ctx->arena, shape, name));
    for (size_t i = 0; i < shape->part_count; i++) {
        gathered.held[i] = value_hold_given(ctx, shape->parts[i], value->exprs.items[i]);
        if (gathered.held[i] != NULL)
            out_printf(&ctx->out, "%s.v%zu = %s; ", name, i, gathered.held[i]);
        else
            assign_bits(ctx, arena_printf(ctx->arena, "%s.v%zu", name, i), shape->parts[i], value->exprs.items[i]);
    }
    return gathered;
}

static void release_codecs(RoleContext *ctx, const char *name, const CType *type, unsigned depth)
{
    if (!ctype_has_codec(type))
        return;
    if (type->kind == CTYPE_CODEC) {
        out_printf(&ctx->out, "chx_value_drop(&%s, &%s); ", descriptor(ctx, type), name);
    } else if (type->kind == CTYPE_ARRAY) {
        out_printf(&ctx->out, "for (size_t chx_i%u = 0; chx_i%u < %llu; chx_i%u++) { ", depth, depth,
                   (unsigned long long)type->count, depth);
        release_codecs(ctx, arena_printf(ctx->arena, "%s[chx_i%u]", name, depth), type->element, depth + 1);
        out_puts(&ctx->out, "} ");
    } else {
        for (size_t i = 0; i < type->fields.count; i++) {
            const CField *field = &type->fields.items[i];
            const char *inner = field->name == NULL ? name : arena_printf(ctx->arena, "%s.%s", name, field->name);
            release_codecs(ctx, inner, field->type, depth);
        }
    }
}

void value_release(RoleContext *ctx, const char *name, const CType *type, const Expr *expr)
{
    if (expr->given != NULL && ctype_has_codec(type))
        release_codecs(ctx, name, type, 0);
}

void value_release_all(RoleContext *ctx, const Gathered *gathered)
{
    const Shape *shape = gathered->shape;
    size_t count = shape->type != NULL ? 1 : shape->part_count;
    for (size_t i = 0; i < count; i++) {
        const CType *type = shape->type != NULL ? shape->type : shape->parts[i];
        const char *name =
            shape->type != NULL ? gathered->name : arena_printf(ctx->arena, "%s.v%zu", gathered->name, i);
        value_release(ctx, gathered->held[i] != NULL ? gathered->held[i] : name, type, gathered->value->exprs.items[i]);
    }
}

// ---- into patterns ----

const char *value_place(RoleContext *ctx, const Pattern *pattern, const RoleSet *at, const CType **type)
{
    if (pattern->kind == PATTERN_PLACE) {
        *type = pattern->type;
        return value_text(ctx, pattern->expr);
    }
    Variable *variable = pattern_variable(at, pattern, ctx->role);
    ctx->uses_variables = true;
    *type = variable->type;
    return arena_printf(ctx->arena, "%s%s", ctx->variables, variable->c_name);
}

typedef struct {
    RoleContext *ctx;
    uint32_t site;
    const RoleSet *at;
    const char *whole; // dropped before a mismatch ends the step; NULL: nothing to drop
    const char *whole_descriptor;
    StoreMode mode;
} Store;

static const char *cast_to(RoleContext *ctx, const CType *type)
{
    return type->is_named ? arena_printf(ctx->arena, "(%s)", type_name(ctx->arena, type)) : "";
}

// Numbers are equal as `==` has it in C. The casts only say what C would do anyway, so that nobody warns of it; the
// narrower one is never cut off.
static void put_numbers_equal(RoleContext *ctx, const char *source, const CType *type, const Expr *expected)
{
    enum { INT_SIZE = 4 };
    const char *left = "", *right = "";
    const CType *other = expected->type;
    bool is_wide = type->size >= INT_SIZE && type->size >= other->size;
    if (!is_integer(type) || (is_integer(other) && is_wide))
        right = cast_to(ctx, type);
    else if (is_integer(other) && other->size >= INT_SIZE)
        left = cast_to(ctx, other);
    out_printf(&ctx->out, "(%s%s == %s(", left, source, right);
    value_expr(ctx, expected);
    out_puts(&ctx->out, "))");
}

static void put_equal(RoleContext *ctx, const char *source, const CType *type, const Expr *expected)
{
    Out *out = &ctx->out;
    const char *tail = ")";
    switch (type->kind) {
    case CTYPE_CSTRING:
        out_printf(out, "chx_cstring_equal(%s, ", source);
        break;
    case CTYPE_STR:
        out_printf(out, "chx_str_equal(%s, ", source);
        break;
    case CTYPE_BYTES:
        out_printf(out, "chx_bytes_equal(%s, ", source);
        break;
    case CTYPE_ARRAY:
        // Of characters: a string, which need not end inside the array.
        out_printf(out, "(strncmp(%s, ", source);
        tail = arena_printf(ctx->arena, ", sizeof %s) == 0)", source);
        break;
    default:
        put_numbers_equal(ctx, source, type, expected);
        return;
    }
    value_expr(ctx, expected);
    out_puts(out, tail);
}

static const CType *part_type(const Pattern *pattern, const Shape *shape, size_t index)
{
    if (pattern->kind == PATTERN_TUPLE)
        return shape->parts[index];
    const CType *field = type_field(shape->type, pattern->parts.items[index]->field);
    return field != NULL ? field : pattern->parts.items[index]->type;
}

static const char *part_source(const Store *store, const Pattern *pattern, const char *source, size_t index)
{
    if (pattern->kind == PATTERN_TUPLE)
        return arena_printf(store->ctx->arena, "%s.v%zu", source, index);
    return arena_printf(store->ctx->arena, "%s.%s", source, pattern->parts.items[index]->field);
}

static void store_matches(const Store *store, const Pattern *pattern, const char *source, const Shape *shape)
{
    RoleContext *ctx = store->ctx;
    for (size_t i = 0; i < pattern->parts.count; i++) {
        Shape part = {.type = part_type(pattern, shape, i)};
        store_matches(store, pattern->parts.items[i], part_source(store, pattern, source, i), &part);
    }
    if (pattern->kind != PATTERN_MATCH)
        return;
    out_printf(&ctx->out, "%s; if (!", context_step_begin(ctx, store->site, pattern->span));
    put_equal(ctx, source, shape->type, pattern->expr);
    out_puts(&ctx->out, ") { ");
    if (store->whole != NULL)
        out_printf(&ctx->out, "chx_value_drop(&%s, &%s); ", store->whole_descriptor, store->whole);
    const char *expected = c_literal(ctx->arena, pattern->shown);
    if (ctx->is_central)
        out_printf(&ctx->out, "chx_central_mismatch(chx_this, %s); } ", expected);
    else
        out_printf(&ctx->out, "chx_mismatch(chx_this, %u, %s); } ", store->site, expected);
    if (pattern->expr->has_call)
        out_puts(&ctx->out, "chx_step_end(chx_this); ");
}

static void store_place(const Store *store, const char *place, const CType *type, const char *source,
                        const CType *source_type)
{
    RoleContext *ctx = store->ctx;
    Out *out = &ctx->out;
    if (!type->is_owning && type->kind == CTYPE_ARRAY)
        out_printf(out, "memmove(%s, %s, sizeof %s); ", place, source, place);
    else if (!type->is_owning)
        out_printf(out, "%s = %s; ", place, source);
    else if (type->kind == CTYPE_CSTRING && source_type->kind != CTYPE_CSTRING)
        out_printf(out, "chx_set_cstring(&%s, %s); ", place, source);
    else
        out_printf(out, "%s(&%s, &%s, &%s); ", store->mode != STORE_COPY ? "chx_set_moved" : "chx_set",
                   descriptor(ctx, type), place, source);
}

// Is all that the struct owns taken out of it by the pattern, each field as a whole?
static bool takes_all_owned(const Store *store, const Pattern *pattern, const CType *type)
{
    for (size_t i = 0; i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        bool is_taken = !field->type->is_owning;
        for (size_t j = 0; j < pattern->parts.count && !is_taken; j++) {
            const Pattern *part = pattern->parts.items[j];
            is_taken = part->kind == PATTERN_BIND && field->name != NULL && strcmp(part->field, field->name) == 0 &&
                       type_same(pattern_variable(store->at, part, store->ctx->role)->type, field->type);
        }
        if (!is_taken)
            return false;
    }
    return type->fields.count > 0;
}

static void store_binds(const Store *store, const Pattern *pattern, const char *source, const Shape *shape)
{
    RoleContext *ctx = store->ctx;
    bool moves = store->mode != STORE_COPY;
    const CType *type = NULL;
    switch (pattern->kind) {
    case PATTERN_BIND:
    case PATTERN_PLACE: {
        const char *place = value_place(ctx, pattern, store->at, &type);
        // An index is computed here: this may make something, and may fail.
        if (pattern->kind == PATTERN_PLACE)
            out_printf(&ctx->out, "%s; ", context_step_begin(ctx, store->site, pattern->span));
        store_place(store, place, type, source, shape->type);
        if (pattern->kind == PATTERN_PLACE && pattern->expr->has_call)
            out_puts(&ctx->out, "chx_step_end(chx_this); ");
        break;
    }
    case PATTERN_DROP:
    case PATTERN_MATCH:
        // Only a whole message can be a tuple, and that has a descriptor of its own.
        if (moves && shape->type == NULL && shape->is_owning)
            out_printf(&ctx->out, "chx_value_drop(&%s, &%s); ", shape->descriptor, source);
        else if (moves && shape->type != NULL && shape->type->is_owning)
            out_printf(&ctx->out, "chx_value_drop(&%s, &%s); ", descriptor(ctx, shape->type), source);
        break;
    case PATTERN_TUPLE:
    case PATTERN_STRUCT:
        for (size_t i = 0; i < pattern->parts.count; i++) {
            Shape part = {.type = part_type(pattern, shape, i)};
            store_binds(store, pattern->parts.items[i], part_source(store, pattern, source, i), &part);
        }
        // What was taken out is zero by now.
        if (pattern->kind == PATTERN_STRUCT && moves && shape->type->is_owning &&
            !(store->mode == STORE_MOVE && takes_all_owned(store, pattern, shape->type)))
            out_printf(&ctx->out, "chx_value_drop(&%s, &%s); ", descriptor(ctx, shape->type), source);
        break;
    }
}

bool pattern_may_fail(const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->parts.count; i++) {
        if (pattern_may_fail(pattern->parts.items[i]))
            return true;
    }
    return pattern->kind == PATTERN_MATCH || pattern->kind == PATTERN_PLACE;
}

void value_store(RoleContext *ctx, uint32_t site, const Pattern *pattern, const RoleSet *at, const char *source,
                 const Shape *shape, StoreMode mode)
{
    bool drops = mode == STORE_MOVE && shape->is_owning;
    Store store = {ctx, site, at, drops ? source : NULL, shape->descriptor, mode};
    store_matches(&store, pattern, source, shape);
    store_binds(&store, pattern, source, shape);
}

// ---- steps ----

void value_effect(RoleContext *ctx, const Expr *expr)
{
    Out *out = &ctx->out;
    const CType *type = expr->given != NULL ? expr->given : expr->type;
    if (type->kind == CTYPE_VOID) {
        value_expr(ctx, expr);
        out_puts(out, ";");
    } else if (ctype_has_codec(type)) {
        out_puts(out, "{ ");
        value_temporary(ctx, "chx_value", type, expr);
        value_release(ctx, "chx_value", type, expr);
        out_puts(out, "(void)chx_value; }");
    } else {
        out_puts(out, "(void)(");
        value_expr(ctx, expr);
        out_puts(out, ");");
    }
}

void value_step(RoleContext *ctx, uint32_t site, const RoleSet *at, const Pattern *target, const char *op,
                const Expr *value)
{
    Out *out = &ctx->out;
    if (target == NULL) {
        value_effect(ctx, value);
        return;
    }
    if (target->kind != PATTERN_BIND && target->kind != PATTERN_PLACE) {
        Shape shape = types_shape(ctx->types, value->type);
        out_puts(out, "{ ");
        value_temporary(ctx, "chx_value", shape.type, value);
        value_store(ctx, site, target, at, "chx_value", &shape, STORE_COPY);
        value_release(ctx, "chx_value", shape.type, value);
        out_puts(out, "}");
        return;
    }
    const CType *type = NULL;
    const char *place = value_place(ctx, target, at, &type);
    if (op == NULL && type->kind == CTYPE_SEQUENCE) {
        out_printf(out, "chx_sequence_new(&%s, &%s, chx_members(chx_this, %u));", descriptor(ctx, type), place,
                   type->over);
    } else if (op == NULL) {
        value_zero(ctx, place, type);
    } else if (strcmp(op, "=") == 0 && target->kind == PATTERN_PLACE && target->expr->has_call && value->has_call) {
        // C does not say whether `a[f()] = g()` calls f or g first. Here the value comes first, as in a delivery.
        Store store = {ctx, site, at, NULL, NULL, STORE_COPY};
        out_puts(out, "{ ");
        value_temporary(ctx, "chx_value", type, value);
        store_place(&store, place, type, "chx_value", type);
        value_release(ctx, "chx_value", type, value);
        out_puts(out, "}");
    } else if (strcmp(op, "=") == 0) {
        value_assign(ctx, place, type, value);
    } else if (value == NULL) {
        out_printf(out, "%s%s;", place, op);
    } else {
        out_printf(out, "%s %s ", place, op);
        value_expr(ctx, value);
        out_puts(out, ";");
    }
}

const char *value_disagreement(const RoleContext *ctx, const RoleSet *at, const Pattern *bind)
{
    const char *text = "";
    size_t left = roleset_count(at);
    for (ROLESET_EACH(role, at)) {
        const char *behind = left == 1 ? "" : left == 2 ? " and " : ", ";
        text = arena_printf(ctx->arena, "%s%s%s", text, ctx->program->role_names[role], behind);
        left--;
    }
    return c_literal(ctx->arena,
                     arena_printf(ctx->arena, "%s do not agree on '%s'", text, bind->variables.items[0]->name));
}
