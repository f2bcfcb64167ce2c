#include "pool.h"

#include "limits.h"

#include <assert.h>

struct pool_chunk {
    pool_chunk *next;
    size_t bytes; /* reserved, this head included */
    size_t used;  /* this head included */
};

static size_t place_in(size_t used, size_t align) {
    return (used + align - 1) / align * align;
}

pool_mark pool_mark_end(const frame_pool *pool) {
    return (pool_mark){.chunk = pool->last, .used = pool->last ? pool->last->used : 0};
}

pool_mark pool_mark_behind(const frame_pool *pool, const void *memory, size_t bytes) {
    pool_chunk *chunk = memory ? pool->first : NULL;
    for (; chunk; chunk = chunk->next) {
        uintptr_t at = (uintptr_t)memory - (uintptr_t)chunk;
        if (at < chunk->used) {
            return (pool_mark){.chunk = chunk, .used = at + bytes};
        }
    }
    assert(!memory); /* else it is not of this pool */
    return (pool_mark){0};
}

size_t pool_bytes_before(const frame_pool *pool, pool_mark mark) {
    size_t bytes = 0;
    for (pool_chunk *chunk = mark.chunk ? pool->first : NULL; chunk; chunk = chunk->next) {
        bytes += chunk->bytes;
        if (chunk == mark.chunk) {
            break;
        }
    }
    return bytes;
}

bool pool_stage(const eddy_hooks *hooks, pool_mark mark, size_t bytes, size_t align, size_t chunk_bytes,
                pool_chunk **fresh) {
    *fresh = NULL;
    if (mark.chunk && place_in(mark.used, align) + bytes <= mark.chunk->bytes) {
        return true;
    }
    size_t need = sizeof(pool_chunk) + bytes;
    need = need < chunk_bytes ? chunk_bytes : need;
    size_t whole = (need + LIMIT_PAGE_BYTES - 1) / LIMIT_PAGE_BYTES * LIMIT_PAGE_BYTES;
    *fresh = memory_reserve(hooks, whole);
    if (*fresh) {
        (*fresh)->bytes = whole;
        (*fresh)->used = sizeof(pool_chunk);
    }
    return *fresh != NULL;
}

void *pool_take(frame_pool *pool, size_t bytes, size_t align, pool_chunk *fresh) {
    if (fresh) {
        *(pool->last ? &pool->last->next : &pool->first) = fresh;
        pool->last = fresh;
        pool->reserved_bytes += fresh->bytes;
    }
    pool_chunk *chunk = pool->last;
    size_t at = place_in(chunk->used, align);
    assert(at + bytes <= chunk->bytes);
    chunk->used = at + bytes;
    return (uint8_t *)chunk + at;
}

void pool_cut(frame_pool *pool, const eddy_hooks *hooks, pool_mark mark) {
    pool_chunk *chunk = mark.chunk ? mark.chunk->next : pool->first;
    while (chunk) {
        pool_chunk *next = chunk->next;
        pool->reserved_bytes -= chunk->bytes;
        memory_release(hooks, chunk, chunk->bytes);
        chunk = next;
    }
    pool->last = mark.chunk;
    if (mark.chunk) {
        mark.chunk->next = NULL;
        mark.chunk->used = mark.used;
    } else {
        pool->first = NULL;
    }
}
