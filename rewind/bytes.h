/* Cursors over bytes with a sticky error: the first fault is remembered, later reads give zero, one check at the end.
 * Varints are LEB128: seven bits a byte, low first, at most ten bytes. Hosts are little-endian (asserted here). */
#ifndef EDDY_REWIND_BYTES_H
#define EDDY_REWIND_BYTES_H

#include "memory.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recorded bytes are little-endian, and so must be the host");

#define BYTES_VARINT_MAX 10

/* ---- reading ---- */

typedef struct bytes_reader {
    const uint8_t *start, *at, *end;
    const char *expected; /**< NULL until something is wrong: what should have been there */
    uint64_t found;
    size_t bad_at; /**< offset of the fault */
} bytes_reader;

static inline bytes_reader bytes_reader_of(const uint8_t *bytes, size_t size) {
    return (bytes_reader){.start = bytes, .at = bytes, .end = bytes + size};
}

static inline size_t bytes_left(const bytes_reader *reader) {
    return (size_t)(reader->end - reader->at);
}

/** Notes the first fault and uses up the rest, so that loops end. Returns false. */
static inline bool bytes_spoil(bytes_reader *reader, const char *expected, uint64_t found) {
    if (!reader->expected) {
        reader->expected = expected;
        reader->found = found;
        reader->bad_at = (size_t)(reader->at - reader->start);
    }
    reader->at = reader->end;
    return false;
}

/** Spoils the reader unless `good`. Returns whether all is well so far. */
static inline bool bytes_expect(bytes_reader *reader, bool good, const char *expected, uint64_t found) {
    return good && !reader->expected ? true : bytes_spoil(reader, expected, found);
}

/** The next `size` bytes, or NULL. */
static inline const uint8_t *bytes_take(bytes_reader *reader, size_t size) {
    if (!bytes_expect(reader, bytes_left(reader) >= size, "more bytes", bytes_left(reader))) {
        return NULL;
    }
    const uint8_t *taken = reader->at;
    reader->at += size;
    return taken;
}

static inline uint64_t bytes_varint(bytes_reader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return value;
        }
    }
    bytes_spoil(reader, "a whole number", 0);
    return 0;
}

/* ---- writing ---- */

/** Grows as needed; after a failed growth nothing more is written and `failed` stays. */
typedef struct bytes_writer {
    uint8_t *bytes;
    size_t size, capacity;
    const eddy_hooks *hooks;
    bool failed;
} bytes_writer;

/** Where `bytes` may be written without a further check, or NULL. Follow with bytes_advance. */
static inline uint8_t *bytes_room(bytes_writer *writer, size_t bytes) {
    if (!writer->bytes || writer->capacity - writer->size < bytes) {
        void *grown = writer->bytes;
        size_t need = writer->size + (bytes > 0 ? bytes : 1); /* nowhere is no place, even for nothing */
        if (!memory_grow(writer->hooks, &grown, &writer->capacity, writer->size, need)) {
            writer->failed = true;
            return NULL;
        }
        writer->bytes = grown;
    }
    return writer->bytes + writer->size;
}

/** Ends a write begun with bytes_room: `end` is behind the last byte written. */
static inline void bytes_advance(bytes_writer *writer, const uint8_t *end) {
    writer->size = (size_t)(end - writer->bytes);
}

static inline uint8_t *bytes_put_varint(uint8_t *at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline void bytes_write_varint(bytes_writer *writer, uint64_t value) {
    uint8_t *at = bytes_room(writer, BYTES_VARINT_MAX);
    if (at) {
        bytes_advance(writer, bytes_put_varint(at, value));
    }
}

static inline void bytes_write(bytes_writer *writer, const void *data, size_t size) {
    uint8_t *at = bytes_room(writer, size);
    if (at && size > 0) {
        memcpy(at, data, size);
        writer->size += size;
    }
}

static inline void bytes_writer_free(bytes_writer *writer) {
    memory_release(writer->hooks, writer->bytes, writer->capacity);
    writer->bytes = NULL;
    writer->size = writer->capacity = 0;
}

#endif
