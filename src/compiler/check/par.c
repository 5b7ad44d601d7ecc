// par.c: `par { } and { }` and `par (w : Worker) { }`: tree to nodes.
//
// A PAR holds its arms; with an arm for each member it holds an EACH, which holds the arm. So all that is known of members in a
// `for` holds for arms, too.

#include "compiler/check/body.h"

#include "base/check.h"

typedef bool (*ResolveBlock)(Body *body, const TreeBlock *block, NodeList *nodes);

static void resolve_arm(Body *body, const TreeBlock *block, NodeList *nodes, ResolveBlock rest)
{
    Node *node = new_node(body, NODE_ARM, block->span), *loop = body->loop;
    bool in_arm = body->in_arm, case_ends = body->case_ends;
    node->head = (Span){block->span.file, block->span.start, block->span.start + 1};
    body->in_arm = true;
    body->loop = NULL;
    rest(body, block, &node->body);
    body->in_arm = in_arm;
    body->loop = loop;
    body->case_ends = case_ends;
    vector_push(body->resolver->arena, nodes, node);
}

// resolve_each calls back for what is inside of it.
static bool resolve_arm_of_each(Body *body, const TreeBlock *block, NodeList *nodes)
{
    resolve_arm(body, block, nodes, body->resolve_arm);
    return true;
}

bool resolve_par(Body *body, const Stmt *stmt, NodeList *nodes, ResolveBlock rest)
{
    Node *node = new_node(body, NODE_PAR, stmt->span);
    node->head = (Span){stmt->span.file, stmt->span.start, stmt->span.start + 3}; // the word
    if (stmt->family.text != NULL) {
        CHECK(stmt->arms.count == 1);
        body->resolve_arm = rest;
        resolve_each(body, stmt, &stmt->arms.items[0], &node->body, resolve_arm_of_each);
    }
    for (size_t i = 0; stmt->family.text == NULL && i < stmt->arms.count; i++)
        resolve_arm(body, &stmt->arms.items[i], &node->body, rest);
    vector_push(body->resolver->arena, nodes, node);
    // Whatever its arms do: who has no part in one that never ends goes on.
    return true;
}
