// Strings are read-only to local C, alone or in a struct or array: a new value is assigned instead.
#include <chorex.h>
#include <string.h>

struct person { const char *name; chx_str city; int age; };
static void older(struct person *person) { person->age++; }
static const char **kept;
static chx_str *kept_str;
static struct person *kept_person;
static void *kept_anything;
static const char **kept_many[2];
static struct { const char **text; } kept_in;
static const char ***somewhere(void) { static const char **where; return &where; }
static void next_word(const char **text) { ++*text; }

choreography(readonly, (Alice, Bob),
    def run(Alice.const char *s, Alice.chx_str c, Alice.chx_bytes b) {
        Alice.struct person p = {s, c, 3};
        Alice.const char *names[2] = {s, s};
        Alice.s[0] = 'x'; //! error:
        Alice.(strcpy(s, "new")); //! error: const
        Alice.({ char *w = s; w[0] = 'x'; }); //! error: 's' is a string: a pointer without const could change it
        Alice.({ char *w = (char *)s; w[0] = 'x'; }); //! error: 's' is a string: a pointer without const could change it
        Alice.({ const char **w = &s; *w = "q"; }); //! error: 's' is a string: local C can't change it
        Alice.(next_word(&s)); //! error: 's' is a string: local C can't change it
        Alice.(s++); //! error: 's' is a string: local C can't change it
        Alice.(s += 1); //! error: 's' is a string: local C can't change it
        Alice.(c = chx_str_new("x", 1)); //! error: 'c' is a string: local C can't change it
        Alice.({ chx_bytes *w = &b; *w = b; }); //! error: 'b' is a string: local C can't change it
        Alice.(p.name = "new"); //! error: 'p' holds a string: local C can't change it
        Alice.(p.city = c); //! error: 'p' holds a string: local C can't change it
        Alice.(p = (struct person){0}); //! error: 'p' holds a string: local C can't change it
        Alice.(next_word(&p.name)); //! error: 'p' holds a string: local C can't change it
        Alice.(names[1] = s); //! error: 'names' holds a string: local C can't change it
        Alice.(next_word(names)); //! error: 'names' holds a string: local C can't change it
        Alice.(kept = &s); //! error: 's' is a string: a pointer without const could change it
        Alice.(kept = (0, &s)); //! error: 's' is a string: a pointer without const could change it
        Alice.(kept = p.age > 3 ? kept : (&s)); //! error: 's' is a string: a pointer without const could change it
        Alice.(kept = names); //! error: 'names' holds a string: a pointer without const could change it
        Alice.(kept = names + 1); //! error: 'names' holds a string: a pointer without const could change it
        Alice.(kept = &p.name); //! error: 'p' holds a string: a pointer without const could change it
        Alice.(kept = ({ p.age; &s; })); //! error: 's' is a string: a pointer without const could change it
        Alice.(kept_str = &c); //! error: 'c' is a string: a pointer without const could change it
        Alice.(kept_many[1] = &s); //! error: 's' is a string: a pointer without const could change it
        Alice.(kept_in.text = &s); //! error: 's' is a string: a pointer without const could change it
        Alice.(*somewhere() = &s); //! error: 's' is a string: a pointer without const could change it
        Alice.({ const char **w; w = &s; *w = "q"; }); //! error: 's' is a string: local C can't change it
        Alice.({ struct { const char **w; } x = {.w = &s}; *x.w = "q"; }); //! error: 's' is a string: local C can't change it
        Alice.(next_word((&s))); //! error: 's' is a string: local C can't change it
        Alice.(next_word(names + 1)); //! error: 'names' holds a string: local C can't change it
        Alice.(*&s = "q"); //! error: 's' is a string: local C can't change it
        Alice.(*names = "q"); //! error: 'names' holds a string: local C can't change it
        Alice.((&p)->name = "q"); //! error: 'p' holds a string: local C can't change it
        Alice.(kept_person = &p); //! error: 'p' holds a string: a pointer without const could change it
        Alice.(kept_anything = &p); //! error: 'p' holds a string: a pointer without const could change it
        Alice.struct person *l = &p; //! error: 'p' holds a string: a pointer without const could change it
        Alice.({ struct person *w = &p; w->age = 3; w->name = "q"; }); //! error: 'p' holds a string: local C can't change it
        Alice.({ struct person *w = &p; kept_person = w; }); //! error: 'p' holds a string: a pointer without const could change it
        Alice.(*strchr(s, 'x') = 'y'); //! error: 's' is a string: a pointer without const could change it
        Alice.({ char *w = strchr(s, 'x'); *w = 'y'; }); //! error: 's' is a string: a pointer without const could change it
        Alice.s = "new";
        Alice.p.name = "new";
        Alice.(p.age++, p.age = 4, older(&p));
        Alice.({ struct person w = p; w.name = "x"; w.age; });
        Alice.({ struct person w = p, *z = &w; z->name = "x"; kept_person = &w; });
        Alice.({ struct person *w = &p; w->age = 3; strlen(w->name); });
        Alice.({ const char *w; w = s; const char **z = &w; *z = "x"; });
        Alice.(strchr(s, 'x') != NULL && strlen(strchr(s, 'x') + 1) > 1 && *strchr(s, 'x') == 'x' && *names == names[1]);
        Alice.use(l, &p.age, strlen(p.name), (const struct person *)&p, names[0]);
        Alice.s ~> Bob._;
    }
)
