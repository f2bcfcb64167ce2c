/* A trace: the plainest form of a recording, schema.json and frames.bin (README.md), which any program can write or
 * read. */
#ifndef EDDY_TOOLS_TRACE_H
#define EDDY_TOOLS_TRACE_H

#include <jansson.h>

#include "rewind/rewind.h"

#define TRACE_VERSION 1                           /**< "eddy_trace" */
#define TRACE_TYPE_BYTES_MAX (1u << 20)           /**< of one struct */
#define TRACE_FRAME_BYTES_MAX ((size_t)256 << 20) /**< of the structs of one frame, each a multiple of 8 bytes */
#define TRACE_SCHEMA_BYTES_MAX ((size_t)64 << 20) /**< of schema.json */
#define TRACE_STRUCT_ALIGN ((size_t)8)

/** A rational number of frames a second. */
typedef struct trace_rate {
    uint32_t num, den;
} trace_rate;

/* ---- values: trace_value.c ---- */

/** 60, 62.5, "60000/1001" or [60000, 1001], in lowest terms. False: it is none of these, or does not fit 32 bits. */
bool trace_rate_read(const json_t *value, trace_rate *out);
/** A whole number, a number of few digits, or [num, den]. */
json_t *trace_rate_json(trace_rate rate);
/** A number, or its text: "inf", "-inf", "nan", digits. */
bool trace_real_read(const json_t *value, double *out);
/** Fills the bytes of a field, `count` elements, from its default in schema.json; a NULL `value` is zero. Returns NULL,
 * or what was expected. */
const char *trace_default_read(const eddy_field *field, const json_t *value, uint8_t *out);
/** A default that trace_default_read makes into the same bits. */
json_t *trace_default_json(const eddy_field *field, const uint8_t *bytes);

/* ---- schema.json: trace_schema.c, trace_schema_write.c ---- */

/** What schema.json says. Its texts lie in `document`. */
typedef struct trace_schema {
    eddy_schema schema;
    trace_rate rate;
    json_t *document;
} trace_schema;

/** Reads schema.json; "-" is stdin. Every error names the file, the type and the field. Freed by trace_schema_free,
 * also after an error. */
eddy_result trace_schema_load(const char *path, trace_schema *out, eddy_error *error);
void trace_schema_free(trace_schema *schema);
/** The whole of schema.json. E_FORMAT: a name is not UTF-8, which JSON cannot hold. The caller drops the reference. */
eddy_result trace_schema_json(const eddy_schema *schema, trace_rate rate, json_t **out, eddy_error *error);

/* ---- frames.bin: trace_frames.c ---- */

typedef struct trace_frames trace_frames;

/** Opens frames.bin; "-" is stdin. E_IO, E_MEMORY. */
eddy_result trace_frames_open(const char *path, const eddy_schema *schema, trace_frames **out, eddy_error *error);
void trace_frames_close(trace_frames *frames);
/** The next frame, or `*is_end`. Its structs are borrowed, as packed as they are in the file, until the next read.
 * Counts, ids, types and lengths are checked; values are not. E_FORMAT names the file, frame and byte; E_IO, also when
 * interrupted. Memory: the largest frame and a mebibyte. */
eddy_result trace_frames_read(trace_frames *frames, eddy_view *out, bool *is_end, eddy_error *error);
/** The error of a frame that was just read and that the recorder refused with `cause`: with the frame, and the byte of
 * the first value that is not allowed. */
eddy_result trace_frames_refuse(const trace_frames *frames, const eddy_error *cause, eddy_error *error);
/** Bytes read so far, to the end of the last frame. */
uint64_t trace_frames_bytes(const trace_frames *frames);

/** A frame as frames.bin holds it, handed on in pieces to `put`. */
void trace_frame_write(const eddy_schema *schema, const eddy_view *view,
                       void (*put)(void *user, const void *bytes, size_t size), void *user);

/* ---- trace.c ---- */

/** A line of progress on stderr when that is a terminal, a few times a second; `total` 0: unknown. */
void trace_progress(const char *doing, uint64_t frames, uint64_t total);
/** Wipes it away. */
void trace_progress_end(void);

#endif
