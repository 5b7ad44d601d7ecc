// Plays Receiver.
#include "post.h"
#include "post.Receiver.chor.h"

int Receiver_read(letter l) { return l.number; }
