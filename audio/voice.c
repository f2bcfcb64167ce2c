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
        if (inside)
            material->read(material->user, at, (uint32_t)run, out);
        else
            memset(out, 0, (size_t)run * channels * sizeof *out);
        out += (size_t)run * channels;
        first += run;
        count -= (uint32_t)run;
    }
}

static void mix_down(float *window, uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++)
        window[i] = 0.5f * (window[2 * i] + window[2 * i + 1]);
}

/* Catmull-Rom through `w` at 0 <= t < 1 between w[channels] and w[2*channels]; at t = 0 exactly the sample. */
static void cubic(const float *w, uint32_t channels, float t, float *out) {
    float t2 = t * t, t3 = t2 * t;
    float a = 0.5f * (2.0f * t2 - t3 - t), b = 0.5f * (3.0f * t3 - 5.0f * t2 + 2.0f);
    float c = 0.5f * (4.0f * t2 - 3.0f * t3 + t), d = 0.5f * (t3 - t2);
    for (uint32_t i = 0; i < channels; i++)
        out[i] = a * w[i] + b * w[channels + i] + c * w[2 * channels + i] + d * w[3 * channels + i];
}

/* The mean of the source over [from, to), frames counted from the window's start, to - from > 1. Four running sums:
 * the compiler may not reorder an addition of floats, and one long chain would wait for itself. */
static void mean(const float *w, uint32_t channels, double from, double to, float *out) {
    size_t first = (size_t)from, last = (size_t)to;
    float head = (float)((double)(first + 1) - from), tail = (float)(to - (double)last);
    float scale = (float)(1.0 / (to - from));
    for (uint32_t c = 0; c < channels; c++) {
        float sum[4] = {head * w[first * channels + c], tail * w[last * channels + c], 0.0f, 0.0f};
        size_t i = first + 1;
        for (; i + 4 <= last; i += 4)
            for (uint32_t lane = 0; lane < 4; lane++)
                sum[lane] += w[(i + lane) * channels + c];
        for (; i < last; i++)
            sum[i & 3] += w[i * channels + c];
        out[c] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * scale;
    }
}

/* Output samples k0 .. k0+n-1 of an ascent, from a window that begins at source frame `first`. */
static void resample(const ascent *up, const float *window, int64_t first, uint32_t k0, uint32_t n, int64_t frames,
                     float *line) {
    const uint32_t channels = up->channels;
    double offset = up->start - (double)first;
    if (up->step == 1.0 && up->start == floor(up->start)) {
        memcpy(line, window + (size_t)(offset + k0) * channels, (size_t)n * channels * sizeof *line);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        double at = offset + up->step * (double)(k0 + k);
        float *sample = line + (size_t)k * channels;
        if (up->step > 1.0) {
            mean(window, channels, at, offset + up->step * (double)(k0 + k + 1), sample);
            continue;
        }
        double whole = floor(at), in_source = at + (double)first;
        if (!up->loop && (in_source < 0.0 || in_source >= (double)frames))
            memset(sample, 0, channels * sizeof *sample);
        else
            cubic(window + (size_t)(whole - BEFORE) * channels, channels, (float)(at - whole), sample);
    }
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
    uint32_t room = (uint32_t)((VOICE_WINDOW_FRAMES - BEFORE - AFTER - 1) / (up.step > 1.0 ? up.step : 1.0));
    for (uint32_t k0 = 0; k0 < count;) {
        uint32_t n = count - k0 < room ? count - k0 : room;
        int64_t first = (int64_t)floor(up.start + up.step * k0) - BEFORE;
        int64_t end = (int64_t)floor(up.start + up.step * (k0 + n)) + AFTER;
        assert(end - first <= VOICE_WINDOW_FRAMES);
        fetch(material, up.loop, first, (uint32_t)(end - first), scratch->window);
        if (up.channels < material->channels)
            mix_down(scratch->window, (uint32_t)(end - first));
        resample(&up, scratch->window, first, k0, n, material->frames, scratch->line);
        for (uint32_t k = 0; k < n; k++) {
            const float *sample = scratch->line + (size_t)k * up.channels;
            float along = (float)(k0 + k) / (float)count;
            float *place = out + (size_t)2 * (back ? count - 1 - (k0 + k) : k0 + k);
            place[0] = sample[0] * (up.gain[0] + up.gain_slope[0] * along);
            place[1] = sample[up.channels - 1] * (up.gain[1] + up.gain_slope[1] * along);
        }
        k0 += n;
    }
}
