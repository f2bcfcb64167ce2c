/* Eddy at work: records a scene's views, seals, steps back to the first, seeks. */
#include "bench.h"
#include "tool.h"

#define TABLE_BYTES 20u   /**< a frame in the table of a group: hash, place, size */
#define HEAP_FRAMES 1440u /**< the timeline's default */
#define WAIT_PERIOD 32u   /**< frames from one wait for the worker to the next, outside the clock */
#define WARM_SEEKS 64u
#define SEEK_SEED 0x2545f491u

typedef struct eddy_run {
    const bench_survey *survey;
    bench_source *source;
    bench_result *result;
    eddy_timeline *timeline;
    bool sealed;
    eddy_error *error;
} eddy_run;

uint32_t bench_seek_frame(uint32_t seek, uint32_t count) {
    uint32_t h = (seek + 1) * 0x9e3779b1u ^ SEEK_SEED;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return (h ^ h >> 16) % count;
}

/** An empty timeline with the scene's constants, the scene at its beginning. */
static eddy_result begin(bench_source *source, size_t budget_bytes, eddy_sealing sealing, eddy_timeline **out,
                         eddy_error *error) {
    const eddy_timeline_desc desc = {
        .schema = source->schema, .budget_bytes = budget_bytes, .sealing = sealing, .hooks.log = tool_log};
    *out = NULL;
    eddy_result result = source->rewind(source, error);
    if (result == EDDY_OK)
        result = eddy_timeline_create(&desc, out, error);
    if (result == EDDY_OK && source->constants.count)
        result = eddy_timeline_constants(*out, &source->constants, error);
    return result;
}

static eddy_result record_all(eddy_run *run) {
    const uint32_t frames = run->source->frames;
    for (uint32_t frame = 0; frame < frames && !tool_interrupted; frame++) {
        eddy_view view;
        eddy_result result = run->source->next(run->source, &view, run->error);
        if (result != EDDY_OK)
            return result;
        /* reads every struct: they are in memory when the clock starts, as the images of the others are */
        if (bench_view_digest(run->source->schema, &view) != run->survey->view_digests[frame])
            return eddy_fail(run->error, EDDY_E_VALUE, "frame %u is not the same when played again", frame);
        const double begun = bench_clock_us();
        result = eddy_timeline_append(run->timeline, &view, run->error);
        bench_times_note(&run->result->record, frame, bench_clock_us() - begun);
        if (result != EDDY_OK)
            return result;
        /* a game gives the worker 24 seconds for a heap, a benchmark only what it takes to record one */
        if (frame % WAIT_PERIOD == 0)
            eddy_timeline_settle(run->timeline);
    }
    run->result->frames = frames;
    return EDDY_OK;
}

/** Reads a frame and holds it against the truth; the time it took. */
static double read_frame(eddy_run *run, uint32_t frame) {
    eddy_view view;
    const double begun = bench_clock_us();
    const eddy_result result = eddy_timeline_read(run->timeline, frame, &view, NULL);
    const double us = bench_clock_us() - begun;
    if (result != EDDY_OK || bench_view_digest(run->source->schema, &view) != run->survey->view_digests[frame])
        run->result->mismatches++;
    return us;
}

static void step_back(eddy_run *run, eddy_kept kept) {
    eddy_timeline_trim(run->timeline);
    for (uint32_t i = 0; i < kept.count && !tool_interrupted; i++) {
        const uint32_t frame = kept.last_frame - i;
        const double us = read_frame(run, frame);
        if (i > 0) /* the last frame is where one is */
            bench_times_note(&run->result->back, frame, us);
    }
}

static void seek_cold(eddy_run *run, eddy_kept kept) {
    for (uint32_t i = 0; i < BENCH_SEEKS && !tool_interrupted; i++) {
        eddy_timeline_trim(run->timeline);
        bench_times_note(&run->result->seek, i, read_frame(run, kept.first_frame + bench_seek_frame(i, kept.count)));
    }
}

/** Random frames of a heap that another read has opened. */
static void seek_cached(eddy_run *run, eddy_kept kept) {
    for (uint32_t i = 0; i < WARM_SEEKS; i++) /* the cache takes its memory */
        read_frame(run, kept.first_frame + bench_seek_frame(i, kept.count));
    for (uint32_t i = 0; i < BENCH_SEEKS && !tool_interrupted; i++) {
        const uint32_t frame = kept.first_frame + bench_seek_frame(i, kept.count);
        uint32_t first = frame - frame % HEAP_FRAMES, last = first + HEAP_FRAMES - 1;
        first = first < kept.first_frame ? kept.first_frame : first;
        last = last > kept.last_frame ? kept.last_frame : last;
        read_frame(run, first + bench_seek_frame(i + BENCH_SEEKS, last - first + 1));
        bench_times_note(&run->result->cached_seek, i, read_frame(run, frame));
    }
}

/** What opening each heap takes: the same read, cold and with the heap open. */
static void open_heaps(eddy_run *run, eddy_kept kept) {
    uint32_t index = 0;
    for (uint64_t heap = kept.first_frame / HEAP_FRAMES * HEAP_FRAMES; heap <= kept.last_frame && !tool_interrupted;
         heap += HEAP_FRAMES, index++) {
        const uint32_t first = heap < kept.first_frame ? kept.first_frame : (uint32_t)heap;
        const uint32_t other = first < kept.last_frame ? first + 1 : first;
        eddy_timeline_trim(run->timeline);
        const double cold = read_frame(run, first), warm = read_frame(run, other);
        bench_times_note(&run->result->open, index, cold > warm ? cold - warm : 0);
    }
}

/** Live: payloads and the tables' 20 bytes a frame. Sealed: the sealed heaps, and whatever is still live. */
static void account(eddy_run *run, eddy_kept kept) {
    eddy_statistics now;
    eddy_timeline_statistics(run->timeline, &now);
    const size_t bytes = run->sealed
                             ? now.heap_bytes
                             : now.base_bytes + now.diff_bytes + now.newborn_bytes + (size_t)TABLE_BYTES * now.frames;
    run->result->frames_kept = kept.count;
    run->result->stores = true;
    run->result->bytes_per_minute = (double)bytes / kept.count * bench_source_rate(run->source) * 60;
}

static eddy_result run_all(eddy_run *run) {
    const uint32_t frames = run->source->frames;
    bench_result *out = run->result;
    if (!bench_times_begin(&out->record, frames) || !bench_times_begin(&out->back, frames) ||
        !bench_times_begin(&out->seek, BENCH_SEEKS) ||
        (run->sealed && (!bench_times_begin(&out->cached_seek, BENCH_SEEKS) ||
                         !bench_times_begin(&out->open, frames / HEAP_FRAMES + 2))))
        return eddy_fail(run->error, EDDY_E_MEMORY, "no memory for the times of %u frames", frames);
    eddy_result result = record_all(run);
    if (result == EDDY_OK && run->sealed)
        result = eddy_timeline_seal(run->timeline, run->error);
    if (result != EDDY_OK || tool_interrupted)
        return result;
    const eddy_kept kept = eddy_timeline_kept(run->timeline);
    account(run, kept);
    step_back(run, kept);
    seek_cold(run, kept);
    if (run->sealed) {
        seek_cached(run, kept);
        open_heaps(run, kept);
    }
    return EDDY_OK;
}

eddy_result bench_eddy_run(bench_source *source, const bench_survey *survey, size_t budget_bytes, uint32_t scheme,
                           bench_result *result, eddy_error *error) {
    eddy_run run = {
        .survey = survey, .source = source, .result = result, .sealed = scheme == BENCH_EDDY, .error = error};
    eddy_result outcome =
        begin(source, budget_bytes, run.sealed ? EDDY_SEALING_WORKER : EDDY_SEALING_OFF, &run.timeline, error);
    if (outcome == EDDY_OK)
        outcome = run_all(&run);
    eddy_timeline_destroy(run.timeline);
    return outcome;
}

/* ---- sealing ---- */

/** Processor time of recording the scene on this thread, the sealing at the end included. */
static eddy_result record_processor_us(bench_source *source, size_t budget_bytes, eddy_sealing sealing, double *us,
                                       eddy_error *error) {
    eddy_timeline *timeline;
    eddy_result result = begin(source, budget_bytes, sealing, &timeline, error);
    *us = 0;
    for (uint32_t frame = 0; frame < source->frames && result == EDDY_OK && !tool_interrupted; frame++) {
        eddy_view view;
        result = source->next(source, &view, error);
        const double begun = bench_processor_us();
        if (result == EDDY_OK)
            result = eddy_timeline_append(timeline, &view, error);
        *us += bench_processor_us() - begun;
    }
    const double begun = bench_processor_us();
    if (result == EDDY_OK)
        result = eddy_timeline_seal(timeline, error);
    *us += bench_processor_us() - begun;
    eddy_timeline_destroy(timeline);
    return result;
}

eddy_result bench_eddy_sealing(bench_source *source, size_t budget_bytes, bench_result *result, eddy_error *error) {
    double with, without;
    eddy_result outcome = record_processor_us(source, budget_bytes, EDDY_SEALING_INLINE, &with, error);
    if (outcome == EDDY_OK && !tool_interrupted)
        outcome = record_processor_us(source, budget_bytes, EDDY_SEALING_OFF, &without, error);
    if (outcome != EDDY_OK || tool_interrupted)
        return outcome;
    const double us = with > without ? with - without : 0;
    if (!result->has_sealing || us < result->sealing_us)
        result->sealing_us = us;
    result->has_sealing = true;
    result->sealing_core_percent =
        result->sealing_us / ((double)source->frames / bench_source_rate(source) * 1e6) * 100;
    return EDDY_OK;
}
