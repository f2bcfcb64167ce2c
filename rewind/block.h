/* A frame as bytes: base blocks, diff blocks, newborn entries. The live heaps and the session file hold the same bytes;
 * FORMAT.md maps them. Private to rewind/.
 *
 * Varints are LEB128: seven bits a byte, low first, at most ten bytes. A set of cells (which changed, and their new
 * values) is mapped in cells.h; it is never empty.
 *
 * Base block: a frame against the default-constructed entity of each type.
 *     count      varint   entities
 *     then for each entity, by ascending id:
 *       gap      varint   id - (id of the one before) - 1; for the first, id - 1
 *       type     varint   2 * type, + 1 when cells follow
 *       [cells]           what differs from the default
 *
 * Newborn entry: the first state of an entity that was born after the base. It lies in the side array of the base's
 * group, unseen by a read of the base; entries are numbered from 0 in order of birth.
 *     id         varint
 *     type       varint   as above
 *     [cells]             what differs from the default
 *
 * Diff block: a frame against its base and the side array.
 *     gone       varint   number of pairs, then for each pair of varints: so many entities of the base are still there,
 *                         then so many are gone (at least 1; the first of a later pair is at least 1 too). After the
 *                         last pair all are there.
 *     alive      varint   number of pairs, then for each pair of varints: so many newborns are not there, then so many
 *                         are (the same rule). After the last pair none are, so later births change nothing here.
 *     The entities of the base that are there and the newborns that are there, together by ascending id, are the
 *     entities of the frame, each in its reference state. Then to the end of the block, for each that differs from it:
 *       gap      varint   index in the frame - (index of the changed one before) - 1; for the first, the index
 *       cells             what differs from the reference: values, not differences
 *
 * A base block stands at every multiple of the base interval, at the first frame of a branch, and, when a heap has
 * grown to twice its end before one of these came, wherever that was. Constants are written as a base block too. */
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
 * must be used, so a frame that decodes passes eddy_view_check, but for its number of entities: a base block may hold
 * 1,048,576, for constants. E_DAMAGED says what was expected and found; E_MEMORY. `out` holds no frame after an error.
 */
eddy_result block_decode_base(const eddy_schema *schema, block_bytes base, frame_buffer *out, eddy_error *error);
/** Decodes a diff block against its decoded base and that base's side array (`newborn_count` entries in order of
 * birth). Same guarantees. */
eddy_result block_decode_diff(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                              uint32_t newborn_count, block_bytes diff, frame_buffer *out, eddy_error *error);
/** As block_decode_diff, but entities that equal the base's point into it: `base` must outlive what is in `out`. */
eddy_result block_decode_diff_onto(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                                   uint32_t newborn_count, block_bytes diff, frame_buffer *out, eddy_error *error);

/** Room for `count` entities. */
bool frame_buffer_reserve_entities(frame_buffer *buffer, uint32_t count);
/** Room for one more struct, uninitialised, or NULL. Entities that point into the buffer keep doing so. */
void *frame_buffer_push_state(frame_buffer *buffer, size_t bytes);
/** Whether an entity's struct lies in the buffer itself. */
bool frame_buffer_owns(const frame_buffer *buffer, const eddy_entity *entity);
/** Bytes a buffer has reserved. */
size_t frame_buffer_owned_bytes(const frame_buffer *buffer);
/** Fills a buffer with entities that point into `view`. E_MEMORY leaves it empty. */
bool frame_buffer_borrow(frame_buffer *buffer, const eddy_view *view);

#endif
