#include "block.h"

#include "limits.h"
#include "memory.h"

#include <string.h>

void frame_buffer_free(frame_buffer *buffer) {
    memory_release(&buffer->hooks, buffer->entities, buffer->entity_capacity * sizeof(eddy_entity));
    memory_release(&buffer->hooks, buffer->states, buffer->state_capacity);
    *buffer = (frame_buffer){.hooks = buffer->hooks};
}

eddy_view frame_buffer_view(const frame_buffer *buffer) {
    return (eddy_view){.entities = buffer->entities, .count = buffer->count};
}

size_t frame_buffer_owned_bytes(const frame_buffer *buffer) {
    return buffer->entity_capacity * sizeof(eddy_entity) + buffer->state_capacity;
}

bool frame_buffer_reserve_entities(frame_buffer *buffer, uint32_t count) {
    void *entities = buffer->entities;
    size_t bytes = buffer->entity_capacity * sizeof(eddy_entity);
    if (!memory_grow(&buffer->hooks, &entities, &bytes, buffer->count * sizeof(eddy_entity),
                     count * sizeof(eddy_entity))) {
        return false;
    }
    buffer->entities = entities;
    buffer->entity_capacity = (uint32_t)(bytes / sizeof(eddy_entity));
    return true;
}

bool frame_buffer_owns(const frame_buffer *buffer, const eddy_entity *entity) {
    return (uintptr_t)entity->data - (uintptr_t)buffer->states < buffer->state_bytes;
}

/* Grown memory lies elsewhere: what pointed into the old must point into the new. */
static bool grow_states(frame_buffer *buffer, size_t need) {
    void *states = buffer->states;
    uintptr_t before = (uintptr_t)states;
    if (!memory_grow(&buffer->hooks, &states, &buffer->state_capacity, buffer->state_bytes, need)) {
        return false;
    }
    for (uint32_t i = 0; i < buffer->count; i++) {
        if (frame_buffer_owns(buffer, &buffer->entities[i])) {
            buffer->entities[i].data = (uint8_t *)states + ((uintptr_t)buffer->entities[i].data - before);
        }
    }
    buffer->states = states;
    return true;
}

void *frame_buffer_push_state(frame_buffer *buffer, size_t bytes) {
    size_t need = buffer->state_bytes + limit_aligned(bytes);
    if (need > buffer->state_capacity && !grow_states(buffer, need)) {
        return NULL;
    }
    void *state = buffer->states + buffer->state_bytes;
    buffer->state_bytes = need;
    return state;
}

bool frame_buffer_borrow(frame_buffer *buffer, const eddy_view *view) {
    buffer->count = 0;
    buffer->state_bytes = 0;
    if (!frame_buffer_reserve_entities(buffer, view->count)) {
        return false;
    }
    if (view->count > 0) {
        memcpy(buffer->entities, view->entities, view->count * sizeof(eddy_entity));
    }
    buffer->count = view->count;
    return true;
}
