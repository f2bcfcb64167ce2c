/* A frame as bytes: base blocks, diff blocks, newborn entries. The live heaps and the session file hold the same bytes;
 * FORMAT.md maps them. Private to rewind/. */
#ifndef EDDY_REWIND_BLOCK_H
#define EDDY_REWIND_BLOCK_H

#include "rewind.h"

typedef struct block_bytes {
    const uint8_t *bytes;
    size_t size;
} block_bytes;

/** What a timeline hands to its observer after each append; everything is borrowed for the call. */
typedef struct recorded_frame {
    uint32_t branch, parent; /**< parent: of the branch, UINT32_MAX for a root */
    uint32_t frame;
    bool is_base, begins_branch;
    uint64_t hash;
    block_bytes block;
    const block_bytes *newborns; /**< entries born on this frame, in the order they take in their base's side array */
    uint32_t newborn_count;
} recorded_frame;

/** Who listens to a timeline: the session file. */
typedef struct timeline_observer {
    void (*constants)(void *user, const eddy_view *constants, block_bytes block); /**< block: as a base block */
    void (*frame)(void *user, const recorded_frame *frame);
    void *user;
} timeline_observer;

/** One listener a timeline; NULL takes it away. */
void timeline_observe(eddy_timeline *timeline, const timeline_observer *observer);

/** A decoded frame that owns its bytes. Zero is empty and valid; grows, never shrinks. */
typedef struct frame_buffer {
    eddy_entity *entities;
    uint8_t *states;
    uint32_t count, entity_capacity;
    size_t state_bytes, state_capacity;
    eddy_hooks hooks;
} frame_buffer;
void frame_buffer_free(frame_buffer *buffer);
eddy_view frame_buffer_view(const frame_buffer *buffer);

/** Decodes a base block. Foreign bytes are fine: every count, index, type and length is checked, and the whole block
 * must be used. E_DAMAGED says what was expected and found; E_MEMORY. `out` holds no frame after an error. */
eddy_result block_decode_base(const eddy_schema *schema, block_bytes base, frame_buffer *out, eddy_error *error);
/** Decodes a diff block against its decoded base and that base's side array (`newborn_count` entries in order of
 * birth). Same guarantees. */
eddy_result block_decode_diff(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                              uint32_t newborn_count, block_bytes diff, frame_buffer *out, eddy_error *error);

#endif
