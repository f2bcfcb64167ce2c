/* A recording in the making for the tests: a small world and its ticks, two timelines and a writer, and beside them the
 * naive model: a copy of every frame that was recorded. */
#ifndef EDDY_TESTS_FILE_SESSION_H
#define EDDY_TESTS_FILE_SESSION_H

#include "file_world.h"

#include <check.h>

/** As ck_assert_msg, but silent while it holds: Check writes a line to a file for each assertion that is met, which a
 * loop over every frame feels, a child must not do and a full disk does not allow. */
#define MUST(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)

/** One recorded frame of an axis. */
typedef struct file_recorded {
    eddy_axis axis;
    uint32_t branch, frame;
    uint64_t hash;
    file_world world; /**< WORLD only */
} file_recorded;

typedef struct file_session {
    char path[256];
    eddy_writer *writer;
    eddy_timeline *timeline[EDDY_AXIS_COUNT];
    file_world world;
    file_recorded *recorded;
    uint32_t recorded_count, recorded_capacity;
    uint32_t tick;
    uint32_t logged; /**< lines that reached the log hook */
    char last_line[512];
} file_session;

typedef struct file_session_desc {
    const char *name;  /**< of the file, in the directory the test runs in */
    uint32_t drifters; /**< 0: 5 */
    uint32_t seed;
    uint32_t base_interval, heap_frames; /**< 0: the defaults */
    uint32_t flush_frames;               /**< 0: the default */
    bool no_ticks;                       /**< only the world's axis */
} file_session_desc;

/** A path for a test's file; the process is in it, so that suites may run side by side. */
void file_path(char *out, size_t out_bytes, const char *name);

/** Creates and attaches; records frame 0 and tick 0. Fails the test on an error. */
void file_session_begin(file_session *session, const file_session_desc *desc);
/** Steps and records `count` frames and ticks. */
void file_session_play(file_session *session, uint32_t count);
/** Ticks without frames. */
void file_session_stand(file_session *session, uint32_t count);
/** Resumes at a frame of the present line. */
void file_session_resume(file_session *session, uint32_t frame);
/** A new root. */
void file_session_restart(file_session *session, uint32_t seed);
/** Closes the writer. */
eddy_result file_session_close(file_session *session, eddy_error *error);
/** Frees everything, removes the file. */
void file_session_end(file_session *session);

/** The recorded frame, or NULL. */
const file_recorded *file_session_find(const file_session *session, eddy_axis axis, uint32_t branch, uint32_t frame);

/** Opens a file, failing the test when it does not open. */
eddy_reader *file_open(const char *path);
/** Every frame that the reader offers must be one of the session's and come back to the bit. Returns how many it
 * offers. `what` names the case in failures. */
uint32_t file_session_compare(const file_session *session, eddy_reader *reader, const char *what);

/** Whole files in memory. The caller frees. */
uint8_t *file_load(const char *path, size_t *size);
void file_store(const char *path, const void *bytes, size_t size);

#endif
