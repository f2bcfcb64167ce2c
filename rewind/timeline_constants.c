/* Constants: copied once an epoch, looked up by frame. Epochs lie on the line one behind the other, for a frame always
 * has the newest constants there were when it was recorded. */
#include "block_write.h"
#include "timeline.h"
#include "view.h"

static void forget_epoch(eddy_timeline *timeline, uint32_t index) {
    frame_buffer_free(&timeline->epochs[index].buffer);
    timeline->epoch_count--;
    memmove(timeline->epochs + index, timeline->epochs + index + 1,
            (timeline->epoch_count - index) * sizeof *timeline->epochs);
}

void timeline_use_epoch(eddy_timeline *timeline, uint32_t frame) {
    constants_epoch *present = &timeline->epochs[timeline->epoch_count - 1];
    if (!present->is_used || present->first_frame > frame) {
        present->is_used = true;
        present->first_frame = frame;
    }
    while (timeline->epoch_count > 1 && timeline->epochs[timeline->epoch_count - 2].first_frame >= frame) {
        forget_epoch(timeline, timeline->epoch_count - 2);
    }
}

void timeline_forget_epochs(eddy_timeline *timeline) {
    uint32_t first_frame = eddy_timeline_kept(timeline).first_frame;
    while (timeline->epoch_count > 1 && timeline->epochs[1].is_used && timeline->epochs[1].first_frame <= first_frame) {
        forget_epoch(timeline, 0);
    }
}

/* A copy of a view, in memory of exactly its size. */
static bool copy_view(const eddy_schema *schema, const eddy_view *view, frame_buffer *out) {
    size_t bytes = view_state_bytes(schema, view);
    if (view->count == 0) {
        return true;
    }
    out->entities = memory_reserve(&out->hooks, view->count * sizeof(eddy_entity));
    out->states = memory_reserve(&out->hooks, bytes);
    out->entity_capacity = out->entities ? view->count : 0;
    out->state_capacity = out->states ? bytes : 0;
    if (!out->entities || !out->states) {
        frame_buffer_free(out);
        return false;
    }
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t size = schema->types[view->entities[i].type].size;
        void *state = frame_buffer_push_state(out, size);
        memcpy(state, view->entities[i].data, size);
        out->entities[i] = (eddy_entity){.id = view->entities[i].id, .type = view->entities[i].type, .data = state};
    }
    out->count = view->count;
    return true;
}

/* Puts a copy behind the epochs, or in place of the present one if no frame has it. */
static void push_epoch(eddy_timeline *timeline, const frame_buffer *copy) {
    constants_epoch *present = &timeline->epochs[timeline->epoch_count - 1];
    if (!present->is_used) {
        frame_buffer_free(&present->buffer);
        present->buffer = *copy;
        return;
    }
    timeline->epochs[timeline->epoch_count++] = (constants_epoch){.buffer = *copy};
}

static bool ensure_epoch(eddy_timeline *timeline) {
    void *epochs = timeline->epochs;
    size_t used = timeline->epoch_count * sizeof *timeline->epochs;
    bool good = memory_grow(&timeline->memory.inner, &epochs, &timeline->epochs_capacity, used,
                            used + sizeof *timeline->epochs);
    timeline->epochs = epochs;
    return good;
}

eddy_result eddy_timeline_constants(eddy_timeline *timeline, const eddy_view *constants, eddy_error *error) {
    const eddy_schema *schema = timeline->desc.schema;
    eddy_result result = view_check(schema, constants, LIMIT_CONSTANTS, error);
    if (result != EDDY_OK) {
        return result;
    }
    if (view_state_bytes(schema, constants) > LIMIT_STATE_BYTES) {
        return eddy_fail(error, EDDY_E_LIMIT, "constants: expected at most %zu bytes, found %zu", LIMIT_STATE_BYTES,
                         view_state_bytes(schema, constants));
    }
    bytes_writer block = {.hooks = &timeline->memory.inner};
    if (timeline->is_observed) {
        block_write_base(&block, schema, constants, timeline->track.changes);
    }
    frame_buffer copy = {.hooks = timeline->memory.inner};
    bool good = !block.failed && ensure_epoch(timeline) && copy_view(schema, constants, &copy);
    if (good) {
        push_epoch(timeline, &copy);
        if (timeline->is_observed) {
            block_bytes bytes = {.bytes = block.bytes, .size = block.size};
            timeline->observer.constants(timeline->observer.user, constants, bytes);
        }
    }
    bytes_writer_free(&block);
    return good ? EDDY_OK : eddy_fail(error, EDDY_E_MEMORY, "no memory for %u constants", constants->count);
}

eddy_result eddy_timeline_constants_at(const eddy_timeline *timeline, uint32_t frame, eddy_view *out,
                                       eddy_error *error) {
    if (!timeline_group_of(timeline, frame, error)) {
        return EDDY_E_FRAME;
    }
    uint32_t index = timeline->epoch_count - 1;
    while (index > 0 && (!timeline->epochs[index].is_used || timeline->epochs[index].first_frame > frame)) {
        index--;
    }
    *out = frame_buffer_view(&timeline->epochs[index].buffer);
    return EDDY_OK;
}
