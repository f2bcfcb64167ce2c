/* Checks shared by frames and constants. Private to rewind/. */
#ifndef EDDY_REWIND_VIEW_H
#define EDDY_REWIND_VIEW_H

#include "rewind.h"

#include <string.h>

/** eddy_view_check with another limit on the number of entities. */
eddy_result view_check(const eddy_schema *schema, const eddy_view *view, uint32_t count_max, eddy_error *error);
/** What is wrong with an entity of which view_entity_is_sound says no. */
eddy_result view_fail_entity(const eddy_schema *schema, const eddy_entity *entity, eddy_id last_id, eddy_error *error);
/** Order, type and data of one entity; `last_id` is that of the entity before, 0 for the first. */
static inline bool view_entity_is_sound(const eddy_schema *schema, const eddy_entity *entity, eddy_id last_id) {
    return entity->id > last_id && entity->type < schema->type_count && entity->data;
}

/** What stands before a struct that is hashed where it lies: id and type. */
#define VIEW_HASH_HEAD_BYTES 6u
/** eddy_entity_hash of a struct of `size` bytes with its id and type right before it. */
uint64_t view_hash_in_place(const uint8_t *state, uint32_t size);
/** Writes id and type right before a struct. */
static inline void view_put_hash_head(uint8_t *state, eddy_id id, uint16_t type) {
    memcpy(state - VIEW_HASH_HEAD_BYTES, &id, sizeof id);
    memcpy(state - sizeof type, &type, sizeof type);
}

/** Bytes that the structs of a view take in a decoded frame. */
size_t view_state_bytes(const eddy_schema *schema, const eddy_view *view);

#endif
