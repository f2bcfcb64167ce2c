/* Recording a frame: plan, stage memory, then change. Nothing after staging can fail. */
#include "timeline.h"

#include <string.h>

/* Where the next frame goes, and in what. */
typedef struct append_plan {
    uint32_t frame, branch, parent;
    bool is_root, is_switch, is_cut, is_base, begins_heap, begins_window;
    const frame_line *from; /* the line that the frame continues */
    frame_heap *heap;       /* that it goes into; new when it begins one */
    pool_mark mark;         /* the end of the pool that the frame goes into, once cut */
    size_t group_bytes;     /* of a new group and its tables */
    size_t piece_bytes;     /* of new pieces of the side array */
    size_t bytes, align;
    pool_chunk *fresh;
} append_plan;

/* ---- planning ---- */

/* The frame's number, and what it follows. */
static eddy_result plan_place(const eddy_timeline *timeline, append_plan *plan, eddy_error *error) {
    eddy_kept kept = line_kept(&timeline->line);
    *plan = (append_plan){.branch = timeline->branch, .parent = timeline->parent, .from = &timeline->line};
    plan->is_root = timeline->restarting || kept.count == 0;
    plan->is_switch = !plan->is_root && timeline->cursor_branch != BRANCH_NONE;
    plan->is_cut = plan->is_switch || (!plan->is_root && timeline->cursor < kept.last_frame);
    if (plan->is_root || plan->is_cut) {
        plan->branch = timeline->branches_made;
        plan->parent = BRANCH_NONE;
    }
    if (plan->is_root) {
        return EDDY_OK;
    }
    if (timeline->cursor == UINT32_MAX - 1) {
        return eddy_fail(error, EDDY_E_LIMIT, "frame %u is the last that can be numbered", timeline->cursor);
    }
    plan->frame = timeline->cursor + 1;
    if (plan->is_switch) {
        plan->from = &timeline_find_pin(timeline, timeline->cursor_branch)->line;
    }
    if (plan->is_cut) {
        plan->parent = line_branch_of(plan->from, timeline->cursor);
    }
    return EDDY_OK;
}

/* A cut leaves the frames behind it to pinned branches: then the heap is theirs too. */
static bool cut_is_pinned(const eddy_timeline *timeline, uint32_t last_frame) {
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        uint32_t last;
        if (!timeline->pins[i].is_apart && line_last_frame_of(&timeline->line, timeline->pins[i].branch, &last) &&
            last > last_frame) {
            return true;
        }
    }
    return false;
}

/* Whether the frame is a base, and which heap it goes into: NULL a new one. */
static void plan_heap(const eddy_timeline *timeline, append_plan *plan) {
    const eddy_timeline_desc *desc = &timeline->desc;
    plan->is_base = plan->begins_heap = plan->begins_window = true;
    if (plan->is_root) {
        return;
    }
    uint32_t index = line_find_part(plan->from, timeline->cursor);
    const line_part *part = &plan->from->parts[index];
    bool grows =
        !plan->is_switch && timeline_can_grow(part) && !(plan->is_cut && cut_is_pinned(timeline, timeline->cursor));
    size_t window_bytes = heap_owned_bytes(part->heap);
    heap_marks marks = {.bases = pool_mark_end(&part->heap->bases), .diffs = pool_mark_end(&part->heap->diffs)};
    if (grows && plan->is_cut) {
        marks = heap_marks_after(part->heap, timeline->cursor);
        window_bytes = heap_bytes_before(part->heap, marks);
    }
    for (uint32_t i = line_window_of(plan->from, index); i < index; i++) {
        window_bytes += heap_owned_bytes(plan->from->parts[i].heap);
    }
    plan->is_base =
        plan->is_cut || !grows || plan->frame % desc->base_interval == 0 || window_bytes > 2 * desc->heap_bytes_max;
    plan->begins_window =
        plan->frame % desc->heap_frames == 0 || (plan->is_base && window_bytes >= desc->heap_bytes_max);
    plan->begins_heap = plan->begins_window || !grows;
    if (!plan->begins_heap) {
        plan->heap = part->heap;
        plan->mark = plan->is_base ? marks.bases : marks.diffs;
    }
}

static frame_group *last_group(const frame_heap *heap) {
    return heap->groups[heap->group_count - 1];
}

static uint32_t pieces_of(uint32_t newborns) {
    return (newborns + LIMIT_PIECE_NEWBORNS - 1) / LIMIT_PIECE_NEWBORNS;
}

static uint32_t group_capacity(const eddy_timeline *timeline, uint32_t frame) {
    return timeline->desc.base_interval - frame % timeline->desc.base_interval;
}

static void plan_bytes(const eddy_timeline *timeline, append_plan *plan) {
    const frame_track *track = &timeline->track;
    plan->bytes = track->head_out.size + track->cells_out.size + track->newborn_out.size;
    plan->align = 1;
    if (plan->is_base) {
        plan->group_bytes = group_bytes(group_capacity(timeline, plan->frame));
    } else {
        uint32_t newborns = last_group(plan->heap)->newborn_count;
        plan->piece_bytes = (pieces_of(newborns + track->birth_count) - pieces_of(newborns)) * sizeof(newborn_piece);
    }
    plan->bytes += plan->group_bytes + plan->piece_bytes;
    if (plan->group_bytes + plan->piece_bytes > 0) {
        plan->align = LIMIT_STATE_ALIGN;
    }
}

/* ---- staging ---- */

/* A heap that is begun inside a window may stay small, and a large base is large enough: they take what they need.
 * Others grow into larger chunks. */
static size_t chunk_bytes(const append_plan *plan) {
    if (plan->is_base) {
        bool is_alone = (plan->begins_heap && !plan->begins_window) || plan->bytes > LIMIT_CHUNK_BYTES;
        return is_alone ? plan->bytes : LIMIT_CHUNK_BASES * (plan->bytes + plan->bytes / 16);
    }
    size_t reserved = plan->heap->diffs.reserved_bytes;
    reserved = reserved < LIMIT_PAGE_BYTES ? LIMIT_PAGE_BYTES : reserved;
    return reserved < LIMIT_CHUNK_BYTES ? reserved : LIMIT_CHUNK_BYTES;
}

static bool stage_group(const eddy_hooks *hooks, frame_heap *heap) {
    void *groups = heap->groups;
    size_t used = heap->group_count * sizeof *heap->groups;
    bool good = memory_grow(hooks, &groups, &heap->groups_capacity, used, used + sizeof *heap->groups);
    heap->groups = groups;
    return good;
}

static bool stage_observer(eddy_timeline *timeline) {
    void *newborns = timeline->newborns;
    bool good = !timeline->is_observed || memory_grow(&timeline->memory.inner, &newborns, &timeline->newborns_capacity,
                                                      0, timeline->track.birth_count * sizeof *timeline->newborns);
    timeline->newborns = newborns;
    return good;
}

static bool stage_memory(eddy_timeline *timeline, append_plan *plan) {
    const eddy_hooks *hooks = &timeline->memory.inner;
    bool good = line_reserve_next(&timeline->line, hooks) &&
                (!plan->is_switch || line_reserve_copy(&timeline->line, plan->from, hooks)) &&
                timeline_stage_pins(timeline, timeline->cursor, plan->is_root || plan->is_switch) &&
                stage_observer(timeline);
    if (good && plan->begins_heap) {
        plan->heap = heap_create(&timeline->store);
        good = plan->heap != NULL;
    }
    return good && (!plan->is_base || stage_group(hooks, plan->heap));
}

static eddy_result stage(eddy_timeline *timeline, append_plan *plan, eddy_error *error) {
    bool good = stage_memory(timeline, plan);
    if (good) {
        plan_bytes(timeline, plan);
        good =
            pool_stage(&timeline->memory.inner, plan->mark, plan->bytes, plan->align, chunk_bytes(plan), &plan->fresh);
    }
    if (good) {
        return EDDY_OK;
    }
    if (plan->begins_heap) {
        heap_discard(&timeline->store, plan->heap);
    }
    return eddy_fail(error, EDDY_E_MEMORY, "no memory for frame %u: %zu bytes", plan->frame, plan->bytes);
}

/* ---- changing ---- */

/* Lets go of what the new frame overwrites, and puts the frame at the end of the line. */
static void enter_line(eddy_timeline *timeline, const append_plan *plan) {
    frame_line *line = &timeline->line;
    if (plan->is_root || plan->is_cut) {
        timeline_cut(timeline, timeline->cursor, plan->is_root || plan->is_switch);
    }
    if (plan->is_switch) {
        line_copy(line, plan->from, timeline->cursor);
    }
    if (plan->begins_heap) {
        line_push_part(line, plan->heap, plan->frame, plan->begins_window);
    } else {
        line->parts[line->part_count - 1].last_frame = plan->frame;
    }
    if (plan->is_root || plan->is_cut) {
        line_push_branch(line, plan->branch, plan->frame);
    }
    if (line->epoch_count == 0 || line->epochs[line->epoch_count - 1].epoch != timeline->constants) {
        line_push_epoch(line, timeline->constants, plan->frame);
    }
}

static frame_group *push_group(const eddy_timeline *timeline, const append_plan *plan, uint8_t *at) {
    frame_group *group = (frame_group *)(void *)at;
    uint32_t capacity = group_capacity(timeline, plan->frame);
    *group = (frame_group){.branch = plan->branch, .first_frame = plan->frame, .frame_capacity = capacity};
    group->hashes = (uint64_t *)(void *)(group + 1);
    group->blocks = (const uint8_t **)(void *)(group->hashes + capacity);
    group->sizes = (uint32_t *)(void *)(group->blocks + capacity);
    plan->heap->groups[plan->heap->group_count++] = group;
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
}

static void push_frame(eddy_timeline *timeline, frame_group *group, bool is_base, const uint8_t *block, size_t size) {
    uint32_t index = group->frame_count++;
    group->hashes[index] = timeline->track.hash;
    group->blocks[index] = block;
    group->sizes[index] = (uint32_t)size;
    group->diff_bytes += is_base ? 0 : size;
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
    frame_heap *heap = plan->heap;
    enter_line(timeline, plan);
    uint8_t *at = pool_take(plan->is_base ? &heap->bases : &heap->diffs, plan->bytes, plan->align, plan->fresh);
    frame_group *group = plan->is_base ? push_group(timeline, plan, at) : last_group(heap);
    uint8_t *pieces = at + plan->group_bytes, *entries = pieces + plan->piece_bytes;
    uint8_t *block = put(entries, &track->newborn_out);
    uint8_t *end = put(put(block, &track->head_out), &track->cells_out);

    push_newborns(timeline, group, plan->frame, pieces, entries);
    track_commit(track, view, block);
    push_frame(timeline, group, plan->is_base, block, (size_t)(end - block));
    timeline->cursor = plan->frame;
    timeline->cursor_branch = BRANCH_NONE;
    timeline->restarting = false;
    timeline->branch = plan->branch;
    timeline->parent = plan->parent;
    timeline->branches_made += plan->is_root || plan->is_cut;
    timeline->switched_branch = plan->is_switch ? plan->branch : timeline->switched_branch;
    timeline->appends++;
    if (track->state_bytes > timeline->state_bytes_peak) {
        timeline->state_bytes_peak = track->state_bytes;
    }
}

static void observe(eddy_timeline *timeline, const append_plan *plan) {
    const frame_group *group = last_group(plan->heap);
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
        plan_heap(timeline, &plan);
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
    if (plan.begins_window && timeline->line.part_count > 1) {
        timeline_seal_window(timeline, &timeline->line, timeline->line.part_count - 2);
    }
    timeline_collect_due(timeline);
    timeline_forget_oldest(timeline);
    return EDDY_OK;
}
