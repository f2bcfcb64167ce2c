/* The HEAD record: who recorded, at what rate, and the whole schema, so that a file opens with no code of the game.
 *
 *   version u8, zero u8 x 3, rate_num u32, rate_den u32, flush_frames u32, title text, program text,
 *   type_count u32, types
 *   type:  name text, size u32, defaults `size` bytes, field_count u32, fields
 *   field: name text, kind u8, count u32, offset u32, min f64, max f64, unit text, name_count u32, names text x n,
 *          integrates text
 *
 * An empty unit or integrates is none. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_HEAD_H
#define EDDY_REWIND_FILE_HEAD_H

#include "file_bytes.h"

typedef struct file_head {
    uint32_t version;
    uint32_t rate_num, rate_den, flush_frames;
    const char *title, *program;
    eddy_schema schema;
} file_head;

void file_head_put(bytes_writer *out, const file_head *head);

/** Reads a payload. Texts point into it; the rest is allocated (file_head_free), never more than a small multiple of
 * the payload. E_FORMAT, E_VERSION or E_SCHEMA says what is wrong; E_MEMORY. On an error `out` is zero. */
eddy_result file_head_read(const uint8_t *payload, size_t payload_bytes, file_head *out, eddy_error *error);
void file_head_free(file_head *head);

#endif
