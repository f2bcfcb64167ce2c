/* The numbers a recorder starts from. EDDY_TINY shrinks those that decide where things end, to give bugs a chance. */
#ifndef EDDY_REWIND_LIMITS_H
#define EDDY_REWIND_LIMITS_H

#include "field.h"

#ifdef EDDY_TINY
#define LIMIT_BASE_INTERVAL 3u
#define LIMIT_HEAP_FRAMES 9u
#define LIMIT_CACHE_FRAMES 2u
#define LIMIT_CHUNK_BYTES ((size_t)64)
#define LIMIT_PIECE_NEWBORNS 2u
#define LIMIT_PAGE_BYTES ((size_t)64)
#define LIMIT_SEAL_WORK_BYTES ((size_t)65536)
#else
#define LIMIT_BASE_INTERVAL 120u
#define LIMIT_HEAP_FRAMES 1440u
#define LIMIT_CACHE_FRAMES 24u
#define LIMIT_CHUNK_BYTES ((size_t)16384)      /**< of a pool of diffs; a heap wastes half of this at its end */
#define LIMIT_PIECE_NEWBORNS 8u                /**< entries in one piece of a side array */
#define LIMIT_PAGE_BYTES ((size_t)4096)        /**< memory is asked for in these */
#define LIMIT_SEAL_WORK_BYTES ((size_t)524288) /**< with less to work in there is no use in trying to seal */
#endif

#define LIMIT_BUDGET_BYTES ((size_t)40000000)
#define LIMIT_HEAP_BYTES ((size_t)4 << 20) /**< default end of a heap; less when the budget is small */
#define LIMIT_HEAP_BYTES_MIN (4 * LIMIT_CHUNK_BYTES)
#define LIMIT_CHUNK_BASES 4u  /**< a chunk of bases holds so many of the size of its first */
#define LIMIT_BUDGET_HEAPS 3u /**< a budget holds at least this many heaps */
#define LIMIT_CACHE_FRAMES_MAX 4096u
#define LIMIT_BASE_INTERVAL_MAX (1u << 20)
#define LIMIT_TYPES 65535u
#define LIMIT_TYPE_BYTES (1u << 20)           /**< of one struct */
#define LIMIT_STATE_BYTES ((size_t)256 << 20) /**< of one frame, or one set of constants */
#define LIMIT_STATE_SHARE 16u                 /**< a frame's state is at most this part of the budget */
#define LIMIT_SPARE_SHARE 6u                  /**< this part of the budget is for what is decoded, and for sealing */
#define LIMIT_SPARE_FRAMES 8u                 /**< but at least so many frames' state */
#define LIMIT_SEAL_JOBS 4u                    /**< windows that wait to be sealed; more, and append waits */
#define LIMIT_PREFETCH_FRAMES 16u             /**< a reader that moves no further at once is followed */
#define LIMIT_SEAL_LOG_BYTES (8 * LIMIT_CHUNK_BYTES)
#define LIMIT_SEAL_LEVEL 9 /**< of zstd */
#define LIMIT_SEAL_LEVEL_MAX 19
#define LIMIT_CONSTANTS (1u << 20) /**< entities in one set of constants */

#define LIMIT_STATE_ALIGN ((size_t)8) /**< of a struct in a decoded frame: the strictest kind */

/** Bytes that a struct of `size` takes in a decoded frame. */
static inline size_t limit_aligned(size_t size) {
    return (size + LIMIT_STATE_ALIGN - 1) & ~(LIMIT_STATE_ALIGN - 1);
}

#endif
