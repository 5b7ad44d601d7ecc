// A word that is nearly one of the language is taken for it, with one error; what it begins is read as usual.
#include <chorex.h>

choreography(misspelt, (Alice, Bob),
    fed other(Alice.int n) { //! error: there is no 'fed' in the language: did you mean 'def'?
        Alice.n ~> Bob._;
    }
    deff third[A, B](A.int n) -> B.int { //! error: did you mean 'def'?
        A.n ~> B.m;
        retrun B.m; //! error: did you mean 'return'?
    }

    def run(Alice.int n) -> Alice.int {
        checkpont { //! error: there is no 'checkpont' in the language: did you mean 'checkpoint'?
            Alice.n ~> Bob.m;
            Bob.use(m);
        } rescu { //! error: did you mean 'rescue'?
            Bob.use(0);
        }
        chekpoint retry 3 { //! error: did you mean 'checkpoint'?
            Bob.use(0);
        } resuce (fault) { //! error: did you mean 'rescue'?
            Bob.use(0);
        }
        checkpoint whitin 5s //! error: did you mean 'within'?
            rety 3 { //! error: did you mean 'retry'?
            Bob.use(0);
        } rescue {
            Bob.use(0);
        }
        checkpoint whille (Alice.(n > 0)) { //! error: did you mean 'while'?
            Alice.n--;
        }
        checkpiont while (Alice.(n > 0)) { //! error: did you mean 'checkpoint'?
            Alice.n--;
        }
        checkpont for (;;) { //! error: did you mean 'checkpoint'?
            break;
        }
        whlie (Alice.(n > 0)) //! error: did you mean 'while'?
            notfy(Bob) { //! error: did you mean 'notify'?
            Alice.n--;
            brek; //! error: did you mean 'break'?
        }
        fro (Alice.int i = 0; Alice.(i < n); Alice.i++) { //! error: did you mean 'for'?
            contniue; //! error: did you mean 'continue'?
        }
        dow { //! error: did you mean 'do'?
            Alice.n--;
        } whiel (Alice.(n > 0)); //! error: did you mean 'while'?
        iff (Alice.(n > 0)) { //! error: did you mean 'if'?
            Alice.n--;
        } elif (Alice.(n < 0)) { //! error: 'elif' is written 'else if'
            Alice.n++;
        } els { //! error: did you mean 'else'?
            Alice.n = 7;
        }
        swich (Alice.n) { //! error: did you mean 'switch'?
        csae 1: //! error: did you mean 'case'?
            Alice.n--;
            break;
        cas 2: //! error: did you mean 'case'?
            break;
        defualt: //! error: did you mean 'default'?
            break;
        }
        other(Alice.n);
        Bob.k = third[Alice, Bob](Alice.n);
        Bob.use(k);
        retrun Alice.n; //! error: did you mean 'return'?
    }
)
