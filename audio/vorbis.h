/* Ogg Vorbis files as they really are: a start that is not zero, holes, lying lengths, links. Frames here count from
 * the first one that can be heard, at the file's own rate. Private to audio/. */
#ifndef EDDY_AUDIO_VORBIS_H
#define EDDY_AUDIO_VORBIS_H

#include "rewind/rewind.h"

#define VORBIS_MAGIC "OggS"

typedef struct vorbis_facts {
    uint32_t rate;
    uint32_t channels; /**< in the file */
    int64_t start;     /**< what the decoder calls the first frame */
    int64_t frames;    /**< what the decoder says there is; to be believed only if `regular` */
    bool regular;      /**< every page is whole, in order and of one link, so seeks land where they say */
    char oddity[96];   /**< why not regular */
} vorbis_facts;

/** Reads every page head and checksum (about 2 ms a megabyte), decodes nothing. E_IO, E_FORMAT. */
eddy_result vorbis_measure(const char *path, vorbis_facts *out, eddy_error *error);

/** Decodes a file from its first frame to its last, holes filled with silence, into memory for free(); `frames` of
 * pcm_folded channels. Never allocates by what the file claims. E_LIMIT: more than `bytes_max`; E_FORMAT: another
 * rate or channel count in a later link, or no sound at all; E_MEMORY; E_IO. */
eddy_result vorbis_decode(const char *path, const vorbis_facts *facts, size_t bytes_max, const eddy_hooks *hooks,
                          float **samples, int64_t *frames, eddy_error *error);

/** A regular file open for reading from anywhere: 70 to 190 KB inside the decoder, at any length. */
typedef struct vorbis_reader vorbis_reader;
eddy_result vorbis_reader_open(const char *path, const vorbis_facts *facts, vorbis_reader **out, eddy_error *error);
void vorbis_reader_close(vorbis_reader *reader);
/** Fills `count` frames from `first`, all inside the file; what cannot be decoded is silence and makes it return false.
 * Going on where the last read ended needs no seek. */
bool vorbis_reader_read(vorbis_reader *reader, int64_t first, uint32_t count, float *out);

#endif
