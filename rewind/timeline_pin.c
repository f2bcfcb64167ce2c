/* Branches that are kept although the line has left them, and going on from one of them. */
#include "timeline.h"

#include <string.h>

pinned_branch *timeline_find_pin(const eddy_timeline *timeline, uint32_t branch) {
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        if (timeline->pins[i].branch == branch) {
            return &timeline->pins[i];
        }
    }
    return NULL;
}

eddy_result timeline_line_of(eddy_timeline *timeline, uint32_t branch, const frame_line **line, eddy_kept *kept,
                             eddy_error *error) {
    const pinned_branch *pin = timeline_find_pin(timeline, branch);
    uint32_t last;
    if (pin && pin->is_apart) {
        *line = &pin->line;
        *kept = line_kept(&pin->line);
        return EDDY_OK;
    }
    if (line_last_frame_of(&timeline->line, branch, &last)) {
        *line = &timeline->line;
        *kept = line_kept(&timeline->line);
        kept->branch = branch;
        kept->last_frame = last;
        kept->count = last - kept->first_frame + 1;
        return EDDY_OK;
    }
    return eddy_fail(error, EDDY_E_FRAME,
                     "branch %u is not kept: expected a branch of the present line, which ends with branch %u, or a "
                     "pinned one",
                     branch, timeline->branch);
}

static eddy_result find_frame(eddy_timeline *timeline, uint32_t branch, uint32_t frame, const frame_line **line,
                              eddy_error *error) {
    eddy_kept kept = {0};
    eddy_result result = timeline_line_of(timeline, branch, line, &kept, error);
    if (result != EDDY_OK) {
        return result;
    }
    if (kept.count == 0) {
        return eddy_fail(error, EDDY_E_FRAME, "branch %u is pinned, but its frames have been forgotten", branch);
    }
    if (frame < kept.first_frame || frame > kept.last_frame) {
        return eddy_fail(error, EDDY_E_FRAME, "frame %u of branch %u is not kept: expected %u to %u", frame, branch,
                         kept.first_frame, kept.last_frame);
    }
    return EDDY_OK;
}

/* ---- pinning ---- */

eddy_result eddy_timeline_pin(eddy_timeline *timeline, uint32_t branch, eddy_error *error) {
    pinned_branch *pin = timeline_find_pin(timeline, branch);
    if (pin) {
        pin->pins++;
        return EDDY_OK;
    }
    const frame_line *line = NULL;
    eddy_kept kept = {0};
    eddy_result result = timeline_line_of(timeline, branch, &line, &kept, error);
    if (result != EDDY_OK) {
        return result;
    }
    void *pins = timeline->pins;
    size_t used = timeline->pin_count * sizeof *timeline->pins;
    bool good =
        memory_grow(&timeline->memory.inner, &pins, &timeline->pins_capacity, used, used + sizeof *timeline->pins);
    timeline->pins = pins;
    if (!good) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to pin branch %u", branch);
    }
    timeline->pins[timeline->pin_count++] = (pinned_branch){.branch = branch, .pins = 1};
    return EDDY_OK;
}

void eddy_timeline_unpin(eddy_timeline *timeline, uint32_t branch) {
    pinned_branch *pin = timeline_find_pin(timeline, branch);
    if (!pin || --pin->pins > 0) {
        return;
    }
    if (timeline->cursor_branch == branch) { /* there is nothing to go on from any more */
        timeline->cursor_branch = BRANCH_NONE;
        timeline->cursor = line_kept(&timeline->line).last_frame;
    }
    line_free(&pin->line, &timeline->store);
    timeline->pin_count--;
    memmove(pin, pin + 1, (size_t)(timeline->pins + timeline->pin_count - pin) * sizeof *pin);
    timeline_cut_loose_ends(timeline);
    timeline_cancel_idle_jobs(timeline);
}

/* ---- using ---- */

eddy_kept eddy_timeline_kept_on(eddy_timeline *timeline, uint32_t branch) {
    const frame_line *line = NULL;
    eddy_kept kept = {0};
    return timeline_line_of(timeline, branch, &line, &kept, NULL) == EDDY_OK ? kept : (eddy_kept){0};
}

eddy_result eddy_timeline_read_on(eddy_timeline *timeline, uint32_t branch, uint32_t frame, eddy_view *out,
                                  eddy_error *error) {
    const frame_line *line = NULL;
    eddy_result result = find_frame(timeline, branch, frame, &line, error);
    return result == EDDY_OK ? timeline_read_line(timeline, line, frame, out, error) : result;
}

eddy_result eddy_timeline_resume_on(eddy_timeline *timeline, uint32_t branch, uint32_t frame, eddy_error *error) {
    const frame_line *line = NULL;
    eddy_result result = find_frame(timeline, branch, frame, &line, error);
    if (result == EDDY_OK) {
        timeline->cursor = frame;
        timeline->cursor_branch = line == &timeline->line ? BRANCH_NONE : branch;
        timeline->restarting = false;
    }
    return result;
}
