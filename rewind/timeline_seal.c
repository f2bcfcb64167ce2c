/* Sealing windows of finished heaps. A job is queued when the line leaves a window and takes effect a fixed number of
 * appends later, whether a thread packed it meanwhile or not: so what is kept never depends on a thread's speed. Until
 * then the live heaps stay as they are, and longer if something goes wrong. */
#include "timeline.h"

static void run_pack(work_item *work) {
    seal_job *job = (seal_job *)work;
    job->result = EDDY_E_MEMORY;
    if (!atomic_load(&job->cancel)) {
        job->result = seal_pack(&job->desc, &job->packed, &job->error);
    }
    run_source_rest(&job->source);
}

/* ---- queueing ---- */

/* What a job may take to work in. */
static size_t work_bytes(const eddy_timeline *timeline) {
    return timeline_spare_bytes(timeline) / 3 + timeline->desc.heap_bytes_max;
}

/* Level 0, or a budget so small that the work of sealing would not fit it: heaps stay live. */
static bool keeps_live(const eddy_timeline *timeline) {
    return timeline->desc.sealing == EDDY_SEALING_OFF || work_bytes(timeline) < LIMIT_SEAL_WORK_BYTES;
}

static seal_job *create_job(eddy_timeline *timeline, const line_part *parts, uint32_t part_count) {
    const eddy_hooks *spare = &timeline->spare.inner;
    seal_job *job = memory_reserve(spare, sizeof *job);
    if (!job) {
        return NULL;
    }
    memory_count_begin(&job->memory, spare);
    job->memory.limit_bytes = work_bytes(timeline);
    const eddy_hooks *hooks = &job->memory.inner;
    job->heap = heap_create(&timeline->store);
    if (!job->heap || !run_source_begin(&job->source, timeline->desc.schema, hooks, parts, part_count)) {
        heap_discard(&timeline->store, job->heap);
        memory_release(spare, job, sizeof *job);
        return NULL;
    }
    atomic_init(&job->cancel, false);
    job->work.run = run_pack;
    job->desc = (seal_desc){
        .schema = timeline->desc.schema,
        .source = {.first_frame = parts[0].first_frame,
                   .frame_count = parts[part_count - 1].last_frame - parts[0].first_frame + 1,
                   .read = run_source_read,
                   .user = &job->source},
        .level = timeline->desc.seal_level,
        .cancel = &job->cancel,
        .hooks = *hooks,
    };
    return job;
}

/* Without a thread everything is done when it is due. */
static void ensure_worker(eddy_timeline *timeline) {
    if (timeline->worker || timeline->has_no_thread || timeline->desc.sealing != EDDY_SEALING_WORKER) {
        return;
    }
    timeline->worker = worker_create(&timeline->spare.inner);
    if (!timeline->worker) {
        timeline->has_no_thread = true;
        eddy_log(&timeline->desc.hooks, "recorder: no thread to seal on; the game's own does it");
    }
}

static void queue_job(eddy_timeline *timeline, seal_job *job) {
    for (uint32_t i = 0; i < job->source.part_count; i++) {
        job->source.parts[i].heap->jobs++;
    }
    job->heap->age = job->source.parts[0].heap->age;
    job->heap->users = 1; /* the job, until it is over */
    job->due = timeline->appends + timeline->desc.base_interval;
    seal_job **at = &timeline->jobs;
    while (*at) {
        at = &(*at)->next;
    }
    *at = job;
    timeline->job_count++;
    worker_submit(timeline->worker, &job->work, false);
}

static bool window_is_sealed(const line_part *parts, uint32_t part_count) {
    return part_count == 1 && heap_is_sealed(parts[0].heap) &&
           sealed_last_frame(parts[0].heap->sealed) == parts[0].last_frame;
}

/* ---- taking effect ---- */

static void replace_everywhere(eddy_timeline *timeline, const seal_job *job) {
    const run_source *source = &job->source;
    line_replace(&timeline->line, &timeline->store, source->parts, source->part_count, job->heap);
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        line_replace(&timeline->pins[i].line, &timeline->store, source->parts, source->part_count, job->heap);
    }
}

/* Somebody still has the frames of a job. */
static bool is_wanted(const eddy_timeline *timeline, const seal_job *job) {
    uint32_t at;
    bool any = line_has(&timeline->line, job->source.parts, job->source.part_count, &at);
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        any = any || line_has(&timeline->pins[i].line, job->source.parts, job->source.part_count, &at);
    }
    return any;
}

/* Once: what cannot be sealed now will mostly not be sealed later. */
static void tell_unsealed(eddy_timeline *timeline, const seal_source *source, const char *why) {
    if (!timeline->has_told_unsealed) {
        timeline->has_told_unsealed = true;
        eddy_log(&timeline->desc.hooks, "recorder: frames %u to %u stay unsealed: %s", source->first_frame,
                 source->first_frame + source->frame_count - 1, why);
    }
}

static void adopt(eddy_timeline *timeline, seal_job *job) {
    if (job->result == EDDY_OK) {
        job->heap->sealed = job->packed;
        memory_count_move(&timeline->spare, &timeline->memory, job->packed.size);
        replace_everywhere(timeline, job);
    } else if (!atomic_load(&job->cancel)) {
        tell_unsealed(timeline, &job->desc.source, job->error.text);
    }
}

void timeline_collect_first(eddy_timeline *timeline) {
    seal_job *job = timeline->jobs;
    timeline->jobs = job->next;
    timeline->job_count--;
    worker_finish(timeline->worker, &job->work);
    adopt(timeline, job);
    for (uint32_t i = 0; i < job->source.part_count; i++) {
        heap_end_job(&timeline->store, job->source.parts[i].heap);
    }
    heap_leave(&timeline->store, job->heap);
    run_source_end(&job->source);
    memory_release(&timeline->spare.inner, job, sizeof *job);
    timeline_cut_loose_ends(timeline);
}

void timeline_collect_due(eddy_timeline *timeline) {
    while (timeline->jobs && timeline->jobs->due <= timeline->appends) {
        timeline_collect_first(timeline);
    }
}

void timeline_collect_all(eddy_timeline *timeline, bool cancel) {
    for (seal_job *job = timeline->jobs; cancel && job; job = job->next) {
        atomic_store(&job->cancel, true);
    }
    while (timeline->jobs) {
        timeline_collect_first(timeline);
    }
}

void timeline_cancel_idle_jobs(eddy_timeline *timeline) {
    for (seal_job *job = timeline->jobs; job; job = job->next) {
        if (!is_wanted(timeline, job)) {
            atomic_store(&job->cancel, true);
        }
    }
}

void eddy_timeline_settle(eddy_timeline *timeline) {
    for (seal_job *job = timeline->jobs; job; job = job->next) {
        worker_finish(timeline->worker, &job->work);
    }
}

/* ---- what asks for it ---- */

static bool is_queued(const eddy_timeline *timeline, const line_part *parts, uint32_t part_count) {
    for (const seal_job *job = timeline->jobs; job; job = job->next) {
        if (job->source.part_count == part_count && line_same_parts(job->source.parts, parts, part_count)) {
            return true;
        }
    }
    return false;
}

bool timeline_seal_window(eddy_timeline *timeline, const frame_line *line, uint32_t last_part) {
    if (keeps_live(timeline)) {
        return true;
    }
    uint32_t last_frame = line->parts[last_part].last_frame;
    while (timeline->job_count >= LIMIT_SEAL_JOBS) {
        timeline_collect_first(timeline);
    }
    last_part = line_find_part(line, last_frame); /* what took effect has moved the parts behind it */
    uint32_t first_part = line_window_of(line, last_part);
    const line_part *parts = &line->parts[first_part];
    uint32_t part_count = last_part - first_part + 1;
    if (window_is_sealed(parts, part_count) || is_queued(timeline, parts, part_count)) {
        return true;
    }
    ensure_worker(timeline);
    seal_job *job = create_job(timeline, parts, part_count);
    if (!job) {
        seal_source source = {.first_frame = parts[0].first_frame,
                              .frame_count = parts[part_count - 1].last_frame - parts[0].first_frame + 1};
        tell_unsealed(timeline, &source, "no memory for the job");
        return false;
    }
    queue_job(timeline, job);
    return true;
}

/* Seals the windows of a line one after the other. False: one of them stays live. */
static bool seal_line(eddy_timeline *timeline, const frame_line *line) {
    bool good = true;
    for (uint32_t first = 0, last; first < line->part_count; first++) {
        for (last = first; last + 1 < line->part_count && !line->parts[last + 1].begins_window;) {
            last++;
        }
        good = timeline_seal_window(timeline, line, last) && good;
        timeline_collect_all(timeline, false);
        bool is_alone = first + 1 >= line->part_count || line->parts[first + 1].begins_window;
        bool is_sealed = first < line->part_count && is_alone && window_is_sealed(&line->parts[first], 1);
        good = is_sealed && good;
        first = is_sealed ? first : last;
    }
    return good;
}

eddy_result eddy_timeline_seal(eddy_timeline *timeline, eddy_error *error) {
    if (timeline->desc.sealing == EDDY_SEALING_OFF) {
        return EDDY_OK;
    }
    if (keeps_live(timeline)) {
        return eddy_fail(
            error, EDDY_E_BUDGET,
            "sealing needs at least %zu bytes to work in, this budget leaves %zu; give one of 3 MB or more",
            LIMIT_SEAL_WORK_BYTES, work_bytes(timeline));
    }
    timeline_collect_all(timeline, false);
    bool good = seal_line(timeline, &timeline->line);
    for (uint32_t i = 0; i < timeline->pin_count; i++) {
        good = seal_line(timeline, &timeline->pins[i].line) && good;
    }
    return good ? EDDY_OK : eddy_fail(error, EDDY_E_MEMORY, "no memory to seal every heap; some stay live");
}
