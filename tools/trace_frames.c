/* frames.bin is read and written here, one frame in memory at a time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "trace.h"

#define READ_BYTES ((size_t)1 << 20)
enum { COUNT_BYTES = 4, HEAD_BYTES = 8 }; /* of a frame; of an entity: id, type, zero */

struct trace_frames {
    const char *path;
    const eddy_schema *schema;
    int descriptor;
    uint8_t *bytes;
    size_t capacity, begin, end; /**< what was read and not yet used: bytes[begin .. end) */
    uint64_t offset;             /**< in the file, of bytes[begin] */
    uint64_t frame;              /**< the next to read */
    bool is_at_end;              /**< the file has no more than is in `bytes` */
    eddy_view shown;             /**< the frame read last, still in `bytes` before `begin` */
    eddy_entity *entities;
};

/* ---- opening ---- */

eddy_result trace_frames_open(const char *path, const eddy_schema *schema, trace_frames **out, eddy_error *error) {
    *out = NULL;
    const bool is_stdin = strcmp(path, "-") == 0;
    if (is_stdin && isatty(STDIN_FILENO))
        return eddy_fail(error, EDDY_E_ARGUMENT, "frames are not read from a terminal; name a file or pipe them");
    const int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be read: %s; name the trace's frames.bin", path,
                         strerror(errno));
    trace_frames *frames = calloc(1, sizeof *frames);
    eddy_entity *entities = malloc(EDDY_ENTITIES_MAX * sizeof *entities);
    if (!frames || !entities) {
        free(frames);
        free(entities);
        if (!is_stdin)
            close(descriptor);
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory to read it", path);
    }
    *frames = (trace_frames){
        .path = is_stdin ? "stdin" : path, .schema = schema, .descriptor = descriptor, .entities = entities};
    *out = frames;
    return EDDY_OK;
}

void trace_frames_close(trace_frames *frames) {
    if (!frames)
        return;
    if (frames->descriptor != STDIN_FILENO)
        close(frames->descriptor);
    free(frames->bytes);
    free(frames->entities);
    free(frames);
}

uint64_t trace_frames_bytes(const trace_frames *frames) {
    return frames->offset;
}

/* ---- bytes ---- */

/** Room for `need` bytes from `begin` on and for a read of some size; what is used already makes way. */
static eddy_result make_room(trace_frames *frames, size_t need, eddy_error *error) {
    if (frames->capacity - frames->begin >= need && frames->capacity - frames->end >= READ_BYTES / 2)
        return EDDY_OK;
    if (frames->begin > 0) {
        memmove(frames->bytes, frames->bytes + frames->begin, frames->end - frames->begin);
        frames->end -= frames->begin;
        frames->begin = 0;
    }
    if (frames->capacity >= need + READ_BYTES)
        return EDDY_OK;
    const size_t capacity = need + need / 2 + 2 * READ_BYTES;
    uint8_t *larger = realloc(frames->bytes, capacity);
    if (!larger)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: frame %" PRIu64 ": no memory for %zu bytes", frames->path,
                         frames->frame, capacity);
    frames->bytes = larger;
    frames->capacity = capacity;
    return EDDY_OK;
}

/** Reads until `need` bytes are there from `begin` on, or the file ends. May move them. */
static eddy_result fetch(trace_frames *frames, size_t need, eddy_error *error) {
    while (frames->end - frames->begin < need && !frames->is_at_end) {
        const eddy_result result = make_room(frames, need, error);
        if (result != EDDY_OK)
            return result;
        const ssize_t got = read(frames->descriptor, frames->bytes + frames->end, frames->capacity - frames->end);
        if (got > 0)
            frames->end += (size_t)got;
        else if (got == 0)
            frames->is_at_end = true;
        else if (errno != EINTR)
            return eddy_fail(error, EDDY_E_IO, "%s: byte %" PRIu64 ": cannot be read: %s; name the trace's frames.bin",
                             frames->path, frames->offset + (frames->end - frames->begin), strerror(errno));
        else if (tool_interrupted)
            return eddy_fail(error, EDDY_E_IO, "%s: interrupted in frame %" PRIu64, frames->path, frames->frame);
    }
    return EDDY_OK;
}

/** Numbers of the host are little-endian, as the file's. */
static uint32_t take_u32(const trace_frames *frames, size_t at) {
    uint32_t number;
    memcpy(&number, frames->bytes + frames->begin + at, sizeof number);
    return number;
}

static uint16_t take_u16(const trace_frames *frames, size_t at) {
    uint16_t number;
    memcpy(&number, frames->bytes + frames->begin + at, sizeof number);
    return number;
}

/* ---- a frame ---- */

/** "PATH: frame 3, byte 120: expected ..., found ...": byte `at` of the present frame. Returns E_FORMAT. */
static eddy_result fail(const trace_frames *frames, size_t at, eddy_error *error, const char *expected,
                        const char *advice, uint64_t found) {
    return eddy_fail(error, EDDY_E_FORMAT,
                     "%.120s: frame %" PRIu64 ", byte %" PRIu64 ": expected %s, found %" PRIu64 "; %s", frames->path,
                     frames->frame, frames->offset + at, expected, found, advice);
}

static const char is_cut[] = "the trace is cut: make or copy it again";
static const char other_schema[] = "is this the trace's schema.json?";

/** Makes sure of `bytes` bytes at `at` of the present frame. */
static eddy_result need(trace_frames *frames, size_t at, size_t bytes, const char *what, eddy_error *error) {
    const eddy_result result = fetch(frames, at + bytes, error);
    if (result != EDDY_OK)
        return result;
    const size_t there = frames->end - frames->begin;
    return there >= at + bytes
               ? EDDY_OK
               : eddy_fail(error, EDDY_E_FORMAT,
                           "%.120s: frame %" PRIu64 ", byte %" PRIu64
                           ": expected %s, %zu bytes, found the end of the file after %zu; %s",
                           frames->path, frames->frame, frames->offset + at, what, bytes, there - at, is_cut);
}

/** Checks the head of an entity at `at`. */
static eddy_result check_head(const trace_frames *frames, size_t at, eddy_id last_id, eddy_error *error) {
    const eddy_id id = take_u32(frames, at);
    const uint16_t type = take_u16(frames, at + 4), zero = take_u16(frames, at + 6);
    char expected[80];
    if (id == 0)
        return fail(frames, at, error, "an id that is not 0", other_schema, id);
    if (id <= last_id) {
        snprintf(expected, sizeof expected, "an id above %" PRIu32 ", for ids ascend without repeats", last_id);
        return fail(frames, at, error, expected, "sort the frame by id, or is it another schema.json?", id);
    }
    if (type >= frames->schema->type_count) {
        snprintf(expected, sizeof expected, "a type below %" PRIu32 " for entity %" PRIu32, frames->schema->type_count,
                 id);
        return fail(frames, at + 4, error, expected, other_schema, type);
    }
    return zero == 0 ? EDDY_OK : fail(frames, at + 6, error, "0 behind the type", other_schema, zero);
}

/** Checks the frame from `begin` on and brings all of it into memory. */
static eddy_result scan(trace_frames *frames, uint32_t *count, size_t *size, eddy_error *error) {
    eddy_result result = need(frames, 0, COUNT_BYTES, "a number of entities", error);
    if (result != EDDY_OK)
        return result;
    *count = take_u32(frames, 0);
    if (*count > EDDY_ENTITIES_MAX)
        return fail(frames, 0, error, "at most 65535 entities", other_schema, *count);
    size_t at = COUNT_BYTES, state_bytes = 0;
    eddy_id last_id = 0;
    for (uint32_t i = 0; i < *count; i++) {
        result = need(frames, at, HEAD_BYTES, "an entity's id and type", error);
        if (result == EDDY_OK)
            result = check_head(frames, at, last_id, error);
        if (result != EDDY_OK)
            return result;
        const uint32_t bytes = frames->schema->types[take_u16(frames, at + 4)].size;
        last_id = take_u32(frames, at);
        state_bytes += (bytes + TRACE_STRUCT_ALIGN - 1) / TRACE_STRUCT_ALIGN * TRACE_STRUCT_ALIGN;
        if (state_bytes > TRACE_FRAME_BYTES_MAX)
            return fail(frames, at, error, "structs of at most 268435456 bytes in a frame",
                        "leave out what does not change", state_bytes);
        result = need(frames, at + HEAD_BYTES, bytes, "an entity's values", error);
        if (result != EDDY_OK)
            return result;
        at += HEAD_BYTES + bytes;
    }
    *size = at;
    return EDDY_OK;
}

eddy_result trace_frames_read(trace_frames *frames, eddy_view *out, bool *is_end, eddy_error *error) {
    *out = frames->shown = (eddy_view){0};
    *is_end = false;
    eddy_result result = fetch(frames, 1, error);
    if (result != EDDY_OK)
        return result;
    if (frames->end == frames->begin) {
        *is_end = true;
        return EDDY_OK;
    }
    uint32_t count = 0;
    size_t size = 0;
    result = scan(frames, &count, &size, error);
    if (result != EDDY_OK)
        return result;
    for (size_t i = 0, at = COUNT_BYTES; i < count; i++) {
        eddy_entity *entity = &frames->entities[i];
        *entity = (eddy_entity){.id = take_u32(frames, at),
                                .type = take_u16(frames, at + 4),
                                .data = frames->bytes + frames->begin + at + HEAD_BYTES};
        at += HEAD_BYTES + frames->schema->types[entity->type].size;
    }
    frames->begin += size;
    frames->offset += size;
    frames->frame++;
    *out = frames->shown = (eddy_view){.entities = frames->entities, .count = count};
    return EDDY_OK;
}

/* ---- a value that is not allowed ---- */

/** Where in a struct the first such value stands: each element is looked at as a struct of its own. */
static size_t find_bad_value(const eddy_type *type, const uint8_t *data) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const eddy_field *field = &type->fields[i];
        const bool is_str = field->kind == EDDY_STR;
        const uint32_t bytes = eddy_kind_bytes(field->kind) * (is_str ? field->count : 1);
        eddy_field one = *field;
        one.offset = 0;
        one.count = is_str ? field->count : 1;
        const eddy_type alone = {.name = type->name, .size = bytes, .fields = &one, .field_count = 1};
        const eddy_schema schema = {.types = &alone, .type_count = 1};
        for (uint32_t k = 0; k < (is_str ? 1 : field->count); k++) {
            const eddy_entity entity = {.id = 1, .data = data + field->offset + k * bytes};
            if (eddy_view_check(&schema, &(eddy_view){.entities = &entity, .count = 1}, NULL) != EDDY_OK)
                return field->offset + k * bytes;
        }
    }
    return 0;
}

eddy_result trace_frames_refuse(const trace_frames *frames, const eddy_error *cause, eddy_error *error) {
    const uint8_t *frame_end = frames->bytes + frames->begin, *at = NULL;
    for (uint32_t i = 0; i < frames->shown.count && !at; i++) {
        const eddy_view alone = {.entities = &frames->shown.entities[i], .count = 1};
        if (eddy_view_check(frames->schema, &alone, NULL) != EDDY_OK)
            at = (const uint8_t *)alone.entities->data +
                 find_bad_value(&frames->schema->types[alone.entities->type], alone.entities->data);
    }
    if (!at)
        return eddy_fail(error, cause->code, "%.120s: frame %" PRIu64 ": %.240s", frames->path, frames->frame - 1,
                         cause->text);
    return eddy_fail(error, EDDY_E_FORMAT, "%.120s: frame %" PRIu64 ", byte %" PRIu64 ": %.160s; %s", frames->path,
                     frames->frame - 1, frames->offset - (uint64_t)(frame_end - at), cause->text,
                     "is this the trace's schema.json, or its range too small?");
}

/* ---- writing ---- */

void trace_frame_write(const eddy_schema *schema, const eddy_view *view,
                       void (*put)(void *user, const void *bytes, size_t size), void *user) {
    put(user, &view->count, COUNT_BYTES);
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        uint8_t head[HEAD_BYTES] = {0};
        memcpy(head, &entity->id, 4);
        memcpy(head + 4, &entity->type, 2);
        put(user, head, sizeof head);
        put(user, entity->data, schema->types[entity->type].size);
    }
}
