/* A stage for the tests of audio/: a loopback device, a few sound entities, and everything that came out. */
#ifndef EDDY_TESTS_AUDIO_STAGE_H
#define EDDY_TESTS_AUDIO_STAGE_H

#include "audio/audio.h"

#define STAGE_SOUNDS_MAX 2000
#define STAGE_FRAME 800 /**< samples of a frame at 60 Hz */

typedef struct audio_stage {
    eddy_audio *audio;
    eddy_sound sounds[STAGE_SOUNDS_MAX]; /**< sound i has id i + 1 */
    bool present[STAGE_SOUNDS_MAX];
    uint32_t count;
    float listener_x, listener_y;
    float *heard;  /**< stereo frames since the stage was opened */
    size_t frames; /**< of them */
    uint32_t log_lines;
    char log_last[512];
} audio_stage;

/** A loopback with 60 frames a second and the given number of voices (0: the default). For stage_close. */
audio_stage *stage_open(uint32_t voices_max);
audio_stage *stage_open_desc(eddy_audio_desc desc);
void stage_close(audio_stage *stage);

/** Adds a WAV of floats under a key. */
void stage_add_wav(audio_stage *stage, const char *key, uint32_t rate, uint32_t channels, size_t frames,
                   const float *samples);
/** A new sound entity at position 0, heard everywhere, played once, in the next look. */
eddy_sound *stage_sound(audio_stage *stage, const char *key);
void stage_remove(audio_stage *stage, const eddy_sound *sound);

/** One tick: every present sound moves by 800 samples x its pitch x `rate`, the layer looks, and the frame is heard. */
void stage_tick(audio_stage *stage, double rate);
void stage_ticks(audio_stage *stage, uint32_t count, double rate);
/** A look without moving, after positions were set by hand. */
void stage_look(audio_stage *stage, bool jumped);

/** Frame of output `tick` (0: the first), 800 stereo frames. */
const float *stage_frame(const audio_stage *stage, size_t tick);
/** The largest step from one sample to the next in either channel, from frame `from` on. */
float stage_step_max(const audio_stage *stage, size_t from, size_t to);
float stage_peak(const audio_stage *stage, size_t from, size_t to);

/** The gain with which sound `id` is heard; -1: there is no such voice. */
float stage_heard_gain(const audio_stage *stage, eddy_id id);

#endif
