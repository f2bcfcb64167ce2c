/* The newest frame, kept beside the heaps so that the next one can be compared, checked, hashed and written by what
 * changed. A plan reads and writes scratch only; a commit cannot fail. */
#ifndef EDDY_REWIND_TRACK_H
#define EDDY_REWIND_TRACK_H

#include "block.h"
#include "cells.h"

/** An entity of the newest frame. */
typedef struct tracked {
    eddy_id id;
    uint16_t type;
    uint32_t reference;            /**< what its entry in a diff block is against */
    uint32_t cells_at, cells_size; /**< its set of cells in the newest diff; no bytes: it equals its reference */
    size_t state;                  /**< offset of its struct in the slots */
    uint64_t hash;
} tracked;

/** What a diff block is against: an entity of the base, or, from base_count on, a newborn of the side array. */
typedef struct frame_reference {
    eddy_id id;
    uint16_t type;
    size_t state; /**< offset in the reference states */
} frame_reference;

/** Room for structs, one free list a type: nothing moves when entities come and go. */
typedef struct slot_store {
    uint8_t *bytes;
    size_t used, capacity;
    size_t *free_first; /**< by type: offset of the first free slot, 0: none. A free slot holds the next */
} slot_store;

/** A newborn of the planned frame. */
typedef struct frame_birth {
    uint32_t index;  /**< in the view */
    size_t at, size; /**< of its entry among the planned newborn bytes */
} frame_birth;

typedef struct frame_track {
    const eddy_schema *schema;
    const eddy_hooks *hooks;
    size_t state_bytes_max; /**< a larger frame is refused */

    tracked *now, *next; /**< the newest frame, and the planned one */
    size_t now_capacity, next_capacity;
    uint32_t count, next_count;
    uint64_t hash, next_hash;
    size_t state_bytes, next_state_bytes; /**< of the whole frame, decoded */
    slot_store states;

    frame_reference *references;
    size_t reference_capacity;
    uint32_t base_count, reference_count;
    uint8_t *reference_states;
    size_t reference_used, reference_state_capacity;
    uint32_t *newborn_order; /**< references from base_count on, by id and type */
    size_t newborn_order_capacity;

    const uint8_t *cells; /**< where cells_at counts from: behind the head of the newest diff block; NULL: a base */
    const uint8_t *head;
    size_t head_size;

    /* the plan */
    bool plan_base, plan_regrouped; /**< regrouped: somebody came or went */
    bytes_writer head_out, cells_out, newborn_out;
    frame_birth *births;
    size_t birth_capacity;
    uint32_t birth_count;
    uint32_t *changed, *runs; /**< changed: indices in the view; runs: newborns that are alive */
    size_t changed_capacity, runs_capacity;
    uint32_t changed_count;
    cell_change *changes;
    size_t change_bytes;
} frame_track;

/** An empty track. False: no memory; destroy it all the same. */
bool track_create(frame_track *track, const eddy_schema *schema, const eddy_hooks *hooks, size_t state_bytes_max);
void track_destroy(frame_track *track);

/** Checks a frame and writes its block (head_out, then cells_out) and newborn entries (newborn_out, births). Nothing of
 * the newest frame has changed afterwards. E_ENTITY, E_LIMIT, E_VALUE, E_MEMORY. */
eddy_result track_plan(frame_track *track, const eddy_view *view, bool is_base, eddy_error *error);
/** Makes the planned frame the newest. `block` is where its bytes now lie, to stay. */
void track_commit(frame_track *track, const eddy_view *view, const uint8_t *block);

#endif
