/* What a sound entity is: plain data that a world records. The game never plays a sound; it makes one of these, steps
 * it, and removes it when eddy_sound_over says so. Data and arithmetic only: usable without the audio library. */
#ifndef EDDY_SOUND_H
#define EDDY_SOUND_H

#include "rewind/field.h"

#define EDDY_SOUND_RATE 48000 /**< every position and length counts samples at this rate */
#define EDDY_SOUND_KEY_BYTES 28

/** Categories: EDDY_CATEGORY(name, text). Numbers stand in recordings. */
#define EDDY_CATEGORIES(X) X(EFFECT, "effect") X(MUSIC, "music") X(AMBIENCE, "ambience") X(SPEECH, "speech")
typedef enum eddy_category {
#define EDDY_CATEGORY(name, text) EDDY_CATEGORY_##name,
    EDDY_CATEGORIES(EDDY_CATEGORY)
#undef EDDY_CATEGORY
        EDDY_CATEGORY_COUNT
} eddy_category;

typedef enum eddy_sound_place { EDDY_SOUND_HERE, EDDY_SOUND_AT, EDDY_SOUND_PLACE_COUNT } eddy_sound_place;
typedef enum eddy_sound_repeat { EDDY_SOUND_ONCE, EDDY_SOUND_LOOP, EDDY_SOUND_REPEAT_COUNT } eddy_sound_repeat;

/** A sound entity. `position` is its own clock: it starts at 0, never wraps, and moves by eddy_sound_step only. */
typedef struct eddy_sound {
    double position; /**< samples since its start */
    double length;   /**< samples of its asset, read at load; 0: unknown, over at once unless it loops */
    eddy_id emitter; /**< whom it follows, or 0: it stays at (x, y). The world copies the emitter's place each frame */
    float x, y;      /**< px; where it is, for EDDY_SOUND_AT */
    float range;     /**< px; silent from there on, for EDDY_SOUND_AT */
    float gain;      /**< 0..1 */
    float pitch;     /**< 1: as made */
    char asset[EDDY_SOUND_KEY_BYTES];          /**< key of its asset, zero tail */
    uint8_t place, repeat, category, priority; /**< priority: larger matters more */
} eddy_sound;

#define EDDY_SOUND_FIELDS(F, S)                                                                                        \
    F(S, position, F64, 1, .unit = "samples")                                                                          \
    F(S, length, F64, 1, .unit = "samples")                                                                            \
    F(S, emitter, ID, 1)                                                                                               \
    F(S, x, F32, 1, .unit = "px")                                                                                      \
    F(S, y, F32, 1, .unit = "px")                                                                                      \
    F(S, range, F32, 1, .unit = "px")                                                                                  \
    F(S, gain, F32, 1, .min = 0, .max = 4)                                                                             \
    F(S, pitch, F32, 1, .min = 0.01, .max = 16)                                                                        \
    F(S, asset, STR, EDDY_SOUND_KEY_BYTES)                                                                             \
    F(S, place, U8, 1, .names = eddy_sound_place_names, .name_count = EDDY_SOUND_PLACE_COUNT)                          \
    F(S, repeat, U8, 1, .names = eddy_sound_repeat_names, .name_count = EDDY_SOUND_REPEAT_COUNT)                       \
    F(S, category, U8, 1, .names = eddy_category_names, .name_count = EDDY_CATEGORY_COUNT)                             \
    F(S, priority, U8, 1)

/** Names for the table above; `static` so that a world needs no library for them. */
__attribute__((unused)) static const char *const eddy_sound_place_names[] = {"here", "at"};
__attribute__((unused)) static const char *const eddy_sound_repeat_names[] = {"once", "loop"};
__attribute__((unused)) static const char *const eddy_category_names[] = {
#define EDDY_CATEGORY(name, text) text,
    EDDY_CATEGORIES(EDDY_CATEGORY)
#undef EDDY_CATEGORY
};

/** One frame of the sound's clock: `frame_samples` is 48,000 / the world's rate (800 at 60 Hz), `rate` the time rate at
 * its place (1: normal; 0: stands still). */
static inline void eddy_sound_step(eddy_sound *sound, double frame_samples, float rate) {
    sound->position += frame_samples * (double)sound->pitch * (double)rate;
}

/** A sound that plays once lives its length and a tenth (1.000 s: 66 frames at 60 Hz); a loop for ever. */
static inline bool eddy_sound_over(const eddy_sound *sound) {
    return sound->repeat == EDDY_SOUND_ONCE && sound->position * 10.0 >= sound->length * 11.0;
}

#endif
