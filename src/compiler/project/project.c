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
    LocalOpList **lists;       // by RoleId: where its next operation goes. Views of a family mostly share the family's
    VECTOR(LocalOp *) * loops; // by role: the loops around that operation, innermost last
    LocalOpList unread;        // what roles do in branches of which they don't know
} Projector;

// Members of a role: the role itself, or those of a family that a set names.
typedef struct {
    RoleId role;
    RoleSet who;
} Party;
typedef VECTOR(Party) PartyList;

typedef struct {
    RoleId id;
    LocalOpList *list;
} Outer;

// A statement with others inside: one operation for each role that is involved in it.
typedef struct {
    PartyList parties;
    LocalOp **ops;
    VECTOR(Outer) outer; // where their operations went before
    size_t count;
} Group;

static void project_list(Projector *projector, const NodeList *list, const RoleSet *present);

// ---- members of families ----

static void parties_of(Projector *projector, const RoleSet *set, PartyList *parties)
{
    const Program *program = projector->program;
    for (ROLESET_EACH(id, set)) {
        RoleId role = program->role_of[id];
        size_t i = role == id ? parties->count : 0; // a role comes only once, and before all views
        while (i < parties->count && parties->items[i].role != role)
            i++;
        if (i == parties->count)
            vector_push(projector->arena, parties, ((Party){role, roleset_new(projector->arena, program->id_count)}));
        roleset_add(&parties->items[i].who, id);
    }
}

// Is every member of the family among them, at this place?
static bool is_everybody(const Node *node, RoleId family, const RoleSet *who)
{
    for (const Node *each = node->around; each != NULL; each = each->around)
        if (each->family == family && !roleset_has(who, each->view))
            return false;
    return roleset_has(who, family);
}

// By which RoleId a message to a member of `who` is numbered.
static RoleId receiver_id(const Projector *projector, const Party *party)
{
    (void)projector;
    return roleset_has(&party->who, party->role) ? party->role : roleset_next(&party->who, 0);
}

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

// Families instead of their members.
static RoleSet roles_of(Projector *projector, const RoleSet *set)
{
    RoleSet roles = roleset_new(projector->arena, projector->program->id_count);
    for (ROLESET_EACH(id, set))
        roleset_add(&roles, projector->program->role_of[id]);
    return roles;
}

static void cast_instance(Projector *projector, const Instance *instance)
{
    Arena *arena = projector->arena;
    Cast *cast = &projector->casts[instance->id];
    RoleSet part = roles_of(projector, &projector->knowledge->part[instance->id]);
    size_t role_count = projector->program->role_count;
    size_t capacity = role_count;
    cast->roles = ARENA_ARRAY(arena, RoleId, capacity);
    cast->functions = ARENA_ARRAY(arena, LocalFunction *, capacity);
    for (RoleId role = 0; role < role_count; role++) {
        if (!instance->is_entry && !roleset_has(&part, role))
            continue;
        cast->roles[cast->count] = role;
        cast->functions[cast->count++] = function_new(projector, instance, role);
    }
    for (size_t i = 0; i < instance->variables.count; i++) {
        Variable *variable = instance->variables.items[i];
        LocalFunction *function = cast_function(projector, instance, variable->role);
        bool is_idle =
            variable->is_index && !variable->each->is_param &&
            !set_has_role(projector->program, &projector->knowledge->acting[variable->each->site], variable->role);
        if (function != NULL && !is_idle)
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

static LocalOp *op_new(Projector *projector, const Party *party, LocalKind kind, const Node *node)
{
    LocalOp *op = ARENA_NEW(projector->arena, LocalOp);
    RoleId id = roleset_next(&party->who, 0);
    op->kind = kind;
    op->site = node->site;
    op->number = number_of_statement(projector->knowledge->numbers, node->site);
    op->arrives = number_of_message(projector->knowledge->numbers, node->site, receiver_id(projector, party));
    op->span = node->span;
    op->node = node;
    op->peer = ROLE_NONE;
    if (projector->program->is_family[party->role]) {
        op->who = party->who;
        op->is_guarded = !is_everybody(node, party->role, &party->who);
    }
    vector_push(projector->arena, projector->lists[id], op);
    return op;
}

// The messages that go to `op->to` have their numbers from now on.
static void op_number_messages(Projector *projector, LocalOp *op)
{
    for (ROLESET_EACH(role, &op->to))
        vector_push(projector->arena, &op->leaves, number_of_message(projector->knowledge->numbers, op->site, role));
}

static void note_channel(Projector *projector, RoleId from, RoleId to)
{
    const RoleId *role_of = projector->program->role_of;
    roleset_add(&projector->locals[role_of[from]]->sends_to, role_of[to]);
    roleset_add(&projector->locals[role_of[to]]->receives_from, role_of[from]);
}

static void project_step(Projector *projector, const Node *node)
{
    PartyList parties = {0};
    parties_of(projector, &node->at, &parties);
    for (size_t i = 0; i < parties.count; i++) {
        LocalOp *op = op_new(projector, &parties.items[i], LOCAL_STEP, node);
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

// The sender keeps the value if it is among the receivers: certainly, or if one of these members is the sender itself.
static void send_own(Projector *projector, const Node *node, LocalOp *send)
{
    const Program *program = projector->program;
    RoleId role = program->role_of[node->from];
    send->own_if = roleset_new(projector->arena, program->id_count);
    for (ROLESET_EACH(id, &send->to))
        if (id != role && program->role_of[id] == role)
            roleset_add(&send->own_if, id);
    if (roleset_has(&node->to.at, node->from) || !roleset_empty(&send->own_if)) {
        send->own = node->to.pattern;
        send->own_at = node->to.at;
    }
    if (roleset_has(&node->to.at, node->from))
        send->own_if = roleset_new(projector->arena, program->id_count);
}

static void project_delivery(Projector *projector, const Node *node)
{
    RoleSet all = roleset_copy(projector->arena, &node->to.at);
    roleset_remove(&all, node->from);
    Party sender = {projector->program->role_of[node->from],
                    roleset_one(projector->arena, projector->program->id_count, node->from)};
    LocalOp *send = op_new(projector, &sender, LOCAL_SEND, node);
    send->sent = node->sent;
    send->at = node->sent.at;
    send->to = without_views(projector->arena, projector->program, &all);
    send_own(projector, node, send);
    message_types(projector, send, node);
    op_number_messages(projector, send);
    PartyList parties = {0};
    parties_of(projector, &all, &parties);
    for (size_t i = 0; i < parties.count; i++) {
        LocalOp *receive = op_new(projector, &parties.items[i], LOCAL_RECEIVE, node);
        receive->at = node->to.at;
        receive->target = node->to.pattern;
        receive->peer = node->from;
        message_types(projector, receive, node);
        note_channel(projector, node->from, parties.items[i].role);
    }
}

// Everybody sends before it receives, so that whoever finds a difference has let all others find it, too.
static void project_agree(Projector *projector, const Node *node)
{
    PartyList parties = {0};
    parties_of(projector, &node->at, &parties);
    for (size_t i = 0; i < parties.count; i++) {
        RoleId role = parties.items[i].role;
        LocalOp *send = op_new(projector, &parties.items[i], LOCAL_SEND, node);
        send->at = node->at;
        send->compared = node->target;
        send->to = roleset_copy(projector->arena, &node->at);
        roleset_remove(&send->to, role);
        op_number_messages(projector, send);
        for (ROLESET_EACH(peer, &send->to)) {
            LocalOp *receive = op_new(projector, &parties.items[i], LOCAL_RECEIVE, node);
            receive->at = node->at;
            receive->compared = node->target;
            receive->peer = peer;
            note_channel(projector, role, peer);
            note_channel(projector, peer, role);
        }
    }
}

// Arguments of a role that has no part in the callee are computed for their effect only.
static void project_unused_args(Projector *projector, const Node *node, const Party *party)
{
    RoleId role = party->role;
    for (size_t i = 0; i < node->args.count; i++) {
        const Value *arg = &node->args.items[i];
        for (size_t j = 0; roleset_has(&arg->at, role) && j < arg->exprs.count; j++) {
            if (arg->exprs.items[j]->is_variable || arg->exprs.items[j]->is_constant)
                continue;
            LocalOp *op = op_new(projector, party, LOCAL_STEP, node);
            op->at = arg->at;
            op->value = arg->exprs.items[j];
        }
    }
}

// Whose argument or result it is, of several members that take part in the call: one of them, or ROLE_NONE for all.
static RoleId only_member(const Projector *projector, const Node *node, const RoleSet *at, const Party *party)
{
    const Program *program = projector->program;
    for (ROLESET_EACH(id, at)) {
        RoleId given = given_role(node, id);
        bool is_only = roleset_count(&party->who) == 1 && roleset_has(&party->who, given);
        if (program->role_of[given] == party->role)
            return given == party->role || is_only ? ROLE_NONE : given;
    }
    return ROLE_NONE;
}

// Which members the callee's role parameters are.
static void project_members(Projector *projector, const Node *node, RoleId role, LocalOp *op)
{
    const NodeList *members = &node->callee->members;
    for (size_t i = 0; i < members->count; i++) {
        struct LocalIndex index = {variable_of_role(&members->items[i]->positions, role),
                                   view_index(node, given_role(node, members->items[i]->view), role)};
        CHECK(index.param != NULL && index.given != NULL);
        vector_push(projector->arena, &op->indices, index);
    }
}

static void project_call(Projector *projector, const Node *node, const Party *party)
{
    RoleId role = party->role;
    const Instance *callee = node->callee;
    if (!set_has_role(projector->program, &projector->knowledge->part[callee->id], role)) {
        project_unused_args(projector, node, party);
        return;
    }
    LocalOp *op = op_new(projector, party, LOCAL_CALL, node);
    op->callee = cast_function(projector, callee, role);
    CHECK(op->callee != NULL);
    op->result_only = ROLE_NONE;
    op->args = ARENA_ARRAY(projector->arena, struct LocalArg, op->callee->params.count);
    for (size_t i = 0; i < callee->params.count; i++) {
        const Param *param = &callee->params.items[i];
        if (!set_has_role(projector->program, &param->at, role))
            continue;
        CHECK(i < node->args.count && node->args.items[i].exprs.count == 1);
        struct LocalArg *arg = &op->args[op->arg_count++];
        arg->param = variable_of_role(&param->variables, role);
        arg->value = node->args.items[i].exprs.items[0];
        arg->only = only_member(projector, node, &param->at, party);
        op->has_partial |= arg->only != ROLE_NONE;
    }
    for (size_t i = 0; i < node->results.count; i++) {
        if (set_has_role(projector->program, &node->results.items[i].at, role)) {
            op->result = node->results.items[i].pattern;
            op->result_at = node->results.items[i].at;
            op->result_only = only_member(projector, node, &call_result(node, i)->at, party);
        }
    }
    project_members(projector, node, role, op);
    op->returns_result = node->kind == NODE_RETURN && instance_result(projector->instance, role) != NULL;
}

static void project_return(Projector *projector, const Node *node, const Party *party)
{
    RoleId role = party->role;
    const Instance *instance = projector->instance;
    if (node->callee != NULL) {
        project_call(projector, node, party);
        if (instance_result(instance, role) != NULL)
            return;
    }
    LocalOp *op = op_new(projector, party, LOCAL_RETURN, node);
    for (size_t i = 0; i < node->values.count && i < instance->results.count; i++) {
        if (set_has_role(projector->program, &instance->results.items[i].at, role)) {
            op->returned = node->values.items[i];
            op->at = node->values.items[i].at;
        }
    }
}

static void project_loop_jump(Projector *projector, const Node *node, const Party *party)
{
    RoleId role = party->role;
    LocalOp *op = op_new(projector, party, node->kind == NODE_BREAK ? LOCAL_BREAK : LOCAL_CONTINUE, node);
    for (size_t i = projector->loops[role].count; i-- > 0 && op->loop_op == NULL;)
        if (projector->loops[role].items[i]->node == node->loop_node)
            op->loop_op = projector->loops[role].items[i];
    CHECK(op->loop_op != NULL);
}

// Jumps are the only statements that views of a family may do in different lists: those that follow a choice whose end is
// not reached, and those that take part in it.
static void project_jumps(Projector *projector, const Node *node, const RoleSet *present,
                          void (*project)(Projector *, const Node *, const Party *))
{
    PartyList parties = {0};
    parties_of(projector, present, &parties);
    for (size_t i = 0; i < parties.count; i++) {
        RoleSet left = roleset_copy(projector->arena, &parties.items[i].who);
        while (!roleset_empty(&left)) {
            const LocalOpList *list = projector->lists[roleset_next(&left, 0)];
            Party part = {parties.items[i].role, roleset_new(projector->arena, projector->program->id_count)};
            for (ROLESET_EACH(id, &parties.items[i].who))
                if (projector->lists[id] == list) {
                    roleset_add(&part.who, id);
                    roleset_remove(&left, id);
                }
            project(projector, node, &part);
        }
    }
}

// ---- statements with others inside ----

static Group group_new(Projector *projector, LocalKind kind, const Node *node)
{
    RoleSet aware = roleset_copy(projector->arena, &projector->knowledge->acting[node->site]);
    for (ROLESET_EACH(role, &projector->knowledge->unaware[node->site]))
        roleset_remove(&aware, role);
    Group group = {0};
    parties_of(projector, &aware, &group.parties);
    group.count = group.parties.count;
    group.ops = ARENA_ARRAY(projector->arena, LocalOp *, group.count);
    for (size_t i = 0; i < group.count; i++) {
        for (ROLESET_EACH(id, &group.parties.items[i].who))
            vector_push(projector->arena, &group.outer, ((Outer){id, projector->lists[id]}));
        group.ops[i] = op_new(projector, &group.parties.items[i], kind, node);
    }
    return group;
}

// What the members of one party do from now on goes to this list.
static void group_enter(Projector *projector, const Group *group, size_t index, LocalOpList *list)
{
    for (ROLESET_EACH(id, &group->parties.items[index].who))
        projector->lists[id] = list;
}

static void group_close(Projector *projector, const Group *group)
{
    for (size_t i = 0; i < group->outer.count; i++)
        projector->lists[group->outer.items[i].id] = group->outer.items[i].list;
}

static RoleSet common(Projector *projector, const RoleSet *one, const RoleSet *other)
{
    RoleSet both = roleset_new(projector->arena, projector->program->id_count);
    for (ROLESET_EACH(id, one))
        if (roleset_has(other, id))
            roleset_add(&both, id);
    return both;
}

// How one party learns of the outcome. Who is told is added to `told`.
static void party_decide(Projector *projector, const Party *party, const Node *node, LocalOp *op, RoleSet *told)
{
    RoleId teller = teller_of(projector->program, &node->deciders);
    const Merge *merge =
        node->kind == NODE_CHOICE ? merge_find(&projector->knowledge->merges[node->site], party->role) : NULL;
    RoleSet listens = common(projector, &party->who, &projector->knowledge->told[node->site]);
    RoleSet decides = common(projector, &party->who, &node->deciders);
    for (ROLESET_EACH(id, &listens))
        roleset_remove(&decides, id);
    op->decide = roleset_empty(&decides) ? DECIDE_TOLD : DECIDE_SELF;
    if (merge != NULL && roleset_empty(&decides)) {
        op->decide = DECIDE_ARRIVAL;
        op->peer = merge->peer;
        return;
    }
    if (op->decide == DECIDE_SELF) {
        op->condition = node->condition;
        op->at = node->deciders;
        op->teller = teller;
        if (!roleset_empty(&listens))
            op->decides = decides;
    }
    if (roleset_empty(&listens))
        return;
    op->peer = teller;
    roleset_add_all(told, &listens);
    note_channel(projector, teller, party->role);
    Party numbered = {party->role, listens};
    op->arrives = number_of_message(projector->knowledge->numbers, node->site, receiver_id(projector, &numbered));
}

// Who decides, who is told, by whom. Only the first decider tells.
static void group_decide(Projector *projector, const Group *group, const Node *node)
{
    RoleId teller = node->condition != NULL ? teller_of(projector->program, &node->deciders) : ROLE_NONE;
    RoleSet told = roleset_new(projector->arena, projector->program->id_count);
    for (size_t i = 0; i < group->count; i++) {
        if (node->condition == NULL)
            group->ops[i]->decide = DECIDE_FOREVER;
        else
            party_decide(projector, &group->parties.items[i], node, group->ops[i], &told);
    }
    RoleSet nobody = roleset_new(projector->arena, projector->program->id_count);
    for (size_t i = 0; i < group->count; i++) {
        bool tells = teller != ROLE_NONE && group->parties.items[i].role == projector->program->role_of[teller];
        group->ops[i]->to = tells ? without_views(projector->arena, projector->program, &told) : nobody;
        op_number_messages(projector, group->ops[i]);
    }
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
                                 ? merge_find(&projector->knowledge->merges[node->site], group->parties.items[i].role)
                                 : NULL;
        for (size_t j = 0; j < node->branches.count; j++) {
            const Branch *branch = &node->branches.items[j];
            LocalBranch local = {.labels = branch->labels,
                                 .is_default = branch->is_default,
                                 .is_implied = branch->is_implied,
                                 .outcome = (uint32_t)j,
                                 .span = branch->span};
            for (size_t k = 0; merge != NULL && k < merge->arrivals[j].count; k++)
                branch_add_arrival(projector, &local, merge->arrivals[j].items[k], group->parties.items[i].role);
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
            group_enter(projector, &group, j, &group.ops[j]->branches.items[i].body);
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
        vector_push(projector->arena, &projector->loops[group.parties.items[i].role], group.ops[i]);
        group_enter(projector, &group, i, &group.ops[i]->body);
    }
    project_list(projector, &node->body, acting);
    for (size_t i = 0; i < group.count; i++)
        group_enter(projector, &group, i, &group.ops[i]->step);
    project_list(projector, &node->step, acting);
    for (size_t i = 0; i < group.count; i++)
        projector->loops[group.parties.items[i].role].count--;
    group_close(projector, &group);
}

// Does anybody of the family do something in the body, besides the member that it is about?
static bool concerns_others(const Projector *projector, const Node *node)
{
    for (size_t i = 0; i < node->body.count; i++)
        for (ROLESET_EACH(id, &projector->knowledge->acting[node->body.items[i]->site]))
            if (id != node->view && projector->program->role_of[id] == node->family)
                return true;
    return false;
}

static void project_each(Projector *projector, const Node *node)
{
    RoleSet inside = roleset_copy(projector->arena, &projector->knowledge->acting[node->site]);
    Group group = group_new(projector, LOCAL_EACH, node);
    for (size_t i = 0; i < group.count; i++) {
        LocalOp *op = group.ops[i];
        RoleId role = group.parties.items[i].role;
        op->view = node->view;
        op->family = node->family;
        op->index = node->index;
        op->at = node->index != NULL ? node->index->at : op->at;
        op->position = variable_of_role(&node->positions, role);
        op->is_own = role == node->family && node->index == NULL && !concerns_others(projector, node);
        CHECK(op->position != NULL);
        RoleId charge = node->index != NULL ? member_in_charge(projector->program, node) : ROLE_NONE;
        op->in_charge = charge != ROLE_NONE && projector->program->role_of[charge] == role ? charge : ROLE_NONE;
        vector_push(projector->arena, &projector->loops[role], op);
        group_enter(projector, &group, i, &op->body);
        if (role == node->family) {
            projector->lists[node->view] = &op->body;
            roleset_add(&inside, node->view);
        }
    }
    project_list(projector, &node->body, &inside);
    for (size_t i = 0; i < group.count; i++)
        projector->loops[group.parties.items[i].role].count--;
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
        op->is_durable = node->is_durable;
        op->has_within = node->has_within;
        op->has_retry = node->has_retry;
        op->within_ns = node->within_ns;
        op->retry = node->retry;
        op->participants = projector->knowledge->participants[node->site];
        op->fault = variable_of_role(&node->fault_variables, group.parties.items[i].role);
        group_enter(projector, &group, i, &op->body);
    }
    project_list(projector, &node->body, present_first(projector, node, present));
    for (size_t i = 0; i < group.count; i++)
        group_enter(projector, &group, i, &group.ops[i]->rescue);
    if (node->has_rescue)
        project_list(projector, &node->rescue, acting);
    group_close(projector, &group);
}

static void variables_of_role(Projector *projector, const VariableList *all, RoleId role, VariableList *own)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i]->role == role)
            vector_push(projector->arena, own, all->items[i]);
}

static void project_arms(Projector *projector, const Node *node)
{
    Group group = group_new(projector, node->kind == NODE_PAR ? LOCAL_PAR : LOCAL_ARM, node);
    for (size_t i = 0; i < group.count; i++) {
        LocalOp *op = group.ops[i];
        op->participants = projector->knowledge->participants[node->site];
        variables_of_role(projector, &node->uses, group.parties.items[i].role, &op->uses);
        variables_of_role(projector, &node->owns, group.parties.items[i].role, &op->owns);
        for (size_t k = 0; k < node->elements.count; k++)
            if (node->elements.items[k].array->role == group.parties.items[i].role)
                vector_push(projector->arena, &op->elements, node->elements.items[k]);
        group_enter(projector, &group, i, &op->body);
    }
    project_list(projector, &node->body, &projector->knowledge->acting[node->site]);
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
        project_jumps(projector, node, &projector->knowledge->acting[node->site], project_call);
        break;
    case NODE_CHOICE:
        project_choice(projector, node, present);
        break;
    case NODE_LOOP:
        project_loop(projector, node);
        break;
    case NODE_EACH:
        project_each(projector, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        project_jumps(projector, node, present, project_loop_jump);
        break;
    case NODE_RETURN:
        project_jumps(projector, node, present, project_return);
        break;
    case NODE_CHECKPOINT:
        project_checkpoint(projector, node, present);
        break;
    case NODE_BLOCK:
        project_list(projector, &node->body, present);
        break;
    case NODE_PAR:
    case NODE_ARM:
        project_arms(projector, node);
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
        local->sends_to = roleset_new(projector->arena, program->id_count);
        local->receives_from = roleset_new(projector->arena, program->id_count);
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
    projector.lists = ARENA_ARRAY(arena, LocalOpList *, program->id_count);
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
        // Views of other statements than role parameters have a part where they come into being.
        RoleSet part = roleset_new(arena, program->id_count);
        for (ROLESET_EACH(id, &knowledge->part[i]))
            if (program->role_of[id] == id)
                roleset_add(&part, id);
        for (size_t j = 0; j < instance->members.count; j++) {
            const Node *member = instance->members.items[j];
            LocalFunction *function = cast_function(&projector, instance, member->family);
            if (function == NULL)
                continue;
            projector.lists[member->view] = &function->body;
            if (roleset_has(&knowledge->part[i], member->view))
                roleset_add(&part, member->view);
        }
        project_list(&projector, &instance->body, &part);
        for (size_t j = 0; j < cast->count; j++)
            tail_mark(cast->functions[j]);
    }
    return projector.locals;
}
