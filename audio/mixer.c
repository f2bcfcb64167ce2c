#include "mixer.h"

#include "pan.h"
#include "pcm.h"
#include "stream.h"
#include "voice.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX
#define NO_SOUND UINT32_MAX

/* One sound entity as of the last look. */
typedef struct mixer_sound {
    eddy_id id;
    uint32_t slot;
    audio_asset *asset; /* NULL: to be found */
    double from, to;    /* this look's sweep; equal when it stands still, has just appeared or has jumped */
    float level;
    float gain_from[2], gain_to[2];
    char key[EDDY_SOUND_KEY_BYTES];
    uint8_t priority;
    bool loop, mixdown;
    bool arrived; /* appeared or jumped here: it has not had time to move */
    bool chosen;  /* is among those heard in this look */
} mixer_sound;

/* One voice heard at a time; the device has a source for each. */
typedef struct mixer_slot {
    uint32_t sound; /* index, or NO_SOUND */
    audio_stream *stream;
    bool sounding;      /* the last block came from the material */
    uint32_t fade_left; /* samples of the rise still to come */
    uint32_t tail_left; /* samples of the decay still to come */
    float last[2];      /* last frame that was put out */
    float tail[2];      /* where the decay begins */
} mixer_slot;

typedef struct sound_list {
    mixer_sound *sounds;
    uint32_t count, capacity;
} sound_list;

/* A candidate for a slot. */
typedef struct rival {
    uint64_t rank;
    uint32_t sound;
} rival;

struct audio_mixer {
    mixer_desc desc;
    float volumes[EDDY_CATEGORY_COUNT];
    sound_list now, before;
    mixer_slot *slots;
    rival *rivals; /* a heap of desc.slots, the weakest on top */
    uint32_t rival_count;
    voice_scratch scratch;
    float *block;
    bool told_memory;
};

/* ---- life ---- */

audio_mixer *mixer_create(const mixer_desc *desc) {
    audio_mixer *mixer = calloc(1, sizeof *mixer);
    if (!mixer)
        return NULL;
    mixer->desc = *desc;
    mixer->slots = calloc(desc->slots, sizeof *mixer->slots);
    mixer->rivals = calloc(desc->slots, sizeof *mixer->rivals);
    mixer->block = calloc(desc->count_max, 2 * sizeof *mixer->block);
    if (!mixer->slots || !mixer->rivals || !mixer->block) {
        mixer_destroy(mixer);
        return NULL;
    }
    for (uint32_t i = 0; i < desc->slots; i++)
        mixer->slots[i].sound = NO_SOUND;
    for (int i = 0; i < EDDY_CATEGORY_COUNT; i++)
        mixer->volumes[i] = 1.0f;
    return mixer;
}

void mixer_destroy(audio_mixer *mixer) {
    if (!mixer)
        return;
    for (uint32_t i = 0; mixer->slots && i < mixer->desc.slots; i++)
        stream_close(mixer->slots[i].stream);
    free(mixer->now.sounds);
    free(mixer->before.sounds);
    free(mixer->slots);
    free(mixer->rivals);
    free(mixer->block);
    free(mixer);
}

void mixer_volume(audio_mixer *mixer, eddy_category category, float volume) {
    assert(category >= 0 && category < EDDY_CATEGORY_COUNT);
    mixer->volumes[category] = volume > 0.0f ? volume < 1.0f ? volume : 1.0f : 0.0f;
}

/* ---- slots ---- */

/* What the slot put out last decays over the fade; whatever it plays next is added to that. */
static void slot_cut(mixer_slot *slot) {
    if (!slot->sounding)
        return;
    slot->sounding = false;
    slot->tail[0] = slot->last[0];
    slot->tail[1] = slot->last[1];
    slot->tail_left = MIXER_FADE_SAMPLES;
}

static void slot_free(mixer_slot *slot) {
    slot_cut(slot);
    stream_close(slot->stream);
    slot->stream = NULL;
    slot->sound = NO_SOUND;
}

static void slot_add_tail(mixer_slot *slot, uint32_t count, float *block) {
    for (uint32_t k = 0; k < count && slot->tail_left > 0; k++) {
        slot->tail_left--;
        float share = (float)slot->tail_left / MIXER_FADE_SAMPLES;
        block[2 * k] += slot->tail[0] * share;
        block[2 * k + 1] += slot->tail[1] * share;
    }
}

static void slot_rise(mixer_slot *slot, uint32_t count, float *block) {
    for (uint32_t k = 0; k < count && slot->fade_left > 0; k++) {
        float share = (float)(MIXER_FADE_SAMPLES - slot->fade_left) / MIXER_FADE_SAMPLES;
        slot->fade_left--;
        block[2 * k] *= share;
        block[2 * k + 1] *= share;
    }
}

/* ---- a look: sounds appear, move and go ---- */

static bool list_reserve(sound_list *list, uint32_t count) {
    if (count <= list->capacity)
        return true;
    uint32_t capacity = list->capacity * 2 > count ? list->capacity * 2 : count;
    mixer_sound *grown = realloc(list->sounds, capacity * sizeof *grown);
    if (!grown)
        return false;
    list->sounds = grown;
    list->capacity = capacity;
    return true;
}

/* Farther in one look than any speed goes, or not a place at all: taken as a jump. */
static bool too_far(const audio_mixer *mixer, double from, double to) {
    return !(fabs(to - from) < VOICE_STEP_MAX / PCM_RATIO_MAX * mixer->desc.count_min);
}

static mixer_sound sound_seen(const audio_mixer *mixer, const eddy_audio_scene *scene, const eddy_audio_sound *seen) {
    const eddy_sound *sound = seen->sound;
    uint8_t category = sound->category < EDDY_CATEGORY_COUNT ? sound->category : EDDY_CATEGORY_EFFECT;
    pan_gains gains = pan_of(sound, scene->listener_x, scene->listener_y, mixer->volumes[category]);
    mixer_sound now = {.id = seen->id,
                       .slot = NO_SLOT,
                       .from = sound->position,
                       .to = sound->position,
                       .level = gains.level,
                       .gain_from = {gains.ear[0], gains.ear[1]},
                       .gain_to = {gains.ear[0], gains.ear[1]},
                       .priority = sound->priority,
                       .loop = sound->repeat == EDDY_SOUND_LOOP,
                       .mixdown = sound->place != EDDY_SOUND_HERE,
                       .arrived = true};
    memcpy(now.key, sound->asset, sizeof now.key);
    now.key[sizeof now.key - 1] = 0;
    if (!isfinite(sound->position))
        now.from = now.to = -DBL_MAX; /* nowhere, and too far from anywhere */
    return now;
}

/* The sound was there at the last look: it goes on from there, in its slot. */
static void sound_goes_on(audio_mixer *mixer, mixer_sound *now, const mixer_sound *before, bool jumped) {
    now->asset = before->asset;
    now->slot = before->slot;
    jumped = jumped || too_far(mixer, before->to, now->to);
    if (jumped) {
        if (now->slot != NO_SLOT)
            slot_cut(&mixer->slots[now->slot]);
        return;
    }
    now->arrived = false;
    now->from = before->to;
    now->gain_from[0] = before->gain_to[0];
    now->gain_from[1] = before->gain_to[1];
}

/* Both lists ascend by id: one walk pairs them. */
static void pair_sounds(audio_mixer *mixer, const eddy_audio_scene *scene, uint32_t count) {
    const sound_list *old = &mixer->before;
    uint32_t o = 0;
    for (uint32_t i = 0; i < count; i++) {
        const eddy_audio_sound *seen = &scene->sounds[i];
        assert(i == 0 || scene->sounds[i - 1].id < seen->id);
        mixer_sound *now = &mixer->now.sounds[i];
        *now = sound_seen(mixer, scene, seen);
        for (; o < old->count && old->sounds[o].id < now->id; o++)
            if (old->sounds[o].slot != NO_SLOT)
                slot_free(&mixer->slots[old->sounds[o].slot]);
        if (o < old->count && old->sounds[o].id == now->id) {
            const mixer_sound *before = &old->sounds[o++];
            if (!memcmp(before->key, now->key, sizeof now->key))
                sound_goes_on(mixer, now, before, scene->jumped);
            else if (before->slot != NO_SLOT)
                slot_free(&mixer->slots[before->slot]);
        }
        if (!now->asset)
            now->asset = mixer->desc.find(mixer->desc.user, now->key);
        if (now->slot != NO_SLOT)
            mixer->slots[now->slot].sound = i;
    }
    for (; o < old->count; o++)
        if (old->sounds[o].slot != NO_SLOT)
            slot_free(&mixer->slots[old->sounds[o].slot]);
    mixer->now.count = count;
}

/* ---- a look: who is heard ---- */

/* Does any of the material lie in the sound's way? */
static bool in_material(const mixer_sound *sound, double from, double to) {
    double length = asset_length(sound->asset);
    if (sound->asset->kind == ASSET_SILENT || !(length > 0.0))
        return false;
    return sound->loop || (fmax(from, to) >= 0.0 && fmin(from, to) < length);
}

static bool has_gain(const mixer_sound *sound) {
    return sound->gain_from[0] > 0.0f || sound->gain_from[1] > 0.0f || sound->gain_to[0] > 0.0f ||
           sound->gain_to[1] > 0.0f;
}

static bool wants_slot(const mixer_sound *sound) {
    return sound->from != sound->to && has_gain(sound) && in_material(sound, sound->from, sound->to);
}

/* Priority, then gain, then who is heard already, then who is older. */
static uint64_t rank_of(const mixer_sound *sound) {
    uint32_t bits; /* the bits of floats that are not negative ascend with their values */
    memcpy(&bits, &sound->level, sizeof bits);
    return (uint64_t)sound->priority << 33 | (uint64_t)bits << 1 | (sound->slot != NO_SLOT);
}

static bool rival_weaker(const rival *a, const rival *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->sound > b->sound;
}

static void rivals_sink(audio_mixer *mixer, uint32_t at) {
    rival *heap = mixer->rivals;
    for (;;) {
        uint32_t weakest = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < mixer->rival_count; child++)
            if (rival_weaker(&heap[child], &heap[weakest]))
                weakest = child;
        if (weakest == at)
            return;
        rival moved = heap[at];
        heap[at] = heap[weakest];
        heap[weakest] = moved;
        at = weakest;
    }
}

static void rivals_offer(audio_mixer *mixer, rival offered) {
    rival *heap = mixer->rivals;
    if (mixer->rival_count == mixer->desc.slots) {
        if (!rival_weaker(&heap[0], &offered))
            return;
        heap[0] = offered;
        rivals_sink(mixer, 0);
        return;
    }
    uint32_t at = mixer->rival_count++;
    for (; at > 0 && rival_weaker(&offered, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = offered;
}

static void slot_give(audio_mixer *mixer, uint32_t slot, uint32_t sound) {
    if (mixer->slots[slot].sound != NO_SOUND) {
        mixer->now.sounds[mixer->slots[slot].sound].slot = NO_SLOT;
        slot_free(&mixer->slots[slot]);
    }
    mixer->slots[slot].sound = sound;
    mixer->now.sounds[sound].slot = slot;
}

/* How little a slot would be missed: 0 free and still, 1 free but decaying, 2 held by a sound not heard now. */
static uint32_t slot_attachment(const audio_mixer *mixer, const mixer_slot *slot) {
    if (slot->sound == NO_SOUND)
        return slot->tail_left > 0 || slot->sounding ? 1 : 0;
    return mixer->now.sounds[slot->sound].chosen ? UINT32_MAX : 2;
}

static void choose_sounds(audio_mixer *mixer) {
    mixer->rival_count = 0;
    for (uint32_t i = 0; i < mixer->now.count; i++)
        if (wants_slot(&mixer->now.sounds[i]))
            rivals_offer(mixer, (rival){.rank = rank_of(&mixer->now.sounds[i]), .sound = i});
    for (uint32_t i = 0; i < mixer->rival_count; i++)
        mixer->now.sounds[mixer->rivals[i].sound].chosen = true;
    for (uint32_t i = 0; i < mixer->rival_count; i++) {
        uint32_t sound = mixer->rivals[i].sound;
        if (mixer->now.sounds[sound].slot != NO_SLOT)
            continue;
        uint32_t best = 0;
        for (uint32_t s = 1; s < mixer->desc.slots; s++)
            if (slot_attachment(mixer, &mixer->slots[s]) < slot_attachment(mixer, &mixer->slots[best]))
                best = s;
        slot_give(mixer, best, sound);
    }
}

void mixer_look(audio_mixer *mixer, const eddy_audio_scene *scene) {
    sound_list last = mixer->now;
    mixer->now = mixer->before;
    mixer->before = last;
    uint32_t count = scene->count;
    if (!list_reserve(&mixer->now, count)) {
        if (!mixer->told_memory)
            eddy_log(mixer->desc.hooks, "sound: no memory for %u sounds, only %u are heard", count,
                     mixer->now.capacity);
        mixer->told_memory = true;
        count = mixer->now.capacity;
    }
    pair_sounds(mixer, scene, count);
    choose_sounds(mixer);
}

/* ---- blocks ---- */

static void read_streamed(void *user, int64_t first, uint32_t count, float *out) {
    stream_read(user, first, count, out);
}

/* What a slot's voice reads; a stream that cannot be opened any more leaves the asset silent. */
static bool slot_material(audio_mixer *mixer, mixer_slot *slot, audio_asset *asset, voice_material *out) {
    *out = (voice_material){.channels = asset->channels, .rate = asset->rate, .frames = asset->frames};
    if (asset->kind == ASSET_CACHED) {
        out->samples = asset->samples;
        return true;
    }
    assert(asset->kind == ASSET_STREAMED);
    eddy_error error;
    if (!slot->stream && stream_open(asset->path, &asset->facts, &slot->stream, &error) != EDDY_OK) {
        eddy_log(mixer->desc.hooks, "sound %s is silent from now on: %s", asset->key, error.text);
        asset->kind = ASSET_SILENT;
        return false;
    }
    out->read = read_streamed;
    out->user = slot->stream;
    return true;
}

/* An entry in the middle of the material rises; one at its edge in the way it goes, or from silence, is as made. */
static bool needs_rise(const mixer_sound *sound) {
    bool back = sound->to < sound->from;
    if (sound->gain_from[0] <= 0.0f && sound->gain_from[1] <= 0.0f)
        return false;
    if (!back)
        return sound->from > 0.0;
    return sound->loop || sound->from < asset_length(sound->asset);
}

static bool slot_render(audio_mixer *mixer, mixer_slot *slot, uint32_t count) {
    mixer_sound *sound = slot->sound == NO_SOUND ? NULL : &mixer->now.sounds[slot->sound];
    voice_material material;
    if (!sound || !sound->chosen || !slot_material(mixer, slot, sound->asset, &material)) {
        if (sound && sound->from != sound->to)
            slot->sounding = false; /* out of its material, whose end is as it was made, or down to nothing */
        slot_cut(slot);
        return false;
    }
    if (!slot->sounding)
        slot->fade_left = needs_rise(sound) ? MIXER_FADE_SAMPLES : 0;
    const voice_sweep sweep = {.from = sound->from,
                               .to = sound->to,
                               .gain_from = {sound->gain_from[0], sound->gain_from[1]},
                               .gain_to = {sound->gain_to[0], sound->gain_to[1]},
                               .loop = sound->loop,
                               .mixdown = sound->mixdown};
    voice_render(&material, &sweep, count, &mixer->scratch, mixer->block);
    slot->sounding = true;
    slot_rise(slot, count, mixer->block);
    if (slot->stream && stream_damaged(slot->stream) && !sound->asset->told) {
        sound->asset->told = true;
        eddy_log(mixer->desc.hooks, "%s: a part could not be decoded and plays as silence", sound->asset->path);
    }
    return true;
}

const float *mixer_block(audio_mixer *mixer, uint32_t index, uint32_t count) {
    assert(index < mixer->desc.slots && count > 0 && count <= mixer->desc.count_max);
    mixer_slot *slot = &mixer->slots[index];
    bool heard = slot_render(mixer, slot, count);
    if (!heard && slot->tail_left == 0)
        return NULL;
    if (!heard)
        memset(mixer->block, 0, (size_t)count * 2 * sizeof *mixer->block);
    slot_add_tail(slot, count, mixer->block);
    slot->last[0] = mixer->block[2 * count - 2];
    slot->last[1] = mixer->block[2 * count - 1];
    return mixer->block;
}

void mixer_cut_off(audio_mixer *mixer) {
    for (uint32_t i = 0; i < mixer->desc.slots; i++) {
        mixer->slots[i].sounding = false;
        mixer->slots[i].tail_left = 0;
    }
}

void mixer_forget_asset(audio_mixer *mixer, const audio_asset *asset) {
    for (uint32_t i = 0; i < mixer->now.count; i++) {
        mixer_sound *sound = &mixer->now.sounds[i];
        if (sound->asset != asset)
            continue;
        sound->asset = NULL;
        sound->chosen = false;
        if (sound->slot != NO_SLOT)
            slot_free(&mixer->slots[sound->slot]);
        sound->slot = NO_SLOT;
    }
}

/* ---- what is known of it ---- */

/* Sounds that have just appeared count as heard at their level: they had no time to sound yet. */
static float heard_gain(const mixer_sound *sound) {
    if (sound->chosen)
        return sound->level;
    return sound->arrived && sound->asset && in_material(sound, sound->to, sound->to) ? sound->level : 0.0f;
}

uint32_t mixer_voices(const audio_mixer *mixer, eddy_audio_voice *out, uint32_t capacity) {
    for (uint32_t i = 0; i < mixer->now.count && i < capacity; i++) {
        const mixer_sound *sound = &mixer->now.sounds[i];
        out[i] = (eddy_audio_voice){.id = sound->id, .position = sound->to, .heard_gain = heard_gain(sound)};
        memcpy(out[i].asset, sound->key, sizeof sound->key);
    }
    return mixer->now.count;
}

void mixer_statistics(const audio_mixer *mixer, eddy_audio_statistics *out) {
    out->sounds = mixer->now.count;
    out->voices = mixer->rival_count;
    for (uint32_t i = 0; i < mixer->desc.slots; i++)
        if (mixer->slots[i].stream) {
            out->streams++;
            out->stream_bytes += stream_bytes(mixer->slots[i].stream);
        }
}
