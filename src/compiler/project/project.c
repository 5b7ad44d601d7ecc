// project.c: all roles at once, in one walk over each instance.
//
// Each statement is handed to the roles that act in it, so the cost is the size of what comes out. A role that is not
// involved in a choice passes it by, and one that does the same in all branches has the first one in place of the choice: what
// it does in the others goes to a list that nobody reads. If no branch of it comes to its end, all of them lead the role to the same place,
// so the role follows the first one, in which there is nothing for it but the jump.

#include "compiler/project/project.h"

#include "compiler/project/tail.h"

#include "base/check.h"

// The functions of one instance, in role order.
typedef struct {
    RoleId *roles;
    LocalFunction **functions;
    size_t count;
} Cast;

typedef struct {
    Arena *arena;
    const Program *program;
    const Knowledge *knowledge;
    LocalProgram **locals;
    Cast *casts; // by instance id
    const Instance *instance;
    LocalOpList **lists;       // by role: where its next operation goes
    VECTOR(LocalOp *) * loops; // by role: the loops around that operation, innermost last
    LocalOpList unread;        // what roles do in branches of which they don't know
} Projector;

// A statement with others inside: one operation for each role that is involved in it.
typedef struct {
    RoleId *roles;
    LocalOp **ops;
    LocalOpList **outer; // where the roles' operations went before
    size_t count;
} Group;

static void project_list(Projector *projector, const NodeList *list, const RoleSet *present);

// ---- functions ----

static LocalFunction *cast_function(const Projector *projector, const Instance *instance, RoleId role)
{
    const Cast *cast = &projector->casts[instance->id];
    size_t low = 0, high = cast->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cast->roles[middle] == role)
            return cast->functions[middle];
        if (cast->roles[middle] < role)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static Variable *variable_of(const VariableList *list, RoleId role)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->role == role)
            return list->items[i];
    return NULL;
}

static LocalFunction *function_new(Projector *projector, const Instance *instance, RoleId role)
{
    LocalProgram *local = projector->locals[role];
    LocalFunction *function = ARENA_NEW(projector->arena, LocalFunction);
    function->id = (uint32_t)local->functions.count;
    function->instance = instance;
    function->name = instance->name;
    function->result = instance_result(instance, role);
    vector_push(projector->arena, &local->functions, function);
    return function;
}

static void cast_instance(Projector *projector, const Instance *instance)
{
    Arena *arena = projector->arena;
    Cast *cast = &projector->casts[instance->id];
    const RoleSet *part = &projector->knowledge->part[instance->id];
    size_t role_count = projector->program->role_count;
    size_t capacity = instance->is_entry ? role_count : roleset_count(part);
    cast->roles = ARENA_ARRAY(arena, RoleId, capacity);
    cast->functions = ARENA_ARRAY(arena, LocalFunction *, capacity);
    for (RoleId role = 0; role < role_count; role++) {
        if (!instance->is_entry && !roleset_has(part, role))
            continue;
        cast->roles[cast->count] = role;
        cast->functions[cast->count++] = function_new(projector, instance, role);
    }
    for (size_t i = 0; i < instance->variables.count; i++) {
        Variable *variable = instance->variables.items[i];
        LocalFunction *function = cast_function(projector, instance, variable->role);
        if (function != NULL)
            vector_push(arena, &function->variables, variable);
    }
    for (size_t i = 0; i < instance->params.count; i++) {
        const VariableList *variables = &instance->params.items[i].variables;
        for (size_t j = 0; j < variables->count; j++) {
            LocalFunction *function = cast_function(projector, instance, variables->items[j]->role);
            if (function != NULL)
                vector_push(arena, &function->params, variables->items[j]);
        }
    }
}

// ---- simple statements ----

static LocalOp *op_new(Projector *projector, RoleId role, LocalKind kind, const Node *node)
{
    LocalOp *op = ARENA_NEW(projector->arena, LocalOp);
    op->kind = kind;
    op->site = node->site;
    op->number = number_of_statement(projector->knowledge->numbers, node->site);
    op->arrives = number_of_message(projector->knowledge->numbers, node->site, role);
    op->span = node->span;
    op->node = node;
    op->peer = ROLE_NONE;
    vector_push(projector->arena, projector->lists[role], op);
    return op;
}

// The messages that go to `op->to` have their numbers from now on.
static void op_number_messages(Projector *projector, LocalOp *op)
{
    for (ROLESET_EACH(role, &op->to))
        vector_push(projector->arena, &op->leaves, number_of_message(projector->knowledge->numbers, op->site, role));
}

static void project_step(Projector *projector, const Node *node)
{
    for (ROLESET_EACH(role, &node->at)) {
        LocalOp *op = op_new(projector, role, LOCAL_STEP, node);
        op->at = node->at;
        op->target = node->target;
        op->op = node->op;
        op->divides = node->divides;
        op->value = node->value;
    }
}

// The types that travel: those that the values have when they arrive; where nothing takes them, those of the values.
static void message_types(Projector *projector, LocalOp *op, const Node *node)
{
    const Pattern *pattern = node->to.pattern;
    op->is_tuple = pattern->kind == PATTERN_TUPLE || node->sent.is_tuple;
    if (!op->is_tuple && pattern->type != NULL) {
        vector_push(projector->arena, &op->types, pattern->type);
        return;
    }
    for (size_t i = 0; i < node->sent.exprs.count; i++) {
        bool has_part = pattern->kind == PATTERN_TUPLE && i < pattern->parts.count;
        const CType *type = has_part ? pattern->parts.items[i]->type : NULL;
        vector_push(projector->arena, &op->types, type != NULL ? type : node->sent.exprs.items[i]->type);
    }
}

static void project_delivery(Projector *projector, const Node *node)
{
    LocalOp *send = op_new(projector, node->from, LOCAL_SEND, node);
    send->sent = node->sent;
    send->at = node->sent.at;
    send->to = roleset_copy(projector->arena, &node->to.at);
    roleset_remove(&send->to, node->from);
    if (roleset_has(&node->to.at, node->from)) {
        send->own = node->to.pattern;
        send->own_at = node->to.at;
    }
    message_types(projector, send, node);
    op_number_messages(projector, send);
    roleset_add_all(&projector->locals[node->from]->sends_to, &send->to);
    for (ROLESET_EACH(role, &send->to)) {
        LocalOp *receive = op_new(projector, role, LOCAL_RECEIVE, node);
        receive->at = node->to.at;
        receive->target = node->to.pattern;
        receive->peer = node->from;
        message_types(projector, receive, node);
        roleset_add(&projector->locals[role]->receives_from, node->from);
    }
}

// Everybody sends before it receives, so that whoever finds a difference has let all others find it, too.
static void project_agree(Projector *projector, const Node *node)
{
    for (ROLESET_EACH(role, &node->at)) {
        LocalOp *send = op_new(projector, role, LOCAL_SEND, node);
        send->at = node->at;
        send->compared = node->target;
        send->to = roleset_copy(projector->arena, &node->at);
        roleset_remove(&send->to, role);
        roleset_add_all(&projector->locals[role]->sends_to, &send->to);
        roleset_add_all(&projector->locals[role]->receives_from, &send->to);
        op_number_messages(projector, send);
        for (ROLESET_EACH(peer, &send->to)) {
            LocalOp *receive = op_new(projector, role, LOCAL_RECEIVE, node);
            receive->at = node->at;
            receive->compared = node->target;
            receive->peer = peer;
        }
    }
}

// Arguments of a role that has no part in the callee are computed for their effect only.
static void project_unused_args(Projector *projector, const Node *node, RoleId role)
{
    for (size_t i = 0; i < node->args.count; i++) {
        const Value *arg = &node->args.items[i];
        for (size_t j = 0; roleset_has(&arg->at, role) && j < arg->exprs.count; j++) {
            if (arg->exprs.items[j]->is_variable || arg->exprs.items[j]->is_constant)
                continue;
            LocalOp *op = op_new(projector, role, LOCAL_STEP, node);
            op->at = arg->at;
            op->value = arg->exprs.items[j];
        }
    }
}

static void project_call(Projector *projector, const Node *node, RoleId role)
{
    const Instance *callee = node->callee;
    if (!roleset_has(&projector->knowledge->part[callee->id], role)) {
        project_unused_args(projector, node, role);
        return;
    }
    LocalOp *op = op_new(projector, role, LOCAL_CALL, node);
    op->callee = cast_function(projector, callee, role);
    CHECK(op->callee != NULL);
    op->args = ARENA_ARRAY(projector->arena, struct LocalArg, op->callee->params.count);
    for (size_t i = 0; i < callee->params.count; i++) {
        const Param *param = &callee->params.items[i];
        if (!roleset_has(&param->at, role))
            continue;
        CHECK(i < node->args.count && node->args.items[i].exprs.count == 1);
        op->args[op->arg_count].param = variable_of(&param->variables, role);
        op->args[op->arg_count++].value = node->args.items[i].exprs.items[0];
    }
    for (size_t i = 0; i < node->results.count; i++) {
        if (roleset_has(&node->results.items[i].at, role)) {
            op->result = node->results.items[i].pattern;
            op->result_at = node->results.items[i].at;
        }
    }
    op->returns_result = node->kind == NODE_RETURN && instance_result(projector->instance, role) != NULL;
}

static void project_return(Projector *projector, const Node *node, RoleId role)
{
    const Instance *instance = projector->instance;
    if (node->callee != NULL) {
        project_call(projector, node, role);
        if (instance_result(instance, role) != NULL)
            return;
    }
    LocalOp *op = op_new(projector, role, LOCAL_RETURN, node);
    for (size_t i = 0; i < node->values.count && i < instance->results.count; i++) {
        if (roleset_has(&instance->results.items[i].at, role)) {
            op->returned = node->values.items[i];
            op->at = node->values.items[i].at;
        }
    }
}

static void project_loop_jump(Projector *projector, const Node *node, RoleId role)
{
    LocalOp *op = op_new(projector, role, node->kind == NODE_BREAK ? LOCAL_BREAK : LOCAL_CONTINUE, node);
    for (size_t i = projector->loops[role].count; i-- > 0 && op->loop_op == NULL;)
        if (projector->loops[role].items[i]->node == node->loop_node)
            op->loop_op = projector->loops[role].items[i];
    CHECK(op->loop_op != NULL);
}

// ---- statements with others inside ----

static Group group_new(Projector *projector, LocalKind kind, const Node *node)
{
    const RoleSet *acting = &projector->knowledge->acting[node->site];
    const RoleSet *unaware = &projector->knowledge->unaware[node->site];
    size_t count = roleset_count(acting);
    Group group = {.roles = ARENA_ARRAY(projector->arena, RoleId, count),
                   .ops = ARENA_ARRAY(projector->arena, LocalOp *, count),
                   .outer = ARENA_ARRAY(projector->arena, LocalOpList *, count)};
    for (ROLESET_EACH(role, acting)) {
        if (roleset_has(unaware, role))
            continue;
        group.roles[group.count] = role;
        group.outer[group.count] = projector->lists[role];
        group.ops[group.count++] = op_new(projector, role, kind, node);
    }
    return group;
}

static void group_close(Projector *projector, const Group *group)
{
    for (size_t i = 0; i < group->count; i++)
        projector->lists[group->roles[i]] = group->outer[i];
}

// Who decides, who is told, by whom. Only the first decider tells.
static void group_decide(Projector *projector, const Group *group, const Node *node)
{
    RoleId teller = node->condition != NULL ? roleset_next(&node->deciders, 0) : ROLE_NONE;
    RoleSet told = roleset_new(projector->arena, projector->program->role_count);
    for (size_t i = 0; i < group->count; i++) {
        RoleId role = group->roles[i];
        LocalOp *op = group->ops[i];
        const Merge *merge =
            node->kind == NODE_CHOICE ? merge_find(&projector->knowledge->merges[node->site], role) : NULL;
        if (node->condition == NULL) {
            op->decide = DECIDE_FOREVER;
        } else if (roleset_has(&node->deciders, role)) {
            op->decide = DECIDE_SELF;
            op->condition = node->condition;
            op->at = node->deciders;
        } else if (merge != NULL) {
            op->decide = DECIDE_ARRIVAL;
            op->peer = merge->peer;
        } else {
            op->decide = DECIDE_TOLD;
            op->peer = teller;
            roleset_add(&told, role);
            roleset_add(&projector->locals[role]->receives_from, teller);
        }
    }
    RoleSet nobody = roleset_new(projector->arena, projector->program->role_count);
    for (size_t i = 0; i < group->count; i++)
        group->ops[i]->to = group->roles[i] == teller ? told : nobody;
    for (size_t i = 0; i < group->count; i++)
        op_number_messages(projector, group->ops[i]);
    if (teller != ROLE_NONE)
        roleset_add_all(&projector->locals[teller]->sends_to, &told);
}

static void branch_add_arrival(Projector *projector, LocalBranch *branch, uint32_t site, RoleId role)
{
    uint32_t number = number_of_message(projector->knowledge->numbers, site, role);
    for (size_t i = 0; i < branch->arrivals.count; i++)
        if (branch->arrivals.items[i] == number)
            return;
    vector_push(projector->arena, &branch->arrivals, number);
}

static void branches_init(Projector *projector, const Group *group, const Node *node)
{
    Arena *arena = projector->arena;
    for (size_t i = 0; i < group->count; i++) {
        LocalOp *op = group->ops[i];
        op->is_switch = node->is_switch;
        const Merge *merge = op->decide == DECIDE_ARRIVAL
                                 ? merge_find(&projector->knowledge->merges[node->site], group->roles[i])
                                 : NULL;
        for (size_t j = 0; j < node->branches.count; j++) {
            const Branch *branch = &node->branches.items[j];
            LocalBranch local = {.labels = branch->labels,
                                 .is_default = branch->is_default,
                                 .is_implied = branch->is_implied,
                                 .outcome = (uint32_t)j,
                                 .span = branch->span};
            for (size_t k = 0; merge != NULL && k < merge->arrivals[j].count; k++)
                branch_add_arrival(projector, &local, merge->arrivals[j].items[k], group->roles[i]);
            vector_push(arena, &op->branches, local);
        }
    }
}

// The roles that follow the first branch: those that act in the statement. If none of its branches ever reaches what
// stands behind it, the others that are present go there too, since nothing is left for them elsewhere.
static const RoleSet *present_first(Projector *projector, const Node *node, const RoleSet *present)
{
    const RoleSet *acting = &projector->knowledge->acting[node->site];
    return projector->knowledge->completes[node->site] ? acting : present;
}

static void project_choice(Projector *projector, const Node *node, const RoleSet *present)
{
    const RoleSet *unaware = &projector->knowledge->unaware[node->site];
    RoleSet aware = roleset_copy(projector->arena, &projector->knowledge->acting[node->site]);
    LocalOpList **before = ARENA_ARRAY(projector->arena, LocalOpList *, roleset_count(unaware));
    Group group = group_new(projector, LOCAL_CHOICE, node);
    group_decide(projector, &group, node);
    branches_init(projector, &group, node);
    for (size_t i = 0; i < node->branches.count; i++) {
        for (size_t j = 0; j < group.count; j++)
            projector->lists[group.roles[j]] = &group.ops[j]->branches.items[i].body;
        project_list(projector, &node->branches.items[i].body,
                     i == 0 ? present_first(projector, node, present) : &aware);
        size_t count = 0;
        for (ROLESET_EACH(role, unaware)) {
            if (i > 0)
                continue;
            roleset_remove(&aware, role);
            before[count++] = projector->lists[role];
            projector->lists[role] = &projector->unread;
        }
    }
    size_t count = 0;
    for (ROLESET_EACH(role, unaware))
        projector->lists[role] = before[count++];
    group_close(projector, &group);
}

static void project_loop(Projector *projector, const Node *node)
{
    const RoleSet *acting = &projector->knowledge->acting[node->site];
    Group group = group_new(projector, LOCAL_LOOP, node);
    group_decide(projector, &group, node);
    for (size_t i = 0; i < group.count; i++) {
        group.ops[i]->loop = node->loop;
        group.ops[i]->is_round = node->body.count == 1 && node->body.items[0]->is_round;
        vector_push(projector->arena, &projector->loops[group.roles[i]], group.ops[i]);
        projector->lists[group.roles[i]] = &group.ops[i]->body;
    }
    project_list(projector, &node->body, acting);
    for (size_t i = 0; i < group.count; i++)
        projector->lists[group.roles[i]] = &group.ops[i]->step;
    project_list(projector, &node->step, acting);
    for (size_t i = 0; i < group.count; i++)
        projector->loops[group.roles[i]].count--;
    group_close(projector, &group);
}

static void project_checkpoint(Projector *projector, const Node *node, const RoleSet *present)
{
    const RoleSet *acting = &projector->knowledge->acting[node->site];
    Group group = group_new(projector, LOCAL_CHECKPOINT, node);
    for (size_t i = 0; i < group.count; i++) {
        LocalOp *op = group.ops[i];
        op->is_round = node->is_round;
        op->has_rescue = node->has_rescue;
        op->has_within = node->has_within;
        op->has_retry = node->has_retry;
        op->within_ns = node->within_ns;
        op->retry = node->retry;
        op->participants = projector->knowledge->participants[node->site];
        op->fault = variable_of(&node->fault_variables, group.roles[i]);
        projector->lists[group.roles[i]] = &op->body;
    }
    project_list(projector, &node->body, present_first(projector, node, present));
    for (size_t i = 0; i < group.count; i++)
        projector->lists[group.roles[i]] = &group.ops[i]->rescue;
    if (node->has_rescue)
        project_list(projector, &node->rescue, acting);
    group_close(projector, &group);
}

static void project_node(Projector *projector, const Node *node, const RoleSet *present)
{
    switch (node->kind) {
    case NODE_STEP:
        project_step(projector, node);
        break;
    case NODE_DELIVERY:
        project_delivery(projector, node);
        break;
    case NODE_AGREE:
        project_agree(projector, node);
        break;
    case NODE_CALL:
        for (ROLESET_EACH(role, &projector->knowledge->acting[node->site]))
            project_call(projector, node, role);
        break;
    case NODE_CHOICE:
        project_choice(projector, node, present);
        break;
    case NODE_LOOP:
        project_loop(projector, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        for (ROLESET_EACH(role, present))
            project_loop_jump(projector, node, role);
        break;
    case NODE_RETURN:
        for (ROLESET_EACH(role, present))
            project_return(projector, node, role);
        break;
    case NODE_CHECKPOINT:
        project_checkpoint(projector, node, present);
        break;
    case NODE_BLOCK:
        project_list(projector, &node->body, present);
        break;
    }
}

// `present`: the roles whose operations of this list are wanted.
static void project_list(Projector *projector, const NodeList *list, const RoleSet *present)
{
    for (size_t i = 0; i < list->count; i++) {
        project_node(projector, list->items[i], present);
        if (!projector->knowledge->completes[list->items[i]->site])
            break;
    }
}

// ---- all ----

static void locals_new(Projector *projector)
{
    const Program *program = projector->program;
    projector->locals = ARENA_ARRAY(projector->arena, LocalProgram *, program->role_count);
    for (RoleId role = 0; role < program->role_count; role++) {
        LocalProgram *local = ARENA_NEW(projector->arena, LocalProgram);
        local->program = program;
        local->role = role;
        local->name = program->role_names[role];
        local->sends_to = roleset_new(projector->arena, program->role_count);
        local->receives_from = roleset_new(projector->arena, program->role_count);
        projector->locals[role] = local;
    }
    for (size_t i = 0; i < program->functions.count; i++) {
        RoleFunction *function = program->functions.items[i];
        vector_push(projector->arena, &projector->locals[function->role]->provides, function);
    }
}

LocalProgram **project_all(Arena *arena, const Program *program, const Knowledge *knowledge)
{
    Projector projector = {.arena = arena, .program = program, .knowledge = knowledge};
    projector.casts = ARENA_ARRAY(arena, Cast, program->instances.count);
    projector.lists = ARENA_ARRAY(arena, LocalOpList *, program->role_count);
    projector.loops = arena_alloc(arena, program->role_count * sizeof *projector.loops);
    locals_new(&projector);
    for (size_t i = 0; i < program->instances.count; i++)
        cast_instance(&projector, program->instances.items[i]);
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        const Cast *cast = &projector.casts[i];
        projector.instance = instance;
        for (size_t j = 0; j < cast->count; j++)
            projector.lists[cast->roles[j]] = &cast->functions[j]->body;
        project_list(&projector, &instance->body, &knowledge->part[i]);
        for (size_t j = 0; j < cast->count; j++)
            tail_mark(cast->functions[j]);
    }
    return projector.locals;
}
