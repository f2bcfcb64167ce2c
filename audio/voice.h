/* The voice: a pure function from (material, position at the last frame, position at this one, gains at both) to
 * samples. Play, rewind at any speed, slow motion and scrubbing are this one function. Private to audio/. */
#ifndef EDDY_AUDIO_VOICE_H
#define EDDY_AUDIO_VOICE_H

#include <stdbool.h>
#include <stdint.h>

/** Source frames a voice holds at a time. Larger than any step, see VOICE_STEP_MAX. */
#define VOICE_WINDOW_FRAMES 4096
/** Source frames that one output sample may stand for: 16 (pitch) x 8 (speed) x 8 (a source at 384 kHz) and some. */
#define VOICE_STEP_MAX 2048.0

/** What a voice reads: frames 0 .. frames-1 of interleaved floats at `rate`. */
typedef struct voice_material {
    uint32_t channels; /**< 1 or 2 */
    uint32_t rate;     /**< frames a second */
    int64_t frames;
    const float *samples; /**< all of it, or NULL: then `read` */
    /** Copies `count` frames from `first`, all of them inside the material. */
    void (*read)(void *user, int64_t first, uint32_t count, float *out);
    void *user;
} voice_material;

/** One frame's way through the material. Positions are samples at 48 kHz and do not wrap. */
typedef struct voice_sweep {
    double from, to;
    float gain_from[2], gain_to[2]; /**< left, right */
    bool loop;                      /**< else silent before 0 and from the length on */
    bool mixdown;                   /**< stereo material becomes the mean of both channels first */
} voice_sweep;

/** Room for one render; shared by all voices of a mixer. */
typedef struct voice_scratch {
    float window[2 * VOICE_WINDOW_FRAMES];
    float line[2 * VOICE_WINDOW_FRAMES];
} voice_scratch;

/** Writes `count` stereo frames. Forward, sample k sits at from + (to-from)*k/count; backward at
 * from + (to-from)*(k+1)/count, so that a way back is the mirror of the way there, bit for bit. Whole positions of
 * material at 48 kHz are read as they are; between samples a cubic; above one source sample a step, the mean over the
 * step. Standing still is silence. The gains go in a straight line. O(count + source frames passed over). */
void voice_render(const voice_material *material, const voice_sweep *sweep, uint32_t count, voice_scratch *scratch,
                  float *out);

#endif
