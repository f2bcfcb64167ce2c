#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1100

/** Where a name leads: the folder, and the name in it. False: there is no such folder. */
static bool find_place(const char *path, struct stat *folder, const char **name) {
    const char *slash = strrchr(path, '/');
    char text[PATH_BYTES] = ".";
    *name = slash ? slash + 1 : path;
    if (slash)
        snprintf(text, sizeof text, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return stat(text, folder) == 0;
}

bool tool_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    const bool a_is_there = stat(a, &of_a) == 0, b_is_there = stat(b, &of_b) == 0;
    if (a_is_there || b_is_there)
        return a_is_there && b_is_there && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    const char *name_a, *name_b;
    return find_place(a, &of_a, &name_a) && find_place(b, &of_b, &name_b) && strcmp(name_a, name_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

eddy_result tool_output_check(const char *path, const char *kept, eddy_error *error) {
    struct stat status, link;
    const char *name;
    if (!*path)
        return eddy_fail(error, EDDY_E_IO, "a file without a name cannot be written; name it, as out.eddy");
    if (strlen(path) >= PATH_BYTES - sizeof ".XXXXXX" - 60)
        return eddy_fail(error, EDDY_E_IO, "%.60s...: cannot be written: the name is too long; choose a shorter one",
                         path);
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return eddy_fail(error, EDDY_E_IO, "%s: is a folder; name a file inside it", path);
        if (!S_ISREG(status.st_mode))
            return eddy_fail(error, EDDY_E_IO, "%s: is a device, pipe or socket; name a regular file", path);
        if (kept && tool_same_file(path, kept))
            return eddy_fail(error, EDDY_E_IO, "%s: is read by this run and is not overwritten; name another file",
                             path);
    }
    if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) /* the link would be replaced, /dev/stdout too */
        return eddy_fail(error, EDDY_E_IO, "%s: is a symbolic link; name the file itself%s", path,
                         strncmp(path, "/dev/", 5) == 0 ? ", or - for stdout" : "");
    if (!find_place(path, &status, &name))
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be written: %s; check that its folder is there", path,
                         strerror(errno));
    return EDDY_OK;
}

/** A new empty file beside `path` (or in the temporary folder for stdout). Returns its descriptor or -1. */
static int open_beside(const char *path, bool to_stdout, char *beside) {
    const char *temporary = getenv("TMPDIR");
    if (to_stdout)
        snprintf(beside, PATH_BYTES, "%s/eddy-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    else
        snprintf(beside, PATH_BYTES, "%s.XXXXXX", path);
    const int descriptor = mkstemp(beside);
    if (descriptor >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(descriptor, 0666 & ~mask);
    }
    return descriptor;
}

/** Writes all of it; 0 or the errno. */
static int write_whole(int descriptor, const char *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(descriptor, bytes + done, size - done);
        if (put < 0 && errno != EINTR)
            return errno;
        done += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* ---- any file ---- */

#define OUTPUT_BUFFER_BYTES ((size_t)1 << 18)

struct tool_output {
    char path[PATH_BYTES], beside[PATH_BYTES];
    int descriptor;
    size_t held; /**< bytes in `buffer` */
    eddy_error trouble;
    char buffer[OUTPUT_BUFFER_BYTES];
};

eddy_result tool_output_begin(const char *path, tool_output **out, eddy_error *error) {
    *out = NULL;
    tool_output *output = malloc(sizeof *output);
    if (!output)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for %s", path);
    output->held = 0;
    output->trouble = (eddy_error){0};
    snprintf(output->path, sizeof output->path, "%s", path);
    output->descriptor = open_beside(path, false, output->beside);
    if (output->descriptor < 0) {
        const int cause = errno;
        free(output);
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be written: %s; name a file in a folder you may write to", path,
                         strerror(cause));
    }
    *out = output;
    return EDDY_OK;
}

const char *tool_output_beside(const tool_output *output) {
    return output->beside;
}

void tool_output_rename_error(const tool_output *output, eddy_error *error) {
    const size_t beside = strlen(output->beside), path = strlen(output->path);
    if (strncmp(error->text, output->beside, beside) == 0) /* the shorter name is how the longer begins */
        memmove(error->text + path, error->text + beside, strlen(error->text + beside) + 1);
}

static void output_write(tool_output *output, const void *bytes, size_t size) {
    const int cause = output->trouble.code == EDDY_OK ? write_whole(output->descriptor, bytes, size) : 0;
    if (cause)
        eddy_fail(&output->trouble, EDDY_E_IO, "%s: cannot be written: %s; make room or use another disk", output->path,
                  strerror(cause));
}

void tool_output_add(tool_output *output, const void *bytes, size_t size) {
    if (size > OUTPUT_BUFFER_BYTES - output->held) {
        output_write(output, output->buffer, output->held);
        output->held = 0;
    }
    if (size > OUTPUT_BUFFER_BYTES) {
        output_write(output, bytes, size);
    } else if (size > 0) {
        memcpy(output->buffer + output->held, bytes, size);
        output->held += size;
    }
}

eddy_result tool_output_status(const tool_output *output, eddy_error *error) {
    if (output->trouble.code != EDDY_OK && error)
        *error = output->trouble;
    return output->trouble.code;
}

eddy_result tool_output_end(tool_output *output, bool keep, eddy_error *error) {
    if (!output)
        return EDDY_OK;
    if (keep)
        output_write(output, output->buffer, output->held);
    eddy_result result = keep ? tool_output_status(output, error) : EDDY_OK;
    close(output->descriptor);
    if (keep && result == EDDY_OK && rename(output->beside, output->path) != 0)
        result = eddy_fail(error, EDDY_E_IO, "%s: cannot be put in its place: %s", output->path, strerror(errno));
    if (!keep || result != EDDY_OK)
        unlink(output->beside);
    free(output);
    return result;
}

/* ---- a WAV ---- */

struct tool_wav {
    SNDFILE *file;
    char path[PATH_BYTES], beside[PATH_BYTES];
    bool to_stdout;
    int held;           /**< for stdout: the temporary file, which has no name any more; else -1 */
    eddy_error trouble; /* of an add */
};

eddy_result tool_wav_begin(const char *path, tool_wav **out, eddy_error *error) {
    *out = NULL;
    const bool to_stdout = strcmp(path, "-") == 0;
    if (to_stdout && isatty(STDOUT_FILENO))
        return eddy_fail(error, EDDY_E_ARGUMENT, "a WAV is not written to a terminal; name a file or pipe it");
    tool_wav *wav = calloc(1, sizeof *wav);
    if (!wav)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for %s", path);
    wav->to_stdout = to_stdout;
    snprintf(wav->path, sizeof wav->path, "%s", path);
    const int descriptor = open_beside(path, to_stdout, wav->beside);
    wav->held = to_stdout && descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    if (to_stdout && descriptor >= 0)
        unlink(wav->beside); /* it goes with us, however we end */
    if (descriptor < 0) {
        const int cause = errno;
        free(wav);
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be written: %s; name a file in a folder you may write to", path,
                         strerror(cause));
    }
    SF_INFO info = {.samplerate = 48000, .channels = 2, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    wav->file = sf_open_fd(descriptor, SFM_WRITE, &info, SF_TRUE);
    if (!wav->file) {
        unlink(wav->beside);
        free(wav);
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be written: %s", path, sf_strerror(NULL));
    }
    *out = wav;
    return EDDY_OK;
}

static int16_t sample_to_s16(float sample) {
    const float scaled = sample * 32767.0f;
    if (!(scaled > -32768.0f))
        return -32768;
    return scaled > 32767.0f ? 32767 : (int16_t)lrintf(scaled);
}

void tool_wav_add(tool_wav *wav, const float *samples, size_t count) {
    int16_t block[1024];
    for (size_t done = 0; done < 2 * count && wav->trouble.code == EDDY_OK;) {
        size_t part = 2 * count - done < 1024 ? 2 * count - done : 1024;
        for (size_t i = 0; i < part; i++)
            block[i] = sample_to_s16(samples[done + i]);
        if (sf_write_short(wav->file, block, (sf_count_t)part) != (sf_count_t)part)
            eddy_fail(&wav->trouble, EDDY_E_IO, "%s: cannot be written: %s; is the disk full?", wav->path,
                      sf_strerror(wav->file));
        done += part;
    }
}

/** Writes everything readable from one descriptor to another. */
static bool copy_descriptor(int from, int to) {
    char block[65536];
    for (;;) {
        ssize_t got = read(from, block, sizeof block);
        if (got == 0)
            return true;
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        if (write_whole(to, block, (size_t)got) != 0)
            return false;
    }
}

static bool wav_place(const tool_wav *wav) {
    if (!wav->to_stdout)
        return rename(wav->beside, wav->path) == 0;
    return lseek(wav->held, 0, SEEK_SET) == 0 && copy_descriptor(wav->held, STDOUT_FILENO);
}

eddy_result tool_wav_end(tool_wav *wav, bool keep, eddy_error *error) {
    if (!wav)
        return EDDY_OK;
    eddy_result result = keep ? wav->trouble.code : EDDY_OK;
    if (result != EDDY_OK && error)
        *error = wav->trouble;
    const int closed = sf_close(wav->file);
    keep = keep && result == EDDY_OK;
    if (keep && closed != 0)
        result = eddy_fail(error, EDDY_E_IO, "%s: cannot be written: %s", wav->path, sf_error_number(closed));
    else if (keep && !wav_place(wav))
        result = eddy_fail(error, EDDY_E_IO, "%s: cannot be put in its place: %s", wav->path, strerror(errno));
    if (!wav->to_stdout && (!keep || result != EDDY_OK))
        unlink(wav->beside);
    if (wav->held >= 0)
        close(wav->held);
    free(wav);
    return result;
}
