/* fsync beside the game: a disk may take a tenth of a second for it, which a frame must not wait for. Private to
 * rewind/. */
#ifndef EDDY_REWIND_FILE_SYNC_H
#define EDDY_REWIND_FILE_SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** One fsync at a time on one file. Zero is idle. It must not move while one is under way. */
typedef struct file_sync {
    int fd, cause;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_done;
} file_sync;

/** Starts an fsync of `fd`, on a thread of its own or, when there can be none, at once. False: the one before is still
 * under way, nothing was started. `cause` gets the errno of what has ended meanwhile, or 0. */
bool file_sync_start(file_sync *sync, int fd, int *cause);
/** Waits for what is under way. Returns its errno, or 0. */
int file_sync_wait(file_sync *sync);

#endif
