/* One note of an instrument. Slow movements (pitch, loudness, filters) are worked out once a block and loudness is
 * drawn as a line between blocks; phases, envelopes and decays run sample by sample. */
#include "render.h"

#include <string.h>

enum { BLOCK = 16, COPIES_MAX = 8, TABLE_BITS = 12, WAVES = 4 };
#define SILENCE 1e-6

/** A slow random movement: a few sines of unrelated speed. */
typedef struct slow_wave {
    double hz[WAVES], phase[WAVES];
} slow_wave;

/** One of the detuned copies of a note. */
typedef struct voice_copy {
    uint64_t phases[SYNTH_PARTIALS_MAX], steps[SYNTH_PARTIALS_MAX];
    uint64_t fm_phase, fm_step;
    double hz[SYNTH_PARTIALS_MAX], fm_hz;
    synth_svf filters[SYNTH_FILTERS_MAX];
    double left, right;
    uint64_t noise_seed;
} voice_copy;

typedef struct synth_voice {
    const synth_instrument *instrument;
    const synth_event *event;
    size_t count;     /**< samples of the sound */
    int64_t from, to; /**< samples of the note; a drone warms up before 0 */
    double hz;
    double attack, note, release; /**< samples */
    double decay;                 /**< factor a sample */
    double fall;                  /**< the decay's envelope now */
    double partial_gain[SYNTH_PARTIALS_MAX], partial_decay[SYNTH_PARTIALS_MAX];
    double fm_index, fm_decay;
    double pitch_mean; /**< a drone's phases must close: its mean pitch is taken out */
    slow_wave drift, sway, wander;
    voice_copy copies[COPIES_MAX];
    uint32_t copy_count;
} synth_voice;

/** sin of a phase of 2^64 to the turn, from a table, within 3e-7. */
static double phase_sine(uint64_t phase) {
    static double table[(1 << TABLE_BITS) + 1];
    static bool made;
    if (!made) {
        for (int i = 0; i <= 1 << TABLE_BITS; i++)
            table[i] = sin(2 * SYNTH_PI * i / (1 << TABLE_BITS));
        made = true;
    }
    uint32_t index = (uint32_t)(phase >> (64 - TABLE_BITS));
    double part = (double)(uint32_t)(phase >> (32 - TABLE_BITS)) * 0x1p-32;
    return table[index] + (table[index + 1] - table[index]) * part;
}

static uint64_t phase_step(double hz) {
    return (uint64_t)(int64_t)(hz / SYNTH_RATE * 0x1p64 * 0.5) * 2;
}

/** Turns as a phase. */
static uint64_t phase_turns(double turns) {
    return (uint64_t)(int64_t)((turns - floor(turns) - 0.5) * 0x1.fffffp63) + (UINT64_C(1) << 63);
}

/** A drone's frequency has whole periods in the loop. */
static double whole_hz(const synth_voice *voice, double hz) {
    if (!voice->instrument->drone || hz <= 0)
        return hz;
    double periods = nearbyint(hz * (double)voice->count / SYNTH_RATE);
    return (periods < 1 ? 1 : periods) * SYNTH_RATE / (double)voice->count;
}

static void slow_begin(slow_wave *slow, const synth_voice *voice, double hz, uint32_t which) {
    static const double speeds[WAVES] = {0.41, 0.73, 1, 1.62};
    for (uint32_t i = 0; i < WAVES; i++) {
        slow->hz[i] = whole_hz(voice, hz * speeds[i]);
        slow->phase[i] = synth_chance(voice->event->seed + 77u, which * WAVES + i);
    }
}

/** About -1..1 at a time in seconds. */
static double slow_value(const slow_wave *slow, double time_s) {
    static const double weights[WAVES] = {0.5, 0.4, 0.3, 0.2};
    double sum = 0;
    for (uint32_t i = 0; i < WAVES; i++)
        sum += weights[i] * sin(2 * SYNTH_PI * (slow->hz[i] * time_s + slow->phase[i]));
    return sum;
}

/** Factor on the note's frequency at a sample. */
static double pitch_at(const synth_voice *voice, int64_t at) {
    const synth_instrument *instrument = voice->instrument;
    double time_s = (double)at / SYNTH_RATE, cents = 0;
    if (instrument->vibrato.cents > 0)
        cents += instrument->vibrato.cents * sin(2 * SYNTH_PI * whole_hz(voice, instrument->vibrato.hz) * time_s);
    if (instrument->drift.cents > 0)
        cents += instrument->drift.cents * slow_value(&voice->drift, time_s);
    double from = instrument->bend.from_semitones, to = instrument->bend.to_semitones;
    if (from != 0 || to != 0) {
        double done = (double)at / (double)voice->to;
        cents += 100 * (from + (to - from) * (0.5 - 0.5 * cos(SYNTH_PI * done)));
    }
    return cents == 0 ? 1 : exp2(cents / 1200);
}

/** Slow loudness at a sample. */
static double loudness_at(const synth_voice *voice, int64_t at) {
    const synth_instrument *instrument = voice->instrument;
    double time_s = (double)at / SYNTH_RATE, gain = 1;
    if (instrument->tremolo.depth > 0) {
        double hz = whole_hz(voice, instrument->tremolo.hz);
        gain *= 1 - instrument->tremolo.depth * (0.5 - 0.5 * cos(2 * SYNTH_PI * hz * time_s));
    }
    if (instrument->sway.depth > 0)
        gain *= 1 - instrument->sway.depth * (0.5 - 0.5 * slow_value(&voice->sway, time_s));
    return gain < 0 ? 0 : gain;
}

/** 0 to 1 as half a cosine. */
static double ease(double done) {
    if (done <= 0 || done >= 1)
        return done > 0;
    return 0.5 + 0.5 * phase_sine((uint64_t)((0.75 + 0.5 * done) * 0x1p63) * 2);
}

/** The envelope at a sample; `fall` is the decay by then. */
static double envelope_at(const synth_voice *voice, int64_t at, double fall) {
    if (voice->instrument->drone)
        return 1;
    double time = (double)at + 0.5, rest = (double)voice->to - time;
    if (voice->instrument->swell) {
        double root = phase_sine((uint64_t)(time / (double)voice->to * 0x1p62) * 2);
        return root * root;
    }
    double sustain = voice->instrument->envelope.sustain;
    return ease(time / voice->attack) * ease(rest / voice->release) * (sustain + (1 - sustain) * fall);
}

static double decay_factor(double seconds) {
    return seconds > 0 ? exp(-6.907755278982137 / (seconds * SYNTH_RATE)) : 1;
}

static void copy_begin(synth_voice *voice, uint32_t number, const synth_bus *bus) {
    const synth_instrument *instrument = voice->instrument;
    voice_copy *copy = voice->copies + number;
    double side = voice->copy_count > 1 ? 2.0 * number / (voice->copy_count - 1) - 1 : 0;
    double detune = exp2(instrument->unison.cents * side / 1200);
    uint64_t seed = (uint64_t)voice->event->seed * 64 + number;
    for (uint32_t i = 0; i < instrument->partial_count; i++) {
        copy->hz[i] = whole_hz(voice, voice->hz * detune * instrument->partials[i].ratio);
        /* One plain copy begins at a zero; many, and drones, begin anywhere, or they would all peak together. */
        bool anywhere = voice->copy_count > 1 || instrument->drone;
        copy->phases[i] = phase_turns(anywhere ? synth_chance(seed, 100 + i) : 0);
    }
    copy->fm_hz = whole_hz(voice, voice->hz * detune * instrument->fm.ratio);
    copy->noise_seed = seed + 1000003;
    double gain = synth_gain(instrument->gain_db) * voice->event->velocity / sqrt(voice->copy_count);
    double pan = voice->event->pan + instrument->unison.spread * side;
    pan = pan < -1 ? -1 : pan > 1 ? 1 : pan;
    copy->left = bus->channels == 1 ? gain : gain * cos((pan + 1) * SYNTH_PI / 4);
    copy->right = gain * sin((pan + 1) * SYNTH_PI / 4);
}

static void voice_begin(synth_voice *voice, const synth_sound *sound, const synth_event *event, const synth_bus *bus) {
    const synth_instrument *instrument = sound->instruments + sound->parts[event->part].instrument;
    memset(voice, 0, sizeof *voice);
    voice->instrument = instrument;
    voice->event = event;
    voice->count = sound->count;
    voice->hz = event->hz;
    voice->note = ceil(event->length_s * SYNTH_RATE);
    voice->attack = instrument->envelope.attack_s * SYNTH_RATE;
    voice->release = instrument->envelope.release_s * SYNTH_RATE;
    voice->to = instrument->swell ? (int64_t)voice->note : (int64_t)ceil(voice->note + voice->release);
    voice->decay = decay_factor(instrument->envelope.decay_s);
    voice->fall = 1;
    for (uint32_t i = 0; i < instrument->partial_count; i++) {
        voice->partial_gain[i] = instrument->partials[i].gain;
        voice->partial_decay[i] = decay_factor(instrument->partials[i].decay_s);
    }
    voice->fm_index = instrument->fm.index / (2 * SYNTH_PI);
    voice->fm_decay = decay_factor(instrument->fm.decay_s);
    if (instrument->drone) {
        voice->from = -(int64_t)SYNTH_RATE / BLOCK * BLOCK;
        voice->to = (int64_t)sound->count;
    }
    slow_begin(&voice->drift, voice, instrument->drift.hz, 0);
    slow_begin(&voice->sway, voice, instrument->sway.hz, 1);
    slow_begin(&voice->wander, voice, instrument->wander.hz, 2);
    voice->copy_count = (uint32_t)instrument->unison.copies;
    for (uint32_t i = 0; i < voice->copy_count; i++)
        copy_begin(voice, i, bus);
    voice->pitch_mean = 1;
    if (instrument->drone && (instrument->vibrato.cents > 0 || instrument->drift.cents > 0)) {
        double sum = 0;
        for (int64_t at = 0; at < voice->to; at += BLOCK)
            sum += pitch_at(voice, at) * (double)(voice->to - at < BLOCK ? voice->to - at : BLOCK);
        voice->pitch_mean = sum / (double)voice->to;
    }
}

/** Steps and filters of the block that begins here. */
static void block_begin(synth_voice *voice, int64_t at) {
    const synth_instrument *instrument = voice->instrument;
    double pitch = pitch_at(voice, at) / voice->pitch_mean;
    bool moves = at == voice->from;
    double octaves = 0, envelope = 0;
    if (instrument->wander.octaves > 0) {
        octaves = instrument->wander.octaves * slow_value(&voice->wander, (double)at / SYNTH_RATE);
        moves = true;
    }
    for (uint32_t i = 0; i < instrument->filter_count; i++)
        if (instrument->filters[i].open_octaves != 0)
            moves = true;
    if (moves)
        envelope = envelope_at(voice, at, voice->fall);
    for (uint32_t c = 0; c < voice->copy_count; c++) {
        voice_copy *copy = voice->copies + c;
        for (uint32_t i = 0; i < instrument->partial_count; i++)
            copy->steps[i] = phase_step(copy->hz[i] * pitch);
        copy->fm_step = phase_step(copy->fm_hz * pitch);
        for (uint32_t i = 0; i < instrument->filter_count && moves; i++) {
            const synth_filter *filter = instrument->filters + i;
            double hz = filter->hz * pow(voice->hz / 261.6255653, filter->track) *
                        exp2(octaves + filter->open_octaves * envelope);
            synth_svf_tune(copy->filters + i, hz, filter->q);
        }
    }
}

/** One sample of one copy before loudness. */
static double copy_step(synth_voice *voice, voice_copy *copy, int64_t at) {
    const synth_instrument *instrument = voice->instrument;
    double sum = 0;
    uint64_t bent = 0;
    if (voice->fm_index > 0) {
        bent = (uint64_t)(int64_t)(voice->fm_index * phase_sine(copy->fm_phase) * 0x1p60) * 16;
        copy->fm_phase += copy->fm_step;
    }
    for (uint32_t i = 0; i < instrument->partial_count; i++) {
        sum += voice->partial_gain[i] * phase_sine(copy->phases[i] + bent);
        copy->phases[i] += copy->steps[i];
    }
    if (instrument->noise > 0) {
        uint64_t index = (uint64_t)(at < 0 ? at + (int64_t)voice->count : at);
        sum += instrument->noise * synth_noise(copy->noise_seed, index);
    }
    for (uint32_t i = 0; i < instrument->filter_count; i++)
        sum = synth_svf_step(copy->filters + i, instrument->filters[i].kind, sum);
    return sum;
}

/** All copies of one sample at place `at` of the bus. */
static void voice_step(synth_voice *voice, int64_t at, double gain, double send, synth_bus *bus, size_t place) {
    double left = 0, right = 0;
    for (uint32_t c = 0; c < voice->copy_count; c++) {
        double sample = copy_step(voice, voice->copies + c, at);
        left += sample * voice->copies[c].left;
        right += sample * voice->copies[c].right;
    }
    for (uint32_t i = 0; i < voice->instrument->partial_count; i++)
        voice->partial_gain[i] *= voice->partial_decay[i];
    voice->fm_index *= voice->fm_decay;
    if ((double)at >= voice->attack)
        voice->fall *= voice->decay;
    if (at < 0)
        return;
    bus->dry[0][place] += (float)(left * gain);
    bus->send[0][place] += (float)(left * gain * send);
    if (bus->channels == 2) {
        bus->dry[1][place] += (float)(right * gain);
        bus->send[1][place] += (float)(right * gain * send);
    }
}

void synth_voice_play(const synth_sound *sound, const synth_event *event, synth_bus *bus) {
    const synth_part *part = sound->parts + event->part;
    synth_voice voice;
    voice_begin(&voice, sound, event, bus);
    int64_t count = (int64_t)bus->count;
    int64_t start = voice.instrument->drone ? 0 : llround(event->start_s * SYNTH_RATE);
    double part_gain = synth_gain(part->gain_db), before = loudness_at(&voice, voice.from);
    for (int64_t block = voice.from; block < voice.to; block += BLOCK) {
        block_begin(&voice, block);
        double after = loudness_at(&voice, block + BLOCK);
        for (int64_t at = block; at < block + BLOCK && at < voice.to; at++) {
            if (!bus->loop && start + at >= count)
                return;
            double envelope = envelope_at(&voice, at, voice.fall);
            double gain = part_gain * envelope * (before + (after - before) * (double)(at - block) / BLOCK);
            size_t place = at < 0 ? 0 : (size_t)(((start + at) % count + count) % count);
            voice_step(&voice, at, gain, part->send, bus, place);
        }
        before = after;
        if (voice.instrument->envelope.sustain <= 0 && voice.fall < SILENCE)
            return;
    }
}
