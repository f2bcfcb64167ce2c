#include "bench_store.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)8 << 20)

bool bench_store_begin(bench_store *store, uint32_t capacity, size_t entry_bytes_max) {
    *store = (bench_store){.capacity = capacity, .block_bytes = entry_bytes_max + BLOCK_BYTES};
    store->blocks_max = store->block_bytes < STORE_BYTES_MAX / 2 ? (uint32_t)(STORE_BYTES_MAX / store->block_bytes) : 2;
    store->used = store->block_bytes;
    store->entries = calloc(capacity, sizeof *store->entries);
    store->blocks = calloc(store->blocks_max, sizeof *store->blocks);
    return store->entries && store->blocks;
}

void bench_store_free(bench_store *store) {
    for (uint32_t i = 0; i < store->block_count; i++)
        free(store->blocks[i].memory);
    free(store->blocks);
    free(store->entries);
    *store = (bench_store){0};
}

/** A new block, or the oldest one again. */
static bool next_block(bench_store *store) {
    store_block block = {.first = store->count};
    if (store->block_count < store->blocks_max) {
        block.memory = malloc(store->block_bytes);
        if (!block.memory)
            return false;
        memset(block.memory, 1, store->block_bytes); /* with zeros it could become a calloc that touches nothing */
    } else {
        block.memory = store->blocks[0].memory;
        memmove(store->blocks, store->blocks + 1, --store->block_count * sizeof *store->blocks);
        store->first = store->blocks[0].first;
    }
    store->blocks[store->block_count++] = block;
    store->used = 0;
    return true;
}

uint8_t *bench_store_room(bench_store *store, size_t entry_bytes_max) {
    if (store->block_bytes - store->used < entry_bytes_max && !next_block(store))
        return NULL;
    return store->blocks[store->block_count - 1].memory + store->used;
}

void bench_store_add(bench_store *store, size_t bytes) {
    store->entries[store->count++] = (store_entry){store->blocks[store->block_count - 1].memory + store->used, bytes};
    store->used += bytes;
    store->written_bytes += bytes;
}
