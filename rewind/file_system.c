#include "file_system.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *errno_advice(int cause) {
    switch (cause) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "make room or use another disk";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a file or folder that you have the right to use";
    case ENOENT:
    case ENOTDIR:
        return "check the name, and that its folder is there";
    case EISDIR:
        return "name a file inside it";
    case ENAMETOOLONG:
        return "choose a shorter name";
    case EIO:
        return "check the disk, or use another one";
    default:
        return "try another path";
    }
}

eddy_result file_fail(eddy_error *error, const char *path, const char *doing, int cause) {
    return eddy_fail(error, EDDY_E_IO, "%s: cannot %s: %s; %s", path, doing, strerror(cause), errno_advice(cause));
}

/* A device, pipe or folder is no place for a recording. */
static eddy_result check_regular(const char *path, const struct stat *status, eddy_error *error) {
    if (S_ISREG(status->st_mode))
        return EDDY_OK;
    if (S_ISDIR(status->st_mode))
        return file_fail(error, path, "use a folder as a recording", EISDIR);
    return eddy_fail(error, EDDY_E_IO,
                     "%s: cannot be a recording: expected a regular file, found a device, pipe or socket; name a file",
                     path);
}

static eddy_result check_regular_fd(int fd, const char *path, struct stat *status, eddy_error *error) {
    return fstat(fd, status) < 0 ? file_fail(error, path, "look at the file", errno)
                                 : check_regular(path, status, error);
}

/* Looks before it opens: opening a device may do something. A path that is free is fine. */
static eddy_result check_path(const char *path, struct stat *status, bool *is_there, eddy_error *error) {
    *is_there = stat(path, status) == 0;
    return *is_there ? check_regular(path, status, error) : EDDY_OK;
}

static eddy_result lock_exclusive(int fd, const char *path, eddy_error *error) {
    int result;
    FILE_UNINTERRUPTED(result, flock(fd, LOCK_EX | LOCK_NB));
    if (result == 0 || errno != EWOULDBLOCK) /* a file system without locks has none to respect */
        return EDDY_OK;
    return eddy_fail(error, EDDY_E_IO,
                     "%s: is being recorded to, or read, by another session; let it end first or record to another "
                     "file",
                     path);
}

eddy_result file_create(const char *path, int *fd, bool *created, eddy_error *error) {
    struct stat status;
    bool is_there;
    eddy_result result = check_path(path, &status, &is_there, error);
    if (result != EDDY_OK)
        return result;
    int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; /* read again by a save */
    FILE_UNINTERRUPTED(*fd, open(path, flags | O_CREAT | O_EXCL, 0666));
    *created = *fd >= 0;
    if (*fd < 0 && errno == EEXIST)
        FILE_UNINTERRUPTED(*fd, open(path, flags));
    if (*fd < 0)
        return file_fail(error, path, "create the recording", errno);
    result = check_regular_fd(*fd, path, &status, error);
    if (result == EDDY_OK)
        result = lock_exclusive(*fd, path, error);
    int cause = result == EDDY_OK ? file_cut(*fd, 0) : 0;
    if (cause)
        result = file_fail(error, path, "empty the file", cause);
    if (result != EDDY_OK) {
        close(*fd);
        *fd = -1;
    }
    return result;
}

eddy_result file_open_shared(const char *path, int *fd, size_t *size, eddy_error *error) {
    struct stat status;
    bool is_there;
    eddy_result result = check_path(path, &status, &is_there, error);
    if (result != EDDY_OK)
        return result;
    FILE_UNINTERRUPTED(*fd, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (*fd < 0)
        return file_fail(error, path, "open the recording", errno);
    result = check_regular_fd(*fd, path, &status, error);
    if (result != EDDY_OK) {
        close(*fd);
        *fd = -1;
        return result;
    }
    flock(*fd, LOCK_SH | LOCK_NB); /* refused while it is being written: then it only grows */
    *size = (size_t)status.st_size;
    return EDDY_OK;
}

int file_write(int fd, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written;
        FILE_UNINTERRUPTED(written, write(fd, (const char *)bytes + done, size - done));
        if (written < 0)
            return errno;
        if (written == 0)
            return ENOSPC; /* a regular file that takes nothing */
        done += (size_t)written;
    }
    return 0;
}

int file_cut(int fd, uint64_t size) {
    int result;
    FILE_UNINTERRUPTED(result, ftruncate(fd, (off_t)size));
    return result < 0 || lseek(fd, (off_t)size, SEEK_SET) < 0 ? errno : 0;
}

int file_sync_now(int fd) {
    int result;
    FILE_UNINTERRUPTED(result, fsync(fd));
    bool has_none = result < 0 && (errno == EINVAL || errno == ENOTSUP || errno == EROFS);
    return result < 0 && !has_none ? errno : 0;
}

eddy_result file_create_beside(const char *path, int fd_from, char **beside, int *fd, eddy_error *error) {
    struct stat status, from;
    bool is_there;
    eddy_result result = check_path(path, &status, &is_there, error);
    if (result != EDDY_OK)
        return result;
    if (is_there && fstat(fd_from, &from) == 0 && from.st_dev == status.st_dev && from.st_ino == status.st_ino)
        return eddy_fail(error, EDDY_E_IO, "%s: is the recording itself; save it under another name", path);
    size_t bytes = strlen(path) + 32;
    *beside = malloc(bytes);
    if (!*beside)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory to save the recording", path);
    snprintf(*beside, bytes, "%s.%ld.part", path, (long)getpid());
    unlink(*beside); /* of a process that is gone: the number was given to us */
    FILE_UNINTERRUPTED(*fd, open(*beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (*fd >= 0)
        return EDDY_OK;
    int cause = errno;
    free(*beside);
    *beside = NULL;
    return file_fail(error, path, "save the recording", cause);
}
