#include "file_session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_path(char *out, size_t out_bytes, const char *name) {
    snprintf(out, out_bytes, "%s.%ld.eddy", name, (long)getpid());
}

static void session_log(void *user, const char *line) {
    file_session *session = user;
    session->logged++;
    snprintf(session->last_line, sizeof session->last_line, "%s", line);
}

/* ---- the model ---- */

static void remember(file_session *session, eddy_axis axis) {
    if (session->recorded_count == session->recorded_capacity) {
        session->recorded_capacity = session->recorded_capacity ? session->recorded_capacity * 2 : 256;
        session->recorded = realloc(session->recorded, session->recorded_capacity * sizeof *session->recorded);
        MUST(session->recorded, "no memory");
    }
    eddy_kept kept = eddy_timeline_kept(session->timeline[axis]);
    file_recorded *recorded = &session->recorded[session->recorded_count++];
    *recorded = (file_recorded){.axis = axis, .branch = kept.branch, .frame = kept.last_frame};
    eddy_error error = {0};
    MUST(eddy_timeline_frame(session->timeline[axis], kept.last_frame, NULL, &recorded->hash, &error) == EDDY_OK, "%s",
         error.text);
    if (axis == EDDY_AXIS_WORLD) {
        file_world_view look;
        uint64_t hash = eddy_view_hash(file_world_schema(), file_world_look(&session->world, &look));
        MUST(hash == recorded->hash, "frame %u: the timeline's hash is not the world's", recorded->frame);
        recorded->world = session->world;
    }
}

const file_recorded *file_session_find(const file_session *session, eddy_axis axis, uint32_t branch, uint32_t frame) {
    for (uint32_t i = session->recorded_count; i-- > 0;) {
        const file_recorded *recorded = &session->recorded[i];
        if (recorded->axis == axis && recorded->branch == branch && recorded->frame == frame)
            return recorded;
    }
    return NULL;
}

/* ---- recording ---- */

static void record_world(file_session *session) {
    eddy_error error = {0};
    file_world_view look;
    const eddy_view *view = file_world_look(&session->world, &look);
    MUST(eddy_timeline_append(session->timeline[EDDY_AXIS_WORLD], view, &error) == EDDY_OK, "%s", error.text);
    remember(session, EDDY_AXIS_WORLD);
}

static void record_tick(file_session *session, eddy_tick_mode mode) {
    if (!session->timeline[EDDY_AXIS_TICKS])
        return;
    eddy_kept kept = eddy_timeline_kept(session->timeline[EDDY_AXIS_WORLD]);
    eddy_journal journal = {.branch = kept.branch,
                            .frame = kept.last_frame,
                            .buttons = session->tick / 7 % 4,
                            .speed = 1,
                            .mode = (uint16_t)mode};
    eddy_entity entity = {.id = EDDY_JOURNAL_ID, .type = FILE_TYPE_JOURNAL, .data = &journal};
    eddy_error error = {0};
    MUST(eddy_timeline_append(session->timeline[EDDY_AXIS_TICKS], &(eddy_view){&entity, 1}, &error) == EDDY_OK, "%s",
         error.text);
    session->tick++;
    remember(session, EDDY_AXIS_TICKS);
}

static void make_timeline(file_session *session, const file_session_desc *desc, eddy_axis axis) {
    eddy_timeline_desc made = {
        .schema = file_world_schema(), .base_interval = desc->base_interval, .heap_frames = desc->heap_frames};
    eddy_error error = {0};
    MUST(eddy_timeline_create(&made, &session->timeline[axis], &error) == EDDY_OK, "%s", error.text);
    MUST(eddy_writer_attach(session->writer, axis, session->timeline[axis], &error) == EDDY_OK, "%s", error.text);
}

void file_session_begin(file_session *session, const file_session_desc *desc) {
    memset(session, 0, sizeof *session);
    file_path(session->path, sizeof session->path, desc->name);
    eddy_error error = {0};
    eddy_writer_desc writer = {.path = session->path,
                               .schema = file_world_schema(),
                               .title = "Test Pond",
                               .program = "test 1",
                               .flush_frames = desc->flush_frames,
                               .hooks = {.log = session_log, .user = session}};
    MUST(eddy_writer_create(&writer, &session->writer, &error) == EDDY_OK, "%s", error.text);
    make_timeline(session, desc, EDDY_AXIS_WORLD);
    if (!desc->no_ticks)
        make_timeline(session, desc, EDDY_AXIS_TICKS);
    file_world_begin(&session->world, desc->seed, desc->drifters ? desc->drifters : 5);
    record_world(session);
    record_tick(session, EDDY_TICK_PLAY);
}

void file_session_play(file_session *session, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        file_world_step(&session->world);
        record_world(session);
        record_tick(session, EDDY_TICK_PLAY);
    }
}

void file_session_stand(file_session *session, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        record_tick(session, EDDY_TICK_STOPPED);
}

void file_session_resume(file_session *session, uint32_t frame) {
    eddy_timeline *timeline = session->timeline[EDDY_AXIS_WORLD];
    eddy_error error = {0};
    uint32_t branch;
    MUST(eddy_timeline_frame(timeline, frame, &branch, NULL, &error) == EDDY_OK, "%s", error.text);
    const file_recorded *recorded = file_session_find(session, EDDY_AXIS_WORLD, branch, frame);
    MUST(recorded, "frame %u is not in the model", frame);
    MUST(eddy_timeline_resume(timeline, frame, &error) == EDDY_OK, "%s", error.text);
    uint32_t random = session->world.random + 1; /* another future */
    session->world = recorded->world;
    session->world.random = random;
}

void file_session_restart(file_session *session, uint32_t seed) {
    eddy_timeline_restart(session->timeline[EDDY_AXIS_WORLD]);
    file_world_begin(&session->world, seed, 5);
    record_world(session);
    record_tick(session, EDDY_TICK_RESTART);
}

eddy_result file_session_close(file_session *session, eddy_error *error) {
    eddy_result result = eddy_writer_close(session->writer, error);
    session->writer = NULL;
    return result;
}

void file_session_end(file_session *session) {
    eddy_writer_close(session->writer, NULL);
    for (int i = 0; i < EDDY_AXIS_COUNT; i++)
        eddy_timeline_destroy(session->timeline[i]);
    free(session->recorded);
    unlink(session->path);
    memset(session, 0, sizeof *session);
}

/* ---- reading ---- */

eddy_reader *file_open(const char *path) {
    eddy_reader *reader = NULL;
    eddy_error error = {0};
    eddy_result result = eddy_reader_open(path, &reader, &error);
    MUST(result == EDDY_OK, "%s", error.text);
    MUST(reader, "%s: no reader", path);
    return reader;
}

static void compare_frame(eddy_reader *reader, const file_recorded *recorded, const char *what) {
    eddy_error error = {0};
    eddy_view view;
    eddy_result result = eddy_reader_read(reader, recorded->axis, recorded->branch, recorded->frame, &view, &error);
    MUST(result == EDDY_OK, "%s: axis %d branch %u frame %u: %s", what, recorded->axis, recorded->branch,
         recorded->frame, error.text);
    uint64_t hash = eddy_view_hash(file_world_schema(), &view);
    MUST(hash == recorded->hash, "%s: axis %d branch %u frame %u: hash %016llx, recorded %016llx", what, recorded->axis,
         recorded->branch, recorded->frame, (unsigned long long)hash, (unsigned long long)recorded->hash);
}

uint32_t file_session_compare(const file_session *session, eddy_reader *reader, const char *what) {
    const eddy_session_info *info = eddy_reader_info(reader);
    uint32_t offered = 0;
    for (uint32_t i = 0; i < session->recorded_count; i++) {
        const file_recorded *recorded = &session->recorded[i];
        uint64_t hash;
        uint32_t holder;
        eddy_result result =
            eddy_reader_frame(reader, recorded->axis, recorded->branch, recorded->frame, &holder, &hash, NULL);
        if (result == EDDY_E_FRAME)
            continue;
        MUST(result == EDDY_OK, "%s: result %d", what, result);
        MUST(holder == recorded->branch && hash == recorded->hash, "%s: branch %u frame %u offered wrongly", what,
             recorded->branch, recorded->frame);
        compare_frame(reader, recorded, what);
        offered++;
    }
    uint64_t stored = info->axis[EDDY_AXIS_WORLD].frames + info->axis[EDDY_AXIS_TICKS].frames;
    MUST(stored == offered, "%s: %llu frames stored, %u of the session's offered", what, (unsigned long long)stored,
         offered);
    return offered;
}

uint8_t *file_load(const char *path, size_t *size) {
    int fd = open(path, O_RDONLY);
    MUST(fd >= 0, "%s: cannot be opened", path);
    struct stat status;
    MUST(fstat(fd, &status) == 0, "%s: no status", path);
    *size = (size_t)status.st_size;
    uint8_t *bytes = malloc(*size + 1);
    MUST(bytes, "no memory");
    MUST(read(fd, bytes, *size) == (ssize_t)*size, "%s: cannot be read", path);
    close(fd);
    return bytes;
}

void file_store(const char *path, const void *bytes, size_t size) {
    /* Not emptied first: some file systems then bring what follows to the disk when the file is closed. */
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    MUST(fd >= 0, "%s: cannot be opened", path);
    MUST(size == 0 || write(fd, bytes, size) == (ssize_t)size, "%s: cannot be written", path);
    MUST(ftruncate(fd, (off_t)size) == 0, "%s: cannot be cut", path);
    close(fd);
}
