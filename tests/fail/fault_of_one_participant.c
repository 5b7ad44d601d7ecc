// The fault is read-only, also where only one role takes part, and in every rescue around.
#include <chorex.h>
#include <string.h>

static void change(chx_fault *fault) { fault->line = 1; }

choreography(alone, (Alice),
    void Alice.fail(void);
    def run() -> Alice.int {
        Alice.int n = 0;
        checkpoint {
            Alice.fail();
        } rescue (f) {
            Alice.(f.line = 4); //! error: 'f' is why the block was rescued
            Alice.(f.line++); //! error: 'f' is why the block was rescued
            Alice.(f = (chx_fault){0}); //! error: 'f' is why the block was rescued
            Alice.f = f; //! error: 'f' is why the block was rescued
            Alice.f.line = 4; //! error: 'f' is why the block was rescued
            Alice.f.line += 4; //! error: 'f' is why the block was rescued
            Alice.({ chx_fault *w = &f; w->line = 3; }); //! error: 'f' is why the block was rescued
            Alice.(change(&f)); //! error: 'f' is why the block was rescued
            Alice.(change((chx_fault *)&f)); //! error: 'f' is why the block was rescued
            Alice.(memset(&f, 0, sizeof f)); //! error: 'f' is why the block was rescued
            Alice.n = (f.kind = CHX_FAULT_FAIL, 1); //! error: 'f' is why the block was rescued
            checkpoint {
                Alice.fail();
            } rescue (g) {
                Alice.(g.line = f.line); //! error: 'g' is why the block was rescued
                Alice.(f.line = g.line); //! error: 'f' is why the block was rescued
                Alice.n = (int)(f.line + g.line);
            }
        }
        return Alice.n;
    }
)
