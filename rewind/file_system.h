/* The session file and the system: opening, locking, writing whole, and errors in words. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_SYSTEM_H
#define EDDY_REWIND_FILE_SYSTEM_H

#include "rewind.h"

#include <errno.h>

/** Calls until the call is not interrupted. */
#define FILE_UNINTERRUPTED(result, call)                                                                               \
    do {                                                                                                               \
        (result) = (call);                                                                                             \
    } while ((result) < 0 && errno == EINTR)

/** E_IO: "PATH: cannot DOING: cause; what to try". `cause` is an errno. */
eddy_result file_fail(eddy_error *error, const char *path, const char *doing, int cause);

/** Opens `path` for appending from nothing, and for reading: creates it or, when nobody else writes or reads it,
 * empties it; holds an exclusive lock until it is closed. Only a regular file. `created`: it was not there before. */
eddy_result file_create(const char *path, int *fd, bool *created, eddy_error *error);
/** Opens a regular file for reading, with a shared lock where it can be had, and takes its size once. */
eddy_result file_open_shared(const char *path, int *fd, size_t *size, eddy_error *error);

/** Writes all of it; 0 or the errno. */
int file_write(int fd, const void *bytes, size_t size);
/** Cuts a file and goes on from there; 0 or the errno. */
int file_cut(int fd, uint64_t size);
/** An fsync; 0 or the errno. A file system that has none is no error. */
int file_sync_now(int fd);

/** A new file beside `path`, to be renamed over it: its name (freed by the caller) and descriptor. E_IO, E_MEMORY.
 * Refuses a `path` that is no regular file, or is the file `fd_from`. */
eddy_result file_create_beside(const char *path, int fd_from, char **beside, int *fd, eddy_error *error);

#endif
