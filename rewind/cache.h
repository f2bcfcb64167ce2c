/* Decoded frames beside the world, the least recently read one goes first. A cached frame holds only the entities that
 * changed; the others point into what it was decoded from, which is kept as long as a frame needs it: the decoded base
 * of its group, or the opened run of a sealed heap. */
#ifndef EDDY_REWIND_CACHE_H
#define EDDY_REWIND_CACHE_H

#include "seal.h"

/** What names a frame for ever: branch numbers are not used twice. */
typedef struct cache_key {
    uint32_t branch, frame;
} cache_key;

typedef struct cached_base {
    frame_buffer buffer; /**< the base of a group ... */
    cache_key key;       /**< ... of which this is the base frame */
    opened_run *run;     /**< or a sealed heap; NULL: none */
    uint64_t serial;     /**< of the heap */
    uint32_t users;      /**< cached frames that point into it */
    uint64_t used_at;
    bool is_there;
} cached_base;

typedef struct cached_frame {
    frame_buffer buffer;
    cache_key key;
    cached_base *base;
    uint64_t used_at;
    bool is_there;
} cached_frame;

typedef struct frame_cache {
    cached_frame *frames;
    cached_base *bases; /**< frame_count + 1: one more than frames can point into */
    uint32_t frame_count;
    uint64_t clock;
    const eddy_hooks *hooks;
} frame_cache;

/** False: no memory. */
bool cache_create(frame_cache *cache, uint32_t frame_count, const eddy_hooks *hooks);
void cache_destroy(frame_cache *cache);

/** The frame, now the most recently read, or NULL. */
cached_frame *cache_find_frame(frame_cache *cache, cache_key key);
cached_base *cache_find_base(frame_cache *cache, cache_key key);
/** The slot of the least recently read frame, empty, to decode into; put in use by cache_fill_frame. */
cached_frame *cache_claim_frame(frame_cache *cache);
void cache_fill_frame(frame_cache *cache, cached_frame *frame, cache_key key, cached_base *base);
/** A slot for a base, empty: one that no frame points into. */
cached_base *cache_claim_base(frame_cache *cache);
void cache_fill_base(frame_cache *cache, cached_base *base, cache_key key);
/** The opened run of the heap with a serial, or NULL. */
cached_base *cache_find_run(frame_cache *cache, uint64_t serial);
/** Puts an opened run, which is the cache's from now on, into a claimed slot. */
void cache_fill_run(frame_cache *cache, cached_base *base, uint64_t serial, opened_run *run);

/** Bytes of everything decoded. O(slots). */
size_t cache_owned_bytes(const frame_cache *cache);
/** Gives back the memory of the least recently read until at most `bytes_max` are held beside what the last one points
 * into, or only `keep` frames. */
void cache_trim(frame_cache *cache, size_t bytes_max, uint32_t keep);

#endif
