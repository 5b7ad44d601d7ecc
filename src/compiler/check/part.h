// part.h: what a role does in a list of statements, in a form that can be compared. Used by same.c and numbers.c only.
//
// A role's part is written down as text: what is left for the role after projection, in order, with the C text, the types and
// the other roles concerned, but without names of variables and without places in the source. Variables, and loops that are
// left by `break` and `continue`, are numbered in the order in which they are mentioned first, and so are members of families that are
// singled out. Equal texts get equal numbers, so comparing two parts is comparing two numbers and what their variables are.
//
// A family has one part, of all its members: who of them does what is in it, as it is in the family's program. So `role` is never
// a view here.

#ifndef CHECK_PART_H
#define CHECK_PART_H

#include "base/map.h"
#include "compiler/check/knowledge.h"

// A variable or a loop that a part mentions.
typedef struct {
    const void *thing;
    bool is_inside; // it comes into being in the part
} Mentioned;
typedef VECTOR(Mentioned) MentionedList;

typedef struct {
    uint32_t id; // equal for equal texts
    MentionedList mentioned;
} Part;

// Pointers by (something, role).
typedef struct {
    Arena *arena;
    struct PairEntry *entries;
    size_t count, capacity;
} PairMap;

void pairmap_init(PairMap *map, Arena *arena);
// Where the pointer is: NULL as long as nothing was put there. Valid until the next call.
void **pairmap_at(PairMap *map, const void *what, RoleId role);
void *pairmap_get(const PairMap *map, const void *what, RoleId role); // NULL: nothing was put there

// What a role does in an instance. Two of one class do the same, as far as is known.
typedef struct {
    const Instance *instance;
    RoleId role;
    uint32_t class;
} Called;

typedef struct {
    Arena *arena;
    const Program *program;
    const Knowledge *knowledge; // told, unaware and merges of all choices inside of what is written must be there
    const Instance *instance;   // of the list
    bool is_cautious;           // calls of two instances are different, whatever is in them
    Map ids;                    // by text
    uint32_t id_count;
    PairMap lists;  // Part *, by NodeList * and role
    PairMap called; // Called *, by Instance * and role
    VECTOR(Called *) all_called;
} Parts;

void parts_init(Parts *parts, Arena *arena, const Program *program, const Knowledge *knowledge);
// What is told to whom may have changed, or what functions do: everything is to be written anew.
void parts_forget(Parts *parts);
uint32_t parts_id(Parts *parts, const char *text);

const Part *part_of_list(Parts *parts, const NodeList *list, RoleId role);
// A whole function: its parameters, results and body.
uint32_t part_of_instance(Parts *parts, const Called *called);
// Are two parts of one function, in different branches, the same?
bool parts_same(const Part *one, const Part *other);

// Where the parts of a role in two lists begin to differ: the number of statements before, and the statement, NULL at the end.
typedef struct {
    size_t index;
    const Node *one, *other; // both NULL: they don't differ
} Difference;
Difference parts_difference(Parts *parts, const NodeList *one, const NodeList *other, RoleId role);

// The statements of a list that leave something for the role: without blocks, and without choices whose outcome the role does
// not know, which stand for their first branches.
typedef VECTOR(const Node *) PartNodes;
void part_nodes(const Parts *parts, const NodeList *list, RoleId role, PartNodes *nodes);

#endif
