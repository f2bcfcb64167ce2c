/* A run of frames as lives and columns: what is packed, and what comes out again. Private to rewind/seal*.c.
 *
 * A life is an entity from the frame in which it appears to the last before it is gone or has another type. A column
 * holds the values of one lane (column.h) of a life over its frames, and exists only where they are not all the same.
 */
#ifndef EDDY_REWIND_SEAL_RUN_H
#define EDDY_REWIND_SEAL_RUN_H

#include "column.h"
#include "seal.h"

/** Frames in a run: a place in a column is 16 bits. */
#define SEAL_FRAMES_MAX 65535u
#define SEAL_NONE UINT32_MAX

typedef struct seal_life {
    eddy_id id;
    uint16_t type;
    uint32_t birth, last;          /**< frames, counted from the beginning of the run */
    size_t state;                  /**< where its first struct lies in the run's states */
    uint32_t first_use, use_count; /**< its columns, in seal_run.uses */
} seal_life;

static inline uint32_t life_span(const seal_life *life) {
    return life->last - life->birth + 1;
}

typedef struct seal_column {
    uint32_t life, lane; /**< lane of the field */
    uint32_t count;      /**< changes */
    bool is_dense;       /**< a value for each frame; otherwise the places of the changes (u16), then their values */
    size_t at;           /**< where it lies in the run's store */
} seal_column;

/** Another column of the same life. */
typedef struct seal_ref {
    uint32_t field; /**< of the type; SEAL_NONE: there is none */
    uint32_t lane;  /**< of that field; where both have as many lanes, each goes with its own */
} seal_ref;

/** What was found out about a field of a type: how its columns may be expected. */
typedef struct seal_model {
    seal_ref mover, gate, key;
    column_pace pace;
    bool has_memo, key_own;
    memo_target target;
    uint64_t step;
} seal_model;

/** A field of a type, and its columns, ordered by life and lane. */
typedef struct seal_field {
    const eddy_field *field;
    uint16_t type;
    uint32_t index; /**< in the type */
    lane_shape shape;
    uint32_t lane_first;   /**< of all lanes of the type */
    uint32_t first, count; /**< in seal_run.columns */
    uint64_t changes;
    seal_model model;
    uint64_t needs; /**< while models are searched: fields of the type, bit 0 for the first, that must come before it */
    bool is_known;  /**< its columns can be read */
    bool is_ordered; /**< it has its place in the order of decoding */
} seal_field;

typedef struct seal_run {
    const eddy_schema *schema;
    eddy_hooks hooks;
    uint32_t first_frame, frame_count;
    seal_life *lives; /**< by id, then birth */
    uint32_t life_count, field_count, column_count, type_count;
    uint8_t *states;
    size_t state_bytes;
    uint32_t *type_first; /**< of each type: its first in `fields` */
    seal_field *fields;   /**< all fields of the schema, in its order */
    seal_column *columns;
    uint32_t *uses;       /**< columns by life; only in an opened run */
    uint32_t *use_fields; /**< the field of each use */
    uint8_t *store;
    size_t store_bytes;
} seal_run;

/** Fills in the schema's fields. False: no memory. */
bool seal_run_begin(seal_run *run, const eddy_schema *schema, const eddy_hooks *hooks);
void seal_run_free(seal_run *run);
size_t seal_run_owned_bytes(const seal_run *run);

static inline seal_field *seal_run_field(const seal_run *run, uint16_t type, uint32_t index) {
    return &run->fields[run->type_first[type] + index];
}
/** Bytes of a column in the store; says whether it is dense. */
size_t seal_column_bytes(const lane_shape *shape, uint32_t count, uint32_t span, bool *is_dense);
/** The column of a lane of a life, or NULL: it does not change. O(log columns). */
const seal_column *seal_find_column(const seal_run *run, const seal_field *field, uint32_t life, uint32_t lane);
/** The values of a lane over the whole life, by frame, as ordered numbers. Not for LANE_WIDE. */
void seal_expand(const seal_run *run, const seal_field *field, uint32_t life, uint32_t lane, uint64_t *out);
void seal_expand_column(const seal_run *run, const seal_field *field, const seal_column *column, uint64_t *out);
/** Writes a column whose `at`, `count` and `is_dense` are set. Not for LANE_WIDE. */
void seal_store_column(seal_run *run, const seal_field *field, const seal_column *column, const uint64_t *values);
/** Where the value of a column at a frame of its life lies, or NULL: it is still the first. */
const uint8_t *seal_column_at(const seal_run *run, const lane_shape *shape, const seal_column *column, uint32_t t);

/** Reads a source into lives and columns, and its frame hashes and branches. */
typedef struct seal_gathered {
    uint64_t *hashes;   /**< of each frame */
    uint32_t *branches; /**< of each frame */
} seal_gathered;
eddy_result seal_gather(const seal_desc *desc, seal_run *run, seal_gathered *out, eddy_error *error);
void seal_gathered_free(seal_gathered *gathered, const seal_desc *desc);

/** Gives up? */
static inline bool seal_is_cancelled(const seal_desc *desc) {
    return desc->cancel && atomic_load_explicit(desc->cancel, memory_order_relaxed);
}

#endif
