#include "run_source.h"

#include <string.h>

bool run_source_begin(run_source *source, const eddy_schema *schema, const eddy_hooks *hooks, const line_part *parts,
                      uint32_t part_count) {
    *source = (run_source){.schema = schema, .hooks = hooks, .part_count = part_count};
    for (int i = 0; i < 2; i++) {
        source->bases[i].hooks = source->frames[i].hooks = *hooks;
    }
    source->parts = memory_reserve(hooks, part_count * sizeof *parts);
    if (source->parts) {
        memcpy(source->parts, parts, part_count * sizeof *parts);
    }
    return source->parts != NULL;
}

void run_source_rest(run_source *source) {
    for (int i = 0; i < 2; i++) {
        frame_buffer_free(&source->bases[i]);
        frame_buffer_free(&source->frames[i]);
        opened_close(source->runs[i]);
        source->runs[i] = NULL;
    }
    memory_release(source->hooks, source->scratch.entries, source->scratch.capacity_bytes);
    source->scratch = (newborn_scratch){0};
    source->group = NULL;
    source->part = 0;
}

void run_source_end(run_source *source) {
    run_source_rest(source);
    memory_release(source->hooks, source->parts, source->part_count * sizeof *source->parts);
    source->parts = NULL;
}

/* Decodes the base of the group that a frame is in, beside the one before. */
static eddy_result enter_group(run_source *source, const frame_heap *heap, uint32_t frame, eddy_error *error) {
    const frame_group *group = heap->groups[heap_find_group(heap, frame)];
    if (group == source->group) {
        return EDDY_OK;
    }
    source->group = group;
    source->base_turn ^= 1;
    block_bytes block = {.bytes = group->blocks[0], .size = group->sizes[0]};
    return block_decode_base(source->schema, block, &source->bases[source->base_turn], error);
}

static eddy_result read_live(run_source *source, const frame_heap *heap, uint32_t frame, frame_buffer *buffer,
                             seal_frame *out, eddy_error *error) {
    eddy_result result = enter_group(source, heap, frame, error);
    if (result != EDDY_OK) {
        return result;
    }
    const frame_group *group = source->group;
    uint32_t index = frame - group->first_frame;
    eddy_view base = frame_buffer_view(&source->bases[source->base_turn]);
    result = group_decode(source->schema, group, index, &base, &source->scratch, source->hooks, buffer, error);
    *out = (seal_frame){.branch = group->branch, .hash = group->hashes[index], .view = frame_buffer_view(buffer)};
    return result;
}

static eddy_result read_sealed(run_source *source, const frame_heap *heap, uint32_t frame, frame_buffer *buffer,
                               seal_frame *out, eddy_error *error) {
    eddy_result result = EDDY_OK;
    opened_run **run = &source->runs[source->run_turn];
    if (!*run) {
        result = sealed_open(source->schema, heap->sealed, source->hooks, run, error);
    }
    if (result == EDDY_OK) {
        result = opened_read(*run, frame, buffer, error);
    }
    if (result == EDDY_OK) {
        *out = (seal_frame){.branch = sealed_branch_of(heap->sealed, frame), .view = frame_buffer_view(buffer)};
        out->hash = eddy_view_hash(source->schema, &out->view);
    }
    return result;
}

/* Goes to the part that holds a frame, at or after the present one. */
static const frame_heap *enter_part(run_source *source, uint32_t frame) {
    uint32_t part = source->part;
    while (source->parts[part].last_frame < frame) {
        part++;
    }
    if (part != source->part) {
        source->part = part;
        source->group = NULL;
        source->run_turn ^= 1;
        opened_close(source->runs[source->run_turn]);
        source->runs[source->run_turn] = NULL;
    }
    return source->parts[part].heap;
}

eddy_result run_source_read(void *user, uint32_t index, seal_frame *out, eddy_error *error) {
    run_source *source = user;
    if (index == 0) {
        run_source_rest(source);
    }
    uint32_t frame = source->parts[0].first_frame + index;
    const frame_heap *heap = enter_part(source, frame);
    frame_buffer *buffer = &source->frames[index & 1];
    return heap_is_sealed(heap) ? read_sealed(source, heap, frame, buffer, out, error)
                                : read_live(source, heap, frame, buffer, out, error);
}
