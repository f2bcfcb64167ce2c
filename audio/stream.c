#include "stream.h"

#include "pcm.h"

#include <stdlib.h>
#include <string.h>

/* Two blocks: the one being read and the one it was entered from, in either direction. */
#define BLOCKS 2
#ifdef EDDY_TINY
#define BLOCKS_A_SECOND 50
#else
#define BLOCKS_A_SECOND 4
#endif
/* The rate of a file is foreign: a block never gets larger than a quarter second at 48 kHz. */
#define BLOCK_FRAMES_MAX 12000

typedef struct stream_block {
    int64_t index; /* -1: nothing in it */
    uint64_t used; /* when, in reads */
    float *samples;
} stream_block;

struct audio_stream {
    vorbis_reader *reader;
    int64_t frames;
    uint32_t channels, block_frames;
    stream_block blocks[BLOCKS];
    uint64_t reads, decoded;
    bool damaged;
};

eddy_result stream_open(const char *path, const vorbis_facts *facts, audio_stream **out, eddy_error *error) {
    audio_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for a stream", path);
    stream->frames = facts->frames;
    stream->channels = pcm_folded(facts->channels);
    stream->block_frames = facts->rate / BLOCKS_A_SECOND;
    if (stream->block_frames > BLOCK_FRAMES_MAX)
        stream->block_frames = BLOCK_FRAMES_MAX;
    if (stream->block_frames == 0)
        stream->block_frames = 1;
    eddy_result result = vorbis_reader_open(path, facts, &stream->reader, error);
    for (int i = 0; result == EDDY_OK && i < BLOCKS; i++) {
        stream->blocks[i].index = -1;
        stream->blocks[i].samples = malloc((size_t)stream->block_frames * stream->channels * sizeof(float));
        if (!stream->blocks[i].samples)
            result = eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for a stream", path);
    }
    if (result != EDDY_OK) {
        stream_close(stream);
        return result;
    }
    *out = stream;
    return EDDY_OK;
}

void stream_close(audio_stream *stream) {
    if (!stream)
        return;
    for (int i = 0; i < BLOCKS; i++)
        free(stream->blocks[i].samples);
    vorbis_reader_close(stream->reader);
    free(stream);
}

/* The samples of a block, decoded over the one that was not used for longest. */
static const float *block_samples(audio_stream *stream, int64_t index) {
    stream_block *oldest = &stream->blocks[0];
    stream->reads++;
    for (int i = 0; i < BLOCKS; i++) {
        stream_block *block = &stream->blocks[i];
        if (block->index == index) {
            block->used = stream->reads;
            return block->samples;
        }
        if (block->used < oldest->used)
            oldest = block;
    }
    int64_t first = index * stream->block_frames, left = stream->frames - first;
    uint32_t count = left < stream->block_frames ? (uint32_t)left : stream->block_frames;
    if (!vorbis_reader_read(stream->reader, first, count, oldest->samples))
        stream->damaged = true;
    stream->decoded++;
    oldest->index = index;
    oldest->used = stream->reads;
    return oldest->samples;
}

void stream_read(audio_stream *stream, int64_t first, uint32_t count, float *out) {
    while (count > 0) {
        int64_t index = first / stream->block_frames;
        uint32_t inside = (uint32_t)(first % stream->block_frames);
        uint32_t run = stream->block_frames - inside < count ? stream->block_frames - inside : count;
        const float *samples = block_samples(stream, index);
        memcpy(out, samples + (size_t)inside * stream->channels, (size_t)run * stream->channels * sizeof *out);
        out += (size_t)run * stream->channels;
        first += run;
        count -= run;
    }
}

size_t stream_bytes(const audio_stream *stream) {
    return sizeof *stream + (size_t)BLOCKS * stream->block_frames * stream->channels * sizeof(float);
}

uint64_t stream_blocks_decoded(const audio_stream *stream) {
    return stream->decoded;
}

bool stream_damaged(const audio_stream *stream) {
    return stream->damaged;
}
