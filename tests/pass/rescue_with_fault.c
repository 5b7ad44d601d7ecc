// 'fault' is an agreed value: a choice on it costs no message, its members have C types.
#include <chorex.h>

choreography(faults, (Boss, Worker),
    int  Worker.work(void);
    void Boss.note(const char *role, const char *why, const char *file, int line);
    def run() -> Boss.int {
        Boss.int r = 0;
        checkpoint {
            Worker.work() ~> Boss.r;
        } rescue (fault) {
            if ({Boss, Worker}.(fault.signal == 0 && fault.kind == CHX_FAULT_FAIL)) {
                Worker.work() ~> Boss.r;
            } else {
                Boss.note(fault.role, fault.why, fault.file, fault.line);
            }
        }
        return Boss.r;
    }
)
