/* Times of many like things, measured in several passes: of each the least, then mean and percentiles over all. */
#ifndef EDDY_TOOLS_BENCH_TIMES_H
#define EDDY_TOOLS_BENCH_TIMES_H

#include "rewind/rewind.h"

/** Zero is empty. Owns `us`. */
typedef struct bench_times {
    float *us; /**< by index; infinite: not measured */
    uint32_t count;
} bench_times;

/** Makes room for `count` times, unmeasured. Nothing when there is room already. False: no memory. */
bool bench_times_begin(bench_times *times, uint32_t count);
/** Keeps the less of this and what was measured at `index` before. */
void bench_times_note(bench_times *times, uint32_t index, double us);
void bench_times_free(bench_times *times);

/** Microseconds. */
typedef struct bench_summary {
    double mean, p50, p99, max;
} bench_summary;
/** False: nothing was measured, or no memory. */
bool bench_times_summary(const bench_times *times, bench_summary *out);

/** Real time in microseconds, from anywhere. */
double bench_clock_us(void);
/** Processor time of this thread in microseconds. */
double bench_processor_us(void);

#endif
