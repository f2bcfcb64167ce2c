#include "voice.h"

#include "sound.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Frames around a position that the cubic needs: one before, two after. */
#define BEFORE 1
#define AFTER 3

/* A sweep seen in ascending order: what a way back shares with the way there. Source frames. */
typedef struct ascent {
    double start, step;
    float gain[2], gain_slope[2]; /* gain at k = 0, and its change over the whole sweep */
    uint32_t channels;            /* after the mixdown */
    bool loop;
} ascent;

/* Copies source frames from anywhere: loops wrap, everything else outside is silent. */
static void fetch(const voice_material *material, bool loop, int64_t first, uint32_t count, float *out) {
    const uint32_t channels = material->channels;
    while (count > 0) {
        int64_t at = first;
        if (loop) {
            at = first % material->frames;
            at += at < 0 ? material->frames : 0;
        }
        bool inside = at >= 0 && at < material->frames;
        int64_t run = inside ? material->frames - at : at < 0 ? -at : count;
        run = run < count ? run : count;
        if (inside && material->samples)
            memcpy(out, material->samples + (size_t)at * channels, (size_t)run * channels * sizeof *out);
        else if (inside)
            material->read(material->user, at, (uint32_t)run, out);
        else
            memset(out, 0, (size_t)run * channels * sizeof *out);
        out += (size_t)run * channels;
        first += run;
        count -= (uint32_t)run;
    }
}

static void mix_down(const float *stereo, uint32_t frames, float *mono) {
    for (uint32_t i = 0; i < frames; i++)
        mono[i] = 0.5f * (stereo[2 * i] + stereo[2 * i + 1]);
}

/* Source frames [first, first + count) with the channels of the ascent: where they lie, or in the scratch. */
static const float *window_of(const voice_material *material, const ascent *up, int64_t first, uint32_t count,
                              voice_scratch *scratch) {
    const float *window = scratch->window;
    if (material->samples && first >= 0 && first + count <= material->frames)
        window = material->samples + (size_t)first * material->channels;
    else
        fetch(material, up->loop, first, count, scratch->window);
    if (up->channels == material->channels)
        return window;
    mix_down(window, count, scratch->window);
    return scratch->window;
}

/* The two loops below are where the time goes. Each is written once and compiled for one and for two channels. */
#define FOR_CHANNELS static inline __attribute__((always_inline))

/* Catmull-Rom between w[channels] and w[2*channels] at 0 <= t < 1; at t = 0 exactly the sample. */
FOR_CHANNELS void cubic(const float *w, const uint32_t channels, float t, float *out) {
    float t2 = t * t, t3 = t2 * t;
    float a = 0.5f * (2.0f * t2 - t3 - t), b = 0.5f * (3.0f * t3 - 5.0f * t2 + 2.0f);
    float c = 0.5f * (4.0f * t2 - 3.0f * t3 + t), d = 0.5f * (t3 - t2);
    for (uint32_t i = 0; i < channels; i++)
        out[i] = a * w[i] + b * w[channels + i] + c * w[2 * channels + i] + d * w[3 * channels + i];
}

/* The mean of the source over [from, to), frames counted from the window's start, to - from > 1. Four running sums a
 * channel: the compiler may not reorder an addition of floats, and one long chain would wait for itself. */
FOR_CHANNELS void mean(const float *w, const uint32_t channels, double from, double to, float scale, float *out) {
    size_t first = (size_t)from, last = (size_t)to, i = first + 1;
    float head = (float)((double)(first + 1) - from), tail = (float)(to - (double)last);
    float sums[8] = {0};
    for (; i + 4 <= last; i += 4)
        for (uint32_t lane = 0; lane < 4 * channels; lane++)
            sums[lane] += w[i * channels + lane];
    for (; i < last; i++)
        for (uint32_t c = 0; c < channels; c++)
            sums[c] += w[i * channels + c];
    for (uint32_t c = 0; c < channels; c++) {
        float ends = head * w[first * channels + c] + tail * w[last * channels + c];
        float inner = (sums[c] + sums[channels + c]) + (sums[2 * channels + c] + sums[3 * channels + c]);
        out[c] = (ends + inner) * scale;
    }
}

/* `offset` and `step` in frames from the window's start. Positions in the window are above 0: a cast is a floor. */
FOR_CHANNELS void resample_as(const float *window, const uint32_t channels, double offset, double step, uint32_t k0,
                              uint32_t n, float *line) {
    const float scale = (float)(1.0 / step);
    for (uint32_t k = 0; k < n; k++) {
        double at = offset + step * (double)(k0 + k);
        float *sample = line + (size_t)k * channels;
        if (step > 1.0) {
            mean(window, channels, at, offset + step * (double)(k0 + k + 1), scale, sample);
        } else {
            size_t whole = (size_t)at;
            cubic(window + (whole - BEFORE) * channels, channels, (float)(at - (double)whole), sample);
        }
    }
}

/* The cubic reaches over the ends of a sound that plays once: what lies outside is silent all the same. */
static void silence_outside(const ascent *up, int64_t frames, uint32_t k0, uint32_t n, float *line) {
    for (uint32_t k = 0; k < n; k++) {
        double at = up->start + up->step * (double)(k0 + k);
        if (at < 0.0 || at >= (double)frames)
            memset(line + (size_t)k * up->channels, 0, up->channels * sizeof *line);
    }
}

/* Output samples k0 .. k0+n-1 of an ascent, from a window that begins at source frame `first`. */
static void resample(const ascent *up, const float *window, int64_t first, uint32_t k0, uint32_t n, int64_t frames,
                     float *line) {
    double offset = up->start - (double)first;
    if (up->step == 1.0 && up->start == floor(up->start)) {
        size_t bytes = (size_t)n * up->channels * sizeof *line;
        memcpy(line, window + (size_t)(offset + k0) * up->channels, bytes);
        return;
    }
    if (up->channels == 1)
        resample_as(window, 1, offset, up->step, k0, n, line);
    else
        resample_as(window, 2, offset, up->step, k0, n, line);
    double last = up->start + up->step * (double)(k0 + n);
    if (!up->loop && up->step <= 1.0 && (up->start + up->step * k0 < 0.0 || last >= (double)frames))
        silence_outside(up, frames, k0, n, line);
}

static ascent ascent_of(const voice_material *material, const voice_sweep *sweep, uint32_t count) {
    bool back = sweep->to < sweep->from;
    double low = back ? sweep->to : sweep->from, high = back ? sweep->from : sweep->to;
    const float *low_gain = back ? sweep->gain_to : sweep->gain_from;
    const float *high_gain = back ? sweep->gain_from : sweep->gain_to;
    ascent up = {.start = low * material->rate / EDDY_SOUND_RATE,
                 .step = (high - low) * material->rate / EDDY_SOUND_RATE / count,
                 .channels = sweep->mixdown ? 1 : material->channels,
                 .loop = sweep->loop};
    if (up.loop)
        up.start -= floor(up.start / (double)material->frames) * (double)material->frames;
    for (int ear = 0; ear < 2; ear++) {
        up.gain[ear] = low_gain[ear];
        up.gain_slope[ear] = high_gain[ear] - low_gain[ear];
    }
    return up;
}

void voice_render(const voice_material *material, const voice_sweep *sweep, uint32_t count, voice_scratch *scratch,
                  float *out) {
    if (sweep->from == sweep->to || material->frames <= 0) {
        memset(out, 0, (size_t)count * 2 * sizeof *out);
        return;
    }
    const ascent up = ascent_of(material, sweep, count);
    assert(up.step < VOICE_STEP_MAX);
    const bool back = sweep->to < sweep->from;
    const float share = 1.0f / (float)count;
    uint32_t room = (uint32_t)((VOICE_WINDOW_FRAMES - BEFORE - AFTER - 1) / (up.step > 1.0 ? up.step : 1.0));
    for (uint32_t k0 = 0; k0 < count;) {
        uint32_t n = count - k0 < room ? count - k0 : room;
        int64_t first = (int64_t)floor(up.start + up.step * k0) - BEFORE;
        int64_t end = (int64_t)floor(up.start + up.step * (k0 + n)) + AFTER;
        assert(end - first <= VOICE_WINDOW_FRAMES);
        const float *window = window_of(material, &up, first, (uint32_t)(end - first), scratch);
        resample(&up, window, first, k0, n, material->frames, scratch->line);
        for (uint32_t k = 0; k < n; k++) {
            const float *sample = scratch->line + (size_t)k * up.channels;
            float along = (float)(k0 + k) * share;
            float *place = out + (size_t)2 * (back ? count - 1 - (k0 + k) : k0 + k);
            place[0] = sample[0] * (up.gain[0] + up.gain_slope[0] * along);
            place[1] = sample[up.channels - 1] * (up.gain[1] + up.gain_slope[1] * along);
        }
        k0 += n;
    }
}
