// A rescue's fault is the same for everybody and can't be assigned to, whatever it is called; a declaration hides it.
#include <chorex.h>

choreography(constant, (Alice, Bob),
    void Bob.fail(void);
    def run() -> Alice.int {
        Alice.int x = 3;
        checkpoint {
            Bob.fail();
        } rescue (x) {
            Alice.x = x; //! error: 'x' is why the block was rescued
            Alice.x.line = 4; //! error: 'x' is why the block was rescued
            Alice.x++; //! error: 'x' is why the block was rescued
            Bob.(x.line) ~> Alice.x; //! error: 'x' is why the block was rescued
            Alice.(x.line = 4); //! error: 'x' is why the block was rescued
            {Alice, Bob}.(x.line++); //! error: 'x' is why the block was rescued
            Alice.use(x.kind = 4); //! error: 'x' is why the block was rescued
            Bob.int x = 4;
            Bob.x += 1;
            Bob.x ~> Alice.y;
            Alice.(y + x.none); //! error: no member named 'none'
        }
        return Alice.x;
    }
)
