#include "asset.h"

#include "pcm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double asset_length(const audio_asset *asset) {
    return asset->rate ? (double)asset->frames * EDDY_SOUND_RATE / asset->rate : 0.0;
}

void asset_unload(audio_asset *asset) {
    free(asset->path);
    free(asset->samples);
    asset->path = NULL;
    asset->samples = NULL;
    asset->bytes = 0;
    asset->kind = ASSET_SILENT;
}

/* Whole and in order, and long or too large for the cache: streamed. Everything else is decoded now. */
static bool should_stream(const vorbis_facts *facts, const asset_terms *terms) {
    double bytes = (double)facts->frames * pcm_folded(facts->channels) * sizeof(float);
    return facts->regular &&
           ((double)facts->frames > terms->stream_seconds * facts->rate || bytes > (double)terms->cache_bytes_left);
}

static eddy_result load_vorbis(const char *path, const asset_terms *terms, audio_asset *out, eddy_error *error) {
    eddy_result result = vorbis_measure(path, &out->facts, error);
    if (result == EDDY_OK)
        result = pcm_check_format(path, (long)out->facts.rate, (long)out->facts.channels, error);
    if (result != EDDY_OK)
        return result;
    out->rate = out->facts.rate;
    out->channels = pcm_folded(out->facts.channels);
    out->frames = out->facts.frames;
    out->kind = ASSET_STREAMED;
    if (should_stream(&out->facts, terms))
        return EDDY_OK;
    out->kind = ASSET_CACHED;
    if (out->facts.regular && terms->measure_only)
        return EDDY_OK;
    return vorbis_decode(path, &out->facts, terms->cache_bytes_left, terms->hooks, &out->samples, &out->frames, error);
}

static eddy_result load_pcm(const char *path, const asset_terms *terms, audio_asset *out, eddy_error *error) {
    pcm_sound sound;
    eddy_result result = pcm_read(path, terms->cache_bytes_left, terms->measure_only, terms->hooks, &sound, error);
    if (result != EDDY_OK)
        return result;
    out->kind = ASSET_CACHED;
    out->rate = sound.rate;
    out->channels = sound.channels;
    out->frames = sound.frames;
    out->samples = sound.samples;
    return EDDY_OK;
}

eddy_result asset_load(const char *path, const asset_terms *terms, audio_asset *out, eddy_error *error) {
    /* By content, not by name: libsndfile would read Ogg too, but only to its own idea of the length. */
    char magic[4] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    bool is_ogg = fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, VORBIS_MAGIC, sizeof magic);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be read; is it a file?", path);
    audio_asset asset = {0};
    eddy_result result = (is_ogg ? load_vorbis : load_pcm)(path, terms, &asset, error);
    if (result == EDDY_OK && !(asset.path = strdup(path)))
        result = eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for its name", path);
    if (result != EDDY_OK) {
        asset_unload(&asset);
        return result;
    }
    asset.bytes = asset.samples ? (size_t)asset.frames * asset.channels * sizeof(float) : 0;
    if (terms->measure_only) {
        free(asset.samples);
        asset.samples = NULL;
        asset.bytes = 0;
        asset.kind = ASSET_MEASURED;
    }
    *out = asset;
    return EDDY_OK;
}
