#include "file_sync.h"

#include "file_system.h"

#include <signal.h>

static void *sync_run(void *user) {
    file_sync *sync = user;
    sync->cause = file_sync_now(sync->fd);
    atomic_store(&sync->is_done, true);
    return NULL;
}

/* The program's signal handlers must not run on our thread: it starts with every signal blocked. */
static bool thread_start(file_sync *sync) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&sync->thread, NULL, sync_run, sync) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

bool file_sync_start(file_sync *sync, int fd, int *cause) {
    *cause = 0;
    if (sync->has_thread && !atomic_load(&sync->is_done))
        return false;
    *cause = file_sync_wait(sync);
    sync->fd = fd;
    atomic_store(&sync->is_done, false);
    sync->has_thread = thread_start(sync);
    if (!sync->has_thread && *cause == 0)
        *cause = file_sync_now(fd);
    return true;
}

int file_sync_wait(file_sync *sync) {
    if (!sync->has_thread)
        return 0;
    pthread_join(sync->thread, NULL);
    sync->has_thread = false;
    return sync->cause;
}
