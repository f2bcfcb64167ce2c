/* A line: the frames that can be reached one after the other, a branch with its ancestors. It is a row of parts, each
 * some frames of a heap; two lines with the same past share its heaps. Beside the parts a line knows where its branches
 * and its epochs of constants begin. */
#ifndef EDDY_REWIND_LINE_H
#define EDDY_REWIND_LINE_H

#include "heap.h"

/** One set of constants, shared by the lines that have frames with it. */
typedef struct constants_epoch {
    frame_buffer buffer;
    uint32_t users;
} constants_epoch;
void epoch_leave(constants_epoch *epoch, const eddy_hooks *hooks);

/** Frames of a heap, all or the first ones. A window is a row of parts that will be sealed as one heap; a heap of its
 * own is begun inside a window when the one before may not change. */
typedef struct line_part {
    frame_heap *heap;
    uint32_t first_frame, last_frame;
    bool begins_window;
} line_part;

typedef struct line_branch {
    uint32_t branch, first_frame;
} line_branch;

typedef struct line_epoch {
    constants_epoch *epoch;
    uint32_t first_frame;
} line_epoch;

typedef struct frame_line {
    line_part *parts;
    size_t parts_capacity;
    uint32_t part_count;
    line_branch *branches;
    size_t branches_capacity;
    uint32_t branch_count;
    line_epoch *epochs;
    size_t epochs_capacity;
    uint32_t epoch_count;
} frame_line;

/** Room for one more part, branch and epoch. False: no memory; nothing changed. */
bool line_reserve_next(frame_line *line, const eddy_hooks *hooks);
/** Room in an empty line for a copy of another. False: no memory; line_free it all the same. */
bool line_reserve_copy(frame_line *copy, const frame_line *line, const eddy_hooks *hooks);
/** Copies a line up to `last_frame`, one of its own, into reserved room. */
void line_copy(frame_line *copy, const frame_line *line, uint32_t last_frame);
/** Leaves every heap and epoch, and gives back the tables. */
void line_free(frame_line *line, heap_store *store);

/** What a line holds; `count` 0: nothing. O(1). */
eddy_kept line_kept(const frame_line *line);
/** The index of the part that holds a frame of the line. O(log parts). */
uint32_t line_find_part(const frame_line *line, uint32_t frame);
/** The branch of a frame of the line. */
uint32_t line_branch_of(const frame_line *line, uint32_t frame);
/** The last frame of one of the line's branches. False: it is not on the line. */
bool line_last_frame_of(const frame_line *line, uint32_t branch, uint32_t *last_frame);
/** The constants of a frame of the line. */
const constants_epoch *line_epoch_of(const frame_line *line, uint32_t frame);
/** The first part of the window that the part `index` is in. */
uint32_t line_window_of(const frame_line *line, uint32_t index);

/** What begins with a new frame at the end of a line, in reserved room. */
void line_push_part(frame_line *line, frame_heap *heap, uint32_t frame, bool begins_window);
void line_push_branch(frame_line *line, uint32_t branch, uint32_t frame);
void line_push_epoch(frame_line *line, constants_epoch *epoch, uint32_t frame);

/** The line ends with `last_frame`, one of its own. Heaps that nobody else has go, but none is cut. */
void line_cut_after(frame_line *line, heap_store *store, uint32_t last_frame);
/** Every frame goes. */
void line_cut_all(frame_line *line, heap_store *store);
/** The first part goes. Returns how many frames that were. */
uint32_t line_forget_first(frame_line *line, heap_store *store);
/** Whether two rows of parts are the same frames of the same heaps. */
bool line_same_parts(const line_part *a, const line_part *b, uint32_t count);
/** Whether a line has just this row of parts; `at` is the index of the first. */
bool line_has(const frame_line *line, const line_part *parts, uint32_t part_count, uint32_t *at);
/** Puts `heap`, which holds the same frames, in the place of a row of parts, if the line has just that row. */
void line_replace(frame_line *line, heap_store *store, const line_part *parts, uint32_t part_count, frame_heap *heap);

#endif
