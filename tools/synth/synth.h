/* eddy_synth: makes the sounds of Kettlewick from text descriptions. A build-time program; the game never links it.
 *
 * Words
 *   description  one text file, one sound: keys, then `instrument`, `phrase` and `part` sections (README.md)
 *   instrument   how a note sounds: partials, noise, FM, envelope, filters, movement
 *   phrase       notes with beats; part: an instrument playing phrases one after another
 *   event        one note at its place in time, after phrases and parts have been laid out
 *   loop         the sound is a circle: tails that pass its end are heard at its start, filters and reverb come in warm
 *   seam         the step from a loop's last sample to its first
 *
 * Flow: synth_parse -> synth_render -> synth_encode; synth_decode -> synth_measure -> synth_judge says whether the
 * result keeps the rules. Everything is a function of the text: no clock, no environment, noise counted by position. */
#ifndef EDDY_SYNTH_H
#define EDDY_SYNTH_H

#include "rewind/rewind.h"

#define SYNTH_RATE 48000
#define SYNTH_NAME_BYTES 28
#define SYNTH_PARTIALS_MAX 24
#define SYNTH_FILTERS_MAX 4
#define SYNTH_INSTRUMENTS_MAX 16
#define SYNTH_PHRASES_MAX 64
#define SYNTH_PARTS_MAX 24
#define SYNTH_NOTES_MAX 256   /**< in a phrase */
#define SYNTH_EVENTS_MAX 8192 /**< in a sound */
#define SYNTH_SECONDS_MAX 300.0
#define SYNTH_PEAK_MAX_DB (-3.0) /**< what a decoded file may reach */
#define SYNTH_PEAK_CAP_DB (-4.0) /**< what a render may reach: the codec overshoots a little */

typedef struct synth_partial {
    double ratio, gain; /**< of the note's frequency; linear */
    double decay_s;     /**< to -60 dB, 0: none of its own */
} synth_partial;

typedef enum synth_filter_kind { SYNTH_LOW, SYNTH_HIGH, SYNTH_BAND, SYNTH_FILTER_KINDS } synth_filter_kind;

typedef struct synth_filter {
    synth_filter_kind kind;
    double hz, q;
    double track;        /**< 0: fixed, 1: moves with the note (hz is then meant at c4) */
    double open_octaves; /**< how far the envelope opens it */
} synth_filter;

/** The groups of doubles below are keys of the language, in the order of its arguments. */
typedef struct synth_instrument {
    char name[SYNTH_NAME_BYTES];
    synth_partial partials[SYNTH_PARTIALS_MAX];
    synth_filter filters[SYNTH_FILTERS_MAX];
    uint32_t partial_count, filter_count;
    struct {
        double attack_s, decay_s, sustain, release_s;
    } envelope; /**< decay_s to -60 dB, 0: none */
    struct {
        double ratio, index, decay_s;
    } fm;
    struct {
        double hz, cents;
    } vibrato;
    struct {
        double hz, depth;
    } tremolo;
    struct {
        double hz, cents;
    } drift; /**< slow random pitch */
    struct {
        double hz, depth;
    } sway; /**< slow random loudness */
    struct {
        double hz, octaves;
    } wander; /**< slow random filter */
    struct {
        double copies, cents, spread;
    } unison;
    struct {
        double from_semitones, to_semitones;
    } bend;       /**< over the note, eased at both ends */
    double noise; /**< gain of white noise */
    double gain_db;
    bool swell; /**< sin^2 over the whole note in place of the envelope: the same from both sides */
    bool drone; /**< loops: sounds for the whole circle, every period in it whole */
} synth_instrument;

typedef struct synth_note {
    double beat, beats, hz, velocity;
} synth_note;

typedef struct synth_phrase {
    char name[SYNTH_NAME_BYTES];
    synth_note notes[SYNTH_NOTES_MAX];
    uint32_t note_count;
    double beats;
} synth_phrase;

typedef struct synth_part {
    char name[SYNTH_NAME_BYTES];
    uint32_t instrument;
    double gain_db;
    double send; /**< into the reverb */
    struct {
        double place, spread;
    } pan; /**< -1..1; spread: random, per note */
    struct {
        double time_s, velocity;
    } loose; /**< a hand's inexactness */
} synth_part;

typedef struct synth_event {
    double start_s, length_s, hz, velocity, pan;
    uint32_t part;
    uint32_t seed;
} synth_event;

typedef struct synth_sound {
    char title[64];
    uint32_t channels; /**< 1 or 2 */
    bool loop;
    size_t count; /**< samples */
    double tempo, meter, quality;
    double loudness_lufs; /**< 0: not given, then peak_db */
    double peak_db;
    double seed, highpass_hz;
    double turn_s; /**< loops: where in the circle the file begins */
    struct {
        double in_s, out_s;
    } fade; /**< once only */
    struct {
        double seconds, mix, mirror;
    } reverb; /**< mirror: as much again running backward in time */
    synth_instrument instruments[SYNTH_INSTRUMENTS_MAX];
    synth_phrase phrases[SYNTH_PHRASES_MAX];
    synth_part parts[SYNTH_PARTS_MAX];
    synth_event events[SYNTH_EVENTS_MAX];
    uint32_t instrument_count, phrase_count, part_count, event_count;
} synth_sound;

/** Samples, one array a channel. */
typedef struct synth_audio {
    uint32_t channels;
    bool loop;
    size_t count;
    float *samples[2];
} synth_audio;

/** Allocates silence. E_MEMORY. */
eddy_result synth_audio_create(uint32_t channels, bool loop, size_t count, synth_audio *out, eddy_error *error);
void synth_audio_destroy(synth_audio *audio);

/** Reads a description from memory; `name` is for messages ("NAME:LINE: ..."). E_FORMAT, E_LIMIT, E_VALUE, E_MEMORY.
 * `*out` belongs to the caller (synth_sound_destroy) and is NULL on an error. */
eddy_result synth_parse(const char *name, const char *text, synth_sound **out, eddy_error *error);
/** Likewise from a file. E_IO too. */
eddy_result synth_parse_file(const char *path, synth_sound **out, eddy_error *error);
void synth_sound_destroy(synth_sound *sound);

/** Plays the events into `out` (made here). The same sound gives the same samples. E_MEMORY. */
eddy_result synth_render(const synth_sound *sound, synth_audio *out, eddy_error *error);

/** Writes an Ogg Vorbis file of exactly audio->count samples, beside and renamed. A loop is encoded as the circle it
 * is: real samples on both sides of the seam, not silence. Quality 0..1, `serial` marks the stream. E_IO, E_MEMORY. */
eddy_result synth_encode(const synth_audio *audio, const char *path, double quality, uint32_t serial,
                         eddy_error *error);
/** Reads one. E_IO, E_FORMAT (not Vorbis, or not 48 kHz mono or stereo), E_DAMAGED (a hole), E_MEMORY. */
eddy_result synth_decode(const char *path, synth_audio *out, eddy_error *error);

/** What a sound measures. Decibels are of full scale; silence is -200. */
typedef struct synth_measurement {
    size_t count;
    uint32_t channels;
    double peak_db, rms_db;
    double loudness_lufs;             /**< ITU-R BS.1770 without gates */
    double dc;                        /**< largest mean of a channel */
    double first_rms_db;              /**< of the first half second */
    double least_rms_db;              /**< of the quietest half second */
    double edge;                      /**< largest of first and last sample: once */
    double seam, step_p999, step_max; /**< largest of the channels; seam is of the channel where it is worst */
    double seam_ratio;                /**< seam step / 99.9th percentile of the steps, worst channel */
} synth_measurement;

/** E_MEMORY. */
eddy_result synth_measure(const synth_audio *audio, synth_measurement *out, eddy_error *error);
/** Whether a decoded file keeps the rules: `count` and `channels` as stated, peak, DC, seam (loop) or quiet edges
 * (once). E_VALUE says which and by how much; `name` is for the message. */
eddy_result synth_judge(const char *name, const synth_measurement *measured, size_t count, uint32_t channels, bool loop,
                        eddy_error *error);

/** Decodes every sound of a sounds.json from `folder`, prints a line each on stdout, and judges all. Stereo is for
 * music and ambience that is heard everywhere; all else is mono. The first broken rule is the error. */
eddy_result synth_check(const char *json_path, const char *folder, eddy_error *error);

/** Counted noise: one 64-bit word for each (seed, index). */
static inline uint64_t synth_noise_bits(uint64_t seed, uint64_t index) {
    uint64_t z = index * 0x9E3779B97F4A7C15u ^ (seed + 1) * 0xD1B54A32D192ED03u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
/** -1..1, even. */
static inline double synth_noise(uint64_t seed, uint64_t index) {
    return (double)(int64_t)synth_noise_bits(seed, index) * 0x1p-63;
}
/** 0..1, even. */
static inline double synth_chance(uint64_t seed, uint64_t index) {
    return (double)(synth_noise_bits(seed, index) >> 11) * 0x1p-53;
}

#endif
