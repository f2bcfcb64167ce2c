/* How frames go: the future when another begins, the past when the budget asks for it. */
#include "timeline.h"

static void drop_group(eddy_timeline *timeline, const frame_group *group) {
    timeline->base_bytes -= group->sizes[0];
    timeline->diff_bytes -= group->diff_bytes;
    timeline->newborn_bytes -= group->newborn_bytes;
}

static void release_last_heap(eddy_timeline *timeline) {
    heap_release(&timeline->heaps[--timeline->heap_count], &timeline->memory.inner);
}

void timeline_cut_all(eddy_timeline *timeline) {
    while (timeline->group_count > 0) {
        drop_group(timeline, timeline->groups[--timeline->group_count]);
    }
    while (timeline->heap_count > 0) {
        release_last_heap(timeline);
    }
}

/* Newborns of frames after `last_frame` leave the side array; their bytes go with the pool. */
static void cut_newborns(eddy_timeline *timeline, frame_group *group, uint32_t last_frame) {
    size_t bytes = 0;
    uint32_t count = 0;
    newborn_piece *last = NULL;
    for (newborn_piece *piece = group->pieces; piece && count < group->newborn_count; piece = piece->next) {
        for (uint32_t i = 0; i < LIMIT_PIECE_NEWBORNS && count < group->newborn_count; i++) {
            if (piece->born[i] > last_frame) {
                group->newborn_count = count;
                break;
            }
            bytes += piece->entries[i].size;
            count++;
            last = piece;
        }
    }
    timeline->newborn_bytes -= group->newborn_bytes - bytes;
    group->newborn_bytes = bytes;
    group->last_piece = last;
    if (last) {
        last->next = NULL;
    } else {
        group->pieces = NULL;
    }
}

static void cut_group(eddy_timeline *timeline, frame_group *group, uint32_t last_frame) {
    uint32_t kept = last_frame - group->first_frame + 1;
    for (uint32_t i = kept; i < group->frame_count; i++) {
        group->diff_bytes -= group->sizes[i];
        timeline->diff_bytes -= group->sizes[i];
    }
    group->frame_count = kept;
    cut_newborns(timeline, group, last_frame);
}

heap_marks timeline_marks_after(const eddy_timeline *timeline, uint32_t last_frame) {
    uint32_t index = timeline_find_group(timeline, last_frame);
    const frame_group *group = timeline->groups[index];
    const frame_heap *heap = &timeline->heaps[group->heap_serial - timeline->first_serial];
    heap_marks marks = {.bases = pool_mark_behind(&heap->bases, group->blocks[0], group->sizes[0])};
    /* The last diff of the heap: the frame itself, or, when it is a base, the last frame of a group before. */
    uint32_t last = last_frame - group->first_frame;
    while (last == 0 && index > 0 && timeline->groups[index - 1]->heap_serial == group->heap_serial) {
        group = timeline->groups[--index];
        last = group->frame_count - 1;
    }
    if (last > 0) {
        marks.diffs = pool_mark_behind(&heap->diffs, group->blocks[last], group->sizes[last]);
    }
    return marks;
}

void timeline_cut_after(eddy_timeline *timeline, uint32_t last_frame) {
    heap_marks marks = timeline_marks_after(timeline, last_frame);
    uint32_t index = timeline_find_group(timeline, last_frame);
    while (timeline->group_count > index + 1) {
        drop_group(timeline, timeline->groups[--timeline->group_count]);
    }
    frame_group *group = timeline->groups[index];
    cut_group(timeline, group, last_frame);
    uint32_t heap_index = group->heap_serial - timeline->first_serial;
    while (timeline->heap_count > heap_index + 1) {
        release_last_heap(timeline);
    }
    frame_heap *heap = &timeline->heaps[heap_index];
    pool_cut(&heap->bases, &timeline->memory.inner, marks.bases);
    pool_cut(&heap->diffs, &timeline->memory.inner, marks.diffs);
}

static void forget_oldest_heap(eddy_timeline *timeline) {
    uint32_t count = 0;
    while (timeline->groups[count]->heap_serial == timeline->first_serial) {
        timeline->frames_forgotten += timeline->groups[count]->frame_count;
        drop_group(timeline, timeline->groups[count]);
        count++;
    }
    timeline->group_count -= count;
    memmove(timeline->groups, timeline->groups + count, timeline->group_count * sizeof(frame_group *));
    heap_release(&timeline->heaps[0], &timeline->memory.inner);
    timeline->heap_count--;
    timeline->first_serial++;
    memmove(timeline->heaps, timeline->heaps + 1, timeline->heap_count * sizeof(frame_heap));
}

void timeline_forget(eddy_timeline *timeline) {
    size_t budget = timeline->desc.budget_bytes;
    if (timeline->memory.owned_bytes <= budget) {
        return;
    }
    cache_trim(&timeline->cache, budget / LIMIT_CACHE_SHARE, 0);
    while (timeline->memory.owned_bytes > budget && timeline->heap_count > 1) {
        forget_oldest_heap(timeline);
    }
    timeline_forget_epochs(timeline);
}
