#include "cache.h"

#include "memory.h"

bool cache_create(frame_cache *cache, uint32_t frame_count, const eddy_hooks *hooks) {
    *cache = (frame_cache){.frame_count = frame_count, .hooks = hooks};
    cache->frames = memory_reserve(hooks, frame_count * sizeof *cache->frames);
    cache->bases = memory_reserve(hooks, (frame_count + 1) * sizeof *cache->bases);
    if (!cache->frames || !cache->bases) {
        return false;
    }
    for (uint32_t i = 0; i < frame_count; i++) {
        cache->frames[i].buffer.hooks = *hooks;
    }
    for (uint32_t i = 0; i <= frame_count; i++) {
        cache->bases[i].buffer.hooks = *hooks;
    }
    return true;
}

static void free_base(cached_base *base) {
    frame_buffer_free(&base->buffer);
    opened_close(base->run);
    base->run = NULL;
    base->is_there = false;
}

void cache_destroy(frame_cache *cache) {
    for (uint32_t i = 0; cache->frames && i < cache->frame_count; i++) {
        frame_buffer_free(&cache->frames[i].buffer);
    }
    for (uint32_t i = 0; cache->bases && i <= cache->frame_count; i++) {
        free_base(&cache->bases[i]);
    }
    memory_release(cache->hooks, cache->frames, cache->frame_count * sizeof *cache->frames);
    memory_release(cache->hooks, cache->bases, (cache->frame_count + 1) * sizeof *cache->bases);
}

static bool same_key(cache_key a, cache_key b) {
    return a.branch == b.branch && a.frame == b.frame;
}

cached_frame *cache_find_frame(frame_cache *cache, cache_key key) {
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        cached_frame *frame = &cache->frames[i];
        if (frame->is_there && same_key(frame->key, key)) {
            frame->used_at = ++cache->clock;
            frame->base->used_at = cache->clock;
            return frame;
        }
    }
    return NULL;
}

cached_base *cache_find_base(frame_cache *cache, cache_key key) {
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        const cached_base *base = &cache->bases[i];
        if (base->is_there && !base->run && same_key(base->key, key)) {
            return &cache->bases[i];
        }
    }
    return NULL;
}

cached_base *cache_find_run(frame_cache *cache, uint64_t serial) {
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        if (cache->bases[i].run && cache->bases[i].serial == serial) {
            return &cache->bases[i];
        }
    }
    return NULL;
}

static void forget_frame(cached_frame *frame) {
    if (frame->is_there) {
        frame->base->users--;
        frame->is_there = false;
    }
}

/* The least recently read frame that is there, or NULL. */
static cached_frame *oldest_frame(frame_cache *cache) {
    cached_frame *oldest = NULL;
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        cached_frame *frame = &cache->frames[i];
        if (frame->is_there && (!oldest || frame->used_at < oldest->used_at)) {
            oldest = frame;
        }
    }
    return oldest;
}

cached_frame *cache_claim_frame(frame_cache *cache) {
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        if (!cache->frames[i].is_there) {
            return &cache->frames[i];
        }
    }
    cached_frame *oldest = oldest_frame(cache);
    forget_frame(oldest);
    return oldest;
}

void cache_fill_frame(frame_cache *cache, cached_frame *frame, cache_key key, cached_base *base) {
    frame->key = key;
    frame->base = base;
    frame->is_there = true;
    frame->used_at = base->used_at = ++cache->clock;
    base->users++;
}

/* How many bases without users are kept: the group or run that is being left, and those on its sides. */
#define IDLE_BASES 3u

/* The least recently used base that no frame points into, or NULL. */
static cached_base *oldest_idle(frame_cache *cache, uint32_t *idle_count) {
    cached_base *oldest = NULL;
    *idle_count = 0;
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        cached_base *base = &cache->bases[i];
        if (base->is_there && base->users == 0) {
            ++*idle_count;
            oldest = !oldest || base->used_at < oldest->used_at ? base : oldest;
        }
    }
    return oldest;
}

cached_base *cache_claim_base(frame_cache *cache) {
    uint32_t idle;
    cached_base *claimed = oldest_idle(cache, &idle);
    for (uint32_t i = 0; i <= cache->frame_count && idle < IDLE_BASES; i++) {
        if (!cache->bases[i].is_there) {
            claimed = &cache->bases[i];
            break;
        }
    }
    opened_close(claimed->run);
    claimed->run = NULL;
    claimed->is_there = false;
    return claimed;
}

static void fill(frame_cache *cache, cached_base *base) {
    base->users = 0;
    base->is_there = true;
    base->used_at = ++cache->clock;
}

void cache_fill_base(frame_cache *cache, cached_base *base, cache_key key) {
    base->key = key;
    fill(cache, base);
}

void cache_fill_run(frame_cache *cache, cached_base *base, uint64_t serial, opened_run *run) {
    frame_buffer_free(&base->buffer);
    base->run = run;
    base->serial = serial;
    fill(cache, base);
}

static size_t base_bytes(const cached_base *base) {
    return frame_buffer_owned_bytes(&base->buffer) + (base->run ? opened_owned_bytes(base->run) : 0);
}

size_t cache_owned_bytes(const frame_cache *cache) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        bytes += frame_buffer_owned_bytes(&cache->frames[i].buffer);
    }
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        bytes += base_bytes(&cache->bases[i]);
    }
    return bytes;
}

/* Bytes of all but what was read last, which is needed whatever its size. */
static size_t spare_bytes(const frame_cache *cache) {
    const cached_base *newest = NULL;
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        const cached_base *base = &cache->bases[i];
        newest = base->users > 0 && (!newest || base->used_at > newest->used_at) ? base : newest;
    }
    return cache_owned_bytes(cache) - (newest ? base_bytes(newest) : 0);
}

/* Gives back what nobody reads, the least recently used first, until at most `bytes_max` are held. */
static void free_idle(frame_cache *cache, size_t bytes_max) {
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        if (!cache->frames[i].is_there) {
            frame_buffer_free(&cache->frames[i].buffer);
        }
    }
    for (uint32_t i = 0; i <= cache->frame_count; i++) {
        if (!cache->bases[i].is_there) {
            frame_buffer_free(&cache->bases[i].buffer);
        }
    }
    uint32_t idle;
    for (cached_base *base; spare_bytes(cache) > bytes_max && (base = oldest_idle(cache, &idle)) != NULL;) {
        free_base(base);
    }
}

void cache_trim(frame_cache *cache, size_t bytes_max, uint32_t keep) {
    if (spare_bytes(cache) <= bytes_max) {
        return;
    }
    free_idle(cache, bytes_max);
    uint32_t there = 0;
    for (uint32_t i = 0; i < cache->frame_count; i++) {
        there += cache->frames[i].is_there;
    }
    for (; there > keep && spare_bytes(cache) > bytes_max; there--) {
        forget_frame(oldest_frame(cache));
        free_idle(cache, bytes_max);
    }
}
