#include "bench_slots.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_HEAD_BYTES 8u /* id, type, two zero bytes */

/** A slot begins where any kind may. */
static size_t slot_bytes(const eddy_schema *schema, uint32_t type) {
    return (SLOT_HEAD_BYTES + (size_t)schema->types[type].size + 7) & ~(size_t)7;
}

bool bench_slots_begin(bench_slots *slots, const eddy_schema *schema) {
    slots->schema = schema;
    slots->pools = calloc(schema->type_count, sizeof *slots->pools);
    return slots->pools != NULL;
}

void bench_slots_free(bench_slots *slots) {
    for (uint32_t type = 0; slots->pools && type < slots->schema->type_count; type++)
        free(slots->pools[type].taken);
    free(slots->pools);
    free(slots->ids);
    free(slots->types);
    free(slots->places);
    free(slots->next_places);
    memset(slots, 0, sizeof *slots);
}

/** The new memory, or the old where there is none: then `*whole` becomes false. */
static void *grown(void *memory, size_t bytes, bool *whole) {
    void *more = realloc(memory, bytes);
    *whole = *whole && more;
    return more ? more : memory;
}

static bool reserve(bench_slots *slots, uint32_t count) {
    if (count <= slots->capacity)
        return true;
    const size_t capacity = (size_t)2 * count;
    bool whole = true;
    slots->ids = grown(slots->ids, capacity * sizeof *slots->ids, &whole);
    slots->types = grown(slots->types, capacity * sizeof *slots->types, &whole);
    slots->places = grown(slots->places, capacity * sizeof *slots->places, &whole);
    slots->next_places = grown(slots->next_places, capacity * sizeof *slots->next_places, &whole);
    if (whole)
        slots->capacity = (uint32_t)capacity;
    return whole;
}

/** The lowest free place of a pool, or UINT32_MAX: no memory. */
static uint32_t take_lowest(slot_pool *pool) {
    const bool *free_one = pool->count ? memchr(pool->taken, false, pool->count) : NULL;
    const uint32_t place = free_one ? (uint32_t)(free_one - pool->taken) : pool->count;
    if (place == pool->capacity) {
        bool whole = true;
        const uint32_t capacity = pool->capacity ? 2 * pool->capacity : 64;
        pool->taken = grown(pool->taken, capacity * sizeof *pool->taken, &whole);
        if (!whole)
            return UINT32_MAX;
        pool->capacity = capacity;
    }
    pool->taken[place] = true;
    if (place == pool->count)
        pool->count++;
    return place;
}

static void leave(bench_slots *slots, uint32_t index) {
    slots->pools[slots->types[index]].taken[slots->places[index]] = false;
}

bool bench_slots_follow(bench_slots *slots, const eddy_view *view) {
    if (!reserve(slots, view->count))
        return false;
    /* first whoever stays or goes, so that a slot freed in this frame can be taken in it */
    uint32_t before = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        while (before < slots->count && slots->ids[before] < entity->id)
            leave(slots, before++);
        const bool known = before < slots->count && slots->ids[before] == entity->id;
        const bool stays = known && slots->types[before] == entity->type;
        slots->next_places[i] = stays ? slots->places[before] : UINT32_MAX;
        if (known && !stays)
            leave(slots, before);
        before += known;
    }
    while (before < slots->count)
        leave(slots, before++);
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        slots->ids[i] = entity->id;
        slots->types[i] = entity->type;
        slots->places[i] =
            slots->next_places[i] < UINT32_MAX ? slots->next_places[i] : take_lowest(&slots->pools[entity->type]);
        if (slots->places[i] == UINT32_MAX)
            return false;
    }
    slots->count = view->count;
    return true;
}

void bench_slots_reset(bench_slots *slots) {
    slots->count = 0;
    for (uint32_t type = 0; type < slots->schema->type_count; type++)
        if (slots->pools[type].count)
            memset(slots->pools[type].taken, 0, slots->pools[type].count * sizeof(bool));
}

void bench_slots_lay_out(bench_slots *slots, const eddy_view *constants) {
    size_t offset = SLOTS_HEADER_BYTES;
    for (uint32_t i = 0; i < constants->count; i++)
        offset += slot_bytes(slots->schema, constants->entities[i].type);
    for (uint32_t type = 0; type < slots->schema->type_count; type++) {
        slots->pools[type].offset = offset;
        offset += slots->pools[type].count * slot_bytes(slots->schema, type);
    }
    slots->image_bytes = offset;
}

static void draw_slot(const bench_slots *slots, const eddy_entity *entity, uint8_t *slot) {
    memcpy(slot, &entity->id, sizeof entity->id);
    memcpy(slot + sizeof entity->id, &entity->type, sizeof entity->type);
    memcpy(slot + SLOT_HEAD_BYTES, entity->data, slots->schema->types[entity->type].size);
}

void bench_slots_draw_constants(const bench_slots *slots, const eddy_view *constants, uint8_t *image) {
    uint8_t *slot = image + SLOTS_HEADER_BYTES;
    for (uint32_t i = 0; i < constants->count; i++) {
        draw_slot(slots, &constants->entities[i], slot);
        slot += slot_bytes(slots->schema, constants->entities[i].type);
    }
}

void bench_slots_draw(const bench_slots *slots, const eddy_view *view, uint8_t *image) {
    memcpy(image, &view->count, sizeof view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        const uint16_t type = view->entities[i].type;
        draw_slot(slots, &view->entities[i],
                  image + slots->pools[type].offset + slots->places[i] * slot_bytes(slots->schema, type));
    }
    for (uint32_t type = 0; type < slots->schema->type_count; type++) {
        const slot_pool *pool = &slots->pools[type];
        const size_t bytes = slot_bytes(slots->schema, type);
        for (uint32_t place = 0; place < pool->count; place++)
            if (!pool->taken[place])
                memset(image + pool->offset + place * bytes, 0, bytes);
    }
}
