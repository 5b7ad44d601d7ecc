// Members of families can't be among those who agree by 'agree': one error for each.
#include <chorex.h>

choreography(apart, (Ann, Worker[]),
    def run() -> Ann.int {
        Ann.int y = 1;
        Worker[*].int y = 1;
        {Ann, Worker[*]}.y = agree(Ann.y, Worker[*].y); //! error: 'agree' among members of families is not supported yet
        {Worker[0], Worker[1]}.y = agree(Worker[0].y, Worker[1].y); //! error: 'agree' among members of families is not supported yet
        for (w : Worker) {
            {Ann, w}.int k = agree(Ann.y, w.y); //! error: 'agree' among members of families is not supported yet
            Ann.use(k);
        }
        return Ann.y;
    }
)
