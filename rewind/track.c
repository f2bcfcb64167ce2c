#include "track.h"

#include "block_write.h"
#include "limits.h"
#include "view.h"

#define REFERENCE_NONE UINT32_MAX

/* ---- slots: where the newest frame's structs lie ---- */

/* Before each struct lie its id and type, so that it can be hashed where it is. */
#define SLOT_HEAD_BYTES LIMIT_STATE_ALIGN

static size_t slot_bytes(uint32_t size) {
    return SLOT_HEAD_BYTES + limit_aligned(size);
}

static size_t slots_take(slot_store *slots, eddy_id id, uint16_t type, uint32_t size) {
    size_t at = slots->free_first[type];
    if (at > 0) {
        memcpy(&slots->free_first[type], slots->bytes + at, sizeof at);
    } else {
        at = slots->used + SLOT_HEAD_BYTES;
        slots->used += slot_bytes(size);
    }
    view_put_hash_head(slots->bytes + at, id, type);
    return at;
}

static void slots_give(slot_store *slots, uint16_t type, size_t at) {
    memcpy(slots->bytes + at, &slots->free_first[type], sizeof at);
    slots->free_first[type] = at;
}

/* ---- making ---- */

bool track_create(frame_track *track, const eddy_schema *schema, const eddy_hooks *hooks, size_t state_bytes_max) {
    *track = (frame_track){.schema = schema, .hooks = hooks, .state_bytes_max = state_bytes_max};
    track->head_out.hooks = track->cells_out.hooks = track->newborn_out.hooks = hooks;
    uint32_t cells = 0;
    for (uint32_t i = 0; i < schema->type_count; i++) {
        uint32_t count = cells_count(&schema->types[i]);
        cells = count > cells ? count : cells;
    }
    track->change_bytes = cells * sizeof(cell_change);
    track->changes = memory_reserve(hooks, track->change_bytes);
    track->states.free_first = memory_reserve(hooks, schema->type_count * sizeof(size_t));
    return track->changes && track->states.free_first;
}

void track_destroy(frame_track *track) {
    const eddy_hooks *hooks = track->hooks;
    memory_release(hooks, track->now, track->now_capacity);
    memory_release(hooks, track->next, track->next_capacity);
    memory_release(hooks, track->states.bytes, track->states.capacity);
    memory_release(hooks, track->states.free_first, track->schema->type_count * sizeof(size_t));
    memory_release(hooks, track->references, track->reference_capacity);
    memory_release(hooks, track->reference_states, track->reference_state_capacity);
    memory_release(hooks, track->newborn_order, track->newborn_order_capacity);
    memory_release(hooks, track->births, track->birth_capacity);
    memory_release(hooks, track->changed, track->changed_capacity);
    memory_release(hooks, track->runs, track->runs_capacity);
    memory_release(hooks, track->changes, track->change_bytes);
    bytes_writer_free(&track->head_out);
    bytes_writer_free(&track->cells_out);
    bytes_writer_free(&track->newborn_out);
}

/* ---- references ---- */

static int compare_order(const frame_reference *reference, eddy_id id, uint16_t type) {
    if (reference->id != id) {
        return reference->id < id ? -1 : 1;
    }
    return (int)reference->type - (int)type;
}

/* Where an id and type stand, or would stand, among the newborns in order. */
static uint32_t order_find(const frame_track *track, eddy_id id, uint16_t type) {
    uint32_t low = 0, high = track->reference_count - track->base_count;
    /* Ids nearly always ascend with birth. */
    if (high > 0 && compare_order(&track->references[track->newborn_order[high - 1]], id, type) < 0) {
        return high;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_order(&track->references[track->newborn_order[middle]], id, type) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The reference of an entity that was not in the newest frame but may have been in its group before. */
static uint32_t reference_find(const frame_track *track, eddy_id id, uint16_t type) {
    uint32_t low = 0, high = track->base_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (track->references[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < track->base_count && compare_order(&track->references[low], id, type) == 0) {
        return low;
    }
    uint32_t place = order_find(track, id, type);
    if (place < track->reference_count - track->base_count) {
        uint32_t index = track->newborn_order[place];
        return compare_order(&track->references[index], id, type) == 0 ? index : REFERENCE_NONE;
    }
    return REFERENCE_NONE;
}

static void reference_push(frame_track *track, const eddy_entity *entity) {
    uint32_t size = track->schema->types[entity->type].size;
    size_t at = track->reference_used;
    memcpy(track->reference_states + at, entity->data, size);
    track->reference_used += limit_aligned(size);
    track->references[track->reference_count++] =
        (frame_reference){.id = entity->id, .type = entity->type, .state = at};
}

/* Merges the newborns, which come by id, into those in order, from the end. */
static void order_merge(frame_track *track, const eddy_view *view) {
    uint32_t old = track->reference_count - track->base_count, born = track->birth_count;
    while (born > 0) {
        const eddy_entity *last = &view->entities[track->births[born - 1].index];
        bool after =
            old == 0 || compare_order(&track->references[track->newborn_order[old - 1]], last->id, last->type) < 0;
        uint32_t place = old + born - 1;
        track->newborn_order[place] = after ? track->reference_count + --born : track->newborn_order[--old];
    }
}

/* ---- planning ---- */

/* What the walk over a view needs to know from one entity to the next. */
typedef struct plan_walk {
    uint32_t at;         /* in the newest frame */
    uint32_t last_entry; /* 1 + index of the last entity written into the diff */
    bool regrouped;      /* somebody came or went */
} plan_walk;

static bool ensure(const frame_track *track, void **memory, size_t *capacity, size_t used, size_t need) {
    return memory_grow(track->hooks, memory, capacity, used, need);
}

#define ENSURE(track, array, capacity, used_count, need_count)                                                         \
    ensure(track, (void **)&(track)->array, &(track)->capacity, (used_count) * sizeof *(track)->array,                 \
           (need_count) * sizeof *(track)->array)

static bool ensure_scratch(frame_track *track, uint32_t count) {
    return ENSURE(track, next, next_capacity, 0, count) && ENSURE(track, changed, changed_capacity, 0, count) &&
           ENSURE(track, births, birth_capacity, 0, count) && ENSURE(track, runs, runs_capacity, 0, count);
}

/* Room for all that the commit will put down. What is there stays as it is. */
static bool ensure_commit(frame_track *track, const eddy_view *view) {
    uint32_t count = track->plan_base ? view->count : track->reference_count + track->birth_count;
    uint32_t newborns = track->reference_count - track->base_count;
    size_t reference_bytes = track->plan_base ? track->next_state_bytes : track->reference_used;
    size_t slots_used = track->states.used;
    for (uint32_t i = 0; i < track->changed_count; i++) {
        uint32_t index = track->changed[i];
        uint32_t size = track->schema->types[view->entities[index].type].size;
        bool is_new = track->next[index].state == SIZE_MAX;
        slots_used += is_new ? slot_bytes(size) : 0;
        reference_bytes += is_new && !track->plan_base ? limit_aligned(size) : 0;
    }
    return ENSURE(track, references, reference_capacity, track->reference_count, count) &&
           ENSURE(track, newborn_order, newborn_order_capacity, newborns, newborns + track->birth_count) &&
           ENSURE(track, reference_states, reference_state_capacity, track->reference_used, reference_bytes) &&
           ensure(track, (void **)&track->states.bytes, &track->states.capacity, track->states.used, slots_used);
}

/* Takes over what is known of an entity from the newest frame. Returns whether its struct is the same. */
static bool follow_entity(frame_track *track, plan_walk *walk, const eddy_entity *entity, tracked *out) {
    while (walk->at < track->count && track->now[walk->at].id < entity->id) {
        track->next_hash -= track->now[walk->at++].hash;
        walk->regrouped = true;
    }
    if (walk->at < track->count && track->now[walk->at].id == entity->id) {
        const tracked *known = &track->now[walk->at++];
        if (known->type == entity->type) {
            *out = *known;
            return memcmp(track->states.bytes + known->state, entity->data, track->schema->types[entity->type].size) ==
                   0;
        }
        track->next_hash -= known->hash;
    }
    walk->regrouped = true;
    *out = (tracked){.id = entity->id, .type = entity->type, .reference = REFERENCE_NONE, .state = SIZE_MAX};
    return false;
}

/* What it added to the hash of the frame goes now; the commit, which has its struct in place, adds the new. */
static void note_changed(frame_track *track, uint32_t index) {
    const tracked *next = &track->next[index];
    track->next_hash -= next->state == SIZE_MAX ? 0 : next->hash;
    track->changed[track->changed_count++] = index;
}

static void write_gap(frame_track *track, plan_walk *walk, uint32_t index) {
    bytes_write_varint(&track->cells_out, index - walk->last_entry);
    walk->last_entry = index + 1;
}

static eddy_result plan_newborn(frame_track *track, const eddy_entity *entity, uint32_t index, eddy_error *error) {
    frame_birth *birth = &track->births[track->birth_count];
    *birth = (frame_birth){.index = index, .at = track->newborn_out.size};
    bytes_write_varint(&track->newborn_out, entity->id);
    eddy_result result = block_write_state(&track->newborn_out, track->schema, entity, true, track->changes, error);
    birth->size = track->newborn_out.size - birth->at;
    track->next[index].reference = track->reference_count + track->birth_count++;
    track->next[index].cells_size = 0;
    return result;
}

/* An entity whose struct is not what it was: written against its reference. */
static eddy_result plan_changed(frame_track *track, plan_walk *walk, const eddy_entity *entity, uint32_t index,
                                eddy_error *error) {
    tracked *next = &track->next[index];
    const eddy_type *type = &track->schema->types[entity->type];
    const uint8_t *from = track->reference_states + track->references[next->reference].state;
    uint32_t count = cells_compare(type, from, entity->data, track->changes);
    eddy_result result = cells_check_changes(type, entity->id, entity->data, track->changes, count, error);
    next->cells_size = 0;
    if (count > 0) {
        write_gap(track, walk, index);
        next->cells_at = (uint32_t)track->cells_out.size;
        cells_write(&track->cells_out, type, entity->data, track->changes, count);
        next->cells_size = (uint32_t)track->cells_out.size - next->cells_at;
    }
    return result;
}

static eddy_result plan_diff_entity(frame_track *track, plan_walk *walk, const eddy_entity *entity, uint32_t index,
                                    bool same, eddy_error *error) {
    tracked *next = &track->next[index];
    if (same) {
        if (next->cells_size > 0) {
            /* As in the frame before, so its bytes are too. */
            write_gap(track, walk, index);
            const uint8_t *cells = track->cells + next->cells_at;
            next->cells_at = (uint32_t)track->cells_out.size;
            bytes_write(&track->cells_out, cells, next->cells_size);
        }
        return EDDY_OK;
    }
    note_changed(track, index);
    if (next->reference == REFERENCE_NONE) {
        next->reference = reference_find(track, entity->id, entity->type);
    }
    return next->reference == REFERENCE_NONE ? plan_newborn(track, entity, index, error)
                                             : plan_changed(track, walk, entity, index, error);
}

static eddy_result plan_base_entity(frame_track *track, const eddy_entity *entity, uint32_t index, eddy_id last_id,
                                    bool same, eddy_error *error) {
    if (!same) {
        note_changed(track, index);
    }
    track->next[index].reference = index;
    track->next[index].cells_size = 0;
    return block_write_base_entity(&track->cells_out, track->schema, entity, last_id, !same, track->changes, error);
}

/* Newborns come by id, nearly always in order of birth; if not, in shrinking strides. */
static void sort_indices(uint32_t *indices, uint32_t count) {
    uint32_t ascending = 1;
    while (ascending < count && indices[ascending - 1] < indices[ascending]) {
        ascending++;
    }
    for (uint32_t stride = ascending >= count ? 0 : count / 2; stride > 0; stride = stride == 2 ? 1 : stride * 5 / 11) {
        for (uint32_t i = stride; i < count; i++) {
            uint32_t index = indices[i], at = i;
            for (; at >= stride && indices[at - stride] > index; at -= stride) {
                indices[at] = indices[at - stride];
            }
            indices[at] = index;
        }
    }
}

/* Which entities of the base are gone, and which newborns are alive. */
static void plan_head(frame_track *track, bool regrouped) {
    if (!regrouped && track->cells) {
        bytes_write(&track->head_out, track->head, track->head_size);
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < track->next_count; i++) {
        if (track->next[i].reference < track->base_count) {
            track->runs[count++] = track->next[i].reference;
        }
    }
    block_write_runs(&track->head_out, track->runs, count, track->base_count, true);
    count = 0;
    for (uint32_t i = 0; i < track->next_count; i++) {
        if (track->next[i].reference >= track->base_count) {
            track->runs[count++] = track->next[i].reference - track->base_count;
        }
    }
    sort_indices(track->runs, count);
    block_write_runs(&track->head_out, track->runs, count, UINT32_MAX, false);
}

static eddy_result plan_entities(frame_track *track, const eddy_view *view, plan_walk *walk, eddy_error *error) {
    eddy_id last_id = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        if (!view_entity_is_sound(track->schema, entity, last_id)) {
            return view_fail_entity(track->schema, entity, last_id, error);
        }
        bool same = follow_entity(track, walk, entity, &track->next[i]);
        track->next_state_bytes += limit_aligned(track->schema->types[entity->type].size);
        eddy_result result = track->plan_base ? plan_base_entity(track, entity, i, last_id, same, error)
                                              : plan_diff_entity(track, walk, entity, i, same, error);
        if (result != EDDY_OK) {
            return result;
        }
        last_id = entity->id;
    }
    while (walk->at < track->count) {
        track->next_hash -= track->now[walk->at++].hash;
        walk->regrouped = true;
    }
    return EDDY_OK;
}

static void plan_reset(frame_track *track, const eddy_view *view, bool is_base) {
    track->plan_base = is_base;
    track->next_count = view->count;
    track->next_hash = track->hash;
    track->next_state_bytes = 0;
    track->birth_count = track->changed_count = 0;
    track->head_out.size = track->cells_out.size = track->newborn_out.size = 0;
    track->head_out.failed = track->cells_out.failed = track->newborn_out.failed = false;
}

eddy_result track_plan(frame_track *track, const eddy_view *view, bool is_base, eddy_error *error) {
    if (view->count > EDDY_ENTITIES_MAX) {
        return eddy_fail(error, EDDY_E_LIMIT, "expected at most %u entities in a frame, found %u", EDDY_ENTITIES_MAX,
                         view->count);
    }
    plan_reset(track, view, is_base);
    if (!ensure_scratch(track, view->count)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to compare a frame of %u entities", view->count);
    }
    plan_walk walk = {0};
    if (is_base) {
        bytes_write_varint(&track->head_out, view->count);
    }
    eddy_result result = plan_entities(track, view, &walk, error);
    if (result != EDDY_OK) {
        return result;
    }
    if (track->next_state_bytes > track->state_bytes_max) {
        return eddy_fail(error, EDDY_E_LIMIT,
                         "the frame's structs take %zu bytes, at most %zu fit this budget; give a larger one",
                         track->next_state_bytes, track->state_bytes_max);
    }
    track->plan_regrouped = walk.regrouped;
    if (!is_base) {
        plan_head(track, walk.regrouped);
    }
    bool failed = track->head_out.failed || track->cells_out.failed || track->newborn_out.failed;
    if (failed || !ensure_commit(track, view)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to write a frame of %u entities", view->count);
    }
    return EDDY_OK;
}

/* ---- committing ---- */

/* Slots of those that are gone, or are now of another type, become free. */
static void free_slots(frame_track *track) {
    if (!track->plan_regrouped) {
        return;
    }
    for (uint32_t i = 0, j = 0; i < track->count; i++) {
        const tracked *old = &track->now[i];
        while (j < track->next_count && track->next[j].id < old->id) {
            j++;
        }
        bool stays = j < track->next_count && track->next[j].id == old->id && track->next[j].type == old->type;
        if (!stays) {
            slots_give(&track->states, old->type, old->state);
        }
    }
}

static void copy_states(frame_track *track, const eddy_view *view) {
    for (uint32_t i = 0; i < track->changed_count; i++) {
        uint32_t index = track->changed[i];
        tracked *next = &track->next[index];
        uint32_t size = track->schema->types[next->type].size;
        if (next->state == SIZE_MAX) {
            next->state = slots_take(&track->states, next->id, next->type, size);
        }
        uint8_t *state = track->states.bytes + next->state;
        memcpy(state, view->entities[index].data, size);
        next->hash = view_hash_in_place(state, size);
        track->next_hash += next->hash;
    }
}

static void commit_references(frame_track *track, const eddy_view *view) {
    if (!track->plan_base) {
        order_merge(track, view);
        for (uint32_t i = 0; i < track->birth_count; i++) {
            reference_push(track, &view->entities[track->births[i].index]);
        }
        return;
    }
    track->base_count = track->reference_count = 0;
    track->reference_used = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        reference_push(track, &view->entities[i]);
    }
    track->base_count = track->reference_count;
}

void track_commit(frame_track *track, const eddy_view *view, const uint8_t *block) {
    free_slots(track);
    copy_states(track, view);
    commit_references(track, view);
    track->head = block;
    track->head_size = track->head_out.size;
    track->cells = track->plan_base ? NULL : block + track->head_size;

    tracked *swap = track->now;
    track->now = track->next;
    track->next = swap;
    size_t swap_capacity = track->now_capacity;
    track->now_capacity = track->next_capacity;
    track->next_capacity = swap_capacity;
    track->count = track->next_count;
    track->hash = track->next_hash;
    track->state_bytes = track->next_state_bytes;
}
