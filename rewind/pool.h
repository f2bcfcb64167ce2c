/* A pool takes chunks from the system and hands out bytes in a row; nothing in it is freed alone: it is cut back to a
 * mark, or released whole. */
#ifndef EDDY_REWIND_POOL_H
#define EDDY_REWIND_POOL_H

#include "memory.h"

typedef struct pool_chunk pool_chunk;

typedef struct frame_pool {
    pool_chunk *first, *last;
    size_t reserved_bytes; /**< of all chunks */
} frame_pool;

/** A place in a pool: everything up to it stays. `chunk` NULL: nothing does. */
typedef struct pool_mark {
    pool_chunk *chunk;
    size_t used;
} pool_mark;

/** The mark behind a byte range that was taken from the pool; behind nothing for NULL. O(chunks). */
pool_mark pool_mark_behind(const frame_pool *pool, const void *memory, size_t bytes);
/** The mark behind everything. */
pool_mark pool_mark_end(const frame_pool *pool);
/** Bytes reserved by what lies before a mark. */
size_t pool_bytes_before(const frame_pool *pool, pool_mark mark);

/** Sees to it that pool_take of `bytes` behind `mark` will not fail: *fresh is a chunk for it of at least
 * `chunk_bytes`, or NULL when the one at the mark has room. False: no memory, and nothing has changed. */
bool pool_stage(const eddy_hooks *hooks, pool_mark mark, size_t bytes, size_t align, size_t chunk_bytes,
                pool_chunk **fresh);
/** Takes `bytes` at the end, aligned to `align`: 1 or 8. They were staged for what is now the end. */
void *pool_take(frame_pool *pool, size_t bytes, size_t align, pool_chunk *fresh);
/** Gives back what lies behind a mark. */
void pool_cut(frame_pool *pool, const eddy_hooks *hooks, pool_mark mark);

#endif
