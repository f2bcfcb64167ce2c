/* What a timeline is made of. Memory keeps exactly the current line: heaps of consecutive frames, in them groups, each
 * a base frame with the diff frames that need it and the side array of those born after it. */
#ifndef EDDY_REWIND_TIMELINE_H
#define EDDY_REWIND_TIMELINE_H

#include "cache.h"
#include "heap.h"
#include "limits.h"
#include "track.h"

/** Some entries of a side array; lies in the heap. */
typedef struct newborn_piece {
    struct newborn_piece *next;
    block_bytes entries[LIMIT_PIECE_NEWBORNS];
    uint32_t born[LIMIT_PIECE_NEWBORNS]; /**< the frame */
} newborn_piece;

/** A base frame and what follows it up to the next; lies in its heap, its tables right behind it. A frame costs 20
 * bytes here besides its block. */
typedef struct frame_group {
    uint32_t heap_serial;
    uint32_t branch;
    uint32_t first_frame, frame_count, frame_capacity;
    uint32_t newborn_count;
    newborn_piece *pieces, *last_piece;
    size_t diff_bytes, newborn_bytes;
    uint64_t *hashes;
    const uint8_t **blocks;
    uint32_t *sizes;
} frame_group;

/** One set of constants. The last is the present one; `is_used` once a frame was recorded with it. */
typedef struct constants_epoch {
    frame_buffer buffer;
    uint32_t first_frame;
    bool is_used;
} constants_epoch;

struct eddy_timeline {
    eddy_timeline_desc desc; /**< with every default filled in */
    memory_count memory;
    frame_track track;
    frame_cache cache;

    frame_heap *heaps; /**< heap i has serial first_serial + i */
    size_t heaps_capacity;
    uint32_t heap_count, first_serial;
    frame_group **groups; /**< by ascending first frame */
    size_t groups_capacity;
    uint32_t group_count;
    constants_epoch *epochs;
    size_t epochs_capacity;
    uint32_t epoch_count;

    uint32_t cursor; /**< the next frame follows this one */
    bool restarting;
    uint32_t branch, parent; /**< of the newest frame */

    block_bytes *newborns; /**< scratch: a side array in one piece */
    size_t newborns_capacity;
    size_t base_bytes, diff_bytes, newborn_bytes, last_frame_bytes;
    bool last_frame_is_base;
    uint32_t branches_made;
    uint64_t frames_forgotten, reads, cache_hits, blocks_decoded;

    timeline_observer observer;
    bool is_observed;
};

/** The index of the group that holds a kept frame. */
uint32_t timeline_find_group(const eddy_timeline *timeline, uint32_t frame);
/** The group of a frame, or NULL with E_FRAME, which names what is kept. */
frame_group *timeline_group_of(const eddy_timeline *timeline, uint32_t frame, eddy_error *error);
/** Room for `count` entries in scratch. False: no memory. */
bool timeline_grow_newborns(eddy_timeline *timeline, uint32_t count);

/** The ends of both pools of a heap. */
typedef struct heap_marks {
    pool_mark bases, diffs;
} heap_marks;
/** Where the pools of its heap end when `last_frame` is the last. O(chunks + groups). */
heap_marks timeline_marks_after(const eddy_timeline *timeline, uint32_t last_frame);
/** The newest frame is `last_frame` from now on: later groups, heaps and newborns go. */
void timeline_cut_after(eddy_timeline *timeline, uint32_t last_frame);
/** Every frame goes. */
void timeline_cut_all(eddy_timeline *timeline);
/** The oldest heaps go until the budget is kept, or one heap is left. */
void timeline_forget(eddy_timeline *timeline);

/** The present constants are those of `frame`, the newest; epochs of a future that was cut go. */
void timeline_use_epoch(eddy_timeline *timeline, uint32_t frame);
/** Epochs of a past that was forgotten go. */
void timeline_forget_epochs(eddy_timeline *timeline);

#endif
