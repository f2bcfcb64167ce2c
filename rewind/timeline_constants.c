/* Constants: copied once an epoch, looked up by frame. A frame has the newest constants there were when it was
 * recorded: the line notes where they changed. */
#include "block_write.h"
#include "timeline.h"
#include "view.h"

constants_epoch *timeline_create_epoch(eddy_timeline *timeline) {
    constants_epoch *epoch = memory_reserve(&timeline->memory.inner, sizeof *epoch);
    if (epoch) {
        *epoch = (constants_epoch){.buffer.hooks = timeline->memory.inner, .users = 1};
    }
    return epoch;
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
    constants_epoch *epoch = block.failed ? NULL : timeline_create_epoch(timeline);
    bool good = epoch && copy_view(schema, constants, &epoch->buffer);
    if (!good) {
        epoch_leave(epoch, &timeline->memory.inner);
    } else {
        epoch_leave(timeline->constants, &timeline->memory.inner);
        timeline->constants = epoch;
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
    eddy_result result = timeline_check_frame(&timeline->line, frame, error);
    if (result == EDDY_OK) {
        *out = frame_buffer_view(&line_epoch_of(&timeline->line, frame)->buffer);
    }
    return result;
}
