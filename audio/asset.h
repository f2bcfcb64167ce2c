/* Sounds as they are kept: decoded at load, or known well enough to be streamed. Private to audio/. */
#ifndef EDDY_AUDIO_ASSET_H
#define EDDY_AUDIO_ASSET_H

#include "sound.h"
#include "vorbis.h"

typedef enum asset_kind {
    ASSET_SILENT,   /**< missing or bad: its sounds are silent */
    ASSET_CACHED,   /**< `samples` holds all of it */
    ASSET_STREAMED, /**< `path` and `facts` open a stream */
    ASSET_MEASURED, /**< without a device: only its length is known */
} asset_kind;

typedef struct audio_asset {
    asset_kind kind;
    uint32_t channels; /**< 1 or 2 */
    uint32_t rate;
    int64_t frames; /**< at `rate` */
    char key[EDDY_SOUND_KEY_BYTES];
    char *path;
    vorbis_facts facts;
    float *samples;
    size_t bytes; /**< of samples */
    bool told;    /**< that it could not be played as it should */
} audio_asset;

typedef struct asset_terms {
    size_t cache_bytes_left;
    double stream_seconds;
    bool measure_only;
    const eddy_hooks *hooks;
} asset_terms;

/** Fills everything but the key. Samples that are no number become 0, with one log line. E_IO, E_FORMAT, E_LIMIT,
 * E_MEMORY: nothing is held then. */
eddy_result asset_load(const char *path, const asset_terms *terms, audio_asset *out, eddy_error *error);
void asset_unload(audio_asset *asset);
/** In samples at 48 kHz. */
double asset_length(const audio_asset *asset);

#endif
