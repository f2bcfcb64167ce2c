/* Where entities live: one pool of slots a type, sized when the level is loaded, and lists of them by ascending id. The
 * order of every walk is the order of ids, never that of slots, so it is the same after a restore. Private to world/.
 */
#ifndef EDDY_WORLD_STORE_H
#define EDDY_WORLD_STORE_H

#include "entities.h"

typedef struct store_pool {
    uint8_t *states; /**< capacity * bytes */
    uint16_t *free;  /**< slots not in use, a stack */
    uint32_t bytes, capacity, free_count;
} store_pool;

/** Ascending ids. `data` points into the pools and may be written through store_data. */
typedef struct store_list {
    eddy_entity *entities;
    uint32_t count;
} store_list;

typedef struct store {
    store_pool pools[WORLD_TYPE_COUNT];
    store_list by_type[WORLD_TYPE_COUNT];
    store_list all;
} store;

/** Bytes that store_init needs for these capacities. */
size_t store_bytes(const uint32_t capacity[WORLD_TYPE_COUNT]);
/** Lays an empty store out in `memory` (zeroed, aligned for any type). */
void store_init(store *s, const uint32_t capacity[WORLD_TYPE_COUNT], void *memory);
void store_clear(store *s);
/** A new default-constructed entity, or NULL when its pool is full. The id must be new. O(1) for a rising id. */
void *store_add(store *s, eddy_id id, world_type type);
/** Likewise with a state to copy. */
void *store_put(store *s, eddy_id id, world_type type, const void *state);
/** Takes one away; it must be there. O(n). */
void store_remove(store *s, eddy_id id);
/** NULL: not there. O(log n). */
const eddy_entity *store_find(const store *s, eddy_id id);
/** The state of an entity of this type, or NULL when the id is not there or is of another type. */
void *store_get(const store *s, eddy_id id, world_type type);

/** The state behind a list's entry. The pools are the store's own, so they may be written. */
static inline void *store_data(const store_list *list, uint32_t index) {
    return (void *)(uintptr_t)list->entities[index].data;
}

#endif
