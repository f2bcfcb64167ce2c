/* The session file is written here: frames as they happen, appending only.
 *
 * A timeline's observer hands over each frame. Each axis gathers its frames into a group; a full group, a change of
 * branch or a flush seals it into a record at the end of `out`; a flush writes `out` with one loop of write(). So the
 * file ends with a whole record whenever nothing is inside write(), and a kill costs what was not flushed.
 * The first error is kept: the file goes back to its last whole record, the log is told once, writing stops. */
#include "block.h"
#include "file_frames.h"
#include "file_head.h"
#include "file_record.h"
#include "file_sync.h"
#include "file_system.h"
#include "limits.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_FRAMES 60u
#define SYNC_FRAMES LIMIT_HEAP_FRAMES /* frames of an axis from fsync to fsync */
#ifdef EDDY_TINY
#define FLUSH_BYTES 4096u /* pending bytes that are written without waiting for more frames */
#else
#define FLUSH_BYTES (1u << 20)
#endif

typedef struct writer_axis {
    eddy_writer *writer;
    eddy_axis axis;
    eddy_timeline *timeline; /* observed; NULL: none */
    bytes_writer group;      /* the frames of the open group; empty: none is open */
    uint32_t group_frames;
    uint32_t epoch, branch, branch_first, last_frame;
    uint32_t base_frame, newborns; /* in force after the last frame */
    uint32_t branch_count;
    uint64_t frame_count;
    uint32_t pending, unsynced; /* frames since the last flush, since the last fsync */
} writer_axis;

struct eddy_writer {
    int fd;
    char *path;
    eddy_hooks hooks;
    uint32_t flush_frames;
    uint32_t sequence;
    uint64_t whole_bytes; /* the file's size up to its last whole record */
    uint64_t note_count;
    bytes_writer out; /* whole records, not yet written */
    bytes_writer payload;
    file_sync sync;
    writer_axis axis[EDDY_AXIS_COUNT];
    eddy_error status;
};

/* ---- the first error ---- */

/* Keeps `status`, which has just been filled, gives the file back its last whole record, tells the log. */
static void writer_stop(eddy_writer *writer) {
    assert(writer->status.code != EDDY_OK);
    file_cut(writer->fd, writer->whole_bytes); /* if even that fails, the rest is a cut record */
    bytes_writer_free(&writer->out);
    bytes_writer_free(&writer->payload);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        bytes_writer_free(&writer->axis[i].group);
    if (writer->hooks.log)
        writer->hooks.log(writer->hooks.user, writer->status.text);
}

static bool writer_stopped(const eddy_writer *writer) {
    return writer->status.code != EDDY_OK;
}

static void writer_stop_errno(eddy_writer *writer, const char *doing, int cause) {
    file_fail(&writer->status, writer->path, doing, cause);
    writer_stop(writer);
}

/* After puts: an allocation that failed stops the writer too. */
static bool writer_has_memory(eddy_writer *writer, const bytes_writer *out) {
    if (!out->failed)
        return true;
    eddy_fail(&writer->status, EDDY_E_MEMORY, "%s: no memory for the frames to write; the recording ends here",
              writer->path);
    writer_stop(writer);
    return false;
}

/* ---- records ---- */

/* A whole record into `out`. False: stopped. */
static bool record_put(eddy_writer *writer, file_kind kind, const bytes_writer *payload) {
    if (!writer_has_memory(writer, payload))
        return false;
    file_record_put(&writer->out, kind, writer->sequence, payload->bytes, payload->size);
    writer->sequence++;
    return writer_has_memory(writer, &writer->out);
}

static bytes_writer *payload_begin(eddy_writer *writer) {
    writer->payload.size = 0;
    return &writer->payload;
}

/* Seals the open group of an axis into a record. */
static void group_end(writer_axis *axis) {
    eddy_writer *writer = axis->writer;
    if (axis->group_frames == 0)
        return;
    file_group_set_count(&axis->group, axis->group_frames);
    axis->group_frames = 0;
    if (record_put(writer, FILE_FRAMES, &axis->group))
        axis->group.size = 0;
}

static void writer_synced(eddy_writer *writer, int cause) {
    if (cause && !writer_stopped(writer))
        writer_stop_errno(writer, "bring the recording to the disk", cause);
}

/* Asks for what was written to reach the disk. While the one before is under way, the next flush asks again. */
static void writer_sync(eddy_writer *writer) {
    int cause;
    if (file_sync_start(&writer->sync, writer->fd, &cause))
        for (int i = 0; i < EDDY_AXIS_COUNT; i++)
            writer->axis[i].unsynced = 0;
    writer_synced(writer, cause);
}

/* Writes what `out` holds. */
static void out_write(eddy_writer *writer) {
    if (writer_stopped(writer) || writer->out.size == 0)
        return;
    int cause = file_write(writer->fd, writer->out.bytes, writer->out.size);
    if (cause) {
        writer_stop_errno(writer, "write the recording, which ends here", cause);
        return;
    }
    writer->whole_bytes += writer->out.size;
    writer->out.size = 0;
}

static void writer_flush(eddy_writer *writer) {
    bool sync = false;
    for (int i = 0; i < EDDY_AXIS_COUNT && !writer_stopped(writer); i++) {
        group_end(&writer->axis[i]);
        writer->axis[i].pending = 0;
        sync = sync || writer->axis[i].unsynced >= SYNC_FRAMES;
    }
    out_write(writer);
    if (sync && !writer_stopped(writer))
        writer_sync(writer);
}

/* ---- what a timeline tells ---- */

static void on_constants(void *user, const eddy_view *constants, block_bytes block) {
    writer_axis *axis = user;
    eddy_writer *writer = axis->writer;
    (void)constants;
    if (writer_stopped(writer))
        return;
    group_end(axis);
    if (writer_stopped(writer))
        return;
    axis->epoch++; /* FILE_NONE wraps to 0 */
    bytes_writer *payload = payload_begin(writer);
    file_put_u8_padded(payload, (uint8_t)axis->axis);
    file_put_u32(payload, axis->epoch);
    bytes_write(payload, block.bytes, block.size);
    if (record_put(writer, FILE_CONSTANTS, payload) && writer->out.size >= FLUSH_BYTES)
        writer_flush(writer);
}

static void group_begin(writer_axis *axis, const recorded_frame *frame) {
    assert(axis->group.size == 0);
    file_group group = {.axis = (uint8_t)axis->axis,
                        .epoch = axis->epoch,
                        .branch = frame->branch,
                        .parent = frame->parent,
                        .branch_first = axis->branch_first,
                        .first_frame = frame->frame,
                        .base_frame = frame->is_base ? FILE_NONE : axis->base_frame,
                        .newborns_before = frame->is_base ? 0 : axis->newborns};
    file_group_put(&axis->group, &group);
}

/* Counts a frame into the open group, which it may begin. */
static void group_add(writer_axis *axis, const recorded_frame *frame) {
    if (frame->begins_branch) {
        assert(frame->is_base);
        axis->branch = frame->branch;
        axis->branch_first = frame->frame;
        axis->branch_count++;
    } else {
        assert(axis->frame_count > 0 && frame->branch == axis->branch && frame->frame == axis->last_frame + 1);
    }
    if (axis->group_frames == 0)
        group_begin(axis, frame);
    file_frame_put(&axis->group, frame);
    axis->group_frames++;
    axis->last_frame = frame->frame;
    if (frame->is_base) {
        axis->base_frame = frame->frame;
        axis->newborns = 0;
    }
    axis->newborns += frame->newborn_count;
    axis->frame_count++;
    axis->pending++;
    axis->unsynced++;
}

static void on_frame(void *user, const recorded_frame *frame) {
    writer_axis *axis = user;
    eddy_writer *writer = axis->writer;
    if (!writer_stopped(writer) && frame->begins_branch)
        group_end(axis);
    if (writer_stopped(writer))
        return;
    group_add(axis, frame);
    if (!writer_has_memory(writer, &axis->group))
        return;
    if (axis->pending >= writer->flush_frames || writer->out.size + axis->group.size >= FLUSH_BYTES)
        writer_flush(writer);
}

/* ---- creating ---- */

/* The prefix and the head record, the latter twice: one flipped byte must not take the schema, and so the file. */
static void writer_head(eddy_writer *writer, const eddy_writer_desc *desc) {
    bool has_rate = desc->rate_num && desc->rate_den;
    file_head head = {.version = FILE_VERSION,
                      .rate_num = desc->rate_num ? desc->rate_num : 60,
                      .rate_den = has_rate ? desc->rate_den : 1,
                      .flush_frames = writer->flush_frames,
                      .title = desc->title,
                      .program = desc->program,
                      .schema = *desc->schema};
    bytes_writer *payload = payload_begin(writer);
    file_head_put(payload, &head);
    bytes_write(&writer->out, file_prefix, sizeof file_prefix);
    if (record_put(writer, FILE_HEAD, payload))
        record_put(writer, FILE_HEAD, payload);
    out_write(writer);
}

static eddy_writer *writer_allocate(const eddy_writer_desc *desc) {
    eddy_writer *writer = calloc(1, sizeof *writer);
    char *path = strdup(desc->path);
    if (!writer || !path) {
        free(writer);
        free(path);
        return NULL;
    }
    writer->fd = -1;
    writer->path = path;
    writer->hooks = desc->hooks;
    writer->flush_frames = desc->flush_frames ? desc->flush_frames : FLUSH_FRAMES;
    writer->out.hooks = writer->payload.hooks = &writer->hooks;
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        writer->axis[i] = (writer_axis){.writer = writer,
                                        .axis = (eddy_axis)i,
                                        .epoch = FILE_NONE,
                                        .base_frame = FILE_NONE,
                                        .group = {.hooks = &writer->hooks}};
    return writer;
}

static void writer_free(eddy_writer *writer) {
    if (writer->fd >= 0)
        close(writer->fd);
    bytes_writer_free(&writer->out);
    bytes_writer_free(&writer->payload);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        bytes_writer_free(&writer->axis[i].group);
    free(writer->path);
    free(writer);
}

eddy_result eddy_writer_create(const eddy_writer_desc *desc, eddy_writer **out, eddy_error *error) {
    *out = NULL;
    if (!desc->path || !desc->path[0] || !desc->schema)
        return eddy_fail(error, EDDY_E_ARGUMENT, "a recording needs a path and a schema");
    eddy_result result = eddy_schema_check(desc->schema, error);
    if (result != EDDY_OK)
        return result;
    eddy_writer *writer = writer_allocate(desc);
    if (!writer)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for a recording", desc->path);
    bool created = false;
    result = file_create(desc->path, &writer->fd, &created, error);
    if (result == EDDY_OK) {
        writer_head(writer, desc);
        result = eddy_writer_status(writer, error);
        if (result != EDDY_OK && created)
            unlink(desc->path);
    }
    if (result != EDDY_OK) {
        writer_free(writer);
        return result;
    }
    *out = writer;
    return EDDY_OK;
}

/* ---- using ---- */

eddy_result eddy_writer_attach(eddy_writer *writer, eddy_axis axis, eddy_timeline *timeline, eddy_error *error) {
    if ((unsigned)axis >= EDDY_AXIS_COUNT)
        return eddy_fail(error, EDDY_E_ARGUMENT, "%s: there is no axis %d", writer->path, (int)axis);
    writer_axis *slot = &writer->axis[axis];
    if (slot->timeline || slot->frame_count > 0 || slot->epoch != FILE_NONE)
        return eddy_fail(error, EDDY_E_ARGUMENT,
                         "%s: axis %d of this recording has its timeline already; create "
                         "another recording",
                         writer->path, (int)axis);
    eddy_kept kept = eddy_timeline_kept(timeline);
    if (kept.count > 0)
        return eddy_fail(error, EDDY_E_ARGUMENT,
                         "%s: the timeline holds %" PRIu32 " frames already; attach it before "
                         "its constants and its first frame",
                         writer->path, kept.count);
    slot->timeline = timeline;
    timeline_observe(timeline, &(timeline_observer){.constants = on_constants, .frame = on_frame, .user = slot});
    return EDDY_OK;
}

void eddy_writer_detach(eddy_writer *writer, eddy_timeline *timeline) {
    for (int i = 0; i < EDDY_AXIS_COUNT; i++) {
        if (writer->axis[i].timeline != timeline)
            continue;
        timeline_observe(timeline, NULL);
        writer->axis[i].timeline = NULL;
    }
}

eddy_result eddy_writer_flush(eddy_writer *writer, eddy_error *error) {
    writer_flush(writer);
    return eddy_writer_status(writer, error);
}

eddy_result eddy_writer_note(eddy_writer *writer, const char *text, eddy_error *error) {
    if (writer_stopped(writer))
        return eddy_writer_status(writer, error);
    const writer_axis *ticks = &writer->axis[EDDY_AXIS_TICKS];
    const writer_axis *clock = ticks->timeline || ticks->frame_count ? ticks : &writer->axis[EDDY_AXIS_WORLD];
    bytes_writer *payload = payload_begin(writer);
    file_put_u64(payload, clock->last_frame);
    file_put_text(payload, text);
    if (record_put(writer, FILE_NOTE, payload)) {
        writer->note_count++;
        if (writer->out.size >= FLUSH_BYTES)
            writer_flush(writer);
    }
    return eddy_writer_status(writer, error);
}

eddy_result eddy_writer_status(const eddy_writer *writer, eddy_error *error) {
    if (writer_stopped(writer) && error)
        *error = writer->status;
    return writer->status.code;
}

/* The payload of an END record: what the file should hold, so that a clean close can be told. */
static const bytes_writer *end_payload(eddy_writer *writer) {
    bytes_writer *payload = payload_begin(writer);
    file_put_u32(payload, writer->sequence);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++) {
        file_put_u64(payload, writer->axis[i].frame_count);
        file_put_u32(payload, writer->axis[i].branch_count);
    }
    file_put_u64(payload, writer->note_count);
    return payload;
}

static void writer_end(eddy_writer *writer) {
    writer_flush(writer);
    if (writer_stopped(writer))
        return;
    if (record_put(writer, FILE_END, end_payload(writer)))
        out_write(writer);
    if (!writer_stopped(writer))
        writer_synced(writer, file_sync_now(writer->fd));
}

/* ---- a closed copy ---- */

/* Copies the whole records so far to `to`; 0 or the errno. */
static int copy_whole(const eddy_writer *writer, int to) {
    uint8_t piece[16384];
    int cause = 0;
    for (uint64_t left = writer->whole_bytes; left > 0 && cause == 0;) {
        ssize_t got;
        FILE_UNINTERRUPTED(got, pread(writer->fd, piece, left < sizeof piece ? (size_t)left : sizeof piece,
                                      (off_t)(writer->whole_bytes - left)));
        if (got <= 0)
            cause = got < 0 ? errno : EIO; /* shorter than what was written */
        else
            cause = file_write(to, piece, (size_t)got);
        left -= got > 0 ? (uint64_t)got : 0;
    }
    return cause;
}

/* Fills `to` with the recording and its END, and brings it to the disk; 0 or the errno. */
static int copy_closed(eddy_writer *writer, int to) {
    const bytes_writer *payload = end_payload(writer);
    bytes_writer tail = {.hooks = &writer->hooks};
    if (!payload->failed)
        file_record_put(&tail, FILE_END, writer->sequence, payload->bytes, payload->size);
    int cause = payload->failed || tail.failed ? ENOMEM : copy_whole(writer, to);
    if (cause == 0)
        cause = file_write(to, tail.bytes, tail.size);
    if (cause == 0)
        cause = file_sync_now(to);
    bytes_writer_free(&tail);
    return cause;
}

eddy_result eddy_writer_save(eddy_writer *writer, const char *path, eddy_error *error) {
    eddy_result result = eddy_writer_flush(writer, error);
    if (result != EDDY_OK)
        return result;
    char *beside;
    int to;
    result = file_create_beside(path, writer->fd, &beside, &to, error);
    if (result != EDDY_OK)
        return result;
    int cause = copy_closed(writer, to);
    if (close(to) < 0 && cause == 0)
        cause = errno;
    if (cause == 0 && rename(beside, path) < 0)
        cause = errno;
    if (cause) {
        unlink(beside);
        result = file_fail(error, path, "save the recording", cause);
    }
    free(beside);
    return result;
}

eddy_result eddy_writer_close(eddy_writer *writer, eddy_error *error) {
    if (!writer)
        return EDDY_OK;
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        if (writer->axis[i].timeline)
            eddy_writer_detach(writer, writer->axis[i].timeline);
    if (!writer_stopped(writer))
        writer_end(writer);
    writer_synced(writer, file_sync_wait(&writer->sync));
    int closed = close(writer->fd);
    writer->fd = -1;
    if (closed < 0 && errno != EINTR && !writer_stopped(writer))
        file_fail(&writer->status, writer->path, "finish the recording", errno);
    eddy_result result = eddy_writer_status(writer, error);
    writer_free(writer);
    return result;
}
