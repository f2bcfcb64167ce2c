/* A heap: a run of consecutive frames in memory of its own, live or sealed. Live, it is two pools, so that large blocks
 * leave no holes between small ones, and in them groups: each a base frame with the diff frames that need it and the
 * side array of those born after it. Sealed, it is one piece of packed columns (seal.h). A heap is shared by the lines
 * that have its frames and goes, whole, with the last of them. */
#ifndef EDDY_REWIND_HEAP_H
#define EDDY_REWIND_HEAP_H

#include "limits.h"
#include "pool.h"
#include "seal.h"

/** Some entries of a side array; lies in the heap. */
typedef struct newborn_piece {
    struct newborn_piece *next;
    block_bytes entries[LIMIT_PIECE_NEWBORNS];
    uint32_t born[LIMIT_PIECE_NEWBORNS]; /**< the frame */
} newborn_piece;

/** A base frame and what follows it up to the next; lies in its heap, its tables right behind it. A frame costs 20
 * bytes here besides its block. */
typedef struct frame_group {
    uint32_t branch;
    uint32_t first_frame, frame_count, frame_capacity;
    uint32_t newborn_count;
    newborn_piece *pieces, *last_piece;
    size_t diff_bytes, newborn_bytes;
    uint64_t *hashes;
    const uint8_t **blocks;
    uint32_t *sizes;
} frame_group;

/** Bytes of a group with its tables for so many frames. */
static inline size_t group_bytes(uint32_t frame_capacity) {
    return limit_aligned(sizeof(frame_group) +
                         frame_capacity * (sizeof(uint64_t) + sizeof(const uint8_t *) + sizeof(uint32_t)));
}
static inline uint32_t group_last_frame(const frame_group *group) {
    return group->first_frame + (group->frame_count - 1);
}

typedef struct frame_heap {
    struct frame_heap *next_free; /**< in its store */
    uint64_t serial;              /**< names it for ever */
    uint64_t age;                 /**< of its first frame, as a serial: the lowest goes first */
    uint32_t users;               /**< lines that have frames of it */
    uint32_t jobs;                /**< seal jobs that read it: until they are over it must not change */
    sealed_bytes sealed;          /**< no bytes: live */
    uint32_t needed_frame;        /**< scratch: the last one that any line has */
    frame_pool bases;             /**< groups with their tables and base blocks */
    frame_pool diffs;             /**< diff blocks and newborns */
    frame_group **groups;         /**< by ascending first frame */
    size_t groups_capacity;
    uint32_t group_count;
} frame_heap;

/** Where heaps come from: slabs, so that a small record does not take a page. */
typedef struct heap_store {
    struct heap_slab *slabs;
    frame_heap *free_first;
    uint64_t serials;    /**< given so far */
    size_t doomed_bytes; /**< of heaps that nobody uses and that go when the job that reads them is over */
    const eddy_hooks *hooks;
} heap_store;
void heap_store_free(heap_store *store);

/** An empty live heap that nobody uses, as old as itself. NULL: no memory. */
frame_heap *heap_create(heap_store *store);
/** Gives back a heap that nobody has used yet. NULL is fine. */
void heap_discard(heap_store *store, frame_heap *heap);
/** One user less: the last one lets it go. */
void heap_leave(heap_store *store, frame_heap *heap);
/** A job that reads the heap is over: if nobody uses it any more, it goes. */
void heap_end_job(heap_store *store, frame_heap *heap);

static inline bool heap_is_sealed(const frame_heap *heap) {
    return heap->sealed.bytes != NULL;
}
/** What it holds: pages while live, packed bytes when sealed. */
static inline size_t heap_owned_bytes(const frame_heap *heap) {
    return heap->bases.reserved_bytes + heap->diffs.reserved_bytes + heap->sealed.size;
}

/* ---- live heaps ---- */

/** The last frame it holds. */
static inline uint32_t heap_last_frame(const frame_heap *heap) {
    return group_last_frame(heap->groups[heap->group_count - 1]);
}
/** The index of the group that holds a frame of the heap. O(log groups). */
uint32_t heap_find_group(const frame_heap *heap, uint32_t frame);

/** The ends of both pools. */
typedef struct heap_marks {
    pool_mark bases, diffs;
} heap_marks;
/** Where the pools end when `last_frame` is the last. O(chunks + groups). */
heap_marks heap_marks_after(const frame_heap *heap, uint32_t last_frame);
/** Bytes reserved by what lies before the marks. */
size_t heap_bytes_before(const frame_heap *heap, heap_marks marks);
/** The heap ends with `last_frame` from now on: later groups and newborns go, and what the pools held of them. */
void heap_cut_after(frame_heap *heap, const eddy_hooks *hooks, uint32_t last_frame);

/** Room for a side array in one piece, and where it is put. */
typedef struct newborn_scratch {
    block_bytes *entries;
    size_t capacity_bytes;
} newborn_scratch;

/** Decodes frame `index` of a group onto its decoded base: entities that equal the base's point into it. E_MEMORY. */
eddy_result group_decode(const eddy_schema *schema, const frame_group *group, uint32_t index, const eddy_view *base,
                         newborn_scratch *scratch, const eddy_hooks *hooks, frame_buffer *out, eddy_error *error);

#endif
