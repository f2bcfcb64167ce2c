/* Level, and a limiter for the peaks over it. The limiter looks as far back as ahead, and round the circle of a loop,
 * so it does the same to a sound heard backward. */
#include "render.h"

#include <stdlib.h>

/** Peaks are taken a block; a peak bends the gain over REACH blocks (43 ms) on either side. */
enum { BLOCK = 64, REACH = 32 };

/** A block anywhere: round the circle, or held at the ends. */
static size_t block_at(const synth_audio *audio, size_t blocks, int64_t at) {
    int64_t count = (int64_t)blocks;
    if (audio->loop)
        return (size_t)((at % count + count) % count);
    return (size_t)(at < 0 ? 0 : at >= count ? count - 1 : at);
}

/** The gain each block needs by itself. */
static void needed_gains(const synth_audio *audio, double cap, size_t blocks, double *out) {
    for (size_t b = 0; b < blocks; b++) {
        double peak = 0;
        for (size_t i = b * BLOCK; i < (b + 1) * BLOCK && i < audio->count; i++)
            for (uint32_t c = 0; c < audio->channels; c++)
                peak = fmax(peak, fabs((double)audio->samples[c][i]));
        out[b] = peak > cap ? cap / peak : 1;
    }
}

/** The least gain within reach, smoothed over the same reach: never more than a block or its neighbours need. */
static void smooth_gains(const synth_audio *audio, size_t blocks, const double *needed, double *least, double *out) {
    double weights[2 * REACH + 1], sum = 0;
    for (int k = -REACH; k <= REACH; k++)
        sum += weights[k + REACH] = 0.5 + 0.5 * cos(SYNTH_PI * k / (REACH + 1));
    for (size_t b = 0; b < blocks; b++) {
        least[b] = 1;
        for (int k = -REACH - 1; k <= REACH + 1; k++)
            least[b] = fmin(least[b], needed[block_at(audio, blocks, (int64_t)b + k)]);
    }
    for (size_t b = 0; b < blocks; b++) {
        out[b] = 0;
        for (int k = -REACH; k <= REACH; k++)
            out[b] += weights[k + REACH] / sum * least[block_at(audio, blocks, (int64_t)b + k)];
    }
}

/** Gains are those of the blocks' middles, a line between them. */
static void apply_gains(synth_audio *audio, size_t blocks, const double *gains) {
    for (size_t i = 0; i < audio->count; i++) {
        double place = ((double)i + 0.5) / BLOCK - 0.5;
        int64_t before = (int64_t)floor(place);
        double part = place - (double)before, low = gains[block_at(audio, blocks, before)];
        double gain = low + part * (gains[block_at(audio, blocks, before + 1)] - low);
        for (uint32_t c = 0; c < audio->channels; c++)
            audio->samples[c][i] = (float)(audio->samples[c][i] * gain);
    }
}

static eddy_result limit_peaks(synth_audio *audio, double cap, eddy_error *error) {
    size_t blocks = (audio->count + BLOCK - 1) / BLOCK;
    double *gains = malloc(3 * blocks * sizeof *gains);
    if (!gains)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for the limiter");
    needed_gains(audio, cap, blocks, gains);
    smooth_gains(audio, blocks, gains, gains + blocks, gains + 2 * blocks);
    apply_gains(audio, blocks, gains + 2 * blocks);
    free(gains);
    return EDDY_OK;
}

eddy_result synth_level_set(const synth_sound *sound, synth_audio *audio, eddy_error *error) {
    synth_measurement measured;
    eddy_result result = synth_measure(audio, &measured, error);
    if (result)
        return result;
    double db =
        sound->loudness_lufs < 0 ? sound->loudness_lufs - measured.loudness_lufs : sound->peak_db - measured.peak_db;
    double gain = synth_gain(db);
    for (uint32_t c = 0; c < audio->channels; c++)
        for (size_t i = 0; i < audio->count; i++)
            audio->samples[c][i] = (float)(audio->samples[c][i] * gain);
    return measured.peak_db + db > SYNTH_PEAK_CAP_DB ? limit_peaks(audio, synth_gain(SYNTH_PEAK_CAP_DB), error)
                                                     : EDDY_OK;
}
