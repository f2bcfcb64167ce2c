/* One thread that runs pieces of work in order, for whoever would rather not wait. Without a thread (NULL) everything
 * is run when it is asked for. Private to rewind/. */
#ifndef EDDY_REWIND_WORKER_H
#define EDDY_REWIND_WORKER_H

#include "rewind.h"

/** Something to do. Embed it first in a struct of your own; zero is ready to submit. */
typedef struct work_item {
    struct work_item *next;
    void (*run)(struct work_item *item);
    enum { WORK_QUEUED, WORK_RUNNING, WORK_DONE } state;
} work_item;

typedef struct work_thread work_thread;

/** Starts a thread. NULL: the system has none to give, or no memory. */
work_thread *worker_create(const eddy_hooks *hooks);
/** Waits for what is running; what is queued must have been finished before. NULL is fine. */
void worker_destroy(work_thread *worker);

/** Queues an item, in front of all others if it is urgent. `worker` may be NULL. */
void worker_submit(work_thread *worker, work_item *item, bool is_urgent);
/** Whether an item has been run. Never waits. */
bool worker_is_done(work_thread *worker, const work_item *item);
/** Sees to it that an item has been run: waits if it is running, runs it here if it is still queued. */
void worker_finish(work_thread *worker, work_item *item);

#endif
