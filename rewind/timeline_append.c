/* Recording a frame: plan, stage memory, then change. Nothing after staging can fail. */
#include "timeline.h"

/* Where the next frame goes, and in what. */
typedef struct append_plan {
    uint32_t frame, branch, parent;
    bool is_root, is_cut, is_base, begins_heap;
    pool_mark mark;     /* the end of the pool that the frame goes into, once cut */
    size_t group_bytes; /* of a new group and its tables */
    size_t piece_bytes; /* of new pieces of the side array */
    size_t bytes, align;
    pool_chunk *fresh;
} append_plan;

/* The frame's number, and what it is a part of. */
static eddy_result plan_place(const eddy_timeline *timeline, append_plan *plan, eddy_error *error) {
    eddy_kept kept = eddy_timeline_kept(timeline);
    const eddy_timeline_desc *desc = &timeline->desc;
    *plan = (append_plan){.branch = timeline->branch, .parent = timeline->parent};
    plan->is_root = timeline->restarting || kept.count == 0;
    plan->is_cut = !plan->is_root && timeline->cursor < kept.last_frame;
    if (plan->is_root || plan->is_cut) {
        plan->branch = timeline->branches_made;
        plan->parent = UINT32_MAX;
    }
    if (plan->is_root) {
        plan->is_base = plan->begins_heap = true;
        return EDDY_OK;
    }
    if (timeline->cursor == UINT32_MAX - 1) {
        return eddy_fail(error, EDDY_E_LIMIT, "frame %u is the last that can be numbered", timeline->cursor);
    }
    plan->frame = timeline->cursor + 1;
    const frame_group *group = timeline->groups[timeline_find_group(timeline, timeline->cursor)];
    const frame_heap *heap = &timeline->heaps[group->heap_serial - timeline->first_serial];
    size_t heap_bytes = heap_reserved_bytes(heap);
    if (plan->is_cut) {
        heap_marks marks = timeline_marks_after(timeline, timeline->cursor);
        heap_bytes = pool_bytes_before(&heap->bases, marks.bases) + pool_bytes_before(&heap->diffs, marks.diffs);
        plan->mark = marks.bases;
        plan->parent = group->branch;
    }
    plan->is_base = plan->is_cut || plan->frame % desc->base_interval == 0 || heap_bytes > 2 * desc->heap_bytes_max;
    plan->begins_heap = plan->frame % desc->heap_frames == 0 || (plan->is_base && heap_bytes >= desc->heap_bytes_max);
    if (plan->begins_heap) {
        plan->mark = (pool_mark){0};
    } else if (!plan->is_cut) {
        plan->mark = pool_mark_end(plan->is_base ? &heap->bases : &heap->diffs);
    }
    return EDDY_OK;
}

static uint32_t pieces_of(uint32_t newborns) {
    return (newborns + LIMIT_PIECE_NEWBORNS - 1) / LIMIT_PIECE_NEWBORNS;
}

static void plan_bytes(const eddy_timeline *timeline, append_plan *plan) {
    const frame_track *track = &timeline->track;
    plan->bytes = track->head_out.size + track->cells_out.size + track->newborn_out.size;
    plan->align = 1;
    if (plan->is_base) {
        uint32_t capacity = timeline->desc.base_interval - plan->frame % timeline->desc.base_interval;
        plan->group_bytes =
            limit_aligned(sizeof(frame_group) + capacity * (sizeof(uint64_t) + sizeof(uint8_t *) + sizeof(uint32_t)));
    } else {
        uint32_t newborns = timeline->groups[timeline->group_count - 1]->newborn_count;
        plan->piece_bytes = (pieces_of(newborns + track->birth_count) - pieces_of(newborns)) * sizeof(newborn_piece);
    }
    plan->bytes += plan->group_bytes + plan->piece_bytes;
    if (plan->group_bytes + plan->piece_bytes > 0) {
        plan->align = LIMIT_STATE_ALIGN;
    }
}

static bool grow_tables(eddy_timeline *timeline) {
    const eddy_hooks *hooks = &timeline->memory.inner;
    void *groups = timeline->groups, *heaps = timeline->heaps;
    size_t group_bytes = timeline->group_count * sizeof(frame_group *);
    size_t heap_bytes = timeline->heap_count * sizeof(frame_heap);
    bool good =
        memory_grow(hooks, &groups, &timeline->groups_capacity, group_bytes, group_bytes + sizeof(frame_group *));
    timeline->groups = groups;
    good = good && memory_grow(hooks, &heaps, &timeline->heaps_capacity, heap_bytes, heap_bytes + sizeof(frame_heap));
    timeline->heaps = heaps;
    return good;
}

static eddy_result stage(eddy_timeline *timeline, append_plan *plan, eddy_error *error) {
    const eddy_hooks *hooks = &timeline->memory.inner;
    plan_bytes(timeline, plan);
    size_t chunk_bytes = plan->is_base ? LIMIT_CHUNK_BASES * (plan->bytes + plan->bytes / 16) : LIMIT_CHUNK_BYTES;
    bool good = grow_tables(timeline);
    if (timeline->is_observed) {
        good = good && timeline_grow_newborns(timeline, timeline->track.birth_count);
    }
    if (!good || !pool_stage(hooks, plan->mark, plan->bytes, plan->align, chunk_bytes, &plan->fresh)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for frame %u: %zu bytes", plan->frame, plan->bytes);
    }
    return EDDY_OK;
}

/* Lets go of what the new frame overwrites, and opens its heap. */
static frame_heap *open_heap(eddy_timeline *timeline, const append_plan *plan) {
    if (plan->is_root) {
        timeline_cut_all(timeline);
    } else if (plan->is_cut) {
        timeline_cut_after(timeline, timeline->cursor);
    }
    if (plan->begins_heap) {
        timeline->heaps[timeline->heap_count++] = (frame_heap){0};
    }
    return &timeline->heaps[timeline->heap_count - 1];
}

static frame_group *push_group(eddy_timeline *timeline, const append_plan *plan, uint8_t *at) {
    frame_group *group = (frame_group *)(void *)at;
    uint32_t capacity = timeline->desc.base_interval - plan->frame % timeline->desc.base_interval;
    *group = (frame_group){.heap_serial = timeline->first_serial + timeline->heap_count - 1,
                           .branch = plan->branch,
                           .first_frame = plan->frame,
                           .frame_capacity = capacity};
    group->hashes = (uint64_t *)(void *)(group + 1);
    group->blocks = (const uint8_t **)(void *)(group->hashes + capacity);
    group->sizes = (uint32_t *)(void *)(group->blocks + capacity);
    timeline->groups[timeline->group_count++] = group;
    return group;
}

/* Enters the newborns, whose entries lie at `entries`, into the side array, with new pieces at `pieces`. */
static void push_newborns(eddy_timeline *timeline, frame_group *group, uint32_t frame, uint8_t *pieces,
                          const uint8_t *entries) {
    const frame_track *track = &timeline->track;
    for (uint32_t i = 0; i < track->birth_count; i++) {
        uint32_t place = group->newborn_count++ % LIMIT_PIECE_NEWBORNS;
        if (place == 0) {
            newborn_piece *piece = (newborn_piece *)(void *)pieces;
            pieces += sizeof *piece;
            piece->next = NULL;
            *(group->last_piece ? &group->last_piece->next : &group->pieces) = piece;
            group->last_piece = piece;
        }
        block_bytes entry = {.bytes = entries + track->births[i].at, .size = track->births[i].size};
        group->last_piece->entries[place] = entry;
        group->last_piece->born[place] = frame;
        if (timeline->is_observed) {
            timeline->newborns[i] = entry;
        }
    }
    group->newborn_bytes += track->newborn_out.size;
    timeline->newborn_bytes += track->newborn_out.size;
}

static void push_frame(eddy_timeline *timeline, frame_group *group, bool is_base, const uint8_t *block, size_t size) {
    uint32_t index = group->frame_count++;
    group->hashes[index] = timeline->track.hash;
    group->blocks[index] = block;
    group->sizes[index] = (uint32_t)size;
    if (is_base) {
        timeline->base_bytes += size;
    } else {
        group->diff_bytes += size;
        timeline->diff_bytes += size;
    }
    timeline->last_frame_bytes = size + timeline->track.newborn_out.size;
    timeline->last_frame_is_base = is_base;
}

static uint8_t *put(uint8_t *at, const bytes_writer *writer) {
    if (writer->size > 0) {
        memcpy(at, writer->bytes, writer->size);
    }
    return at + writer->size;
}

static void commit(eddy_timeline *timeline, const append_plan *plan, const eddy_view *view) {
    frame_track *track = &timeline->track;
    frame_heap *heap = open_heap(timeline, plan);
    uint8_t *at = pool_take(plan->is_base ? &heap->bases : &heap->diffs, plan->bytes, plan->align, plan->fresh);
    frame_group *group = plan->is_base ? push_group(timeline, plan, at) : timeline->groups[timeline->group_count - 1];
    uint8_t *pieces = at + plan->group_bytes, *entries = pieces + plan->piece_bytes;
    uint8_t *block = put(entries, &track->newborn_out);
    uint8_t *end = put(put(block, &track->head_out), &track->cells_out);

    push_newborns(timeline, group, plan->frame, pieces, entries);
    track_commit(track, view, block);
    push_frame(timeline, group, plan->is_base, block, (size_t)(end - block));
    timeline->cursor = plan->frame;
    timeline->restarting = false;
    timeline->branch = plan->branch;
    timeline->parent = plan->parent;
    timeline->branches_made += plan->is_root || plan->is_cut;
    timeline_use_epoch(timeline, plan->frame);
}

static void observe(eddy_timeline *timeline, const append_plan *plan) {
    const frame_group *group = timeline->groups[timeline->group_count - 1];
    uint32_t index = group->frame_count - 1;
    recorded_frame recorded = {
        .branch = plan->branch,
        .parent = plan->parent,
        .frame = plan->frame,
        .is_base = plan->is_base,
        .begins_branch = plan->is_root || plan->is_cut,
        .hash = group->hashes[index],
        .block = {.bytes = group->blocks[index], .size = group->sizes[index]},
        .newborns = timeline->newborns,
        .newborn_count = timeline->track.birth_count,
    };
    timeline->observer.frame(timeline->observer.user, &recorded);
}

eddy_result eddy_timeline_append(eddy_timeline *timeline, const eddy_view *view, eddy_error *error) {
    append_plan plan;
    eddy_result result = plan_place(timeline, &plan, error);
    if (result == EDDY_OK) {
        result = track_plan(&timeline->track, view, plan.is_base, error);
    }
    if (result == EDDY_OK) {
        result = stage(timeline, &plan, error);
    }
    if (result != EDDY_OK) {
        return result;
    }
    commit(timeline, &plan, view);
    if (timeline->is_observed) {
        observe(timeline, &plan);
    }
    timeline_forget(timeline);
    return EDDY_OK;
}
