/* Reading: from the cache, from two blocks of a live heap, or from the columns of a sealed one. */
#include "timeline.h"

#include <string.h>

/* ---- live heaps ---- */

/* The decoded base of a group. */
static eddy_result find_base(eddy_timeline *timeline, const frame_group *group, cached_base **out, eddy_error *error) {
    cache_key key = {.branch = group->branch, .frame = group->first_frame};
    *out = cache_find_base(&timeline->cache, key);
    if (*out) {
        return EDDY_OK;
    }
    cached_base *base = cache_claim_base(&timeline->cache);
    block_bytes block = {.bytes = group->blocks[0], .size = group->sizes[0]};
    eddy_result result = block_decode_base(timeline->desc.schema, block, &base->buffer, error);
    if (result == EDDY_OK) {
        timeline->blocks_decoded++;
        cache_fill_base(&timeline->cache, base, key);
        *out = base;
    }
    return result;
}

static eddy_result read_live(eddy_timeline *timeline, const frame_heap *heap, uint32_t frame, cached_frame **slot,
                             cached_base **base, eddy_error *error) {
    const frame_group *group = heap->groups[heap_find_group(heap, frame)];
    eddy_result result = find_base(timeline, group, base, error);
    if (result != EDDY_OK) {
        return result;
    }
    uint32_t index = frame - group->first_frame;
    eddy_view reference = frame_buffer_view(&(*base)->buffer);
    timeline->blocks_decoded += index > 0;
    *slot = cache_claim_frame(&timeline->cache);
    return group_decode(timeline->desc.schema, group, index, &reference, &timeline->scratch, &timeline->spare.inner,
                        &(*slot)->buffer, error);
}

/* ---- sealed heaps ---- */

static void run_open(work_item *work) {
    prefetch_job *job = (prefetch_job *)work;
    job->run = NULL;
    sealed_open(job->schema, job->sealed, job->hooks, &job->run, NULL);
}

/* Puts what was opened ahead into the cache, if it is ready or `serial` is what it opens. */
static void collect_prefetch(eddy_timeline *timeline, uint64_t serial) {
    prefetch_job *job = &timeline->prefetch;
    if (!job->is_busy || (job->serial != serial && !worker_is_done(timeline->worker, &job->work))) {
        return;
    }
    worker_finish(timeline->worker, &job->work);
    job->is_busy = false;
    memory_release(job->hooks, job->sealed.bytes, job->sealed.size);
    if (job->run) {
        timeline->heaps_prefetched++;
        cache_fill_run(&timeline->cache, cache_claim_base(&timeline->cache), job->serial, job->run);
    }
}

void timeline_end_prefetch(eddy_timeline *timeline) {
    collect_prefetch(timeline, timeline->prefetch.serial);
    timeline->prefetch.serial = 0;
}

/* Opens the heap beside the one that is being read, on the side that the reader moves to. */
static void prefetch(eddy_timeline *timeline, const frame_line *line, uint32_t part, uint32_t frame) {
    prefetch_job *job = &timeline->prefetch;
    bool is_back = frame < timeline->last_read;
    uint32_t moved = is_back ? timeline->last_read - frame : frame - timeline->last_read;
    timeline->last_read = frame;
    /* A leap says nothing of where the next one goes. */
    if (!timeline->worker || job->is_busy || moved > LIMIT_PREFETCH_FRAMES ||
        (is_back ? part == 0 : part + 1 >= line->part_count)) {
        return;
    }
    const frame_heap *heap = line->parts[is_back ? part - 1 : part + 1].heap;
    if (!heap_is_sealed(heap) || heap->serial == job->serial || cache_find_run(&timeline->cache, heap->serial)) {
        return;
    }
    uint8_t *copy = memory_reserve(&timeline->spare.inner, heap->sealed.size);
    if (!copy) {
        return; /* the reader will open it itself */
    }
    memcpy(copy, heap->sealed.bytes, heap->sealed.size);
    *job = (prefetch_job){.work.run = run_open,
                          .is_busy = true,
                          .schema = timeline->desc.schema,
                          .hooks = &timeline->spare.inner,
                          .serial = heap->serial,
                          .sealed = {.bytes = copy, .size = heap->sealed.size}};
    worker_submit(timeline->worker, &job->work, true);
}

static eddy_result find_run(eddy_timeline *timeline, const frame_heap *heap, cached_base **out, eddy_error *error) {
    collect_prefetch(timeline, heap->serial);
    *out = cache_find_run(&timeline->cache, heap->serial);
    if (*out) {
        return EDDY_OK;
    }
    opened_run *run;
    eddy_result result = sealed_open(timeline->desc.schema, heap->sealed, &timeline->spare.inner, &run, error);
    if (result == EDDY_OK) {
        timeline->heaps_opened++;
        *out = cache_claim_base(&timeline->cache);
        cache_fill_run(&timeline->cache, *out, heap->serial, run);
    }
    return result;
}

static eddy_result read_sealed(eddy_timeline *timeline, const frame_heap *heap, uint32_t frame, cached_frame **slot,
                               cached_base **base, eddy_error *error) {
    eddy_result result = find_run(timeline, heap, base, error);
    if (result != EDDY_OK) {
        return result;
    }
    *slot = cache_claim_frame(&timeline->cache);
    return opened_read((*base)->run, frame, &(*slot)->buffer, error);
}

/* ---- any ---- */

eddy_result timeline_read_line(eddy_timeline *timeline, const frame_line *line, uint32_t frame, eddy_view *out,
                               eddy_error *error) {
    timeline->reads++;
    cache_key key = {.branch = line_branch_of(line, frame), .frame = frame};
    cached_frame *slot = cache_find_frame(&timeline->cache, key);
    if (slot) {
        timeline->cache_hits++;
        *out = frame_buffer_view(&slot->buffer);
        return EDDY_OK;
    }
    cache_trim(&timeline->cache, timeline_spare_bytes(timeline) / 3, 1);
    uint32_t part = line_find_part(line, frame);
    const frame_heap *heap = line->parts[part].heap;
    cached_base *base;
    eddy_result result = heap_is_sealed(heap) ? read_sealed(timeline, heap, frame, &slot, &base, error)
                                              : read_live(timeline, heap, frame, &slot, &base, error);
    if (result == EDDY_OK) {
        cache_fill_frame(&timeline->cache, slot, key, base);
        *out = frame_buffer_view(&slot->buffer);
        prefetch(timeline, line, part, frame);
    }
    return result;
}

eddy_result eddy_timeline_read(eddy_timeline *timeline, uint32_t frame, eddy_view *out, eddy_error *error) {
    eddy_result result = timeline_check_frame(&timeline->line, frame, error);
    return result == EDDY_OK ? timeline_read_line(timeline, &timeline->line, frame, out, error) : result;
}

eddy_result eddy_timeline_frame(eddy_timeline *timeline, uint32_t frame, uint32_t *branch, uint64_t *hash,
                                eddy_error *error) {
    const frame_line *line = &timeline->line;
    eddy_result result = timeline_check_frame(line, frame, error);
    if (result != EDDY_OK) {
        return result;
    }
    if (branch) {
        *branch = line_branch_of(line, frame);
    }
    const frame_heap *heap = line->parts[line_find_part(line, frame)].heap;
    if (hash && !heap_is_sealed(heap)) {
        const frame_group *group = heap->groups[heap_find_group(heap, frame)];
        *hash = group->hashes[frame - group->first_frame];
    } else if (hash) {
        eddy_view view;
        result = timeline_read_line(timeline, line, frame, &view, error);
        *hash = result == EDDY_OK ? eddy_view_hash(timeline->desc.schema, &view) : 0;
    }
    return result;
}

void eddy_timeline_trim(eddy_timeline *timeline) {
    timeline_end_prefetch(timeline);
    cache_trim(&timeline->cache, 0, 0);
}
