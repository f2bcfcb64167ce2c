/* The FRAMES record: a run of frames of one branch of one axis, each with its recorded hash.
 *
 *   group: axis u8, zero u8 x3, epoch u32, branch u32, parent u32, branch_first u32, first_frame u32, base_frame u32,
 *          newborns_before u32, frame_count u32, then the frames in ascending order without gaps
 *   frame: flags u8 (1: a base block, 2: newborns follow), block_bytes varint,
 *          [newborn_count varint, that many sizes as varints], hash u64, the newborn entries, the block
 *
 * base_frame and newborns_before say what the first frame leans on (the base in force, and how many entries its side
 * array had), so that a reader knows which frames a lost record takes with it. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_FRAMES_H
#define EDDY_REWIND_FILE_FRAMES_H

#include "block.h"
#include "file_bytes.h"

#define FILE_NONE UINT32_MAX /**< no epoch, no parent, no base */

typedef struct file_group {
    uint8_t axis;
    uint32_t epoch; /**< of the constants; FILE_NONE: none were handed over */
    uint32_t branch, parent;
    uint32_t branch_first; /**< the first frame of the branch */
    uint32_t first_frame;
    uint32_t base_frame;      /**< in force before first_frame; FILE_NONE: the first frame is a base */
    uint32_t newborns_before; /**< entries in that base's side array */
    uint32_t frame_count;
} file_group;

/** Appends the group's head; frames follow. */
void file_group_put(bytes_writer *out, const file_group *group);
/** Puts the final frame_count into a group that starts at the beginning of `out`. */
void file_group_set_count(bytes_writer *out, uint32_t frame_count);
/** Reads a head; the cursor stands at the first frame. False: malformed. */
bool file_group_read(bytes_reader *in, file_group *out);

/** One frame inside a group, in place. */
typedef struct file_frame {
    bool is_base;
    uint64_t hash;
    uint32_t newborn_count;
    block_bytes newborn_sizes; /**< the varints */
    block_bytes newborns;      /**< the entries, one behind the other */
    block_bytes block;
} file_frame;

void file_frame_put(bytes_writer *out, const recorded_frame *frame);
/** Reads one; every size is checked against what is left. False: malformed. */
bool file_frame_read(bytes_reader *in, file_frame *out);
/** Fills `out[0 .. frame->newborn_count-1]`. */
void file_frame_newborns(const file_frame *frame, block_bytes *out);

#endif
