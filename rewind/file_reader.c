/* A session file is read here: mapped, indexed once, frames decoded from two blocks when they are asked for.
 *
 * The size is taken once. A file that shrinks while it is open would fault on access; so the reader holds a shared lock
 * where it can, and a writer refuses to empty a file that is being read. A file that grows is read as it was when it
 * was opened. */
#include "block.h"
#include "file_index.h"
#include "file_system.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last frame of an axis and its base, decoded: stepping decodes one block. */
typedef struct reader_cache {
    frame_buffer base, shown;
    uint32_t base_stored, shown_stored; /* what they hold; FILE_NONE: nothing */
    file_array newborns;                /* block_bytes: the base's side array, as far as it was gathered */
    uint32_t newborns_next;             /* the next of `stored` to gather from */
} reader_cache;

struct eddy_reader {
    int fd;
    char *path;
    const uint8_t *bytes;
    size_t size;
    file_index index;
    eddy_session_info info;
    eddy_branch_info *branches[EDDY_AXIS_COUNT]; /* those that store a frame */
    reader_cache cache[EDDY_AXIS_COUNT];
    frame_buffer constants;
    eddy_axis constants_axis;
    uint32_t constants_epoch; /* what `constants` holds; FILE_NONE: nothing */
};

/* ---- opening ---- */

static eddy_result reader_map(eddy_reader *reader, eddy_error *error) {
    eddy_result result = file_open_shared(reader->path, &reader->fd, &reader->size, error);
    if (result != EDDY_OK)
        return result;
    if (reader->size == 0)
        return EDDY_OK;
    void *bytes = mmap(NULL, reader->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, reader->fd, 0);
    if (bytes == MAP_FAILED) {
        reader->size = 0;
        return file_fail(error, reader->path, "map the recording", errno);
    }
    reader->bytes = bytes;
    return EDDY_OK;
}

/* The public list of an axis's branches. False: out of memory. */
static bool info_branches(eddy_reader *reader, int axis_number) {
    const file_axis *axis = &reader->index.axis[axis_number];
    uint32_t count = 0;
    eddy_branch_info *branches = calloc((size_t)axis->branches.count + 1, sizeof *branches);
    if (!branches)
        return false;
    for (uint32_t i = 0; i < axis->branches.count; i++)
        if (file_axis_branch(axis, i)->stored_count > 0)
            branches[count++] = file_axis_branch(axis, i)->info;
    reader->branches[axis_number] = branches;
    eddy_session_info *info = &reader->info;
    info->axis[axis_number].frames = axis->stored.count;
    info->axis[axis_number].branch_count = count;
    info->axis[axis_number].branches = branches;
    info->axis[axis_number].last_branch = FILE_NONE;
    if (count > 0) {
        const eddy_branch_info *last = &branches[count - 1];
        info->axis[axis_number].last_branch = last->branch;
        info->axis[axis_number].last_frame = last->last_frame;
        info->axis[axis_number].first_frame = file_axis_line_first(axis, file_axis_find_branch(axis, last->branch));
    }
    return true;
}

static bool reader_info(eddy_reader *reader) {
    const file_index *index = &reader->index;
    reader->info = (eddy_session_info){.title = index->head.title,
                                       .program = index->head.program,
                                       .version = index->head.version,
                                       .rate_num = index->head.rate_num,
                                       .rate_den = index->head.rate_den,
                                       .schema = &index->head.schema,
                                       .file_bytes = reader->size,
                                       .note_count = index->notes.count,
                                       .clean = index->clean,
                                       .damage_count = index->damage.count,
                                       .lost_bytes = index->damage.lost_bytes,
                                       .damage_text = index->damage.text};
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        if (!info_branches(reader, i))
            return false;
    return true;
}

static eddy_result reader_build(eddy_reader *reader, eddy_error *error) {
    eddy_result result = reader_map(reader, error);
    if (result != EDDY_OK)
        return result;
    eddy_error cause = {0};
    result = file_index_build(&reader->index, reader->bytes, reader->size, &cause);
    if (result != EDDY_OK)
        return eddy_fail(error, result, "%s: %s", reader->path, cause.text);
    if (!reader_info(reader))
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for its branches", reader->path);
    return EDDY_OK;
}

eddy_result eddy_reader_open(const char *path, eddy_reader **out, eddy_error *error) {
    *out = NULL;
    eddy_reader *reader = calloc(1, sizeof *reader);
    char *path_copy = strdup(path);
    if (!reader || !path_copy) {
        free(reader);
        free(path_copy);
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory to open it", path);
    }
    reader->fd = -1;
    reader->path = path_copy;
    reader->constants_epoch = FILE_NONE;
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        reader->cache[i].base_stored = reader->cache[i].shown_stored = FILE_NONE;
    eddy_result result = reader_build(reader, error);
    if (result != EDDY_OK) {
        eddy_reader_close(reader);
        return result;
    }
    *out = reader;
    return EDDY_OK;
}

void eddy_reader_close(eddy_reader *reader) {
    if (!reader)
        return;
    for (int i = 0; i < EDDY_AXIS_COUNT; i++) {
        reader_cache *cache = &reader->cache[i];
        frame_buffer_free(&cache->base);
        frame_buffer_free(&cache->shown);
        file_array_free(&cache->newborns);
        free(reader->branches[i]);
    }
    frame_buffer_free(&reader->constants);
    file_index_free(&reader->index);
    if (reader->bytes)
        munmap((void *)reader->bytes, reader->size);
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->path);
    free(reader);
}

const eddy_session_info *eddy_reader_info(const eddy_reader *reader) {
    return &reader->info;
}

/* ---- finding a frame ---- */

static eddy_result fail_frame(const eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame,
                              eddy_error *error) {
    const file_axis *indexed = &reader->index.axis[axis];
    const char *name = axis == EDDY_AXIS_WORLD ? "frame" : "tick";
    uint32_t index = file_axis_find_branch(indexed, branch);
    if (index == FILE_NONE || file_axis_branch(indexed, index)->stored_count == 0)
        return eddy_fail(error, EDDY_E_FRAME, "%s: has no %s of branch %" PRIu32 "; the last branch is %" PRId64,
                         reader->path, name, branch,
                         reader->info.axis[axis].branch_count ? (int64_t)reader->info.axis[axis].last_branch : -1);
    uint32_t first = file_axis_line_first(indexed, index);
    uint32_t last = file_axis_branch(indexed, index)->info.last_frame;
    if (frame >= first && frame <= last)
        return eddy_fail(error, EDDY_E_FRAME,
                         "%s: %s %" PRIu32 " of branch %" PRIu32 " is lost to damage; try one "
                         "around it",
                         reader->path, name, frame, branch);
    return eddy_fail(error, EDDY_E_FRAME, "%s: branch %" PRIu32 " has %ss %" PRIu32 " to %" PRIu32 ", not %" PRIu32,
                     reader->path, branch, name, first, last, frame);
}

/* The index in `stored`, or FILE_NONE with the error filled. */
static uint32_t reader_find(const eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame,
                            uint32_t *holder, eddy_error *error) {
    if ((unsigned)axis >= EDDY_AXIS_COUNT) {
        eddy_fail(error, EDDY_E_FRAME, "%s: there is no axis %d", reader->path, (int)axis);
        return FILE_NONE;
    }
    const file_axis *indexed = &reader->index.axis[axis];
    uint32_t held = 0;
    uint32_t found = file_axis_find(indexed, file_axis_find_branch(indexed, branch), frame, &held);
    if (found == FILE_NONE)
        fail_frame(reader, axis, branch, frame, error);
    else
        *holder = file_axis_branch(indexed, held)->info.branch;
    return found;
}

/* A stored frame in the mapped bytes. It was read once to get into the index. */
static file_frame frame_at(const eddy_reader *reader, const file_stored *stored) {
    bytes_reader in = bytes_reader_of(reader->bytes + stored->offset, reader->size - (size_t)stored->offset);
    file_frame frame;
    bool whole = file_frame_read(&in, &frame);
    assert(whole);
    (void)whole;
    return frame;
}

eddy_result eddy_reader_frame(const eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame,
                              uint32_t *holder, uint64_t *hash, eddy_error *error) {
    uint32_t held;
    uint32_t found = reader_find(reader, axis, branch, frame, &held, error);
    if (found == FILE_NONE)
        return EDDY_E_FRAME;
    if (holder)
        *holder = held;
    if (hash)
        *hash = frame_at(reader, file_axis_stored(&reader->index.axis[axis], found)).hash;
    return EDDY_OK;
}

/* ---- decoding ---- */

static eddy_result fail_decode(const eddy_reader *reader, const file_stored *stored, const eddy_error *cause,
                               eddy_error *error) {
    return eddy_fail(error, cause->code, "%s: byte %" PRIu64 ", frame %" PRIu32 ": %s", reader->path, stored->offset,
                     stored->frame, cause->text);
}

static eddy_result cache_base(eddy_reader *reader, eddy_axis axis, uint32_t base, eddy_error *error) {
    reader_cache *cache = &reader->cache[axis];
    if (cache->base_stored == base)
        return EDDY_OK;
    const file_stored *stored = file_axis_stored(&reader->index.axis[axis], base);
    eddy_error cause = {0};
    cache->base_stored = cache->shown_stored = FILE_NONE;
    if (block_decode_base(&reader->index.head.schema, frame_at(reader, stored).block, &cache->base, &cause) != EDDY_OK)
        return fail_decode(reader, stored, &cause, error);
    cache->base_stored = base;
    cache->newborns.count = 0;
    cache->newborns_next = base;
    return EDDY_OK;
}

/* The side array of the cached base, as it was when `stored` was recorded. False: out of memory. */
static bool cache_newborns(eddy_reader *reader, eddy_axis axis, const file_stored *stored) {
    reader_cache *cache = &reader->cache[axis];
    while (cache->newborns.count < stored->newborns_end) {
        file_frame frame = frame_at(reader, file_axis_stored(&reader->index.axis[axis], cache->newborns_next));
        if (frame.newborn_count > 0) {
            block_bytes *entries = file_array_push(&cache->newborns, sizeof *entries, frame.newborn_count);
            if (!entries)
                return false;
            file_frame_newborns(&frame, entries);
        }
        cache->newborns_next++;
    }
    return true;
}

/* Decodes one of `stored`, unless it is what the cache holds. */
static eddy_result reader_decode(eddy_reader *reader, eddy_axis axis, uint32_t index, eddy_view *out,
                                 eddy_error *error) {
    reader_cache *cache = &reader->cache[axis];
    const file_stored *stored = file_axis_stored(&reader->index.axis[axis], index);
    eddy_result result = cache_base(reader, axis, stored->base, error);
    if (result != EDDY_OK)
        return result;
    eddy_view base = frame_buffer_view(&cache->base);
    if (stored->base == index) {
        *out = base;
        return EDDY_OK;
    }
    if (cache->shown_stored != index) {
        cache->shown_stored = FILE_NONE;
        if (!cache_newborns(reader, axis, stored))
            return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for frame %" PRIu32, reader->path, stored->frame);
        eddy_error cause = {0};
        result = block_decode_diff(&reader->index.head.schema, &base, cache->newborns.items, stored->newborns_end,
                                   frame_at(reader, stored).block, &cache->shown, &cause);
        if (result != EDDY_OK)
            return fail_decode(reader, stored, &cause, error);
        cache->shown_stored = index;
    }
    *out = frame_buffer_view(&cache->shown);
    return EDDY_OK;
}

eddy_result eddy_reader_read(eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame, eddy_view *out,
                             eddy_error *error) {
    uint32_t holder;
    *out = (eddy_view){0};
    uint32_t found = reader_find(reader, axis, branch, frame, &holder, error);
    if (found == FILE_NONE)
        return EDDY_E_FRAME;
    return reader_decode(reader, axis, found, out, error);
}

eddy_result eddy_reader_constants(eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame, eddy_view *out,
                                  eddy_error *error) {
    uint32_t holder;
    *out = (eddy_view){0};
    uint32_t found = reader_find(reader, axis, branch, frame, &holder, error);
    if (found == FILE_NONE)
        return EDDY_E_FRAME;
    const file_axis *indexed = &reader->index.axis[axis];
    uint32_t epoch = file_axis_stored(indexed, found)->epoch;
    if (epoch == FILE_NONE)
        return EDDY_OK; /* none were handed over */
    if (reader->constants_epoch != epoch || reader->constants_axis != axis) {
        const file_constants *constants = file_axis_find_constants(indexed, epoch);
        if (!constants)
            return eddy_fail(error, EDDY_E_DAMAGED,
                             "%s: the constants of epoch %" PRIu32 " are lost to damage; the "
                             "frames can still be read",
                             reader->path, epoch);
        eddy_error cause = {0};
        reader->constants_epoch = FILE_NONE;
        eddy_result result =
            block_decode_base(&reader->index.head.schema, constants->block, &reader->constants, &cause);
        if (result != EDDY_OK)
            return eddy_fail(error, result, "%s: the constants of epoch %" PRIu32 ": %s", reader->path, epoch,
                             cause.text);
        reader->constants_epoch = epoch;
        reader->constants_axis = axis;
    }
    *out = frame_buffer_view(&reader->constants);
    return EDDY_OK;
}

eddy_result eddy_reader_note(const eddy_reader *reader, uint32_t index, uint64_t *tick, const char **text,
                             eddy_error *error) {
    if (index >= reader->index.notes.count)
        return eddy_fail(error, EDDY_E_ARGUMENT, "%s: has %" PRIu32 " notes, no number %" PRIu32, reader->path,
                         reader->index.notes.count, index);
    const file_note *note = (const file_note *)reader->index.notes.items + index;
    *tick = note->tick;
    *text = note->text;
    return EDDY_OK;
}

/* ---- verifying ---- */

static eddy_result stored_verify(eddy_reader *reader, eddy_axis axis, uint32_t index, eddy_error *error) {
    const file_stored *stored = file_axis_stored(&reader->index.axis[axis], index);
    eddy_view view;
    eddy_result result = reader_decode(reader, axis, index, &view, error);
    if (result != EDDY_OK)
        return result;
    uint64_t expected = frame_at(reader, stored).hash;
    uint64_t found = eddy_view_hash(&reader->index.head.schema, &view);
    if (expected == found)
        return EDDY_OK;
    return eddy_fail(error, EDDY_E_DAMAGED,
                     "%s: byte %" PRIu64 ", frame %" PRIu32 ": expected hash %016" PRIx64 ", found %016" PRIx64
                     "; record again with this program, and report it",
                     reader->path, stored->offset, stored->frame, expected, found);
}

uint64_t eddy_reader_verify(eddy_reader *reader,
                            void (*bad)(void *user, eddy_axis axis, uint32_t branch, uint32_t frame,
                                        const eddy_error *error),
                            void *user) {
    uint64_t bad_count = 0;
    for (int axis = 0; axis < EDDY_AXIS_COUNT; axis++) {
        const file_axis *indexed = &reader->index.axis[axis];
        for (uint32_t b = 0; b < indexed->branches.count; b++) {
            const file_branch *branch = file_axis_branch(indexed, b);
            for (uint32_t i = 0; i < branch->stored_count; i++) {
                uint32_t index = branch->first_stored + i;
                eddy_error error = {0};
                if (stored_verify(reader, (eddy_axis)axis, index, &error) == EDDY_OK)
                    continue;
                bad_count++;
                if (bad)
                    bad(user, (eddy_axis)axis, branch->info.branch, file_axis_stored(indexed, index)->frame, &error);
            }
        }
    }
    return bad_count;
}
