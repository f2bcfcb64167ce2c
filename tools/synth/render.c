/* From events to samples: voices, reverb, high-pass, fades; the level is level.c's. */
#include "render.h"

#include <stdlib.h>
#include <string.h>

eddy_result synth_audio_create(uint32_t channels, bool loop, size_t count, synth_audio *out, eddy_error *error) {
    *out = (synth_audio){.channels = channels, .loop = loop, .count = count};
    for (uint32_t c = 0; c < channels; c++)
        if (!(out->samples[c] = calloc(count ? count : 1, sizeof(float)))) {
            synth_audio_destroy(out);
            return eddy_fail(error, EDDY_E_MEMORY, "out of memory for %zu samples", count);
        }
    return EDDY_OK;
}

void synth_audio_destroy(synth_audio *audio) {
    free(audio->samples[0]);
    free(audio->samples[1]);
    *audio = (synth_audio){0};
}

/** Takes out what lies below hearing, DC with it; a loop comes round warm. */
static void cut_lows(const synth_sound *sound, synth_audio *audio) {
    size_t warm = audio->loop ? (audio->count < SYNTH_RATE ? audio->count : SYNTH_RATE) : 0;
    for (uint32_t c = 0; c < audio->channels; c++) {
        synth_svf filter = {0};
        synth_svf_tune(&filter, sound->highpass_hz, 0.7);
        for (size_t i = 0; i < warm; i++)
            synth_svf_step(&filter, SYNTH_HIGH, audio->samples[c][audio->count - warm + i]);
        for (size_t i = 0; i < audio->count; i++)
            audio->samples[c][i] = (float)synth_svf_step(&filter, SYNTH_HIGH, audio->samples[c][i]);
    }
}

/** The file begins elsewhere in the circle. */
static eddy_result turn_loop(const synth_sound *sound, synth_audio *audio, eddy_error *error) {
    size_t turn = (size_t)llround(sound->turn_s * SYNTH_RATE) % audio->count;
    synth_audio turned;
    eddy_result result = synth_audio_create(audio->channels, audio->loop, audio->count, &turned, error);
    if (result)
        return result;
    for (uint32_t c = 0; c < audio->channels; c++) {
        memcpy(turned.samples[c], audio->samples[c] + turn, (audio->count - turn) * sizeof(float));
        memcpy(turned.samples[c] + (audio->count - turn), audio->samples[c], turn * sizeof(float));
    }
    synth_audio_destroy(audio);
    *audio = turned;
    return EDDY_OK;
}

static void fade_edges(const synth_sound *sound, synth_audio *audio) {
    double in = sound->fade.in_s * SYNTH_RATE, out = sound->fade.out_s * SYNTH_RATE;
    for (size_t i = 0; i < audio->count; i++) {
        double from_start = (double)i, from_end = (double)(audio->count - 1 - i), gain = 1;
        if (from_start < in)
            gain *= 0.5 - 0.5 * cos(SYNTH_PI * from_start / in);
        if (from_end < out)
            gain *= 0.5 - 0.5 * cos(SYNTH_PI * from_end / out);
        for (uint32_t c = 0; c < audio->channels; c++)
            audio->samples[c][i] = (float)(audio->samples[c][i] * gain);
    }
}

eddy_result synth_render(const synth_sound *sound, synth_audio *out, eddy_error *error) {
    synth_audio sends;
    eddy_result result = synth_audio_create(sound->channels, sound->loop, sound->count, out, error);
    if (result)
        return result;
    result = synth_audio_create(sound->channels, sound->loop, sound->count, &sends, error);
    if (!result) {
        synth_bus bus = {.channels = sound->channels,
                         .loop = sound->loop,
                         .count = sound->count,
                         .dry = {out->samples[0], out->samples[1]},
                         .send = {sends.samples[0], sends.samples[1]}};
        for (uint32_t i = 0; i < sound->event_count; i++)
            synth_voice_play(sound, sound->events + i, &bus);
        result = synth_reverb_add(sound, &bus, error);
    }
    synth_audio_destroy(&sends);
    if (!result) {
        cut_lows(sound, out);
        if (!sound->loop)
            fade_edges(sound, out);
        else if (sound->turn_s > 0)
            result = turn_loop(sound, out, error);
    }
    if (!result)
        result = synth_level_set(sound, out, error);
    if (result)
        synth_audio_destroy(out);
    return result;
}
