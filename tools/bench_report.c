/* What a run has found, as a table and as JSON. */
#include <jansson.h>
#include <string.h>

#include "bench.h"
#include "json.h"
#include "tool.h"

const char *const bench_scheme_names[BENCH_SCHEMES] = {
    [BENCH_EDDY_LIVE] = "eddy-live",   [BENCH_EDDY] = "eddy",       [BENCH_WORD_DIFF16] = "word-diff16",
    [BENCH_XOR_ZSTD1] = "xor-zstd1",   [BENCH_XOR_LZ4] = "xor-lz4", [BENCH_FULL_COPY] = "full-copy",
    [BENCH_FULL_ZSTD3] = "full-zstd3", [BENCH_MEMCMP] = "memcmp",
};

/* ---- text ---- */

/** A number in eight columns, or a dash. */
static void print_number(FILE *out, bool known, double value) {
    if (!known)
        fprintf(out, " %8s", "-");
    else
        fprintf(out, " %8.*f", value < 10 ? 3 : value < 100 ? 2 : value < 10000 ? 1 : 0, value);
}

static void print_times(FILE *out, const bench_times *times, bool with_mean) {
    bench_summary summary;
    const bool known = bench_times_summary(times, &summary);
    if (with_mean)
        print_number(out, known, summary.mean);
    print_number(out, known, summary.p50);
    print_number(out, known, summary.p99);
}

static void print_row(const bench_report *report, int scheme, FILE *out) {
    const bench_result *row = &report->results[scheme];
    const double bytes = row->bytes_per_minute;
    fprintf(out, "  %-11s", bench_scheme_names[scheme]);
    print_number(out, row->stores, bytes / 1e6);
    print_number(out, row->stores, bytes / report->results[BENCH_XOR_ZSTD1].bytes_per_minute);
    print_number(out, row->stores, bytes / report->results[BENCH_WORD_DIFF16].bytes_per_minute);
    print_times(out, &row->record, true);
    print_times(out, &row->back, false);
    print_times(out, &row->seek, false);
    fprintf(out, " %5llu\n", (unsigned long long)row->mismatches);
}

static void print_kept(const bench_report *report, FILE *out) {
    for (int i = 0; i < BENCH_SCHEMES; i++) {
        const bench_result *row = &report->results[i];
        if (row->frames < report->frames)
            fprintf(out, "  %s: the first %u frames only, for the images are large\n", bench_scheme_names[i],
                    row->frames);
        if (row->stores && row->frames_kept < row->frames)
            fprintf(out, "  %s: the last %u frames (%.2f minutes) were kept, the others forgotten\n",
                    bench_scheme_names[i], row->frames_kept, row->frames_kept / report->rate / 60);
    }
}

static void print_sealing(const bench_result *eddy, FILE *out) {
    bench_summary cached, open;
    if (!bench_times_summary(&eddy->cached_seek, &cached) || !bench_times_summary(&eddy->open, &open))
        return;
    fprintf(
        out,
        "  eddy: seek cached p50 %.2f us, p99 %.2f; a heap opens in p50 %.0f us, max %.0f; sealing %.3f %% of a core\n",
        cached.p50, cached.p99, open.p50, open.max, eddy->sealing_core_percent);
}

void bench_print(const bench_report *reports, uint32_t count, FILE *out) {
    const bench_report *report = &reports[count - 1];
    fprintf(out,
            "%s%s: %u frames (%.2f minutes at %g Hz), %u entities (%u constant), %zu bytes of state, %.1f words change "
            "a frame\n",
            count > 1 ? "\n" : "", report->name, report->frames, report->minutes, report->rate, report->entities,
            report->constants, report->state_bytes, report->words_changed);
    fprintf(out, "  %-11s %26s %26s %17s %17s %5s\n", "", "memory a minute", "record us", "back us", "seek us", "");
    fprintf(out, "  %-11s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %5s\n", "scheme", "MB", "/xor-zs1", "/word16", "mean",
            "p50", "p99", "p50", "p99", "p50", "p99", "wrong");
    for (int i = 0; i < BENCH_SCHEMES; i++)
        print_row(report, i, out);
    print_sealing(&report->results[BENCH_EDDY], out);
    print_kept(report, out);
    bench_print_goals(reports, count, out);
    fflush(out);
}

/* ---- JSON ---- */

static json_t *times_json(const bench_times *times) {
    bench_summary summary;
    if (!bench_times_summary(times, &summary))
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f}", "mean", summary.mean, "p50", summary.p50, "p99", summary.p99, "max",
                     summary.max);
}

static json_t *scheme_json(const bench_report *report, int scheme) {
    const bench_result *row = &report->results[scheme];
    json_t *object =
        json_pack("{s:s, s:f, s:o, s:o, s:o, s:I, s:I, s:I}", "scheme", bench_scheme_names[scheme], "bytes_per_minute",
                  row->bytes_per_minute, "record_us", times_json(&row->record), "back_us", times_json(&row->back),
                  "seek_us", times_json(&row->seek), "mismatches", (json_int_t)row->mismatches, "frames",
                  (json_int_t)row->frames, "frames_kept", (json_int_t)row->frames_kept);
    if (scheme == BENCH_EDDY) {
        json_object_set_new(object, "cached_seek_us", times_json(&row->cached_seek));
        json_object_set_new(object, "open_us", times_json(&row->open));
        json_object_set_new(object, "sealing",
                            json_pack("{s:f, s:f}", "processor_us_per_minute", row->sealing_us / report->minutes,
                                      "core_percent", row->sealing_core_percent));
    }
    return object;
}

static json_t *scene_json(const bench_report *report) {
    json_t *schemes = json_array();
    for (int i = 0; i < BENCH_SCHEMES; i++)
        json_array_append_new(schemes, scheme_json(report, i));
    return json_pack("{s:o, s:I, s:I, s:I, s:o, s:I, s:f, s:f, s:I}", "scene", tool_json_text(report->name), "frames",
                     (json_int_t)report->frames, "entities", (json_int_t)report->entities, "state_bytes",
                     (json_int_t)report->state_bytes, "schemes", schemes, "constants", (json_int_t)report->constants,
                     "rate", report->rate, "words_changed", report->words_changed, "passes",
                     (json_int_t)report->passes);
}

void bench_print_json(const bench_report *reports, uint32_t count, FILE *out) {
    json_t *scenes = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(scenes, scene_json(&reports[i]));
    tool_json_line(out, json_pack("{s:i, s:o}", "schema_version", TOOL_SCHEMA_VERSION, "scenes", scenes));
}
