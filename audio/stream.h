/* A long Vorbis file read from any place in either direction in bounded memory: two blocks of a quarter second each.
 * Private to audio/. */
#ifndef EDDY_AUDIO_STREAM_H
#define EDDY_AUDIO_STREAM_H

#include "vorbis.h"

typedef struct audio_stream audio_stream;

/** Opens the file; decodes nothing yet. E_IO, E_FORMAT, E_MEMORY. */
eddy_result stream_open(const char *path, const vorbis_facts *facts, audio_stream **out, eddy_error *error);
void stream_close(audio_stream *stream);

/** Copies `count` frames from `first`, all inside the file (pcm_folded channels). Decodes a block (0.8 ms for
 * stereo) when it enters one, none while it stays. What cannot be decoded is silence. */
void stream_read(audio_stream *stream, int64_t first, uint32_t count, float *out);

/** Bytes of the blocks; the decoder holds up to 190 KB beside them. */
size_t stream_bytes(const audio_stream *stream);
/** Blocks decoded since it was opened. */
uint64_t stream_blocks_decoded(const audio_stream *stream);
/** Something could not be decoded. */
bool stream_damaged(const audio_stream *stream);

#endif
