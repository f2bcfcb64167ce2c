/* Pairs the sounds of a scene with voices: who is heard, from where to where, how loud, with which fades. Knows no
 * device: it fills one block of samples a slot. Private to audio/. */
#ifndef EDDY_AUDIO_MIXER_H
#define EDDY_AUDIO_MIXER_H

#include "asset.h"
#include "audio.h"

/** Every cut decays and every entry in mid-material rises over this: 5 ms. */
#define MIXER_FADE_SAMPLES 240

typedef struct audio_mixer audio_mixer;

typedef struct mixer_desc {
    uint32_t slots;                /**< voices heard at once */
    uint32_t count_min, count_max; /**< samples a look may make */
    const eddy_hooks *hooks;
    /** The asset of a key; never NULL. Called when a sound appears, not every look. */
    audio_asset *(*find)(void *user, const char *key);
    void *user;
} mixer_desc;

/** NULL: out of memory. */
audio_mixer *mixer_create(const mixer_desc *desc);
void mixer_destroy(audio_mixer *mixer);

void mixer_volume(audio_mixer *mixer, eddy_category category, float volume);

/** First half of a look: sounds appear, move, go; slots are given out. */
void mixer_look(audio_mixer *mixer, const eddy_audio_scene *scene);
/** What sounded was cut off by the device: everything fades in anew. */
void mixer_cut_off(audio_mixer *mixer);
/** Second half: `count` stereo frames of a slot since the last look, valid until the next call; NULL: silence. Exactly
 * once for each slot after each look that the device wants heard. */
const float *mixer_block(audio_mixer *mixer, uint32_t slot, uint32_t count);

/** An asset is about to change or go: nothing reads it any more, its sounds find it anew at the next look. */
void mixer_forget_asset(audio_mixer *mixer, const audio_asset *asset);

uint32_t mixer_voices(const audio_mixer *mixer, eddy_audio_voice *out, uint32_t capacity);
/** Fills sounds, voices, streams and stream_bytes. */
void mixer_statistics(const audio_mixer *mixer, eddy_audio_statistics *out);

#endif
