#include "file_frames.h"

#include <assert.h>
#include <string.h>

enum { FRAME_IS_BASE = 1, FRAME_HAS_NEWBORNS = 2 };
enum { GROUP_COUNT_AT = 32, GROUP_BYTES = 36 };

void file_group_put(bytes_writer *out, const file_group *group) {
    file_put_u8_padded(out, group->axis);
    file_put_u32(out, group->epoch);
    file_put_u32(out, group->branch);
    file_put_u32(out, group->parent);
    file_put_u32(out, group->branch_first);
    file_put_u32(out, group->first_frame);
    file_put_u32(out, group->base_frame);
    file_put_u32(out, group->newborns_before);
    file_put_u32(out, group->frame_count);
}

void file_group_set_count(bytes_writer *out, uint32_t frame_count) {
    if (out->failed)
        return;
    assert(out->size >= GROUP_BYTES);
    memcpy(out->bytes + GROUP_COUNT_AT, &frame_count, sizeof frame_count);
}

bool file_group_read(bytes_reader *in, file_group *out) {
    out->axis = file_take_u8_padded(in);
    out->epoch = file_take_u32(in);
    out->branch = file_take_u32(in);
    out->parent = file_take_u32(in);
    out->branch_first = file_take_u32(in);
    out->first_frame = file_take_u32(in);
    out->base_frame = file_take_u32(in);
    out->newborns_before = file_take_u32(in);
    out->frame_count = file_take_u32(in);
    bytes_expect(in, out->axis < EDDY_AXIS_COUNT, "axis 0 or 1", out->axis);
    bytes_expect(in, out->branch != FILE_NONE, "a branch", out->branch);
    bytes_expect(in, out->parent == FILE_NONE || out->parent < out->branch, "an older branch as parent", out->parent);
    bytes_expect(in, out->branch_first <= out->first_frame, "a first frame behind the branch's", out->first_frame);
    bytes_expect(in, out->frame_count > 0, "at least one frame", 0);
    bytes_expect(in, out->frame_count < FILE_NONE - out->first_frame, "frame numbers of 32 bits", out->frame_count);
    return !in->expected;
}

void file_frame_put(bytes_writer *out, const recorded_frame *frame) {
    uint8_t flags = (uint8_t)((frame->is_base ? FRAME_IS_BASE : 0) | (frame->newborn_count ? FRAME_HAS_NEWBORNS : 0));
    file_put_u8(out, flags);
    bytes_write_varint(out, frame->block.size);
    if (frame->newborn_count) {
        bytes_write_varint(out, frame->newborn_count);
        for (uint32_t i = 0; i < frame->newborn_count; i++)
            bytes_write_varint(out, frame->newborns[i].size);
    }
    file_put_u64(out, frame->hash);
    for (uint32_t i = 0; i < frame->newborn_count; i++)
        bytes_write(out, frame->newborns[i].bytes, frame->newborns[i].size);
    bytes_write(out, frame->block.bytes, frame->block.size);
}

/* The sizes of the newborn entries: where they stand, and their sum. */
static void newborn_sizes_read(bytes_reader *in, file_frame *out) {
    uint64_t count = bytes_varint(in), total = 0;
    if (!bytes_expect(in, count > 0 && count <= bytes_left(in) && count <= UINT32_MAX, "a count of newborns", count)) {
        return;
    }
    const uint8_t *start = in->at;
    for (uint64_t i = 0; i < count && !in->expected; i++) {
        uint64_t size = bytes_varint(in);
        if (bytes_expect(in, size <= bytes_left(in) && total <= bytes_left(in), "sizes that fit into the rest", size)) {
            total += size;
        }
    }
    if (!in->expected) {
        out->newborn_count = (uint32_t)count;
        out->newborn_sizes = (block_bytes){start, (size_t)(in->at - start)};
        out->newborns.size = (size_t)total;
    }
}

bool file_frame_read(bytes_reader *in, file_frame *out) {
    *out = (file_frame){0};
    uint8_t flags = file_take_u8(in);
    uint64_t block_size = bytes_varint(in);
    bytes_expect(in, (flags & ~(FRAME_IS_BASE | FRAME_HAS_NEWBORNS)) == 0, "known flags of a frame", flags);
    out->is_base = flags & FRAME_IS_BASE;
    if (flags & FRAME_HAS_NEWBORNS)
        newborn_sizes_read(in, out);
    out->hash = file_take_u64(in);
    out->newborns.bytes = bytes_take(in, out->newborns.size);
    bytes_expect(in, block_size <= bytes_left(in), "a block that fits into the rest", block_size);
    out->block.bytes = bytes_take(in, (size_t)block_size);
    out->block.size = (size_t)block_size;
    return !in->expected;
}

void file_frame_newborns(const file_frame *frame, block_bytes *out) {
    bytes_reader sizes = bytes_reader_of(frame->newborn_sizes.bytes, frame->newborn_sizes.size);
    size_t at = 0;
    for (uint32_t i = 0; i < frame->newborn_count; i++) {
        size_t size = (size_t)bytes_varint(&sizes);
        out[i] = (block_bytes){frame->newborns.bytes + at, size};
        at += size;
    }
    assert(!sizes.expected && at == frame->newborns.size);
}
