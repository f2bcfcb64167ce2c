/* WAV, FLAC and whatever else libsndfile reads, decoded whole; and what all samples go through. Private to audio/. */
#ifndef EDDY_AUDIO_PCM_H
#define EDDY_AUDIO_PCM_H

#include "rewind/rewind.h"

/** Rates beyond are a damaged head. */
#define PCM_RATE_MIN 1000
#define PCM_RATE_MAX 384000
/** Frames of the fastest material for each sample at 48 kHz. */
#define PCM_RATIO_MAX 8.0

/** Channels that sound of `channels` has once folded: 1 or 2; more than two become their mean. */
uint32_t pcm_folded(uint32_t channels);
/** Makes samples that are no number 0; returns how many there were. */
uint64_t pcm_clean(float *samples, size_t count);
/** Is a rate or a channel count beyond belief? E_FORMAT says so. */
eddy_result pcm_check_format(const char *path, long rate, long channels, eddy_error *error);

typedef struct pcm_sound {
    uint32_t rate, channels; /**< folded */
    int64_t frames;
    float *samples; /**< for free(); NULL when measured only, or when there are no frames */
} pcm_sound;

/** Reads a file from end to end. An empty data chunk is a sound without length; one that claims more than is there
 * plays what is there, with a log line. `measure_only`: without the samples. E_IO, E_FORMAT, E_MEMORY; E_LIMIT: more
 * than `bytes_max`. */
eddy_result pcm_read(const char *path, size_t bytes_max, bool measure_only, const eddy_hooks *hooks, pcm_sound *out,
                     eddy_error *error);

#endif
