choreography(checkpoints, (A, B),
    int A.retry(int within);
    def run() {
        checkpoint within 500ms retry 3 {
            A.retry(1) ~> B.within;
            checkpoint { B.checkpoint(); } rescue (fault) { A.note(fault.role); }
        } rescue {
            checkpoint retry 2 within 1 min { A.f(); }
            checkpoint within 3s { A.f(); } rescue { rescue(A.x); }
        }
    }
    def rescue(A.int x) { A.f(x); }
)
