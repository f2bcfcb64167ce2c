/* Progress of the verbs that go through a whole trace. */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct timespec last_shown;
static bool is_shown;

void trace_progress(const char *doing, uint64_t frames, uint64_t total) {
    struct timespec now;
    if (frames % 64 != 0 || !isatty(STDERR_FILENO) || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    const double since = (double)(now.tv_sec - last_shown.tv_sec) + (double)(now.tv_nsec - last_shown.tv_nsec) * 1e-9;
    if (since < 0.25)
        return;
    last_shown = now;
    is_shown = true;
    if (total)
        fprintf(stderr, "\r%s frame %" PRIu64 " of %" PRIu64 " ", doing, frames, total);
    else
        fprintf(stderr, "\r%s frame %" PRIu64 " ", doing, frames);
}

void trace_progress_end(void) {
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}
