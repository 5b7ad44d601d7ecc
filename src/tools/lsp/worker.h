// worker.h: a thread that makes analyses, one at a time, while requests are answered.

#ifndef LSP_WORKER_H
#define LSP_WORKER_H

#include "tools/lsp/analysis.h"

typedef struct Worker Worker;

Worker *worker_new(void);                    // NULL: there is no thread to be had
void worker_free(Worker *worker);            // waits for what it is doing
int worker_descriptor(const Worker *worker); // can be read when something is ready
bool worker_is_busy(const Worker *worker);   // nothing may be given to it, or something has to be taken first
void worker_give(Worker *worker, Arena *arena, const Wish *wish); // takes the arena, in which the wish lives
Analysis *worker_take(Worker *worker);                            // NULL: nothing is ready

#endif
