/* What a timeline is made of. Memory keeps the current line and those of pinned branches; heaps of consecutive frames,
 * shared between lines; jobs that seal windows of finished heaps. What is forgotten, cut and sealed when is decided by
 * the frames that come alone, never by what was read or by how fast a thread was: the same play keeps the same frames.
 */
#ifndef EDDY_REWIND_TIMELINE_H
#define EDDY_REWIND_TIMELINE_H

#include "cache.h"
#include "limits.h"
#include "line.h"
#include "run_source.h"
#include "track.h"
#include "worker.h"

/** A branch that somebody needs. It has a line apart from the moment its frames are no longer on the current line. */
typedef struct pinned_branch {
    uint32_t branch;
    uint32_t pins;
    bool is_apart;
    frame_line line;
} pinned_branch;

/** A window on its way into columns. */
typedef struct seal_job {
    work_item work;
    struct seal_job *next;
    uint64_t due;        /**< when it takes effect: after so many appends in all */
    frame_heap *heap;    /**< will hold the columns */
    memory_count memory; /**< of the work, with a limit of its own, so that it does not depend on what is read */
    run_source source;
    seal_desc desc;
    atomic_bool cancel;
    eddy_result result;
    eddy_error error;
    sealed_bytes packed;
} seal_job;

/** A sealed heap that is opened ahead of its reader. */
typedef struct prefetch_job {
    work_item work;
    bool is_busy; /**< submitted, not yet collected */
    const eddy_schema *schema;
    const eddy_hooks *hooks;
    uint64_t serial;     /**< of the heap; the last one stays here so that it is not fetched again and again */
    sealed_bytes sealed; /**< a copy: the heap may go meanwhile */
    opened_run *run;
} prefetch_job;

struct eddy_timeline {
    eddy_timeline_desc desc; /**< with every default filled in */
    memory_count memory;     /**< what decides when something is forgotten */
    memory_count spare;      /**< decoded frames and heaps, and what sealing needs */
    frame_track track;
    frame_cache cache;
    newborn_scratch scratch;

    heap_store store;
    frame_line line;
    pinned_branch *pins;
    size_t pins_capacity;
    uint32_t pin_count;
    constants_epoch *constants; /**< for the next frame */

    uint32_t cursor;        /**< the next frame follows this one ... */
    uint32_t cursor_branch; /**< ... of a pinned branch; BRANCH_NONE: of the current line */
    bool restarting;
    uint32_t branch, parent; /**< of the newest frame */

    seal_job *jobs; /**< the one that is due first at the front */
    uint32_t job_count;
    work_thread *worker;
    bool has_no_thread;     /**< the system gave none: seal on this one */
    bool has_told_unsealed; /**< the log */
    prefetch_job prefetch;
    uint64_t appends;
    uint32_t last_read;
    size_t state_bytes_peak; /**< of the largest frame yet */

    size_t last_frame_bytes;
    bool last_frame_is_base;
    uint32_t branches_made;
    uint32_t switched_branch; /**< the last one that was begun from a pinned branch; 0: none */
    uint64_t frames_forgotten, reads, cache_hits, blocks_decoded, heaps_opened, heaps_prefetched;

    timeline_observer observer;
    bool is_observed;
    block_bytes *newborns; /**< scratch for the observer */
    size_t newborns_capacity;
};

#define BRANCH_NONE UINT32_MAX

/** E_FRAME, which names what is kept, unless a line has a frame. */
eddy_result timeline_check_frame(const frame_line *line, uint32_t frame, eddy_error *error);
/** An empty set of constants with one user. NULL: no memory. */
constants_epoch *timeline_create_epoch(eddy_timeline *timeline);
/** The line of a branch: the current one or that of a pin. E_FRAME: neither. `kept` is its range on that line. */
eddy_result timeline_line_of(eddy_timeline *timeline, uint32_t branch, const frame_line **line, eddy_kept *kept,
                             eddy_error *error);
pinned_branch *timeline_find_pin(const eddy_timeline *timeline, uint32_t branch);

/** Whether new frames can go into the heap of a line's part behind its last frame: it is live and nobody else has it.
 */
bool timeline_can_grow(const line_part *part);

/* ---- cutting and forgetting ---- */

/** Room for the lines of pinned branches that a cut behind `last_frame` (restart: of everything) would take away.
 * False: no memory. */
bool timeline_stage_pins(eddy_timeline *timeline, uint32_t last_frame, bool is_root);
/** Gives those their staged lines, then ends the current line with `last_frame`, or empties it. */
void timeline_cut(eddy_timeline *timeline, uint32_t last_frame, bool is_root);
/** Heaps that only hold frames of nobody behind their last part are cut back. */
void timeline_cut_loose_ends(eddy_timeline *timeline);
/** The oldest heaps go until the budget is kept, or one heap is left. */
void timeline_forget_oldest(eddy_timeline *timeline);
/** The part of the budget that is not for what is recorded: a third for what the last reader needs, a third for other
 * decoded frames and heaps, a third for sealing, which may take a heap more. */
size_t timeline_spare_bytes(const eddy_timeline *timeline);

/* ---- sealing ---- */

/** The window that ends with a part of a line is finished: queues it. False: no memory, it stays live. */
bool timeline_seal_window(eddy_timeline *timeline, const frame_line *line, uint32_t last_part);
/** Jobs whose frames no line has any more need not go on. */
void timeline_cancel_idle_jobs(eddy_timeline *timeline);
/** The first of some jobs takes effect, or is over without. Waits for it if need be. */
void timeline_collect_first(eddy_timeline *timeline);
/** Jobs that are due take effect. Waits for them if need be. */
void timeline_collect_due(eddy_timeline *timeline);
/** All jobs take effect, or, with `cancel`, are given up. */
void timeline_collect_all(eddy_timeline *timeline, bool cancel);

/* ---- reading ---- */

/** A frame of a line. */
eddy_result timeline_read_line(eddy_timeline *timeline, const frame_line *line, uint32_t frame, eddy_view *out,
                               eddy_error *error);
/** Gives up what is being opened ahead. */
void timeline_end_prefetch(eddy_timeline *timeline);

#endif
