/* Small sound files and material for the tests of audio/, made on the spot. */
#ifndef EDDY_TESTS_AUDIO_FILES_H
#define EDDY_TESTS_AUDIO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A folder of its own for a suite; the path of `name` in it, valid until the next eight calls. */
void files_setup(void);
void files_teardown(void);
const char *files_path(const char *name);

/** Whole periods of a sine in `frames` frames, each channel `periods`, `periods + 3`, ... of them. For free(). */
float *material_sine(size_t frames, uint32_t channels, uint32_t periods, float level);
/** Noise, each channel its own. For free(). */
float *material_noise(size_t frames, uint32_t channels, float level, uint32_t seed);

void file_write(const char *path, const void *bytes, size_t size);
uint8_t *file_read(const char *path, size_t *size);
/** A WAV of 32-bit floats. */
void file_write_wav(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples);
/** An Ogg Vorbis file of one link. */
void file_write_ogg(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples,
                    int serial);
/** The same with the first sound on the last page of the head, as old encoders wrote it: decoders lose that page's
 * sound, and the first frame that can be heard is not number 0. */
void file_write_ogg_loose(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples);

/** Ogg pages in a buffer: the offset of page `index` and its size, or 0 bytes past the last. */
size_t ogg_page_find(const uint8_t *bytes, size_t size, uint32_t index, size_t *page_bytes);
uint32_t ogg_page_total(const uint8_t *bytes, size_t size);
/** Changes a page's position and makes its checksum right again. */
void ogg_page_set_granule(uint8_t *page, size_t page_bytes, int64_t granule);
/** Makes every page's checksum right, so that damage gets through to the decoder. */
void ogg_pages_repair(uint8_t *bytes, size_t size);
int64_t ogg_page_granule(const uint8_t *page);

#endif
