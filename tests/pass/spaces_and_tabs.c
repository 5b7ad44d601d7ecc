// Tabs, form feeds and carriage returns are white space.
#include <chorex.h>

choreography(tabs, (Alice,	Bob),
	def	run(Alice.int	n)	->	Bob.int	{
		Alice.n	~>	Bob.m;
		return	Bob.m;
	}
)
