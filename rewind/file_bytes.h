/* What the session file adds to bytes.h: integers of a fixed width and texts. A text is a u32 length, the bytes and a
 * zero byte, so that it can be used where it stands. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_BYTES_H
#define EDDY_REWIND_FILE_BYTES_H

#include "bytes.h"

static inline void file_put_u8(bytes_writer *out, uint8_t value) {
    bytes_write(out, &value, sizeof value);
}

static inline void file_put_u32(bytes_writer *out, uint32_t value) {
    bytes_write(out, &value, sizeof value);
}

static inline void file_put_u64(bytes_writer *out, uint64_t value) {
    bytes_write(out, &value, sizeof value);
}

static inline void file_put_f64(bytes_writer *out, double value) {
    bytes_write(out, &value, sizeof value);
}

/** A byte followed by three zero bytes. */
static inline void file_put_u8_padded(bytes_writer *out, uint8_t value) {
    file_put_u32(out, value);
}

/** NULL is written as "". */
static inline void file_put_text(bytes_writer *out, const char *text) {
    size_t length = text ? strlen(text) : 0;
    if (length >= UINT32_MAX) {
        out->failed = true;
        return;
    }
    file_put_u32(out, (uint32_t)length);
    bytes_write(out, text ? text : "", length + 1);
}

/* Copies the next bytes over `value`, which the caller has zeroed. */
static inline void file_take_copy(bytes_reader *in, void *value, size_t size) {
    const uint8_t *taken = bytes_take(in, size);
    if (taken) {
        memcpy(value, taken, size);
    }
}

static inline uint8_t file_take_u8(bytes_reader *in) {
    uint8_t value = 0;
    file_take_copy(in, &value, sizeof value);
    return value;
}

static inline uint32_t file_take_u32(bytes_reader *in) {
    uint32_t value = 0;
    file_take_copy(in, &value, sizeof value);
    return value;
}

static inline uint64_t file_take_u64(bytes_reader *in) {
    uint64_t value = 0;
    file_take_copy(in, &value, sizeof value);
    return value;
}

static inline double file_take_f64(bytes_reader *in) {
    double value = 0;
    file_take_copy(in, &value, sizeof value);
    return value;
}

/** A byte followed by three zero bytes. */
static inline uint8_t file_take_u8_padded(bytes_reader *in) {
    uint32_t value = file_take_u32(in);
    bytes_expect(in, value <= UINT8_MAX, "a byte and three zero bytes", value);
    return (uint8_t)value;
}

/** In place. Never NULL: "" after a fault. */
static inline const char *file_take_text(bytes_reader *in) {
    size_t length = file_take_u32(in);
    const uint8_t *text = bytes_take(in, length + 1);
    if (text && bytes_expect(in, memchr(text, 0, length + 1) == text + length, "a text that ends in its only zero byte",
                             length)) {
        return (const char *)text;
    }
    return "";
}

/** A u32 count of things that take at least `least_bytes` each; a fault when so many cannot follow. */
static inline uint32_t file_take_count(bytes_reader *in, size_t least_bytes) {
    uint32_t count = file_take_u32(in);
    return bytes_expect(in, count <= bytes_left(in) / least_bytes, "a count of things that fit into the rest", count)
               ? count
               : 0;
}

#endif
