#include "audio.h"

#include "asset.h"
#include "device.h"
#include "mixer.h"
#include "rack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef EDDY_TINY
#define VOICES_DEFAULT 2
#else
#define VOICES_DEFAULT 64
#endif
#define VOICES_MAX 1024
#define CACHE_BYTES_DEFAULT ((size_t)16 << 20)
#define STREAM_SECONDS_DEFAULT 3.0
/* Looks a second: a fade of 5 ms never lasts longer than a few of them, and a block fits into memory. */
#define LOOKS_MIN 1
#define LOOKS_MAX 200

struct eddy_audio {
    eddy_audio_desc desc;
    audio_device *device;
    audio_mixer *mixer;
    audio_asset **assets; /* pointers, so that sounds keep theirs while the table grows */
    uint32_t asset_count, asset_capacity;
    audio_asset nothing; /* for keys that no memory is left for */
    size_t cache_bytes;
    uint32_t samples_a_look; /* LOOPBACK */
};

/* ---- assets ---- */

static audio_asset *asset_of(const eddy_audio *audio, const char *key) {
    for (uint32_t i = 0; i < audio->asset_count; i++)
        if (!strncmp(audio->assets[i]->key, key, EDDY_SOUND_KEY_BYTES))
            return audio->assets[i];
    return NULL;
}

/* An empty, silent entry for a key; NULL: out of memory. */
static audio_asset *asset_make(eddy_audio *audio, const char *key) {
    if (audio->asset_count == audio->asset_capacity) {
        uint32_t capacity = audio->asset_capacity ? audio->asset_capacity * 2 : 32;
        audio_asset **grown = realloc(audio->assets, capacity * sizeof(audio_asset *));
        if (!grown)
            return NULL;
        audio->assets = grown;
        audio->asset_capacity = capacity;
    }
    audio_asset *asset = calloc(1, sizeof *asset);
    if (!asset)
        return NULL;
    memcpy(asset->key, key, strnlen(key, EDDY_SOUND_KEY_BYTES - 1));
    audio->assets[audio->asset_count++] = asset;
    return asset;
}

/* For the mixer. A key that nobody added gets a silent entry: it is told of once, where anything could be heard. */
static audio_asset *asset_find(void *user, const char *key) {
    eddy_audio *audio = user;
    audio_asset *asset = asset_of(audio, key);
    if (asset)
        return asset;
    if (device_kind(audio->device) != EDDY_AUDIO_NONE)
        eddy_log(&audio->desc.hooks, "sound \"%s\": no such sound was loaded; it is silent", key);
    asset = asset_make(audio, key);
    return asset ? asset : &audio->nothing;
}

eddy_result eddy_audio_add(eddy_audio *audio, const char *key, const char *path, eddy_error *error) {
    size_t length = strlen(key);
    if (length == 0 || length >= EDDY_SOUND_KEY_BYTES)
        return eddy_fail(error, EDDY_E_ARGUMENT, "%s: a sound's key has 1 to %d bytes, \"%s\" has %zu", path,
                         EDDY_SOUND_KEY_BYTES - 1, key, length);
    audio_asset *asset = asset_of(audio, key);
    if (!asset && !(asset = asset_make(audio, key)))
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for sound \"%s\"", path, key);
    const asset_terms terms = {.cache_bytes_left = audio->desc.cache_bytes - (audio->cache_bytes - asset->bytes),
                               .stream_seconds = audio->desc.stream_seconds,
                               .measure_only = device_kind(audio->device) == EDDY_AUDIO_NONE,
                               .hooks = &audio->desc.hooks};
    audio_asset loaded;
    eddy_result result = asset_load(path, &terms, &loaded, error);
    if (result != EDDY_OK)
        return result;
    mixer_forget_asset(audio->mixer, asset);
    audio->cache_bytes += loaded.bytes - asset->bytes;
    memcpy(loaded.key, asset->key, sizeof loaded.key);
    asset_unload(asset);
    *asset = loaded;
    return EDDY_OK;
}

double eddy_audio_length(const eddy_audio *audio, const char *key) {
    const audio_asset *asset = asset_of(audio, key);
    return asset ? asset_length(asset) : 0.0;
}

/* ---- life ---- */

static eddy_result check_desc(eddy_audio_desc *desc, eddy_error *error) {
    if (desc->rate_num == 0) {
        desc->rate_num = 60;
        desc->rate_den = 1;
    }
    desc->voices_max = desc->voices_max ? desc->voices_max : VOICES_DEFAULT;
    desc->cache_bytes = desc->cache_bytes ? desc->cache_bytes : CACHE_BYTES_DEFAULT;
    desc->stream_seconds = desc->stream_seconds > 0.0 ? desc->stream_seconds : STREAM_SECONDS_DEFAULT;
    if (desc->rate_den == 0 || desc->rate_num / desc->rate_den < LOOKS_MIN ||
        desc->rate_num / desc->rate_den > LOOKS_MAX)
        return eddy_fail(error, EDDY_E_ARGUMENT, "sound: expected %d to %d frames a second, found %u/%u", LOOKS_MIN,
                         LOOKS_MAX, desc->rate_num, desc->rate_den);
    if (desc->device == EDDY_AUDIO_LOOPBACK && (uint64_t)EDDY_SOUND_RATE * desc->rate_den % desc->rate_num != 0)
        return eddy_fail(error, EDDY_E_ARGUMENT,
                         "sound: a loopback frame must be whole samples: %d * %u / %u is not; take a rate that divides",
                         EDDY_SOUND_RATE, desc->rate_den, desc->rate_num);
    if (desc->voices_max > VOICES_MAX)
        return eddy_fail(error, EDDY_E_ARGUMENT, "sound: expected up to %d voices, found %u", VOICES_MAX,
                         desc->voices_max);
    return EDDY_OK;
}

eddy_result eddy_audio_create(const eddy_audio_desc *desc, eddy_audio **out, eddy_error *error) {
    eddy_audio_desc checked = *desc;
    eddy_result result = check_desc(&checked, error);
    if (result != EDDY_OK)
        return result;
    eddy_audio *audio = calloc(1, sizeof *audio);
    if (!audio)
        return eddy_fail(error, EDDY_E_MEMORY, "sound: no memory");
    audio->desc = checked;
    audio->samples_a_look = (uint32_t)((uint64_t)EDDY_SOUND_RATE * checked.rate_den / checked.rate_num);
    const device_desc device = {.kind = checked.device,
                                .slots = checked.voices_max,
                                .rate_num = checked.rate_num,
                                .rate_den = checked.rate_den,
                                .hooks = &audio->desc.hooks};
    result = device_create(&device, &audio->device, error);
    rack_pace pace = rack_pace_of(checked.rate_num, checked.rate_den);
    const mixer_desc mixer = {.slots = checked.voices_max,
                              .count_min = pace.count_min,
                              .count_max = pace.count_max,
                              .hooks = &audio->desc.hooks,
                              .find = asset_find,
                              .user = audio};
    if (result == EDDY_OK && !(audio->mixer = mixer_create(&mixer)))
        result = eddy_fail(error, EDDY_E_MEMORY, "sound: no memory for %u voices", checked.voices_max);
    if (result != EDDY_OK) {
        eddy_audio_destroy(audio);
        return result;
    }
    *out = audio;
    return EDDY_OK;
}

void eddy_audio_destroy(eddy_audio *audio) {
    if (!audio)
        return;
    mixer_destroy(audio->mixer);
    device_destroy(audio->device);
    for (uint32_t i = 0; i < audio->asset_count; i++) {
        asset_unload(audio->assets[i]);
        free(audio->assets[i]);
    }
    free(audio->assets);
    free(audio);
}

eddy_audio_device eddy_audio_device_used(const eddy_audio *audio) {
    return device_kind(audio->device);
}

/* ---- every frame ---- */

void eddy_audio_volume(eddy_audio *audio, eddy_category category, float volume) {
    mixer_volume(audio->mixer, category, volume);
}

void eddy_audio_look(eddy_audio *audio, const eddy_audio_scene *scene) {
    mixer_look(audio->mixer, scene);
    device_order order = device_begin(audio->device);
    if (order.count == 0 || order.from_start)
        mixer_cut_off(audio->mixer);
    for (uint32_t slot = 0; order.count > 0 && slot < audio->desc.voices_max; slot++)
        device_queue(audio->device, slot, mixer_block(audio->mixer, slot, order.count));
    device_end(audio->device);
}

eddy_result eddy_audio_render(eddy_audio *audio, float *out, size_t count, eddy_error *error) {
    if (device_kind(audio->device) != EDDY_AUDIO_LOOPBACK)
        return eddy_fail(error, EDDY_E_ARGUMENT, "sound: only a loopback device is rendered");
    if (count != audio->samples_a_look)
        return eddy_fail(error, EDDY_E_ARGUMENT, "sound: a frame has %u samples, %zu were asked for",
                         audio->samples_a_look, count);
    return device_render(audio->device, out, count, error);
}

void eddy_audio_pause(eddy_audio *audio, bool paused) {
    if (device_kind(audio->device) == EDDY_AUDIO_PLAYBACK)
        device_pause(audio->device, paused);
}

uint32_t eddy_audio_voices(const eddy_audio *audio, eddy_audio_voice *out, uint32_t capacity) {
    return mixer_voices(audio->mixer, out, capacity);
}

void eddy_audio_statistics_get(const eddy_audio *audio, eddy_audio_statistics *out) {
    *out = (eddy_audio_statistics){.underruns = device_underruns(audio->device), .cache_bytes = audio->cache_bytes};
    mixer_statistics(audio->mixer, out);
}
