/* A baseline at work: records a scene's images, steps back to the first, seeks. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_codec.h"
#include "bench_store.h"
#include "tool.h"

typedef struct baseline {
    const bench_survey *survey;
    const bench_codec *codec;
    codec_tools tools;
    bench_store store; /**< entry i is of frame i, or with a codec that pops the way from frame i + 1 to it */
    bench_player player;
    bench_result *result;
    size_t bound;
} baseline;

static eddy_result no_memory(eddy_error *error) {
    return eddy_fail(error, EDDY_E_MEMORY, "no memory for a baseline; try a smaller --minutes");
}

/** Records the frame that has just been drawn. */
static eddy_result record_frame(baseline *run, uint32_t frame, eddy_error *error) {
    if (run->codec->pops && frame == 0)
        return EDDY_OK; /* nothing lies before it */
    uint8_t *out = bench_store_room(&run->store, run->bound);
    if (!out)
        return no_memory(error);
    const double begun = bench_clock_us();
    const size_t bytes = run->codec->record(&run->tools, run->player.before, run->player.now, out);
    bench_times_note(&run->result->record, frame, bench_clock_us() - begun);
    if (bytes == 0)
        return eddy_fail(error, EDDY_E_MEMORY, "frame %u could not be packed by a baseline", frame);
    if (run->codec->stores)
        bench_store_add(&run->store, bytes);
    return EDDY_OK;
}

static void check(baseline *run, const uint8_t *image, uint32_t frame, bool read) {
    if (!read || bench_image_digest(image, run->tools.image_bytes) != run->survey->image_digests[frame])
        run->result->mismatches++;
}

/** From the last frame to the oldest that is kept. */
static void step_back(baseline *run, uint8_t *image) {
    uint32_t kept = run->codec->pops ? 1 : 0; /* the present one needs no entry */
    for (uint32_t i = run->store.count; i > run->store.first && !tool_interrupted; i--) {
        const store_entry *entry = &run->store.entries[i - 1];
        const double begun = bench_clock_us();
        const bool read = run->codec->back(&run->tools, entry->at, entry->bytes, image);
        bench_times_note(&run->result->back, i - 1, bench_clock_us() - begun);
        check(run, image, i - 1, read);
        kept++;
    }
    run->result->frames_kept = kept;
}

static void seek(baseline *run, uint8_t *image) {
    const uint32_t kept = run->store.count - run->store.first;
    for (uint32_t i = 0; i < BENCH_SEEKS && kept && !tool_interrupted; i++) {
        const uint32_t frame = run->store.first + bench_seek_frame(i, kept);
        const store_entry *entry = &run->store.entries[frame];
        const double begun = bench_clock_us();
        const bool read = run->codec->back(&run->tools, entry->at, entry->bytes, image);
        bench_times_note(&run->result->seek, i, bench_clock_us() - begun);
        check(run, image, frame, read);
    }
}

static eddy_result record_all(baseline *run, eddy_error *error) {
    eddy_result result = EDDY_OK;
    for (uint32_t frame = 0; frame < run->survey->image_frames && result == EDDY_OK && !tool_interrupted; frame++) {
        result = bench_player_next(&run->player, error);
        if (result == EDDY_OK)
            result = record_frame(run, frame, error);
    }
    return result;
}

/** Bytes of what was written, also of what the ring has dropped since. */
static void account(baseline *run, double rate) {
    run->result->frames = run->survey->image_frames;
    run->result->stores = run->codec->stores;
    if (run->store.count)
        run->result->bytes_per_minute =
            ((double)run->store.written_bytes / run->store.count + run->codec->frame_bytes) * rate * 60;
}

static eddy_result run_all(baseline *run, bench_source *source, eddy_error *error) {
    const uint32_t frames = run->survey->image_frames;
    bench_result *out = run->result;
    if (!codec_tools_begin(&run->tools, run->survey->slots.image_bytes) ||
        !bench_store_begin(&run->store, frames, run->bound) || !bench_times_begin(&out->record, frames) ||
        (run->codec->stores && !bench_times_begin(&out->back, frames)) ||
        (!run->codec->pops && !bench_times_begin(&out->seek, BENCH_SEEKS)))
        return no_memory(error);
    eddy_result result = record_all(run, error);
    if (result != EDDY_OK || tool_interrupted)
        return result;
    account(run, bench_source_rate(source));
    if (!run->codec->stores)
        return EDDY_OK;
    uint8_t *image = malloc(run->tools.image_bytes);
    if (!image)
        return no_memory(error);
    memcpy(image, run->player.now, run->tools.image_bytes);
    step_back(run, image);
    if (!run->codec->pops)
        seek(run, image);
    free(image);
    return EDDY_OK;
}

eddy_result bench_baseline_run(bench_source *source, bench_survey *survey, uint32_t scheme, bench_result *result,
                               eddy_error *error) {
    baseline run = {.survey = survey, .codec = bench_codec_of(scheme), .result = result};
    run.bound = run.codec->bound(survey->slots.image_bytes);
    eddy_result outcome = bench_player_begin(&run.player, source, &survey->slots, error);
    if (outcome == EDDY_OK)
        outcome = run_all(&run, source, error);
    bench_player_end(&run.player);
    bench_store_free(&run.store);
    codec_tools_free(&run.tools);
    return outcome;
}
