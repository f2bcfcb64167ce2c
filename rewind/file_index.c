#include "file_index.h"

#include <inttypes.h>

/* ---- arrays ---- */

void *file_array_push(file_array *array, size_t item_bytes, uint32_t more) {
    size_t used = (size_t)array->count * item_bytes;
    if (more >= FILE_NONE - array->count ||
        !memory_grow(NULL, &array->items, &array->capacity_bytes, used, used + (size_t)more * item_bytes))
        return NULL;
    array->count += more;
    return (char *)array->items + used;
}

void file_array_free(file_array *array) {
    memory_release(NULL, array->items, array->capacity_bytes);
    *array = (file_array){0};
}

const file_stored *file_axis_stored(const file_axis *axis, uint32_t index) {
    return (const file_stored *)axis->stored.items + index;
}

const file_branch *file_axis_branch(const file_axis *axis, uint32_t index) {
    return (const file_branch *)axis->branches.items + index;
}

static file_branch *last_branch(file_axis *axis) {
    return (file_branch *)axis->branches.items + axis->branches.count - 1;
}

/* ---- finding ---- */

uint32_t file_axis_find_branch(const file_axis *axis, uint32_t branch) {
    uint32_t low = 0, high = axis->branches.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file_axis_branch(axis, middle)->info.branch < branch)
            low = middle + 1;
        else
            high = middle;
    }
    return low < axis->branches.count && file_axis_branch(axis, low)->info.branch == branch ? low : FILE_NONE;
}

/* Frames ascend one by one unless some are lost: the direct guess is nearly always right. */
static uint32_t stored_find(const file_axis *axis, const file_branch *branch, uint32_t frame) {
    uint32_t count = branch->stored_count;
    if (count == 0)
        return FILE_NONE;
    const file_stored *stored = file_axis_stored(axis, branch->first_stored);
    if (frame < stored[0].frame)
        return FILE_NONE;
    uint32_t guess = frame - stored[0].frame;
    if (guess < count && stored[guess].frame == frame)
        return branch->first_stored + guess;
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stored[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && stored[low].frame == frame ? branch->first_stored + low : FILE_NONE;
}

uint32_t file_axis_find(const file_axis *axis, uint32_t branch_index, uint32_t frame, uint32_t *holder) {
    while (branch_index != FILE_NONE && frame < file_axis_branch(axis, branch_index)->info.first_frame)
        branch_index = file_axis_branch(axis, branch_index)->parent_index;
    if (branch_index == FILE_NONE)
        return FILE_NONE;
    *holder = branch_index;
    return stored_find(axis, file_axis_branch(axis, branch_index), frame);
}

uint32_t file_axis_line_first(const file_axis *axis, uint32_t branch_index) {
    const file_branch *branch = file_axis_branch(axis, branch_index);
    uint32_t first = file_axis_stored(axis, branch->first_stored)->frame;
    while (branch->parent_index != FILE_NONE) {
        const file_branch *parent = file_axis_branch(axis, branch->parent_index);
        if (parent->stored_count > 0) {
            uint32_t candidate = file_axis_stored(axis, parent->first_stored)->frame;
            if (candidate < branch->info.first_frame && candidate < first)
                first = candidate;
        }
        branch = parent;
    }
    return first;
}

const file_constants *file_axis_find_constants(const file_axis *axis, uint32_t epoch) {
    const file_constants *constants = axis->constants.items;
    for (uint32_t i = axis->constants.count; i-- > 0;)
        if (constants[i].epoch == epoch)
            return &constants[i];
    return NULL;
}

/* ---- building ---- */

typedef struct index_builder {
    file_index *index;
    file_record record; /* the present one */
    bool ended;         /* an END record was met */
    eddy_error head_error;
} index_builder;

/* A record that is whole but says something impossible: a writer's fault, or a forgery. */
static void record_is_wrong(index_builder *builder, uint64_t lost_bytes, const bytes_reader *in) {
    const file_record *record = &builder->record;
    file_damage_add(&builder->index->damage, lost_bytes,
                    "byte %" PRIu64 ": a %s record: expected %s at its byte %zu, found %" PRIu64
                    "; it is not used; try "
                    "another copy of the file",
                    record->offset, file_kind_name(record->kind), in->expected, in->bad_at, in->found);
}

static uint64_t record_bytes(const index_builder *builder) {
    return builder->record.end - builder->record.offset;
}

/* The branch a group belongs to: the last one, or a new one with a greater number. False: out of memory, or `in` is
 * spoiled. */
static bool group_branch(file_axis *axis, const file_group *group, bytes_reader *in) {
    file_branch *last = axis->branches.count ? last_branch(axis) : NULL;
    if (last && last->info.branch == group->branch) {
        bytes_expect(in, group->parent == last->info.parent, "the branch's parent", group->parent);
        bytes_expect(in, group->branch_first == last->info.first_frame, "the branch's first", group->branch_first);
        return bytes_expect(in, group->first_frame > axis->last_frame, "a frame after the last", group->first_frame);
    }
    if (last && !bytes_expect(in, group->branch > last->info.branch, "a newer branch", group->branch))
        return false;
    file_branch *branch = file_array_push(&axis->branches, sizeof *branch, 1);
    if (!branch)
        return false;
    *branch = (file_branch){.info = {.branch = group->branch,
                                     .parent = group->parent,
                                     .first_frame = group->branch_first,
                                     .last_frame = group->branch_first},
                            .parent_index = FILE_NONE,
                            .first_stored = axis->stored.count};
    if (group->parent != FILE_NONE)
        branch->parent_index = file_axis_find_branch(axis, group->parent);
    axis->base = FILE_NONE;
    axis->newborns = 0;
    return true;
}

/* The base that the group's first frame leans on is in force only if it and its side array came through whole. */
static void group_base(file_axis *axis, const file_group *group) {
    bool same = axis->base != FILE_NONE && file_axis_stored(axis, axis->base)->frame == group->base_frame &&
                axis->newborns == group->newborns_before;
    if (!same)
        axis->base = FILE_NONE;
}

/* One frame of a group. False: out of memory. */
static bool frame_index(index_builder *builder, file_axis *axis, const file_group *group, uint32_t number,
                        bytes_reader *in) {
    const uint8_t *start = in->at;
    file_frame frame;
    if (!file_frame_read(in, &frame))
        return true;
    axis->last_frame = number;
    if (frame.is_base) {
        axis->base = axis->stored.count;
        axis->newborns = 0;
    }
    axis->newborns += frame.newborn_count;
    if (axis->base == FILE_NONE) {
        uint64_t lost_bytes = (uint64_t)(in->at - start);
        if (builder->index->damage.count > 0)
            builder->index->damage.lost_bytes += lost_bytes;
        else
            file_damage_add(&builder->index->damage, lost_bytes,
                            "byte %" PRIu64 ": frame %" PRIu32 " of branch %" PRIu32 ": expected its base frame before "
                            "it, found none; later frames can still be read",
                            builder->record.offset, number, group->branch);
        return true;
    }
    file_stored *stored = file_array_push(&axis->stored, sizeof *stored, 1);
    if (!stored)
        return false;
    *stored =
        (file_stored){.offset = builder->record.offset + FILE_HEAD_BYTES + (uint64_t)(start - builder->record.payload),
                      .frame = number,
                      .base = axis->base,
                      .newborns_end = axis->newborns,
                      .epoch = group->epoch};
    file_branch *branch = last_branch(axis);
    branch->stored_count++;
    branch->info.last_frame = number;
    return true;
}

static bool index_frames(index_builder *builder, bytes_reader *in) {
    file_group group;
    if (!file_group_read(in, &group)) {
        record_is_wrong(builder, record_bytes(builder), in);
        return true;
    }
    file_axis *axis = &builder->index->axis[group.axis];
    if (!group_branch(axis, &group, in)) {
        if (!in->expected)
            return false;
        record_is_wrong(builder, record_bytes(builder), in);
        return true;
    }
    group_base(axis, &group);
    size_t left = bytes_left(in);
    for (uint32_t i = 0; i < group.frame_count && !in->expected; i++) {
        left = bytes_left(in);
        if (!frame_index(builder, axis, &group, group.first_frame + i, in))
            return false;
    }
    if (!in->expected)
        left = bytes_left(in);
    if (!bytes_expect(in, left == 0, "no bytes behind the last frame", left)) {
        record_is_wrong(builder, left, in);
    }
    return true;
}

static bool index_constants(index_builder *builder, bytes_reader *in) {
    uint8_t axis_number = file_take_u8_padded(in);
    uint32_t epoch = file_take_u32(in);
    file_axis *axis = NULL;
    if (bytes_expect(in, axis_number < EDDY_AXIS_COUNT, "axis 0 or 1", axis_number)) {
        axis = &builder->index->axis[axis_number];
        const file_constants *all = axis->constants.items;
        bool newer = axis->constants.count == 0 || epoch > all[axis->constants.count - 1].epoch;
        bytes_expect(in, epoch != FILE_NONE && newer, "a newer epoch", epoch);
    }
    if (in->expected) {
        record_is_wrong(builder, record_bytes(builder), in);
        return true;
    }
    file_constants *constants = file_array_push(&axis->constants, sizeof *constants, 1);
    if (constants)
        *constants = (file_constants){.epoch = epoch, .block = {in->at, bytes_left(in)}};
    return constants != NULL;
}

static bool index_note(index_builder *builder, bytes_reader *in) {
    uint64_t tick = file_take_u64(in);
    const char *text = file_take_text(in);
    if (!bytes_expect(in, bytes_left(in) == 0, "no bytes behind the text", bytes_left(in))) {
        record_is_wrong(builder, record_bytes(builder), in);
        return true;
    }
    file_note *note = file_array_push(&builder->index->notes, sizeof *note, 1);
    if (note)
        *note = (file_note){.tick = tick, .text = text};
    return note != NULL;
}

/* The first copy of the head that can be read counts. */
static bool index_head(index_builder *builder) {
    file_index *index = builder->index;
    if (index->has_head)
        return true;
    eddy_result result =
        file_head_read(builder->record.payload, builder->record.payload_bytes, &index->head, &builder->head_error);
    index->has_head = result == EDDY_OK;
    return result != EDDY_E_MEMORY;
}

/* END says what the file should hold. Whoever lost nothing must agree. */
static void index_end(index_builder *builder, bytes_reader *in) {
    file_index *index = builder->index;
    bool whole = index->damage.count == 0;
    uint32_t records = file_take_u32(in);
    bytes_expect(in, records == builder->record.sequence, "the number of records", records);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++) {
        uint64_t frames = file_take_u64(in);
        uint32_t branches = file_take_u32(in);
        bytes_expect(in, !whole || frames == index->axis[i].stored.count, "the number of frames", frames);
        bytes_expect(in, !whole || branches == index->axis[i].branches.count, "the number of branches", branches);
    }
    uint64_t notes = file_take_u64(in);
    bytes_expect(in, !whole || notes == index->notes.count, "the number of notes", notes);
    if (in->expected)
        record_is_wrong(builder, 0, in);
    builder->ended = true;
}

/* One whole record. False: out of memory. */
static bool index_record(index_builder *builder) {
    bytes_reader in = bytes_reader_of(builder->record.payload, builder->record.payload_bytes);
    if (builder->ended) {
        bytes_spoil(&in, "nothing behind the END record", builder->record.kind);
        builder->ended = false;
        record_is_wrong(builder, record_bytes(builder), &in);
        return true;
    }
    switch (builder->record.kind) {
    case FILE_HEAD:
        return index_head(builder);
    case FILE_CONSTANTS:
        return index_constants(builder, &in);
    case FILE_FRAMES:
        return index_frames(builder, &in);
    case FILE_NOTE:
        return index_note(builder, &in);
    case FILE_END:
        index_end(builder, &in);
        return true;
    default:
        return true; /* a later writer's: passed over */
    }
}

/* ---- the prefix ---- */

/* A file that ends before its head is complete, in words. */
static eddy_result fail_short(size_t size, eddy_error *error) {
    if (size == 0)
        return eddy_fail(error, EDDY_E_FORMAT, "is empty: expected an eddy recording; record again");
    return eddy_fail(error, EDDY_E_FORMAT, "is cut at byte %zu, before its head is complete; try another copy", size);
}

/* Is this ours, and of a version we know? A broken prefix before a whole head record is a damage, no more. */
static eddy_result prefix_check(file_index *index, const uint8_t *bytes, size_t size, eddy_error *error) {
    size_t magic = size < FILE_MAGIC_BYTES ? size : FILE_MAGIC_BYTES;
    bool is_magic = memcmp(bytes, file_prefix, magic) == 0;
    if (size < FILE_PREFIX_BYTES)
        return is_magic ? fail_short(size, error)
                        : eddy_fail(error, EDDY_E_FORMAT,
                                    "is not an eddy recording: expected 8e 'EDDY', found %02x "
                                    "and %zu bytes in all",
                                    bytes[0], size);
    if (memcmp(bytes, file_prefix, FILE_PREFIX_BYTES) == 0)
        return EDDY_OK;
    file_record head;
    bool is_head = file_record_at(bytes, size, FILE_PREFIX_BYTES, &head) && head.kind == FILE_HEAD;
    if (is_head && head.payload_bytes > 0 && head.payload[0] <= FILE_VERSION) {
        file_damage_add(&index->damage, FILE_PREFIX_BYTES,
                        "byte 0: the first 16 bytes are not those of an eddy "
                        "recording; the rest can still be read");
        return EDDY_OK;
    }
    uint8_t version = bytes[FILE_MAGIC_BYTES];
    if (is_magic && version > FILE_VERSION)
        return eddy_fail(error, EDDY_E_VERSION,
                         "is made by version %u of the format, this program reads up to %u; use "
                         "a newer eddy",
                         version, FILE_VERSION);
    if (memcmp(bytes, file_prefix, 5) == 0)
        return eddy_fail(error, EDDY_E_FORMAT,
                         "begins like an eddy recording, but its first 16 bytes are broken (line "
                         "ends converted as text?); copy the file again, as binary");
    return eddy_fail(error, EDDY_E_FORMAT,
                     "is not an eddy recording: expected 8e 'EDDY', found %02x %02x %02x %02x "
                     "%02x",
                     bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
}

/* ---- the whole ---- */

static eddy_result fail_head(const index_builder *builder, size_t size, eddy_error *error) {
    if (builder->head_error.code != EDDY_OK) {
        eddy_result code = builder->head_error.code == EDDY_E_VERSION ? EDDY_E_VERSION : EDDY_E_FORMAT;
        return eddy_fail(error, code, "cannot be read: %s", builder->head_error.text);
    }
    if (builder->index->damage.count > 0)
        return eddy_fail(error, EDDY_E_FORMAT, "has lost both copies of its head: %s", builder->index->damage.text);
    return fail_short(size, error);
}

eddy_result file_index_build(file_index *index, const uint8_t *bytes, size_t size, eddy_error *error) {
    *index = (file_index){0};
    if (size == 0)
        return fail_short(size, error);
    eddy_result result = prefix_check(index, bytes, size, error);
    if (result != EDDY_OK)
        return result;
    index_builder builder = {.index = index};
    file_scan scan = {.bytes = bytes, .size = size, .at = FILE_PREFIX_BYTES, .damage = &index->damage};
    while (file_scan_next(&scan, &builder.record))
        if (!index_record(&builder))
            return eddy_fail(error, EDDY_E_MEMORY, "needs more memory for its index than there is");
    if (!index->has_head)
        return fail_head(&builder, size, error);
    index->clean = builder.ended && !scan.cut && index->damage.count == 0;
    return EDDY_OK;
}

void file_index_free(file_index *index) {
    if (index->has_head)
        file_head_free(&index->head);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++) {
        file_array_free(&index->axis[i].stored);
        file_array_free(&index->axis[i].branches);
        file_array_free(&index->axis[i].constants);
    }
    file_array_free(&index->notes);
}
