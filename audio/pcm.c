#include "pcm.h"

#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS_MAX 64
#define CHUNK_FRAMES 4096

uint32_t pcm_folded(uint32_t channels) {
    return channels == 2 ? 2 : 1;
}

uint64_t pcm_clean(float *samples, size_t count) {
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(samples[i])) {
            samples[i] = 0.0f;
            bad++;
        }
    return bad;
}

eddy_result pcm_check_format(const char *path, long rate, long channels, eddy_error *error) {
    if (rate < PCM_RATE_MIN || rate > PCM_RATE_MAX)
        return eddy_fail(error, EDDY_E_FORMAT, "%s: expected a rate of %d to %d Hz, found %ld", path, PCM_RATE_MIN,
                         PCM_RATE_MAX, rate);
    if (channels < 1 || channels > CHANNELS_MAX)
        return eddy_fail(error, EDDY_E_FORMAT, "%s: expected 1 to %d channels, found %ld", path, CHANNELS_MAX,
                         channels);
    return EDDY_OK;
}

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* libsndfile quietly plays what is there of a WAV whose data chunk claims more: say so. */
static void warn_if_cut(const char *path, const eddy_hooks *hooks) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    uint8_t head[12];
    bool riff = fread(head, 1, 12, file) == 12 && !memcmp(head, "RIFF", 4) && !memcmp(head + 8, "WAVE", 4);
    while (riff && fread(head, 1, 8, file) == 8) {
        uint32_t size = u32_at(head + 4);
        long here = ftell(file);
        if (memcmp(head, "data", 4)) {
            if (fseek(file, (long)size + (long)(size & 1), SEEK_CUR))
                break;
            continue;
        }
        if (!fseek(file, 0, SEEK_END) && size != UINT32_MAX && ftell(file) - here < (long)size)
            eddy_log(hooks, "%s: its data chunk claims %u bytes, %ld are there; what is there is played", path, size,
                     ftell(file) - here);
        break;
    }
    fclose(file);
}

/* Interleaved frames to one or two channels, in place. */
static void fold(float *samples, uint32_t channels, int64_t frames) {
    if (channels <= 2)
        return;
    for (int64_t i = 0; i < frames; i++) {
        float sum = 0.0f;
        for (uint32_t c = 0; c < channels; c++)
            sum += samples[i * channels + c];
        samples[i] = sum / (float)channels;
    }
}

static bool append(pcm_sound *sound, size_t *capacity, const float *chunk, int64_t frames) {
    size_t count = (size_t)sound->frames * sound->channels, add = (size_t)frames * sound->channels;
    if (count + add > *capacity) {
        size_t wanted = *capacity * 2 > count + add ? *capacity * 2 : count + add;
        float *grown = realloc(sound->samples, wanted * sizeof *grown);
        if (!grown)
            return false;
        sound->samples = grown;
        *capacity = wanted;
    }
    memcpy(sound->samples + count, chunk, add * sizeof *chunk);
    sound->frames += frames;
    return true;
}

/* All frames of an open file through `chunk`; the head's own count of frames is not believed. */
static eddy_result read_all(SNDFILE *file, const char *path, uint32_t channels, size_t bytes_max, float *chunk,
                            pcm_sound *sound, uint64_t *bad, eddy_error *error) {
    size_t capacity = 0;
    for (sf_count_t got; (got = sf_readf_float(file, chunk, CHUNK_FRAMES)) > 0;) {
        *bad += pcm_clean(chunk, (size_t)got * channels);
        fold(chunk, channels, got);
        if ((size_t)(sound->frames + got) * sound->channels * sizeof *chunk > bytes_max)
            return eddy_fail(
                error, EDDY_E_LIMIT,
                "%s: does not fit into the %zu bytes left of the sound cache; encode it as Ogg Vorbis, which "
                "is streamed, or raise cache_bytes",
                path, bytes_max);
        if (!append(sound, &capacity, chunk, got))
            return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for its samples", path);
    }
    return EDDY_OK;
}

/* Is it open, and of a kind that can be played? */
static eddy_result check_opened(SNDFILE *file, const char *path, const SF_INFO *info, eddy_error *error) {
    if (!file)
        return eddy_fail(error, EDDY_E_FORMAT, "%s: expected a sound file (WAV, FLAC, Ogg Vorbis): %s", path,
                         sf_strerror(NULL));
    return pcm_check_format(path, info->samplerate, info->channels, error);
}

eddy_result pcm_read(const char *path, size_t bytes_max, bool measure_only, const eddy_hooks *hooks, pcm_sound *out,
                     eddy_error *error) {
    SF_INFO info = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &info);
    eddy_result result = check_opened(file, path, &info, error);
    pcm_sound sound = {.rate = (uint32_t)info.samplerate, .channels = pcm_folded((uint32_t)info.channels)};
    uint64_t bad = 0;
    if (result == EDDY_OK && measure_only) {
        sound.frames = info.frames;
    } else if (result == EDDY_OK) {
        float *chunk = malloc((size_t)CHUNK_FRAMES * (size_t)info.channels * sizeof *chunk);
        result = chunk ? read_all(file, path, (uint32_t)info.channels, bytes_max, chunk, &sound, &bad, error)
                       : eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for its samples", path);
        free(chunk);
    }
    if (file)
        sf_close(file);
    if (result != EDDY_OK) {
        free(sound.samples);
        return result;
    }
    warn_if_cut(path, hooks);
    if (bad > 0)
        eddy_log(hooks, "%s: %llu samples that are no finite number play as silence", path, (unsigned long long)bad);
    *out = sound;
    return EDDY_OK;
}
