/* Where every frame of a session file lies: one walk over its records. Only frames that can be decoded are in the
 * index: a frame whose base or whose base's side array is lost counts as lost. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_INDEX_H
#define EDDY_REWIND_FILE_INDEX_H

#include "file_frames.h"
#include "file_head.h"
#include "file_record.h"

/** A frame that can be read. */
typedef struct file_stored {
    uint64_t offset; /**< of its file_frame in the file */
    uint32_t frame;
    uint32_t base;         /**< index of its base in the axis's `stored`; its own for a base */
    uint32_t newborns_end; /**< entries of the base's side array up to this frame */
    uint32_t epoch;
} file_stored;

/** A branch; its frames are stored[first_stored .. + stored_count - 1], ascending, with gaps where frames are lost. */
typedef struct file_branch {
    eddy_branch_info info;
    uint32_t parent_index; /**< FILE_NONE: a root, or the parent is lost */
    uint32_t first_stored, stored_count;
} file_branch;

typedef struct file_constants {
    uint32_t epoch;
    block_bytes block;
} file_constants;

typedef struct file_note {
    uint64_t tick;
    const char *text; /**< in the file's bytes */
} file_note;

/** An array that grows through memory_grow without hooks. */
typedef struct file_array {
    void *items;
    size_t capacity_bytes;
    uint32_t count;
} file_array;

/** `more` (at least 1) new items at the end, for the caller to fill. NULL: out of memory, nothing changed. */
void *file_array_push(file_array *array, size_t item_bytes, uint32_t more);
void file_array_free(file_array *array);

typedef struct file_axis {
    file_array stored, branches, constants; /**< of file_stored, file_branch, file_constants */
    /* while building: the last frame seen (stored or lost), its base and that base's side array */
    uint32_t last_frame, base, newborns;
} file_axis;

typedef struct file_index {
    file_head head;
    bool has_head;
    file_axis axis[EDDY_AXIS_COUNT];
    file_array notes; /**< of file_note */
    bool clean;       /**< ends with its END record, and nothing is damaged */
    file_damage damage;
} file_index;

/** Walks `bytes`, which must stay. E_FORMAT, E_VERSION, E_MEMORY, without the file's name. Free the index either way.
 */
eddy_result file_index_build(file_index *index, const uint8_t *bytes, size_t size, eddy_error *error);
void file_index_free(file_index *index);

const file_stored *file_axis_stored(const file_axis *axis, uint32_t index);
const file_branch *file_axis_branch(const file_axis *axis, uint32_t index);
/** The index of a branch by its number, or FILE_NONE. */
uint32_t file_axis_find_branch(const file_axis *axis, uint32_t branch);
/** The index in `stored` of a frame on the line of the branch with that index; `holder` gets the branch's index.
 * FILE_NONE: not there. */
uint32_t file_axis_find(const file_axis *axis, uint32_t branch_index, uint32_t frame, uint32_t *holder);
/** The first frame that can be read on the line of a branch that stores at least one. */
uint32_t file_axis_line_first(const file_axis *axis, uint32_t branch_index);
const file_constants *file_axis_find_constants(const file_axis *axis, uint32_t epoch);

#endif
