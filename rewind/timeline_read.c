/* Reading: from the cache, or from two blocks. */
#include "timeline.h"

bool timeline_grow_newborns(eddy_timeline *timeline, uint32_t count) {
    void *newborns = timeline->newborns;
    bool good =
        memory_grow(&timeline->memory.inner, &newborns, &timeline->newborns_capacity, 0, count * sizeof(block_bytes));
    timeline->newborns = newborns;
    return good;
}

/* The side array of a group in one piece, in scratch. */
static bool gather_newborns(eddy_timeline *timeline, const frame_group *group) {
    if (!timeline_grow_newborns(timeline, group->newborn_count)) {
        return false;
    }
    const newborn_piece *piece = group->pieces;
    for (uint32_t i = 0; i < group->newborn_count; i++) {
        uint32_t place = i % LIMIT_PIECE_NEWBORNS;
        piece = i > 0 && place == 0 ? piece->next : piece;
        timeline->newborns[i] = piece->entries[place];
    }
    return true;
}

/* The decoded base of a group. */
static eddy_result find_base(eddy_timeline *timeline, const frame_group *group, cached_base **out, eddy_error *error) {
    cache_key key = {.branch = group->branch, .frame = group->first_frame};
    *out = cache_find_base(&timeline->cache, key);
    if (*out) {
        return EDDY_OK;
    }
    cached_base *base = cache_claim_base(&timeline->cache);
    block_bytes block = {.bytes = group->blocks[0], .size = group->sizes[0]};
    eddy_result result = block_decode_base(timeline->desc.schema, block, &base->buffer, error);
    if (result == EDDY_OK) {
        timeline->blocks_decoded++;
        cache_fill_base(&timeline->cache, base, key);
        *out = base;
    }
    return result;
}

static eddy_result decode_frame(eddy_timeline *timeline, const frame_group *group, uint32_t index,
                                const cached_base *base, frame_buffer *out, eddy_error *error) {
    eddy_view reference = frame_buffer_view(&base->buffer);
    if (index == 0) {
        return frame_buffer_borrow(out, &reference) ? EDDY_OK
                                                    : eddy_fail(error, EDDY_E_MEMORY, "no memory to read a frame into");
    }
    if (!gather_newborns(timeline, group)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the newborns of a frame");
    }
    block_bytes diff = {.bytes = group->blocks[index], .size = group->sizes[index]};
    timeline->blocks_decoded++;
    return block_decode_diff_onto(timeline->desc.schema, &reference, timeline->newborns, group->newborn_count, diff,
                                  out, error);
}

eddy_result eddy_timeline_read(eddy_timeline *timeline, uint32_t frame, eddy_view *out, eddy_error *error) {
    const frame_group *group = timeline_group_of(timeline, frame, error);
    if (!group) {
        return EDDY_E_FRAME;
    }
    timeline->reads++;
    cache_key key = {.branch = group->branch, .frame = frame};
    cached_frame *slot = cache_find_frame(&timeline->cache, key);
    if (slot) {
        timeline->cache_hits++;
        *out = frame_buffer_view(&slot->buffer);
        return EDDY_OK;
    }
    cache_trim(&timeline->cache, timeline->desc.budget_bytes / LIMIT_CACHE_SHARE, 1);
    cached_base *base;
    eddy_result result = find_base(timeline, group, &base, error);
    if (result != EDDY_OK) {
        return result;
    }
    slot = cache_claim_frame(&timeline->cache);
    result = decode_frame(timeline, group, frame - group->first_frame, base, &slot->buffer, error);
    if (result == EDDY_OK) {
        cache_fill_frame(&timeline->cache, slot, key, base);
        *out = frame_buffer_view(&slot->buffer);
    }
    return result;
}
