#include "bench_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool bench_times_begin(bench_times *times, uint32_t count) {
    if (times->count == count)
        return true;
    free(times->us);
    *times = (bench_times){.us = malloc((count ? count : 1) * sizeof *times->us)};
    if (!times->us)
        return false;
    times->count = count;
    for (uint32_t i = 0; i < count; i++)
        times->us[i] = INFINITY;
    return true;
}

void bench_times_note(bench_times *times, uint32_t index, double us) {
    if (us < (double)times->us[index])
        times->us[index] = (float)us;
}

void bench_times_free(bench_times *times) {
    free(times->us);
    *times = (bench_times){0};
}

static int order_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/** The smallest time that at least `part` of all do not exceed. */
static double percentile(const float *sorted, uint32_t count, double part) {
    const double rank = ceil(part * count);
    return (double)sorted[rank < 1 ? 0 : (uint32_t)rank - 1];
}

bool bench_times_summary(const bench_times *times, bench_summary *out) {
    *out = (bench_summary){0};
    float *sorted = malloc((times->count ? times->count : 1) * sizeof *sorted);
    uint32_t count = 0;
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < times->count; i++)
        if (isfinite(times->us[i])) {
            out->mean += (double)times->us[i];
            sorted[count++] = times->us[i];
        }
    if (count) {
        qsort(sorted, count, sizeof *sorted, order_floats);
        out->mean /= count;
        out->p50 = percentile(sorted, count, 0.5);
        out->p99 = percentile(sorted, count, 0.99);
        out->max = (double)sorted[count - 1];
    }
    free(sorted);
    return count > 0;
}

static double read_clock_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

double bench_clock_us(void) {
    return read_clock_us(CLOCK_MONOTONIC);
}

double bench_processor_us(void) {
    return read_clock_us(CLOCK_THREAD_CPUTIME_ID);
}
