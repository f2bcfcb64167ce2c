#include "heap.h"

/* ---- where they come from ---- */

#define SLAB_HEAPS 32u

typedef struct heap_slab {
    struct heap_slab *next;
    frame_heap heaps[SLAB_HEAPS];
} heap_slab;

static void free_push(heap_store *store, frame_heap *heap) {
    heap->next_free = store->free_first;
    store->free_first = heap;
}

static bool add_slab(heap_store *store) {
    heap_slab *slab = memory_reserve(store->hooks, sizeof *slab);
    if (!slab) {
        return false;
    }
    slab->next = store->slabs;
    store->slabs = slab;
    for (uint32_t i = SLAB_HEAPS; i-- > 0;) {
        free_push(store, &slab->heaps[i]);
    }
    return true;
}

void heap_store_free(heap_store *store) {
    while (store->slabs) {
        heap_slab *slab = store->slabs;
        store->slabs = slab->next;
        memory_release(store->hooks, slab, sizeof *slab);
    }
    store->free_first = NULL;
}

frame_heap *heap_create(heap_store *store) {
    if (!store->free_first && !add_slab(store)) {
        return NULL;
    }
    frame_heap *heap = store->free_first;
    store->free_first = heap->next_free;
    uint64_t serial = ++store->serials;
    *heap = (frame_heap){.serial = serial, .age = serial};
    return heap;
}

static void destroy(heap_store *store, frame_heap *heap) {
    pool_cut(&heap->bases, store->hooks, (pool_mark){0});
    pool_cut(&heap->diffs, store->hooks, (pool_mark){0});
    memory_release(store->hooks, heap->groups, heap->groups_capacity);
    memory_release(store->hooks, heap->sealed.bytes, heap->sealed.size);
    free_push(store, heap);
}

void heap_discard(heap_store *store, frame_heap *heap) {
    if (heap) {
        destroy(store, heap);
    }
}

void heap_leave(heap_store *store, frame_heap *heap) {
    if (--heap->users > 0) {
        return;
    }
    if (heap->jobs > 0) {
        store->doomed_bytes += heap_owned_bytes(heap);
    } else {
        destroy(store, heap);
    }
}

void heap_end_job(heap_store *store, frame_heap *heap) {
    if (--heap->jobs == 0 && heap->users == 0) {
        store->doomed_bytes -= heap_owned_bytes(heap);
        destroy(store, heap);
    }
}

/* ---- finding ---- */

uint32_t heap_find_group(const frame_heap *heap, uint32_t frame) {
    uint32_t low = 0, high = heap->group_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (heap->groups[middle]->first_frame <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- cutting ---- */

heap_marks heap_marks_after(const frame_heap *heap, uint32_t last_frame) {
    uint32_t index = heap_find_group(heap, last_frame);
    const frame_group *group = heap->groups[index];
    heap_marks marks = {.bases = pool_mark_behind(&heap->bases, group->blocks[0], group->sizes[0])};
    /* The last diff of the heap: the frame itself, or, when it is a base, the last frame of a group before. */
    uint32_t last = last_frame - group->first_frame;
    while (last == 0 && index > 0) {
        group = heap->groups[--index];
        last = group->frame_count - 1;
    }
    if (last > 0) {
        marks.diffs = pool_mark_behind(&heap->diffs, group->blocks[last], group->sizes[last]);
    }
    return marks;
}

size_t heap_bytes_before(const frame_heap *heap, heap_marks marks) {
    return pool_bytes_before(&heap->bases, marks.bases) + pool_bytes_before(&heap->diffs, marks.diffs);
}

/* Newborns of frames after `last_frame` leave the side array; their bytes go with the pool. */
static void cut_newborns(frame_group *group, uint32_t last_frame) {
    size_t bytes = 0;
    uint32_t count = 0;
    newborn_piece *last = NULL;
    for (newborn_piece *piece = group->pieces; piece && count < group->newborn_count; piece = piece->next) {
        for (uint32_t i = 0; i < LIMIT_PIECE_NEWBORNS && count < group->newborn_count; i++) {
            if (piece->born[i] > last_frame) {
                group->newborn_count = count;
                break;
            }
            bytes += piece->entries[i].size;
            count++;
            last = piece;
        }
    }
    group->newborn_bytes = bytes;
    group->last_piece = last;
    if (last) {
        last->next = NULL;
    } else {
        group->pieces = NULL;
    }
}

void heap_cut_after(frame_heap *heap, const eddy_hooks *hooks, uint32_t last_frame) {
    heap_marks marks = heap_marks_after(heap, last_frame);
    uint32_t index = heap_find_group(heap, last_frame);
    frame_group *group = heap->groups[index];
    heap->group_count = index + 1;
    for (; group_last_frame(group) > last_frame; group->frame_count--) {
        group->diff_bytes -= group->sizes[group->frame_count - 1];
    }
    cut_newborns(group, last_frame);
    pool_cut(&heap->bases, hooks, marks.bases);
    pool_cut(&heap->diffs, hooks, marks.diffs);
}

/* ---- reading ---- */

static bool gather_newborns(const frame_group *group, newborn_scratch *scratch, const eddy_hooks *hooks) {
    void *entries = scratch->entries;
    bool good =
        memory_grow(hooks, &entries, &scratch->capacity_bytes, 0, group->newborn_count * sizeof *scratch->entries);
    scratch->entries = entries;
    const newborn_piece *piece = group->pieces;
    for (uint32_t i = 0; good && i < group->newborn_count; i++) {
        uint32_t place = i % LIMIT_PIECE_NEWBORNS;
        piece = i > 0 && place == 0 ? piece->next : piece;
        scratch->entries[i] = piece->entries[place];
    }
    return good;
}

eddy_result group_decode(const eddy_schema *schema, const frame_group *group, uint32_t index, const eddy_view *base,
                         newborn_scratch *scratch, const eddy_hooks *hooks, frame_buffer *out, eddy_error *error) {
    if (index == 0) {
        return frame_buffer_borrow(out, base) ? EDDY_OK
                                              : eddy_fail(error, EDDY_E_MEMORY, "no memory to read a frame into");
    }
    if (!gather_newborns(group, scratch, hooks)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the newborns of a frame");
    }
    block_bytes diff = {.bytes = group->blocks[index], .size = group->sizes[index]};
    return block_decode_diff_onto(schema, base, scratch->entries, group->newborn_count, diff, out, error);
}
