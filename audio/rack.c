#include "rack.h"

#include <AL/al.h>
#include <AL/alext.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Buffers of a source: the depth of the queue in looks, a pad, and some to spare. */
#define BUFFERS 8
/* Looks of silence after which a source is stopped. */
#define IDLE_LOOKS 8
/* Samples that should wait when a look comes, beside the block it brings: more than a mixing period of 1024. */
#define SPARE_SAMPLES 1200.0
/* A clock 3 % off must be followed: a look's count moves by up to 4 % ... */
#define TRIM 0.04
/* ... this much for each sample that the depth is off ... */
#define TRIM_GAIN (1.0 / 16.0)
/* ... seen through a mean over this many looks, because a device takes whole periods. */
#define DEPTH_LOOKS 8.0
/* Past these depths (in looks, the new block included) a block is cut or stretched by half to get back soon. */
#define DEEP_LOOKS 4.0
#define SHALLOW_LOOKS 1.25
/* Tries to start a source between two periods of the device. */
#define START_TRIES 4

typedef struct rack_source {
    ALuint name;
    ALuint buffers[BUFFERS]; /* a ring: `queued` of them from `first` are OpenAL's */
    uint32_t sizes[BUFFERS]; /* samples of each */
    uint32_t first, queued;
    uint32_t idle; /* looks of silence so far */
    bool running;
    bool starting;      /* begins at the end of this look */
    bool starting_pads; /* ... behind a pad, which is its first buffer */
} rack_source;

struct audio_rack {
    rack_source *sources; /* slots, then the keeper of time */
    uint32_t slots;
    rack_pace pace;
    bool live, floats, paused, restart;
    double debt;  /* fraction of a sample that looks still owe */
    double depth; /* mean of what is queued after a look */
    uint32_t count;
    uint32_t underruns;
    float *silence;
    int16_t *narrow; /* for devices without float buffers */
    uint32_t silence_max;
};

rack_pace rack_pace_of(uint32_t rate_num, uint32_t rate_den) {
    double frame = (double)EDDY_SOUND_RATE * rate_den / rate_num;
    return (rack_pace){
        .frame = frame, .count_min = (uint32_t)floor(frame / 2.0), .count_max = (uint32_t)ceil(frame * 1.5) + 1};
}

/* ---- life ---- */

audio_rack *rack_create(uint32_t slots, rack_pace pace, bool live, bool floats) {
    audio_rack *rack = calloc(1, sizeof *rack);
    if (!rack)
        return NULL;
    rack->slots = slots;
    rack->pace = pace;
    rack->live = live;
    rack->floats = floats;
    rack->restart = true;
    rack->silence_max = pace.count_max * 8 + (uint32_t)SPARE_SAMPLES;
    rack->sources = calloc(slots + 1, sizeof *rack->sources);
    rack->silence = calloc(rack->silence_max, 2 * sizeof *rack->silence);
    rack->narrow = floats ? NULL : calloc(rack->silence_max, 2 * sizeof *rack->narrow);
    bool good = rack->sources && rack->silence && (floats || rack->narrow);
    alGetError();
    for (uint32_t i = 0; good && i <= slots; i++) {
        rack_source *source = &rack->sources[i];
        alGenSources(1, &source->name);
        alGenBuffers(BUFFERS, source->buffers);
        good = alGetError() == AL_NO_ERROR;
        if (good && alIsExtensionPresent("AL_SOFT_direct_channels"))
            alSourcei(source->name, AL_DIRECT_CHANNELS_SOFT, AL_TRUE);
    }
    if (!good) {
        rack_destroy(rack);
        return NULL;
    }
    return rack;
}

void rack_destroy(audio_rack *rack) {
    if (!rack)
        return;
    for (uint32_t i = 0; rack->sources && i <= rack->slots; i++) {
        rack_source *source = &rack->sources[i];
        if (source->name) {
            alSourceStop(source->name);
            alDeleteSources(1, &source->name);
        }
        if (source->buffers[0])
            alDeleteBuffers(BUFFERS, source->buffers);
    }
    alGetError();
    free(rack->sources);
    free(rack->silence);
    free(rack->narrow);
    free(rack);
}

/* ---- one source ---- */

static void source_reclaim(rack_source *source) {
    ALint processed = 0;
    alGetSourcei(source->name, AL_BUFFERS_PROCESSED, &processed);
    for (; processed > 0 && source->queued > 0; processed--) {
        ALuint buffer;
        alSourceUnqueueBuffers(source->name, 1, &buffer);
        source->first = (source->first + 1) % BUFFERS;
        source->queued--;
    }
}

/* Stopped, with nothing queued: whatever is queued next is not preceded by old buffers. */
static void source_clear(rack_source *source) {
    alSourceStop(source->name);
    alSourcei(source->name, AL_BUFFER, 0);
    source->first = source->queued = 0;
    source->running = source->starting = source->starting_pads = false;
    source->idle = 0;
}

static bool source_playing(const rack_source *source) {
    ALint state = 0;
    alGetSourcei(source->name, AL_SOURCE_STATE, &state);
    return state == AL_PLAYING;
}

static void narrow(const float *samples, uint32_t count, int16_t *out) {
    for (uint32_t i = 0; i < 2 * count; i++) {
        float scaled = samples[i] * 32767.0f;
        out[i] = (int16_t)lrintf(scaled < -32768.0f ? -32768.0f : scaled > 32767.0f ? 32767.0f : scaled);
    }
}

static void buffer_fill(audio_rack *rack, ALuint buffer, const float *samples, uint32_t count) {
    if (!rack->floats)
        narrow(samples, count, rack->narrow);
    alBufferData(buffer, rack->floats ? AL_FORMAT_STEREO_FLOAT32 : AL_FORMAT_STEREO16,
                 rack->floats ? (const void *)samples : rack->narrow,
                 (ALsizei)(count * 2 * (rack->floats ? sizeof(float) : sizeof(int16_t))), EDDY_SOUND_RATE);
}

/* Queues a block; without a free buffer (looks that were never rendered) it is dropped. */
static void source_push(audio_rack *rack, rack_source *source, const float *samples, uint32_t count) {
    if (source->queued == BUFFERS || count == 0)
        return;
    uint32_t at = (source->first + source->queued) % BUFFERS;
    buffer_fill(rack, source->buffers[at], samples, count);
    alSourceQueueBuffers(source->name, 1, &source->buffers[at]);
    source->sizes[at] = count;
    source->queued++;
}

/* Samples queued and not yet taken by the device. */
static double source_depth(const rack_source *source) {
    double sum = 0.0;
    for (uint32_t i = 0; i < source->queued; i++)
        sum += source->sizes[(source->first + i) % BUFFERS];
    ALint offset = 0;
    alGetSourcei(source->name, AL_SAMPLE_OFFSET, &offset);
    return sum > offset ? sum - offset : 0.0;
}

/* ---- pace ---- */

static double depth_wanted(const audio_rack *rack) {
    return SPARE_SAMPLES + rack->pace.frame;
}

/* Depth after a nominal block against what is wanted: more makes blocks shorter, so that less is heard late. */
static uint32_t paced_count(audio_rack *rack, double depth) {
    const double frame = rack->pace.frame;
    depth += frame;
    rack->depth += (depth - rack->depth) / DEPTH_LOOKS;
    double trim = (depth_wanted(rack) - rack->depth) * TRIM_GAIN;
    trim = fmax(-TRIM * frame, fmin(TRIM * frame, trim));
    if (depth > DEEP_LOOKS * frame + SPARE_SAMPLES)
        trim = -frame / 2.0;
    else if (depth < SHALLOW_LOOKS * frame)
        trim = frame / 2.0;
    double exact = frame + trim + rack->debt;
    uint32_t count = (uint32_t)exact;
    rack->debt = exact - count;
    return count;
}

/* Everything stops, and begins again behind one pad at the end of this look. */
static void start_anew(audio_rack *rack) {
    for (uint32_t i = 0; i <= rack->slots; i++)
        source_clear(&rack->sources[i]);
    rack->depth = depth_wanted(rack);
    rack->debt = 0.0;
    rack->restart = true;
}

device_order rack_begin(audio_rack *rack) {
    rack->count = 0;
    if (rack->paused)
        return (device_order){0};
    if (!rack->live) {
        rack->count = (uint32_t)rack->pace.frame;
        return (device_order){.count = rack->count};
    }
    rack_source *keeper = &rack->sources[rack->slots];
    source_reclaim(keeper);
    if (keeper->running && !source_playing(keeper)) {
        rack->underruns++;
        start_anew(rack);
    }
    rack->count = rack->restart ? (uint32_t)rack->pace.frame : paced_count(rack, source_depth(keeper));
    return (device_order){.count = rack->count, .from_start = rack->restart};
}

/* ---- queueing ---- */

static void queue_rendered(audio_rack *rack, rack_source *source, const float *samples) {
    source_reclaim(source);
    if (!samples)
        return;
    source_push(rack, source, samples, rack->count);
    if (!source_playing(source))
        alSourcePlay(source->name);
}

static void queue_live(audio_rack *rack, rack_source *source, const float *samples) {
    if (source->running) {
        source_reclaim(source);
        source->idle = samples ? 0 : source->idle + 1;
        if (source->idle > IDLE_LOOKS || !source_playing(source))
            source_clear(source);
    }
    if (!source->running && !samples)
        return;
    if (!source->running) {
        double pad = rack->restart ? SPARE_SAMPLES : source_depth(&rack->sources[rack->slots]);
        source->starting_pads = pad >= 1.0;
        source_push(rack, source, rack->silence, (uint32_t)fmin(pad, rack->silence_max));
        source->starting = true;
    }
    source_push(rack, source, samples ? samples : rack->silence, rack->count);
}

void rack_queue(audio_rack *rack, uint32_t slot, const float *samples) {
    assert(slot < rack->slots && rack->count > 0);
    (rack->live ? queue_live : queue_rendered)(rack, &rack->sources[slot], samples);
}

/* A source that joins the others: its pad must be as deep as the keeper's queue at the moment it starts. The device may
 * take a period just then; so look again afterwards, and start over if it did. */
static void start_joining(audio_rack *rack, rack_source *source) {
    const rack_source *keeper = &rack->sources[rack->slots];
    for (int i = 0; i < START_TRIES; i++) {
        /* Under 0 when the device is already in the block that was just queued: then there is nothing to wait for. */
        double ahead = source_depth(keeper) - rack->count;
        uint32_t pad = (uint32_t)fmax(0, fmin(ahead, rack->silence_max));
        if (source->starting_pads && pad > 0 && pad != source->sizes[source->first]) {
            /* A queued buffer cannot be filled anew: take both out, put both back. */
            ALuint taken[BUFFERS];
            uint32_t queued = source->queued;
            alSourceStop(source->name);
            alSourcei(source->name, AL_BUFFER, 0);
            for (uint32_t k = 0; k < queued; k++)
                taken[k] = source->buffers[(source->first + k) % BUFFERS];
            buffer_fill(rack, taken[0], rack->silence, pad);
            source->sizes[source->first] = pad;
            alSourceQueueBuffers(source->name, (ALsizei)queued, taken);
        }
        double before = source_depth(keeper);
        alSourcePlay(source->name);
        if (source_depth(keeper) == before)
            break;
        alSourceStop(source->name);
        alSourceRewind(source->name);
    }
    source->running = true;
    source->starting = source->starting_pads = false;
}

static void start_together(audio_rack *rack) {
    rack_source *keeper = &rack->sources[rack->slots];
    source_push(rack, keeper, rack->silence, (uint32_t)SPARE_SAMPLES);
    source_push(rack, keeper, rack->silence, rack->count);
    keeper->starting = true;
    ALuint names[64];
    ALsizei count = 0;
    for (uint32_t i = 0; i <= rack->slots; i++) {
        rack_source *source = &rack->sources[rack->slots - i];
        if (!source->starting)
            continue;
        source->running = true;
        source->starting = source->starting_pads = false;
        names[count++] = source->name;
        if (count == 64) {
            alSourcePlayv(count, names);
            count = 0;
        }
    }
    alSourcePlayv(count, names);
    rack->restart = false;
}

void rack_end(audio_rack *rack) {
    if (rack->live && rack->count > 0) {
        if (rack->restart) {
            start_together(rack);
        } else {
            source_push(rack, &rack->sources[rack->slots], rack->silence, rack->count);
            for (uint32_t i = 0; i < rack->slots; i++)
                if (rack->sources[i].starting)
                    start_joining(rack, &rack->sources[i]);
        }
    }
    alGetError();
}

void rack_pause(audio_rack *rack, bool paused) {
    if (rack->paused == paused)
        return;
    rack->paused = paused;
    /* The listener's gain goes down over one mixing period: no click. What waited in the queues is let go. */
    alListenerf(AL_GAIN, paused ? 0.0f : 1.0f);
    if (!paused && rack->live)
        start_anew(rack);
}

uint32_t rack_underruns(const audio_rack *rack) {
    return rack->underruns;
}
