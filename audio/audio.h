/* Eddy's audio layer: looks at the sound entities of a frame and makes them heard, in either direction, at any speed.
 *
 * Words: an asset is decoded sound under a key; a voice is one sound entity being heard; a stream decodes a long Vorbis
 * asset in blocks, forward or backward. Usable without a timeline.
 *
 * Use: eddy_audio_create -> eddy_audio_add each asset -> once per shown frame eddy_audio_look, then with the loopback
 * device eddy_audio_render exactly 800 samples.
 *
 * One thread. No call waits for a device. Without a device every call works and nothing is heard. A program may use
 * OpenAL of its own beside it. README.md has the rules of what is heard. */
#ifndef EDDY_AUDIO_H
#define EDDY_AUDIO_H

#include "rewind/rewind.h"
#include "sound.h"

typedef enum eddy_audio_device {
    EDDY_AUDIO_NONE,     /**< nothing is decoded or heard */
    EDDY_AUDIO_PLAYBACK, /**< the default output; falls back to NONE with one log line */
    EDDY_AUDIO_LOOPBACK, /**< OpenAL Soft's loopback: rendered by eddy_audio_render; deterministic */
} eddy_audio_device;

typedef struct eddy_audio eddy_audio;

typedef struct eddy_audio_desc {
    eddy_audio_device device;
    uint32_t rate_num, rate_den; /**< shown frames a second, 1 to 200; 0: 60/1. 48,000 * den / num must be whole for
                                  * LOOPBACK */
    uint32_t voices_max;         /**< heard at once, up to 1,024; 0: 64 (2 in the tiny build) */
    size_t cache_bytes;          /**< for assets decoded at load; 0: 16 MiB. One that does not fit is streamed if it is
                                  * Vorbis and refused otherwise */
    double stream_seconds;       /**< Vorbis longer than this is streamed; 0: 3 s */
    eddy_hooks hooks;            /**< log only */
} eddy_audio_desc;

/** E_DEVICE only for LOOPBACK; E_MEMORY; E_ARGUMENT. */
eddy_result eddy_audio_create(const eddy_audio_desc *desc, eddy_audio **out, eddy_error *error);
void eddy_audio_destroy(eddy_audio *audio);
/** What is in use: PLAYBACK may have fallen back to NONE. */
eddy_audio_device eddy_audio_device_used(const eddy_audio *audio);

/** Puts a sound file (WAV, FLAC and the like through libsndfile; Ogg Vorbis) under a key of up to 27 bytes. A missing
 * or bad file is an error here and silence when it should sound. A key that is there already gets the new file; its
 * sounds go on in it. E_IO, E_FORMAT, E_LIMIT (the cache), E_ARGUMENT (the key), E_MEMORY: the key keeps what it had.
 * Decodes: 1 to 4 ms a second of Vorbis that is not streamed. */
eddy_result eddy_audio_add(eddy_audio *audio, const char *key, const char *path, eddy_error *error);
/** Samples at 48 kHz of an asset, or 0. */
double eddy_audio_length(const eddy_audio *audio, const char *key);

/** Volume of a category, 0..1 (beyond is cut, no number is 0), applied as a ramp over the next frame. */
void eddy_audio_volume(eddy_audio *audio, eddy_category category, float volume);

/** One sound entity as it is in the shown frame. */
typedef struct eddy_audio_sound {
    eddy_id id;
    const eddy_sound *sound;
} eddy_audio_sound;

/** What is shown now. */
typedef struct eddy_audio_scene {
    const eddy_audio_sound *sounds; /**< ascending ids */
    uint32_t count;
    float listener_x, listener_y; /**< px */
    bool jumped; /**< the shown frame does not follow from the last one by playing in either direction (a seek, a
                  * restart, a new level): positions are not swept, voices crossfade over 5 ms */
} eddy_audio_scene;

/** The one call a frame: voices appear, move and go as the scene says. Each voice sounds from its position at the last
 * look to its position now: forward, backward, at any speed, or not at all when it stands still. */
void eddy_audio_look(eddy_audio *audio, const eddy_audio_scene *scene);

/** LOOPBACK: mixes the frame last looked at into `count` stereo samples (interleaved, 2 * count floats); `count` is
 * 48,000 * rate_den / rate_num, exactly one call after each look. E_ARGUMENT: another device or count; E_DEVICE. */
eddy_result eddy_audio_render(eddy_audio *audio, float *out, size_t count, eddy_error *error);

/** PLAYBACK: silence at once while the game is paused or unfocused; goes on where it was. */
void eddy_audio_pause(eddy_audio *audio, bool paused);

/** One voice now. */
typedef struct eddy_audio_voice {
    eddy_id id;
    char asset[EDDY_SOUND_KEY_BYTES];
    double position;
    float heard_gain; /**< after distance and category; 0 when not heard: standing still, over, out of range, unknown,
                       * or one of too many */
} eddy_audio_voice;
/** Copies up to `capacity` voices by ascending id, returns how many there are: one for each sound of the last look. The
 * same with any device and without one. */
uint32_t eddy_audio_voices(const eddy_audio *audio, eddy_audio_voice *out, uint32_t capacity);

typedef struct eddy_audio_statistics {
    uint32_t sounds;     /**< in the last look */
    uint32_t voices;     /**< of them heard */
    uint32_t streams;    /**< open */
    uint32_t underruns;  /**< the device ran dry */
    size_t cache_bytes;  /**< samples decoded at load */
    size_t stream_bytes; /**< blocks of the streams; each decoder holds up to 190 KB beside them */
} eddy_audio_statistics;
void eddy_audio_statistics_get(const eddy_audio *audio, eddy_audio_statistics *out);

#endif
