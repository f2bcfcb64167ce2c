/* The tiles of a layer or chunk: arrays, base64, zlib, gzip, zstd. */
#include "tiled_reader.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/** 0..63, or -1 for a character that is none. */
static int base64_value(char character) {
    if (character >= 'A' && character <= 'Z') {
        return character - 'A';
    }
    if (character >= 'a' && character <= 'z') {
        return character - 'a' + 26;
    }
    if (character >= '0' && character <= '9') {
        return character - '0' + 52;
    }
    return character == '+' ? 62 : character == '/' ? 63 : -1;
}

/** Decodes into `out` (3/4 of `length` and 3 more are enough). White space and padding are passed over. Returns the
 * bytes written, or SIZE_MAX with the place of a character that does not belong there. */
static size_t base64_decode(const char *text, size_t length, unsigned char *out, size_t *bad) {
    size_t written = 0;
    uint32_t bits = 0, bit_count = 0;
    for (size_t i = 0; i < length; i++) {
        if (memchr(" \t\r\n=", text[i], 5)) {
            continue;
        }
        int value = base64_value(text[i]);
        if (value < 0) {
            *bad = i;
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)value;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            out[written++] = (unsigned char)(bits >> bit_count);
        }
    }
    return written;
}

/** What unpacking came to; more than `wanted` means that it was stopped there. */
typedef struct unpacked {
    size_t bytes;
    const char *trouble; /**< NULL: none */
} unpacked;

/** zlib and gzip look alike but for their heads, which zlib tells apart. Never writes past `wanted` + 1 bytes. */
static unpacked unpack_zlib(const unsigned char *from, size_t from_bytes, unsigned char *to, size_t wanted) {
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)from,
                       .avail_in = (uInt)from_bytes,
                       .next_out = to,
                       .avail_out = (uInt)(wanted + 1)};
    if (inflateInit2(&stream, MAX_WBITS + 32) != Z_OK) {
        return (unpacked){.trouble = "no memory to unpack"};
    }
    int status = inflate(&stream, Z_FINISH);
    unpacked result = {.bytes = wanted + 1 - stream.avail_out};
    if (status != Z_STREAM_END && stream.avail_out > 0) {
        result.trouble = status == Z_BUF_ERROR ? "it ends too early" : stream.msg ? stream.msg : "it is damaged";
    }
    inflateEnd(&stream);
    return result;
}

static unpacked unpack_zstd(const unsigned char *from, size_t from_bytes, unsigned char *to, size_t wanted) {
    size_t bytes = ZSTD_decompress(to, wanted + 1, from, from_bytes);
    if (!ZSTD_isError(bytes)) {
        return (unpacked){.bytes = bytes};
    }
    bool too_long = ZSTD_getErrorCode(bytes) == ZSTD_error_dstSize_tooSmall;
    return (unpacked){.bytes = wanted + 1, .trouble = too_long ? NULL : ZSTD_getErrorName(bytes)};
}

static bool unpack(tiled_reader *reader, const char *compression, const unsigned char *from, size_t from_bytes,
                   unsigned char *to, size_t wanted) {
    unpacked result = {.bytes = from_bytes};
    if (strcmp(compression, "zlib") == 0 || strcmp(compression, "gzip") == 0) {
        result = unpack_zlib(from, from_bytes, to, wanted);
    } else if (strcmp(compression, "zstd") == 0) {
        result = unpack_zstd(from, from_bytes, to, wanted);
    } else if (compression[0]) {
        return tiled_fail(reader, EDDY_E_FORMAT,
                          "compression: expected zlib, gzip, zstd or none, found \"%.20s\"; set it in the map's "
                          "properties and save again",
                          compression);
    } else if (from_bytes == wanted) {
        memcpy(to, from, wanted);
    }
    if (result.trouble) {
        return tiled_fail(reader, EDDY_E_FORMAT, "the %s data cannot be unpacked: %s; save the map from Tiled again",
                          compression, result.trouble);
    }
    if (result.bytes != wanted) {
        return tiled_fail(reader, EDDY_E_FORMAT,
                          "expected %zu bytes (4 a tile), found %s%zu; save the map from Tiled again", wanted,
                          result.bytes > wanted && compression[0] ? "at least " : "", result.bytes);
    }
    return true;
}

static bool read_base64(tiled_reader *reader, const json_t *data, const char *compression, size_t count,
                        unsigned char *cells) {
    const char *text = json_string_value(data);
    size_t length = json_string_length(data), bad = 0;
    unsigned char *packed = malloc(length / 4 * 3 + 3);
    if (!packed) {
        return tiled_fail(reader, EDDY_E_MEMORY, "no memory for %zu bytes", length / 4 * 3 + 3);
    }
    size_t bytes = base64_decode(text, length, packed, &bad);
    bool good = bytes != SIZE_MAX
                    ? unpack(reader, compression, packed, bytes, cells, count * 4)
                    : tiled_fail(reader, EDDY_E_FORMAT,
                                 "data: expected base64, found character 0x%02x at %zu; save the map from Tiled again",
                                 (unsigned char)text[bad], bad);
    free(packed);
    return good;
}

/** Numbers from -2^31 (some programs write gids signed) to 2^32 - 1. */
static bool read_array(tiled_reader *reader, const json_t *data, size_t count, uint32_t *cells) {
    if (json_array_size(data) != count) {
        return tiled_fail(reader, EDDY_E_FORMAT, "expected %zu tiles, found %zu; save the map from Tiled again", count,
                          json_array_size(data));
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(data, i);
        double number = json_number_value(value);
        if (!json_is_number(value) || number != floor(number) || number < INT32_MIN || number > UINT32_MAX) {
            return tiled_fail(reader, EDDY_E_FORMAT, "data[%zu]: expected a tile number, found %s", i,
                              json_is_number(value) ? "one that does not fit" : tiled_json_kind(value));
        }
        cells[i] = (uint32_t)(int64_t)number;
    }
    return true;
}

bool tiled_read_data(tiled_reader *reader, const json_t *data, const char *encoding, const char *compression,
                     uint32_t width, uint32_t height, uint32_t *cells, uint32_t stride) {
    size_t count = (size_t)width * height;
    if (!json_is_array(data) && !json_is_string(data)) {
        return tiled_fail(reader, EDDY_E_FORMAT, "data: expected an array or base64 text, found %s",
                          tiled_json_kind(data));
    }
    if (json_is_string(data) && strcmp(encoding, "base64") != 0) {
        return tiled_fail(reader, EDDY_E_FORMAT, "encoding: expected base64 for data that is text, found \"%.20s\"",
                          encoding);
    }
    /* One tile of room past the end, so that too long a stream is seen as such and not taken for a broken one. */
    uint32_t *read = malloc((count + 1) * sizeof *read);
    if (!read) {
        return tiled_fail(reader, EDDY_E_MEMORY, "no memory for %zu tiles", count);
    }
    bool good = json_is_array(data) ? read_array(reader, data, count, read)
                                    : read_base64(reader, data, compression, count, (unsigned char *)read);
    for (size_t row = 0; good && row < height && width > 0; row++) {
        memcpy(cells + row * stride, read + row * width, width * sizeof *cells);
    }
    free(read);
    return good;
}
