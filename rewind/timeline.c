#include "timeline.h"

#include <assert.h>

/* ---- creating ---- */

static void fill_defaults(eddy_timeline_desc *desc) {
    desc->budget_bytes = desc->budget_bytes ? desc->budget_bytes : LIMIT_BUDGET_BYTES;
    desc->base_interval = desc->base_interval ? desc->base_interval : LIMIT_BASE_INTERVAL;
    desc->heap_frames = desc->heap_frames ? desc->heap_frames : LIMIT_HEAP_FRAMES;
    desc->cache_frames = desc->cache_frames ? desc->cache_frames : LIMIT_CACHE_FRAMES;
    desc->seal_level = desc->seal_level ? desc->seal_level : LIMIT_SEAL_LEVEL;
    if (desc->heap_bytes_max == 0) {
        size_t share = desc->budget_bytes / 8;
        desc->heap_bytes_max = share < LIMIT_HEAP_BYTES ? share : LIMIT_HEAP_BYTES;
    }
    if (desc->heap_bytes_max < LIMIT_HEAP_BYTES_MIN) {
        desc->heap_bytes_max = LIMIT_HEAP_BYTES_MIN;
    }
}

static eddy_result check_desc(const eddy_timeline_desc *desc, eddy_error *error) {
    if (desc->base_interval > LIMIT_BASE_INTERVAL_MAX) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "base_interval: expected at most %u frames, found %u",
                         LIMIT_BASE_INTERVAL_MAX, desc->base_interval);
    }
    if (desc->heap_frames % desc->base_interval != 0) {
        return eddy_fail(error, EDDY_E_ARGUMENT,
                         "heap_frames: expected a multiple of the base interval %u, found %u; try %u",
                         desc->base_interval, desc->heap_frames,
                         (desc->heap_frames / desc->base_interval + 1) * desc->base_interval);
    }
    if (desc->cache_frames < 2 || desc->cache_frames > LIMIT_CACHE_FRAMES_MAX) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "cache_frames: expected 2 to %u, found %u", LIMIT_CACHE_FRAMES_MAX,
                         desc->cache_frames);
    }
    if (desc->seal_level < 1 || desc->seal_level > LIMIT_SEAL_LEVEL_MAX) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "seal_level: expected 1 to %d, found %d", LIMIT_SEAL_LEVEL_MAX,
                         desc->seal_level);
    }
    if (desc->budget_bytes / LIMIT_BUDGET_HEAPS < desc->heap_bytes_max) {
        return eddy_fail(error, EDDY_E_BUDGET,
                         "budget_bytes: expected at least %zu, three heaps of %zu bytes, found %zu",
                         LIMIT_BUDGET_HEAPS * desc->heap_bytes_max, desc->heap_bytes_max, desc->budget_bytes);
    }
    return EDDY_OK;
}

static bool create_parts(eddy_timeline *timeline) {
    const eddy_timeline_desc *desc = &timeline->desc;
    const eddy_hooks *hooks = &timeline->memory.inner;
    size_t state_bytes_max = desc->budget_bytes / LIMIT_STATE_SHARE;
    state_bytes_max = state_bytes_max < LIMIT_STATE_BYTES ? state_bytes_max : LIMIT_STATE_BYTES;
    timeline->store.hooks = hooks;
    timeline->cursor_branch = BRANCH_NONE;
    timeline->constants = timeline_create_epoch(timeline); /* none yet */
    bool good = track_create(&timeline->track, desc->schema, hooks, state_bytes_max);
    good = cache_create(&timeline->cache, desc->cache_frames, &timeline->spare.inner) && good;
    return good && timeline->constants;
}

eddy_result eddy_timeline_create(const eddy_timeline_desc *desc, eddy_timeline **out, eddy_error *error) {
    *out = NULL;
    eddy_timeline_desc full = *desc;
    fill_defaults(&full);
    eddy_result result = eddy_schema_check(desc->schema, error);
    if (result == EDDY_OK) {
        result = check_desc(&full, error);
    }
    if (result != EDDY_OK) {
        return result;
    }
    eddy_timeline *timeline = memory_reserve(&desc->hooks, sizeof *timeline);
    if (timeline) {
        timeline->desc = full;
        memory_count_begin(&timeline->memory, &desc->hooks);
        memory_count_begin(&timeline->spare, &desc->hooks);
        timeline->memory.owned_bytes = sizeof *timeline;
        if (create_parts(timeline)) {
            *out = timeline;
            return EDDY_OK;
        }
        eddy_timeline_destroy(timeline);
    }
    return eddy_fail(error, EDDY_E_MEMORY, "no memory for a timeline");
}

void eddy_timeline_destroy(eddy_timeline *timeline) {
    if (!timeline) {
        return;
    }
    const eddy_hooks *hooks = &timeline->memory.inner, *spare = &timeline->spare.inner;
    timeline_end_prefetch(timeline);
    line_free(&timeline->line, &timeline->store);
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        line_free(&timeline->pins[i].line, &timeline->store);
    }
    timeline->pin_count = 0;
    timeline_collect_all(timeline, true);
    worker_destroy(timeline->worker);
    heap_store_free(&timeline->store);
    epoch_leave(timeline->constants, hooks);
    track_destroy(&timeline->track);
    cache_destroy(&timeline->cache);
    memory_release(hooks, timeline->pins, timeline->pins_capacity);
    memory_release(hooks, timeline->newborns, timeline->newborns_capacity);
    memory_release(spare, timeline->scratch.entries, timeline->scratch.capacity_bytes);
    assert(timeline->memory.owned_bytes == sizeof *timeline && timeline->spare.owned_bytes == 0);
    eddy_hooks outer = timeline->desc.hooks;
    memory_release(&outer, timeline, sizeof *timeline);
}

void timeline_observe(eddy_timeline *timeline, const timeline_observer *observer) {
    timeline->is_observed = observer != NULL;
    timeline->observer = observer ? *observer : (timeline_observer){0};
}

/* ---- what is kept ---- */

eddy_kept eddy_timeline_kept(const eddy_timeline *timeline) {
    return line_kept(&timeline->line);
}

eddy_result timeline_check_frame(const frame_line *line, uint32_t frame, eddy_error *error) {
    eddy_kept kept = line_kept(line);
    if (kept.count == 0) {
        return eddy_fail(error, EDDY_E_FRAME, "frame %u is not kept: no frame has been recorded yet", frame);
    }
    if (frame < kept.first_frame || frame > kept.last_frame) {
        return eddy_fail(error, EDDY_E_FRAME, "frame %u is not kept: expected %u to %u", frame, kept.first_frame,
                         kept.last_frame);
    }
    return EDDY_OK;
}

/* Adds what the live heap of a part holds for it. */
static void count_payload(const line_part *part, eddy_statistics *out) {
    for (uint32_t i = 0; i < part->heap->group_count; i++) {
        const frame_group *group = part->heap->groups[i];
        if (group->first_frame <= part->last_frame) {
            out->base_bytes += group->sizes[0];
            out->diff_bytes += group->diff_bytes;
            out->newborn_bytes += group->newborn_bytes;
        }
    }
}

static void count_line(const frame_line *line, eddy_statistics *out) {
    for (uint32_t i = 0; i < line->part_count; i++) {
        const line_part *part = &line->parts[i];
        out->heap_bytes += heap_owned_bytes(part->heap);
        if (heap_is_sealed(part->heap)) {
            out->sealed_heaps++;
            out->sealed_bytes += part->heap->sealed.size;
            out->sealed_frames += part->last_frame - part->first_frame + 1;
        } else {
            count_payload(part, out);
        }
    }
}

void eddy_timeline_statistics(const eddy_timeline *timeline, eddy_statistics *out) {
    *out = (eddy_statistics){.owned_bytes = timeline->memory.owned_bytes + timeline->spare.owned_bytes,
                             .spare_bytes = timeline->spare.owned_bytes,
                             .last_frame_bytes = timeline->last_frame_bytes,
                             .last_frame_is_base = timeline->last_frame_is_base,
                             .heaps = timeline->line.part_count,
                             .frames = eddy_timeline_kept(timeline).count,
                             .branches_made = timeline->branches_made,
                             .branches_pinned = timeline->pin_count,
                             .frames_forgotten = timeline->frames_forgotten,
                             .reads = timeline->reads,
                             .cache_hits = timeline->cache_hits,
                             .blocks_decoded = timeline->blocks_decoded,
                             .heaps_opened = timeline->heaps_opened,
                             .heaps_prefetched = timeline->heaps_prefetched};
    count_line(&timeline->line, out);
}

/* ---- moving ---- */

eddy_result eddy_timeline_resume(eddy_timeline *timeline, uint32_t frame, eddy_error *error) {
    eddy_result result = timeline_check_frame(&timeline->line, frame, error);
    if (result == EDDY_OK) {
        timeline->cursor = frame;
        timeline->cursor_branch = BRANCH_NONE;
        timeline->restarting = false;
    }
    return result;
}

void eddy_timeline_restart(eddy_timeline *timeline) {
    timeline->restarting = true;
}
