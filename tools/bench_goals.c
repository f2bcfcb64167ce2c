/* The goals that a scene can judge, and whether they were reached in this run. */
#include <stdarg.h>
#include <string.h>

#include "bench.h"

/** "ok   TEXT" or "MISS TEXT". */
static void tell(FILE *out, bool reached, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void tell(FILE *out, bool reached, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, "  %s ", reached ? "ok  " : "MISS");
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
}

static void tell_memory(const bench_report *report, FILE *out) {
    const double sealed = report->results[BENCH_EDDY].bytes_per_minute;
    const double live = report->results[BENCH_EDDY_LIVE].bytes_per_minute;
    const double share = sealed / report->results[BENCH_XOR_ZSTD1].bytes_per_minute;
    switch (report->scene->motion) {
    case BENCH_MOTION_SMOOTH:
        tell(out, share <= 1.0 / 6, "sealed %.3f of xor-zstd1 (goal <= 0.167)", share);
        break;
    case BENCH_MOTION_NOISE:
    case BENCH_MOTION_ANY:
        tell(out, share <= 1.0 / 3, "sealed %.3f of xor-zstd1 (goal <= 0.333; 0.167 where motion is smooth)", share);
        break;
    case BENCH_MOTION_GAME:
        tell(out, live <= 0.67e6, "live %.3f MB a minute (goal <= 0.67)", live / 1e6);
        tell(out, sealed <= 0.10e6, "sealed %.3f MB a minute (goal <= 0.10)", sealed / 1e6);
        break;
    }
}

static void tell_times(const bench_report *report, FILE *out) {
    const bench_result *eddy = &report->results[BENCH_EDDY];
    bench_summary record, theirs, back, seek, cached;
    if (!bench_times_summary(&eddy->record, &record) || !bench_times_summary(&eddy->seek, &seek) ||
        !bench_times_summary(&eddy->cached_seek, &cached))
        return;
    if (bench_times_summary(&report->results[BENCH_WORD_DIFF16].record, &theirs))
        tell(out, record.mean <= theirs.mean, "record mean %.2f us, word-diff16 %.2f us (goal: no more)", record.mean,
             theirs.mean);
    if (report->entities <= 260)
        tell(out, record.p99 <= 50, "record p99 %.1f us (goal <= 50)", record.p99);
    tell(out, eddy->sealing_core_percent <= 0.5, "sealing %.3f %% of a core (goal <= 0.5)", eddy->sealing_core_percent);
    if (bench_times_summary(&eddy->back, &back))
        tell(out, back.p50 <= 10 && back.p99 <= 1000, "step back p50 %.2f us, p99 %.1f us (goal <= 10, <= 1000)",
             back.p50, back.p99);
    const bool heavy = strcmp(report->name, "loft") == 0;
    tell(out, seek.p99 <= (heavy ? 10000 : 2000), "seek cold p99 %.0f us (goal <= %d)", seek.p99, heavy ? 10000 : 2000);
    tell(out, cached.p99 <= 20, "seek cached p99 %.1f us (goal <= 20)", cached.p99);
}

/** 100,000 constants cost no byte a frame more than 212. */
static void tell_constants(const bench_report *reports, uint32_t count, FILE *out) {
    const bench_report *last = &reports[count - 1];
    for (uint32_t i = 0; i + 1 < count && strcmp(last->name, "constants") == 0; i++)
        if (strcmp(reports[i].name, "smooth") == 0) {
            const double few = reports[i].results[BENCH_EDDY_LIVE].bytes_per_minute;
            const double many = last->results[BENCH_EDDY_LIVE].bytes_per_minute;
            tell(out, many <= few * 1.001,
                 "live %.0f bytes a minute, smooth %.0f (goal: constants add nothing a frame)", many, few);
        }
}

void bench_print_goals(const bench_report *reports, uint32_t count, FILE *out) {
    const bench_report *report = &reports[count - 1];
    uint64_t mismatches = 0;
    for (int i = 0; i < BENCH_SCHEMES; i++)
        mismatches += report->results[i].mismatches;
    tell_memory(report, out);
    tell_times(report, out);
    tell_constants(reports, count, out);
    tell(out, mismatches == 0, "%llu frames came back other than they were (goal 0)", (unsigned long long)mismatches);
}
