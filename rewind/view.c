#define XXH_INLINE_ALL
#include "view.h"

#include "cells.h"
#include "limits.h"

#include <xxhash.h>

const eddy_entity *eddy_view_find(const eddy_view *view, eddy_id id) {
    uint32_t low = 0, high = view->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->entities[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < view->count && view->entities[low].id == id ? &view->entities[low] : NULL;
}

/* ---- checking ---- */

eddy_result view_fail_entity(const eddy_schema *schema, const eddy_entity *entity, eddy_id last_id, eddy_error *error) {
    if (entity->id <= last_id) {
        return eddy_fail(error, EDDY_E_ENTITY, "entity %u: expected an id above %u, for ids ascend without repeats",
                         entity->id, last_id);
    }
    if (entity->type >= schema->type_count) {
        return eddy_fail(error, EDDY_E_ENTITY, "entity %u: expected a type below %u, found %u", entity->id,
                         schema->type_count, entity->type);
    }
    return eddy_fail(error, EDDY_E_ENTITY, "entity %u (%s): expected a struct, found NULL", entity->id,
                     schema->types[entity->type].name);
}

eddy_result view_check(const eddy_schema *schema, const eddy_view *view, uint32_t count_max, eddy_error *error) {
    if (view->count > count_max) {
        return eddy_fail(error, EDDY_E_LIMIT, "expected at most %u entities, found %u", count_max, view->count);
    }
    eddy_id last_id = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        eddy_result result = view_entity_is_sound(schema, entity, last_id)
                                 ? cells_check(&schema->types[entity->type], entity->id, entity->data, error)
                                 : view_fail_entity(schema, entity, last_id, error);
        if (result != EDDY_OK) {
            return result;
        }
        last_id = entity->id;
    }
    return EDDY_OK;
}

eddy_result eddy_view_check(const eddy_schema *schema, const eddy_view *view, eddy_error *error) {
    return view_check(schema, view, EDDY_ENTITIES_MAX, error);
}

size_t view_state_bytes(const eddy_schema *schema, const eddy_view *view) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        bytes += limit_aligned(schema->types[view->entities[i].type].size);
    }
    return bytes;
}

/* ---- hashing ---- */

#define HASH_WHOLE_BYTES 1024u

uint64_t view_hash_in_place(const uint8_t *state, uint32_t size) {
    return XXH3_64bits(state - VIEW_HASH_HEAD_BYTES, VIEW_HASH_HEAD_BYTES + size);
}

uint64_t eddy_entity_hash(const eddy_schema *schema, const eddy_entity *entity) {
    uint32_t size = schema->types[entity->type].size;
    uint8_t whole[VIEW_HASH_HEAD_BYTES + HASH_WHOLE_BYTES];
    view_put_hash_head(whole + VIEW_HASH_HEAD_BYTES, entity->id, entity->type);
    if (size <= HASH_WHOLE_BYTES) {
        memcpy(whole + VIEW_HASH_HEAD_BYTES, entity->data, size);
        return view_hash_in_place(whole + VIEW_HASH_HEAD_BYTES, size);
    }
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, whole, VIEW_HASH_HEAD_BYTES);
    XXH3_64bits_update(&state, entity->data, size);
    return XXH3_64bits_digest(&state);
}

uint64_t eddy_view_hash(const eddy_schema *schema, const eddy_view *view) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        hash += eddy_entity_hash(schema, &view->entities[i]);
    }
    return hash;
}

/* ---- comparing ---- */

typedef struct diff_call {
    bool (*each)(void *user, const eddy_difference *difference);
    void *user;
    uint32_t made;
} diff_call;

static bool diff_report(diff_call *call, const eddy_difference *difference) {
    call->made++;
    return call->each(call->user, difference);
}

/* Reports an entity that one view lacks. */
static bool diff_lonely(diff_call *call, const eddy_entity *old_entity, const eddy_entity *new_entity) {
    const eddy_entity *there = new_entity ? new_entity : old_entity;
    return diff_report(call, &(eddy_difference){.id = there->id,
                                                .type = there->type,
                                                .old_value = old_entity ? old_entity->data : NULL,
                                                .new_value = new_entity ? new_entity->data : NULL});
}

static bool diff_entity(diff_call *call, const eddy_type *type, const eddy_entity *old_entity,
                        const eddy_entity *new_entity) {
    const uint8_t *old_state = old_entity->data, *new_state = new_entity->data;
    cell_change at = {0};
    while (cells_next(type, &at)) {
        if (memcmp(old_state + at.offset, new_state + at.offset, cell_bytes(at.field)) == 0) {
            continue;
        }
        eddy_difference difference = {.id = new_entity->id,
                                      .type = new_entity->type,
                                      .field = at.field,
                                      .element = (at.offset - at.field->offset) / cell_bytes(at.field),
                                      .old_value = old_state + at.offset,
                                      .new_value = new_state + at.offset};
        if (!diff_report(call, &difference)) {
            return false;
        }
    }
    return true;
}

uint32_t eddy_view_diff(const eddy_schema *schema, const eddy_view *old_view, const eddy_view *new_view,
                        bool (*each)(void *user, const eddy_difference *difference), void *user) {
    diff_call call = {.each = each, .user = user};
    bool going = true;
    for (uint32_t i = 0, j = 0; going && (i < old_view->count || j < new_view->count);) {
        const eddy_entity *old_entity = i < old_view->count ? &old_view->entities[i] : NULL;
        const eddy_entity *new_entity = j < new_view->count ? &new_view->entities[j] : NULL;
        if (!new_entity || (old_entity && old_entity->id < new_entity->id)) {
            going = diff_lonely(&call, old_entity, NULL);
            i++;
        } else if (!old_entity || new_entity->id < old_entity->id) {
            going = diff_lonely(&call, NULL, new_entity);
            j++;
        } else {
            if (old_entity->type != new_entity->type) {
                going = diff_lonely(&call, old_entity, NULL) && diff_lonely(&call, NULL, new_entity);
            } else {
                going = diff_entity(&call, &schema->types[new_entity->type], old_entity, new_entity);
            }
            i++;
            j++;
        }
    }
    return call.made;
}
