#include "timeline.h"

#include <assert.h>

/* ---- creating ---- */

static void fill_defaults(eddy_timeline_desc *desc) {
    desc->budget_bytes = desc->budget_bytes ? desc->budget_bytes : LIMIT_BUDGET_BYTES;
    desc->base_interval = desc->base_interval ? desc->base_interval : LIMIT_BASE_INTERVAL;
    desc->heap_frames = desc->heap_frames ? desc->heap_frames : LIMIT_HEAP_FRAMES;
    desc->cache_frames = desc->cache_frames ? desc->cache_frames : LIMIT_CACHE_FRAMES;
    if (desc->heap_bytes_max == 0) {
        size_t share = desc->budget_bytes / 4;
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
    void *epochs = NULL;
    bool good = track_create(&timeline->track, desc->schema, hooks, state_bytes_max);
    good = cache_create(&timeline->cache, desc->cache_frames, hooks) && good;
    good = memory_grow(hooks, &epochs, &timeline->epochs_capacity, 0, sizeof *timeline->epochs) && good;
    timeline->epochs = epochs;
    if (good) {
        timeline->epochs[0].buffer.hooks = *hooks; /* no constants yet */
        timeline->epoch_count = 1;
    }
    return good;
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
    const eddy_hooks *hooks = &timeline->memory.inner;
    timeline_cut_all(timeline);
    for (uint32_t i = 0; i < timeline->epoch_count; i++) {
        frame_buffer_free(&timeline->epochs[i].buffer);
    }
    track_destroy(&timeline->track);
    cache_destroy(&timeline->cache);
    memory_release(hooks, timeline->heaps, timeline->heaps_capacity);
    memory_release(hooks, timeline->groups, timeline->groups_capacity);
    memory_release(hooks, timeline->epochs, timeline->epochs_capacity);
    memory_release(hooks, timeline->newborns, timeline->newborns_capacity);
    assert(timeline->memory.owned_bytes == sizeof *timeline);
    eddy_hooks outer = timeline->desc.hooks;
    memory_release(&outer, timeline, sizeof *timeline);
}

void timeline_observe(eddy_timeline *timeline, const timeline_observer *observer) {
    timeline->is_observed = observer != NULL;
    timeline->observer = observer ? *observer : (timeline_observer){0};
}

/* ---- what is kept ---- */

static frame_group *last_group(const eddy_timeline *timeline) {
    return timeline->group_count > 0 ? timeline->groups[timeline->group_count - 1] : NULL;
}

eddy_kept eddy_timeline_kept(const eddy_timeline *timeline) {
    const frame_group *last = last_group(timeline);
    if (!last) {
        return (eddy_kept){0};
    }
    eddy_kept kept = {.first_frame = timeline->groups[0]->first_frame,
                      .last_frame = last->first_frame + (last->frame_count - 1),
                      .branch = last->branch};
    kept.count = kept.last_frame - kept.first_frame + 1;
    return kept;
}

uint32_t timeline_find_group(const eddy_timeline *timeline, uint32_t frame) {
    uint32_t low = 0, high = timeline->group_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->groups[middle]->first_frame <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

frame_group *timeline_group_of(const eddy_timeline *timeline, uint32_t frame, eddy_error *error) {
    eddy_kept kept = eddy_timeline_kept(timeline);
    if (kept.count == 0) {
        eddy_fail(error, EDDY_E_FRAME, "frame %u is not kept: no frame has been recorded yet", frame);
        return NULL;
    }
    if (frame < kept.first_frame || frame > kept.last_frame) {
        eddy_fail(error, EDDY_E_FRAME, "frame %u is not kept: expected %u to %u", frame, kept.first_frame,
                  kept.last_frame);
        return NULL;
    }
    return timeline->groups[timeline_find_group(timeline, frame)];
}

eddy_result eddy_timeline_frame(const eddy_timeline *timeline, uint32_t frame, uint32_t *branch, uint64_t *hash,
                                eddy_error *error) {
    const frame_group *group = timeline_group_of(timeline, frame, error);
    if (!group) {
        return EDDY_E_FRAME;
    }
    if (branch) {
        *branch = group->branch;
    }
    if (hash) {
        *hash = group->hashes[frame - group->first_frame];
    }
    return EDDY_OK;
}

void eddy_timeline_statistics(const eddy_timeline *timeline, eddy_statistics *out) {
    *out = (eddy_statistics){.owned_bytes = timeline->memory.owned_bytes,
                             .base_bytes = timeline->base_bytes,
                             .diff_bytes = timeline->diff_bytes,
                             .newborn_bytes = timeline->newborn_bytes,
                             .last_frame_bytes = timeline->last_frame_bytes,
                             .last_frame_is_base = timeline->last_frame_is_base,
                             .heaps = timeline->heap_count,
                             .frames = eddy_timeline_kept(timeline).count,
                             .branches_made = timeline->branches_made,
                             .frames_forgotten = timeline->frames_forgotten,
                             .reads = timeline->reads,
                             .cache_hits = timeline->cache_hits,
                             .blocks_decoded = timeline->blocks_decoded};
    for (uint32_t i = 0; i < timeline->heap_count; i++) {
        out->heap_bytes += heap_reserved_bytes(&timeline->heaps[i]);
    }
}

/* ---- moving ---- */

eddy_result eddy_timeline_resume(eddy_timeline *timeline, uint32_t frame, eddy_error *error) {
    if (!timeline_group_of(timeline, frame, error)) {
        return EDDY_E_FRAME;
    }
    timeline->cursor = frame;
    timeline->restarting = false;
    return EDDY_OK;
}

void eddy_timeline_restart(eddy_timeline *timeline) {
    timeline->restarting = true;
}
