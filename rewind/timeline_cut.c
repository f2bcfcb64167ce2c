/* How frames go: the future when another begins, the past when the budget asks for it. */
#include "timeline.h"

/* ---- pinned branches keep what a cut takes from the line ---- */

/* Whether a cut would take frames of a pinned branch away; `last` is its last frame. */
static bool loses_frames(const eddy_timeline *timeline, const pinned_branch *pin, uint32_t last_frame, bool is_root,
                         uint32_t *last) {
    return !pin->is_apart && line_last_frame_of(&timeline->line, pin->branch, last) && (is_root || *last > last_frame);
}

bool timeline_stage_pins(eddy_timeline *timeline, uint32_t last_frame, bool is_root) {
    uint32_t last;
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        pinned_branch *pin = &timeline->pins[i];
        if (loses_frames(timeline, pin, last_frame, is_root, &last) &&
            !line_reserve_copy(&pin->line, &timeline->line, &timeline->memory.inner)) {
            return false;
        }
    }
    return true;
}

static void set_pins_apart(eddy_timeline *timeline, uint32_t last_frame, bool is_root) {
    uint32_t last;
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        pinned_branch *pin = &timeline->pins[i];
        if (loses_frames(timeline, pin, last_frame, is_root, &last)) {
            line_copy(&pin->line, &timeline->line, last);
            pin->is_apart = true;
        }
    }
}

/* ---- loose ends ---- */

/* Calls for every part of every line. */
static void for_parts(eddy_timeline *timeline, void (*each)(eddy_timeline *timeline, const line_part *part)) {
    for (uint32_t i = 0; i < timeline->line.part_count; i++) {
        each(timeline, &timeline->line.parts[i]);
    }
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        for (uint32_t j = 0; j < timeline->pins[i].line.part_count; j++) {
            each(timeline, &timeline->pins[i].line.parts[j]);
        }
    }
}

static void need_nothing(eddy_timeline *timeline, const line_part *part) {
    (void)timeline;
    part->heap->needed_frame = 0;
}

static void need_part(eddy_timeline *timeline, const line_part *part) {
    (void)timeline;
    if (part->last_frame > part->heap->needed_frame) {
        part->heap->needed_frame = part->last_frame;
    }
}

static void cut_loose_end(eddy_timeline *timeline, const line_part *part) {
    frame_heap *heap = part->heap;
    if (!heap_is_sealed(heap) && heap->jobs == 0 && heap_last_frame(heap) > heap->needed_frame) {
        heap_cut_after(heap, &timeline->memory.inner, heap->needed_frame);
    }
}

void timeline_cut_loose_ends(eddy_timeline *timeline) {
    for_parts(timeline, need_nothing);
    for_parts(timeline, need_part);
    for_parts(timeline, cut_loose_end);
}

bool timeline_can_grow(const line_part *part) {
    const frame_heap *heap = part->heap;
    return !heap_is_sealed(heap) && heap->users == 1 && heap->jobs == 0;
}

/* ---- cutting ---- */

void timeline_cut(eddy_timeline *timeline, uint32_t last_frame, bool is_root) {
    set_pins_apart(timeline, last_frame, is_root);
    if (is_root) {
        line_cut_all(&timeline->line, &timeline->store);
    } else {
        line_cut_after(&timeline->line, &timeline->store, last_frame);
    }
    timeline_cut_loose_ends(timeline);
    timeline_cancel_idle_jobs(timeline);
}

/* ---- forgetting ---- */

size_t timeline_spare_bytes(const eddy_timeline *timeline) {
    size_t share = timeline->desc.budget_bytes / LIMIT_SPARE_SHARE;
    size_t state = LIMIT_SPARE_FRAMES * timeline->state_bytes_peak;
    return state > share ? state : share;
}

/* The line whose first heap is the oldest; the current one keeps its last heap. NULL: nothing may go. */
static frame_line *oldest_line(eddy_timeline *timeline) {
    frame_line *oldest = timeline->line.part_count > 1 ? &timeline->line : NULL;
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        frame_line *line = &timeline->pins[i].line;
        if (line->part_count > 0 && (!oldest || line->parts[0].heap->age <= oldest->parts[0].heap->age)) {
            oldest = line;
        }
    }
    return oldest;
}

/* One heap goes from every line that begins with it. */
static void forget_heap(eddy_timeline *timeline, frame_line *oldest) {
    const frame_heap *heap = oldest->parts[0].heap;
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        frame_line *line = &timeline->pins[i].line;
        if (line != oldest && line->part_count > 0 && line->parts[0].heap == heap) {
            line_forget_first(line, &timeline->store);
        }
    }
    if (oldest != &timeline->line && timeline->line.part_count > 1 && timeline->line.parts[0].heap == heap) {
        timeline->frames_forgotten += line_forget_first(&timeline->line, &timeline->store);
    }
    uint32_t frames = line_forget_first(oldest, &timeline->store);
    timeline->frames_forgotten += oldest == &timeline->line ? frames : 0;
}

void timeline_forget_oldest(eddy_timeline *timeline) {
    size_t budget = timeline->desc.budget_bytes - timeline_spare_bytes(timeline);
    while (timeline->memory.owned_bytes > budget) {
        frame_line *oldest = oldest_line(timeline);
        if (timeline->store.doomed_bytes > 0) {
            timeline_cancel_idle_jobs(timeline);
            timeline_collect_first(timeline); /* it holds what nobody wants */
        } else if (oldest) {
            forget_heap(timeline, oldest);
        } else {
            return;
        }
    }
}

eddy_result eddy_timeline_forget(eddy_timeline *timeline, uint32_t frame, eddy_error *error) {
    frame_line *line = &timeline->line;
    eddy_result result = timeline_check_frame(line, frame, error);
    if (timeline->cursor_branch == BRANCH_NONE && !timeline->restarting && frame > timeline->cursor) {
        frame = timeline->cursor; /* the next frame follows it */
    }
    while (result == EDDY_OK && line->part_count > 1 && line->parts[0].last_frame < frame) {
        timeline->frames_forgotten += line_forget_first(line, &timeline->store);
    }
    timeline_cancel_idle_jobs(timeline);
    return result;
}
