#include "store.h"

#include "world.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

static size_t aligned(size_t bytes) {
    const size_t align = alignof(max_align_t);
    return (bytes + align - 1) / align * align;
}

size_t store_bytes(const uint32_t capacity[WORLD_TYPE_COUNT]) {
    const eddy_schema *schema = world_schema();
    size_t bytes = 0, entities = 0;
    for (uint32_t type = 0; type < WORLD_TYPE_COUNT; type++) {
        bytes += aligned((size_t)capacity[type] * schema->types[type].size);
        bytes += aligned((size_t)capacity[type] * sizeof(uint16_t));
        bytes += aligned((size_t)capacity[type] * sizeof(eddy_entity));
        entities += capacity[type];
    }
    return bytes + aligned(entities * sizeof(eddy_entity));
}

static void *take_bytes(uint8_t **cursor, size_t bytes) {
    void *taken = *cursor;
    *cursor += aligned(bytes);
    return taken;
}

void store_init(store *s, const uint32_t capacity[WORLD_TYPE_COUNT], void *memory) {
    const eddy_schema *schema = world_schema();
    uint8_t *cursor = memory;
    size_t entities = 0;
    for (uint32_t type = 0; type < WORLD_TYPE_COUNT; type++) {
        store_pool *pool = &s->pools[type];
        pool->bytes = schema->types[type].size;
        pool->capacity = capacity[type];
        pool->states = take_bytes(&cursor, (size_t)capacity[type] * pool->bytes);
        pool->free = take_bytes(&cursor, (size_t)capacity[type] * sizeof(uint16_t));
        s->by_type[type].entities = take_bytes(&cursor, (size_t)capacity[type] * sizeof(eddy_entity));
        entities += capacity[type];
    }
    s->all.entities = take_bytes(&cursor, entities * sizeof(eddy_entity));
    store_clear(s);
}

void store_clear(store *s) {
    s->all.count = 0;
    for (uint32_t type = 0; type < WORLD_TYPE_COUNT; type++) {
        store_pool *pool = &s->pools[type];
        s->by_type[type].count = 0;
        pool->free_count = pool->capacity;
        for (uint32_t i = 0; i < pool->capacity; i++)
            pool->free[i] = (uint16_t)(pool->capacity - 1 - i);
    }
}

/* The first index whose id is not below `id`. */
static uint32_t list_place(const store_list *list, eddy_id id) {
    uint32_t low = 0, high = list->count;
    if (high > 0 && list->entities[high - 1].id < id)
        return high; /* births have rising ids */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (list->entities[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void list_insert(store_list *list, eddy_entity entity) {
    uint32_t place = list_place(list, entity.id);
    assert(place == list->count || list->entities[place].id != entity.id);
    if (place < list->count)
        memmove(&list->entities[place + 1], &list->entities[place], (list->count - place) * sizeof(eddy_entity));
    list->entities[place] = entity;
    list->count++;
}

static eddy_entity list_remove(store_list *list, eddy_id id) {
    uint32_t place = list_place(list, id);
    assert(place < list->count && list->entities[place].id == id);
    eddy_entity entity = list->entities[place];
    list->count--;
    if (place < list->count)
        memmove(&list->entities[place], &list->entities[place + 1], (list->count - place) * sizeof(eddy_entity));
    return entity;
}

void *store_put(store *s, eddy_id id, world_type type, const void *state) {
    store_pool *pool = &s->pools[type];
    if (pool->free_count == 0)
        return NULL;
    void *data = pool->states + (size_t)pool->free[--pool->free_count] * pool->bytes;
    if (state)
        memcpy(data, state, pool->bytes);
    else
        memset(data, 0, pool->bytes);
    eddy_entity entity = {.id = id, .type = (uint16_t)type, .data = data};
    list_insert(&s->all, entity);
    list_insert(&s->by_type[type], entity);
    return data;
}

void *store_add(store *s, eddy_id id, world_type type) {
    return store_put(s, id, type, world_schema()->types[type].defaults);
}

void store_remove(store *s, eddy_id id) {
    eddy_entity entity = list_remove(&s->all, id);
    list_remove(&s->by_type[entity.type], id);
    store_pool *pool = &s->pools[entity.type];
    pool->free[pool->free_count++] = (uint16_t)((size_t)((const uint8_t *)entity.data - pool->states) / pool->bytes);
}

const eddy_entity *store_find(const store *s, eddy_id id) {
    uint32_t place = list_place(&s->all, id);
    return place < s->all.count && s->all.entities[place].id == id ? &s->all.entities[place] : NULL;
}

void *store_get(const store *s, eddy_id id, world_type type) {
    const eddy_entity *found = store_find(s, id);
    return found && found->type == type ? (void *)(uintptr_t)found->data : NULL;
}
