/* The memory of a baseline: a ring of large blocks, the oldest of which is used again when the ring is full. */
#ifndef EDDY_TOOLS_BENCH_STORE_H
#define EDDY_TOOLS_BENCH_STORE_H

#include "rewind/rewind.h"

#define STORE_BYTES_MAX ((size_t)512 << 20)

/** What was stored of one frame. */
typedef struct store_entry {
    uint8_t *at;
    size_t bytes;
} store_entry;

typedef struct store_block {
    uint8_t *memory;
    uint32_t first; /**< entry */
} store_block;

/** Zero is empty. */
typedef struct bench_store {
    store_entry *entries;
    uint32_t count, capacity;
    uint32_t first; /**< the oldest entry that is still there */
    store_block *blocks;
    uint32_t block_count, blocks_max;
    size_t block_bytes, used; /**< of the newest block */
    uint64_t written_bytes;   /**< by all entries that ever were */
} bench_store;

/** For `capacity` entries of at most `entry_bytes_max`. False: no memory. */
bool bench_store_begin(bench_store *store, uint32_t capacity, size_t entry_bytes_max);
void bench_store_free(bench_store *store);
/** Room for the next entry in memory that has been touched: the page faults of a young ring are in no clock. NULL: no
 * memory. */
uint8_t *bench_store_room(bench_store *store, size_t entry_bytes_max);
/** The room becomes an entry of `bytes`. */
void bench_store_add(bench_store *store, size_t bytes);

#endif
