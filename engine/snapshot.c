#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

/** States are kept 8-byte aligned, as the structs they are copies of. */
static size_t aligned_size(const eddy_schema *schema, uint16_t type) {
    return ((size_t)schema->types[type].size + 7) & ~(size_t)7;
}

static bool snapshot_reserve(engine_snapshot *snapshot, uint32_t count, size_t state_bytes) {
    if (count > snapshot->entity_capacity) {
        uint32_t capacity = count + count / 2 + 16;
        eddy_entity *entities = realloc(snapshot->entities, capacity * sizeof *entities);
        if (!entities)
            return false;
        snapshot->entities = entities;
        snapshot->entity_capacity = capacity;
    }
    if (state_bytes > snapshot->state_capacity) {
        size_t capacity = state_bytes + state_bytes / 2 + 256;
        uint8_t *states = malloc(capacity);
        if (!states)
            return false;
        free(snapshot->states);
        snapshot->states = states;
        snapshot->state_capacity = capacity;
        snapshot->count = 0;
    }
    return true;
}

eddy_result engine_snapshot_take(engine_snapshot *snapshot, const eddy_schema *schema, const eddy_view *view,
                                 eddy_error *error) {
    size_t state_bytes = 0;
    for (uint32_t i = 0; i < view->count; i++)
        state_bytes += aligned_size(schema, view->entities[i].type);
    if (!snapshot_reserve(snapshot, view->count, state_bytes))
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for a copy of %u entities, %zu bytes", view->count,
                         state_bytes);
    uint8_t *state = snapshot->states;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        memcpy(state, entity->data, schema->types[entity->type].size);
        snapshot->entities[i] = (eddy_entity){entity->id, entity->type, state};
        state += aligned_size(schema, entity->type);
    }
    snapshot->count = view->count;
    return EDDY_OK;
}

eddy_view engine_snapshot_view(const engine_snapshot *snapshot) {
    return (eddy_view){snapshot->entities, snapshot->count};
}

void engine_snapshot_free(engine_snapshot *snapshot) {
    free(snapshot->entities);
    free(snapshot->states);
    *snapshot = (engine_snapshot){0};
}
