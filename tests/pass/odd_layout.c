// White space, line ends and comments may stand anywhere between tokens.
#include <chorex.h>

choreography /* name? */ ( odd /* here */,( Alice
, Bob )
,int Alice . f ( int
n ) ; def run ( Alice . int n , Bob . const char * s )
->Bob . int{Alice . f ( n )~>Bob . x;Alice.{ n , n+1 }~>Bob . { y , int
z } ;/**/if(Alice.(n>0)){Bob.x=x+y+z;}else{Bob . use ( s ) ; }// }
return Bob . x ;}
)
