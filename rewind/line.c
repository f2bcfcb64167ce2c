#include "line.h"

#include <string.h>

void epoch_leave(constants_epoch *epoch, const eddy_hooks *hooks) {
    if (epoch && --epoch->users == 0) {
        frame_buffer_free(&epoch->buffer);
        memory_release(hooks, epoch, sizeof *epoch);
    }
}

/* ---- making ---- */

static bool reserve(const eddy_hooks *hooks, void **items, size_t *capacity_bytes, size_t used, size_t need) {
    return memory_grow(hooks, items, capacity_bytes, used, need);
}

static bool reserve_tables(frame_line *line, const eddy_hooks *hooks, uint32_t parts, uint32_t branches,
                           uint32_t epochs) {
    return reserve(hooks, (void **)&line->parts, &line->parts_capacity, line->part_count * sizeof(line_part),
                   parts * sizeof(line_part)) &&
           reserve(hooks, (void **)&line->branches, &line->branches_capacity, line->branch_count * sizeof(line_branch),
                   branches * sizeof(line_branch)) &&
           reserve(hooks, (void **)&line->epochs, &line->epochs_capacity, line->epoch_count * sizeof(line_epoch),
                   epochs * sizeof(line_epoch));
}

bool line_reserve_next(frame_line *line, const eddy_hooks *hooks) {
    return reserve_tables(line, hooks, line->part_count + 1, line->branch_count + 1, line->epoch_count + 1);
}

bool line_reserve_copy(frame_line *copy, const frame_line *line, const eddy_hooks *hooks) {
    return reserve_tables(copy, hooks, line->part_count + 1, line->branch_count + 1, line->epoch_count + 1);
}

void line_copy(frame_line *copy, const frame_line *line, uint32_t last_frame) {
    for (uint32_t i = 0; i < line->part_count && line->parts[i].first_frame <= last_frame; i++) {
        line_part part = line->parts[i];
        part.last_frame = part.last_frame < last_frame ? part.last_frame : last_frame;
        part.heap->users++;
        copy->parts[copy->part_count++] = part;
    }
    for (uint32_t i = 0; i < line->branch_count && line->branches[i].first_frame <= last_frame; i++) {
        copy->branches[copy->branch_count++] = line->branches[i];
    }
    for (uint32_t i = 0; i < line->epoch_count && line->epochs[i].first_frame <= last_frame; i++) {
        line->epochs[i].epoch->users++;
        copy->epochs[copy->epoch_count++] = line->epochs[i];
    }
}

void line_free(frame_line *line, heap_store *store) {
    line_cut_all(line, store);
    memory_release(store->hooks, line->parts, line->parts_capacity);
    memory_release(store->hooks, line->branches, line->branches_capacity);
    memory_release(store->hooks, line->epochs, line->epochs_capacity);
    *line = (frame_line){0};
}

/* ---- finding ---- */

eddy_kept line_kept(const frame_line *line) {
    if (line->part_count == 0) {
        return (eddy_kept){0};
    }
    uint32_t first = line->parts[0].first_frame, last = line->parts[line->part_count - 1].last_frame;
    return (eddy_kept){.first_frame = first,
                       .last_frame = last,
                       .count = last - first + 1,
                       .branch = line->branches[line->branch_count - 1].branch};
}

uint32_t line_find_part(const frame_line *line, uint32_t frame) {
    uint32_t low = 0, high = line->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (line->parts[middle].first_frame <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t find_branch(const frame_line *line, uint32_t frame) {
    uint32_t low = 0, high = line->branch_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (line->branches[middle].first_frame <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t line_branch_of(const frame_line *line, uint32_t frame) {
    return line->branches[find_branch(line, frame)].branch;
}

bool line_last_frame_of(const frame_line *line, uint32_t branch, uint32_t *last_frame) {
    for (uint32_t i = line->branch_count; i-- > 0;) {
        if (line->branches[i].branch == branch) {
            *last_frame =
                i + 1 < line->branch_count ? line->branches[i + 1].first_frame - 1 : line_kept(line).last_frame;
            return true;
        }
    }
    return false;
}

const constants_epoch *line_epoch_of(const frame_line *line, uint32_t frame) {
    uint32_t index = line->epoch_count - 1;
    while (index > 0 && line->epochs[index].first_frame > frame) {
        index--;
    }
    return line->epochs[index].epoch;
}

uint32_t line_window_of(const frame_line *line, uint32_t index) {
    while (index > 0 && !line->parts[index].begins_window) {
        index--;
    }
    return index;
}

/* ---- growing ---- */

void line_push_part(frame_line *line, frame_heap *heap, uint32_t frame, bool begins_window) {
    heap->users++;
    line->parts[line->part_count++] =
        (line_part){.heap = heap, .first_frame = frame, .last_frame = frame, .begins_window = begins_window};
}

void line_push_branch(frame_line *line, uint32_t branch, uint32_t frame) {
    line->branches[line->branch_count++] = (line_branch){.branch = branch, .first_frame = frame};
}

void line_push_epoch(frame_line *line, constants_epoch *epoch, uint32_t frame) {
    epoch->users++;
    line->epochs[line->epoch_count++] = (line_epoch){.epoch = epoch, .first_frame = frame};
}

/* ---- shrinking ---- */

void line_cut_after(frame_line *line, heap_store *store, uint32_t last_frame) {
    while (line->parts[line->part_count - 1].first_frame > last_frame) {
        heap_leave(store, line->parts[--line->part_count].heap);
    }
    line->parts[line->part_count - 1].last_frame = last_frame;
    while (line->branches[line->branch_count - 1].first_frame > last_frame) {
        line->branch_count--;
    }
    while (line->epochs[line->epoch_count - 1].first_frame > last_frame) {
        epoch_leave(line->epochs[--line->epoch_count].epoch, store->hooks);
    }
}

void line_cut_all(frame_line *line, heap_store *store) {
    while (line->part_count > 0) {
        heap_leave(store, line->parts[--line->part_count].heap);
    }
    while (line->epoch_count > 0) {
        epoch_leave(line->epochs[--line->epoch_count].epoch, store->hooks);
    }
    line->branch_count = 0;
}

/* Branches and epochs that ended before the first frame are of no use; the first ones that are left begin with it. */
static void forget_tables(frame_line *line, heap_store *store) {
    uint32_t first = line->parts[0].first_frame, gone = find_branch(line, first);
    line->branch_count -= gone;
    memmove(line->branches, line->branches + gone, line->branch_count * sizeof(line_branch));
    gone = 0;
    while (gone + 1 < line->epoch_count && line->epochs[gone + 1].first_frame <= first) {
        epoch_leave(line->epochs[gone++].epoch, store->hooks);
    }
    line->epoch_count -= gone;
    memmove(line->epochs, line->epochs + gone, line->epoch_count * sizeof(line_epoch));
}

uint32_t line_forget_first(frame_line *line, heap_store *store) {
    uint32_t frames = line->parts[0].last_frame - line->parts[0].first_frame + 1;
    if (line->part_count == 1) {
        line_cut_all(line, store);
        return frames;
    }
    heap_leave(store, line->parts[0].heap);
    line->part_count--;
    memmove(line->parts, line->parts + 1, line->part_count * sizeof(line_part));
    line->parts[0].begins_window = true;
    forget_tables(line, store);
    return frames;
}

bool line_same_parts(const line_part *a, const line_part *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].heap != b[i].heap || a[i].first_frame != b[i].first_frame || a[i].last_frame != b[i].last_frame) {
            return false;
        }
    }
    return true;
}

bool line_has(const frame_line *line, const line_part *parts, uint32_t part_count, uint32_t *at) {
    *at = line->part_count > 0 ? line_find_part(line, parts[0].first_frame) : 0;
    return *at + part_count <= line->part_count && line_same_parts(line->parts + *at, parts, part_count);
}

void line_replace(frame_line *line, heap_store *store, const line_part *parts, uint32_t part_count, frame_heap *heap) {
    uint32_t at;
    if (!line_has(line, parts, part_count, &at)) {
        return;
    }
    line_part merged = {.heap = heap,
                        .first_frame = parts[0].first_frame,
                        .last_frame = parts[part_count - 1].last_frame,
                        .begins_window = line->parts[at].begins_window};
    heap->users++;
    for (uint32_t i = 0; i < part_count; i++) {
        heap_leave(store, line->parts[at + i].heap);
    }
    line->parts[at] = merged;
    line->part_count -= part_count - 1;
    memmove(line->parts + at + 1, line->parts + at + part_count, (line->part_count - at - 1) * sizeof(line_part));
}
