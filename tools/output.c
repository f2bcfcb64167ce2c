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

struct tool_wav {
    SNDFILE *file;
    char path[PATH_BYTES], beside[PATH_BYTES];
    bool to_stdout;
    eddy_error trouble; /* of an add */
};

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
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, block + done, (size_t)(got - done));
            if (put < 0 && errno != EINTR)
                return false;
            done += put > 0 ? put : 0;
        }
    }
}

static bool wav_place(const tool_wav *wav) {
    if (!wav->to_stdout)
        return rename(wav->beside, wav->path) == 0;
    const int from = open(wav->beside, O_RDONLY | O_CLOEXEC);
    const bool copied = from >= 0 && copy_descriptor(from, STDOUT_FILENO);
    if (from >= 0)
        close(from);
    return copied;
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
    if (!keep || result != EDDY_OK || wav->to_stdout)
        unlink(wav->beside);
    free(wav);
    return result;
}
