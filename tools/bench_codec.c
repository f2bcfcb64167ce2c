#include "bench_codec.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

bool codec_tools_begin(codec_tools *tools, size_t image_bytes) {
    *tools = (codec_tools){.image_bytes = image_bytes,
                           .scratch = calloc(image_bytes / 8 + 1, sizeof(uint64_t)),
                           .lz4_state = malloc((size_t)LZ4_sizeofState()),
                           .zstd_in = ZSTD_createCCtx(),
                           .zstd_out = ZSTD_createDCtx()};
    return tools->scratch && tools->lz4_state && tools->zstd_in && tools->zstd_out;
}

void codec_tools_free(codec_tools *tools) {
    free(tools->scratch);
    free(tools->lz4_state);
    ZSTD_freeCCtx(tools->zstd_in);
    ZSTD_freeDCtx(tools->zstd_out);
    *tools = (codec_tools){0};
}

/* ---- word-diff16: the old 16-bit words wherever the image has changed ---- */

/* An entry is runs of `u16 skip, u16 length, length old words`; a run of length 0 only skips, and one that skips
 * nothing either is the end. A run goes on over single words that are the same, for a head costs two words. */

static uint16_t load_word(const uint8_t *image, size_t word) {
    uint16_t value;
    memcpy(&value, image + 2 * word, sizeof value);
    return value;
}

static uint32_t load_pair(const uint8_t *image, size_t word) {
    uint32_t value;
    memcpy(&value, image + 2 * word, sizeof value);
    return value;
}

static uint8_t *put_head(uint8_t *out, size_t skip, size_t length) {
    const uint16_t head[2] = {(uint16_t)skip, (uint16_t)length};
    memcpy(out, head, sizeof head);
    return out + sizeof head;
}

/** The 64 bytes at both places are the same. */
static bool same_line(const uint8_t *a, const uint8_t *b) {
    uint64_t x[8], y[8], differ = 0;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int i = 0; i < 8; i++)
        differ |= x[i] ^ y[i];
    return differ == 0;
}

/** The first word from `word` on that differs, or `words`. */
static size_t find_change(const uint8_t *a, const uint8_t *b, size_t word, size_t words) {
    while (word + 32 <= words && same_line(a + 2 * word, b + 2 * word))
        word += 32;
    while (word + 2 <= words && load_pair(a, word) == load_pair(b, word))
        word += 2;
    while (word < words && load_word(a, word) == load_word(b, word))
        word++;
    return word;
}

/** The first word from `word` on that begins two of the same, or `words`. */
static size_t find_same(const uint8_t *a, const uint8_t *b, size_t word, size_t words) {
    while (word + 2 <= words && load_pair(a, word) != load_pair(b, word))
        word++;
    return word + 2 <= words ? word : words;
}

static size_t words_bound(size_t image_bytes) {
    return 3 * image_bytes + 64; /* a head a word */
}

static size_t words_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    const size_t words = tools->image_bytes / 2;
    uint8_t *at = out;
    for (size_t done = 0, word = 0; (word = find_change(before, now, word, words)) < words;) {
        for (; word - done > UINT16_MAX; done += UINT16_MAX)
            at = put_head(at, UINT16_MAX, 0);
        const size_t end = find_same(before, now, word, words);
        const size_t length = end - word > UINT16_MAX ? UINT16_MAX : end - word;
        at = put_head(at, word - done, length);
        memcpy(at, before + 2 * word, 2 * length);
        at += 2 * length;
        done = word += length;
    }
    return (size_t)(put_head(at, 0, 0) - out);
}

static bool words_back(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image) {
    const size_t words = tools->image_bytes / 2;
    size_t word = 0;
    for (const uint8_t *at = entry; (size_t)(at - entry) + 4 <= bytes;) {
        const size_t skip = load_word(at, 0), length = load_word(at, 1);
        if (skip == 0 && length == 0)
            return true;
        word += skip;
        if (word + length > words)
            return false;
        memcpy(image + 2 * word, at + 4, 2 * length);
        word += length;
        at += 4 + 2 * length;
    }
    return false;
}

/* ---- xor-*: the difference to the frame before, packed ---- */

static void xor_into(const uint8_t *a, const uint8_t *b, size_t bytes, uint64_t *out) {
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t x, y;
        memcpy(&x, a + 8 * i, sizeof x);
        memcpy(&y, b + 8 * i, sizeof y);
        out[i] = x ^ y;
    }
}

static void xor_image(uint8_t *image, const uint64_t *with, size_t bytes) {
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t x;
        memcpy(&x, image + 8 * i, sizeof x);
        x ^= with[i];
        memcpy(image + 8 * i, &x, sizeof x);
    }
}

static size_t zstd_pack(codec_tools *tools, const void *image, int level, uint8_t *out) {
    const size_t bytes = ZSTD_compressCCtx(tools->zstd_in, out, ZSTD_compressBound(tools->image_bytes), image,
                                           tools->image_bytes, level);
    return ZSTD_isError(bytes) ? 0 : bytes;
}

static bool zstd_unpack(codec_tools *tools, const uint8_t *entry, size_t bytes, void *image) {
    return ZSTD_decompressDCtx(tools->zstd_out, image, tools->image_bytes, entry, bytes) == tools->image_bytes;
}

static size_t zstd_bound(size_t image_bytes) {
    return ZSTD_compressBound(image_bytes);
}

static size_t xor_zstd_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    xor_into(before, now, tools->image_bytes, tools->scratch);
    return zstd_pack(tools, tools->scratch, 1, out);
}

static bool xor_zstd_back(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image) {
    if (!zstd_unpack(tools, entry, bytes, tools->scratch))
        return false;
    xor_image(image, tools->scratch, tools->image_bytes);
    return true;
}

static size_t lz4_bound(size_t image_bytes) {
    return (size_t)LZ4_compressBound((int)image_bytes);
}

static size_t xor_lz4_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    const int bytes = (int)tools->image_bytes;
    xor_into(before, now, tools->image_bytes, tools->scratch);
    return (size_t)LZ4_compress_fast_extState(tools->lz4_state, (const char *)tools->scratch, (char *)out, bytes,
                                              LZ4_compressBound(bytes), 1);
}

static bool xor_lz4_back(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image) {
    const int whole = (int)tools->image_bytes;
    if (LZ4_decompress_safe((const char *)entry, (char *)tools->scratch, (int)bytes, whole) != whole)
        return false;
    xor_image(image, tools->scratch, tools->image_bytes);
    return true;
}

/* ---- full-*: every frame whole ---- */

static size_t copy_bound(size_t image_bytes) {
    return image_bytes;
}

static size_t copy_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    (void)before;
    memcpy(out, now, tools->image_bytes);
    return tools->image_bytes;
}

static bool copy_back(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image) {
    memcpy(image, entry, bytes);
    return bytes == tools->image_bytes;
}

static size_t full_zstd_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    (void)before;
    return zstd_pack(tools, now, 3, out);
}

static bool full_zstd_back(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image) {
    return zstd_unpack(tools, entry, bytes, image);
}

/* ---- memcmp: looks whether anything has changed, to the last byte ---- */

/** memcmp may stop at the first difference, so the rest is looked at too. */
static size_t compare_record(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out) {
    enum { PIECE = 4096 };
    size_t differ = 0;
    (void)out;
    for (size_t at = 0; at < tools->image_bytes; at += PIECE) {
        const size_t rest = tools->image_bytes - at;
        differ += memcmp(before + at, now + at, rest < PIECE ? rest : PIECE) != 0;
    }
    return 1 + differ;
}

static const bench_codec codecs[BENCH_SCHEMES] = {
    /* two links of eight bytes; the others keep a length */
    [BENCH_WORD_DIFF16] = {true, true, 16, words_bound, words_record, words_back},
    [BENCH_XOR_ZSTD1] = {true, true, 4, zstd_bound, xor_zstd_record, xor_zstd_back},
    [BENCH_XOR_LZ4] = {true, true, 4, lz4_bound, xor_lz4_record, xor_lz4_back},
    [BENCH_FULL_COPY] = {true, false, 4, copy_bound, copy_record, copy_back},
    [BENCH_FULL_ZSTD3] = {true, false, 4, zstd_bound, full_zstd_record, full_zstd_back},
    [BENCH_MEMCMP] = {false, true, 0, copy_bound, compare_record, NULL},
};

const bench_codec *bench_codec_of(uint32_t scheme) {
    return codecs[scheme].record ? &codecs[scheme] : NULL;
}
