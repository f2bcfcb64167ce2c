/* Between render.c, voice.c, reverb.c and level.c. Private. */
#ifndef EDDY_SYNTH_RENDER_H
#define EDDY_SYNTH_RENDER_H

#include "synth.h"

#include <math.h>

#define SYNTH_PI 3.14159265358979323846

/** Where voices play: what is heard as it is, and what goes into the reverb. */
typedef struct synth_bus {
    uint32_t channels;
    bool loop;
    size_t count;
    float *dry[2], *send[2];
} synth_bus;

/** A state-variable filter: two memories, three outputs. */
typedef struct synth_svf {
    double a1, a2, a3, k;
    double memory_1, memory_2;
} synth_svf;

static inline void synth_svf_tune(synth_svf *filter, double hz, double q) {
    double g = tan(SYNTH_PI * (hz > 20000 ? 20000 : hz) / SYNTH_RATE);
    filter->k = 1 / q;
    filter->a1 = 1 / (1 + g * (g + filter->k));
    filter->a2 = g * filter->a1;
    filter->a3 = g * filter->a2;
}

/** One sample; the band output has gain 1 at its centre. */
static inline double synth_svf_step(synth_svf *filter, synth_filter_kind kind, double in) {
    double v3 = in - filter->memory_2;
    double v1 = filter->a1 * filter->memory_1 + filter->a2 * v3;
    double v2 = filter->memory_2 + filter->a2 * filter->memory_1 + filter->a3 * v3;
    filter->memory_1 = 2 * v1 - filter->memory_1;
    filter->memory_2 = 2 * v2 - filter->memory_2;
    return kind == SYNTH_LOW ? v2 : kind == SYNTH_BAND ? filter->k * v1 : in - filter->k * v1 - v2;
}

static inline double synth_gain(double db) {
    return pow(10, db / 20);
}

/** Plays one event into the bus; in a loop it goes round. */
void synth_voice_play(const synth_sound *sound, const synth_event *event, synth_bus *bus);

/** Brings the samples to the loudness or the peak that the sound asks for, never over SYNTH_PEAK_CAP_DB. E_MEMORY. */
eddy_result synth_level_set(const synth_sound *sound, synth_audio *audio, eddy_error *error);

/** Adds the reverb of the sends to the dry samples. E_MEMORY. */
eddy_result synth_reverb_add(const synth_sound *sound, synth_bus *bus, eddy_error *error);

#endif
