/* The baselines: how others keep what a program's memory was a frame ago. Written from their description. */
#ifndef EDDY_TOOLS_BENCH_CODEC_H
#define EDDY_TOOLS_BENCH_CODEC_H

#include <zstd.h>

#include "rewind/rewind.h"

/** What a codec works with; made once for a scene. */
typedef struct codec_tools {
    size_t image_bytes; /**< a multiple of 8 */
    uint64_t *scratch;  /**< as large as an image */
    void *lz4_state;
    ZSTD_CCtx *zstd_in;
    ZSTD_DCtx *zstd_out;
} codec_tools;

bool codec_tools_begin(codec_tools *tools, size_t image_bytes);
void codec_tools_free(codec_tools *tools);

typedef struct bench_codec {
    bool stores;          /**< else it only looks */
    bool pops;            /**< knows only the way to the frame before; else any frame by itself */
    uint32_t frame_bytes; /**< that a frame takes beside what `record` writes: links, or a length */
    size_t (*bound)(size_t image_bytes);
    /** Writes an entry into `out`, which holds `bound`; its bytes, 0 on failure. */
    size_t (*record)(codec_tools *tools, const uint8_t *before, const uint8_t *now, uint8_t *out);
    /** `image` becomes the frame before it (`pops`) or the frame of the entry. False: the entry cannot be read. */
    bool (*back)(codec_tools *tools, const uint8_t *entry, size_t bytes, uint8_t *image);
} bench_codec;

/** By the scheme's index; NULL: not a baseline. */
const bench_codec *bench_codec_of(uint32_t scheme);

#endif
