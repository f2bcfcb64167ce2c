/* zstd with the recorder's memory. Private to rewind/seal*.c. */
#ifndef EDDY_REWIND_SEAL_ZSTD_H
#define EDDY_REWIND_SEAL_ZSTD_H

#include "bytes.h"

typedef struct seal_packer seal_packer;
typedef struct seal_unpacker seal_unpacker;

/** NULL: no memory. */
seal_packer *seal_packer_create(int level, const eddy_hooks *hooks);
void seal_packer_destroy(seal_packer *packer);
/** Appends one zstd frame that holds `bytes`, with a new block at each of the cuts, which ascend. False: no memory. */
bool seal_packer_pack(seal_packer *packer, const uint8_t *bytes, size_t size, const size_t *cuts, size_t cut_count,
                      bytes_writer *out);

/** NULL: no memory. */
seal_unpacker *seal_unpacker_create(const eddy_hooks *hooks);
void seal_unpacker_destroy(seal_unpacker *unpacker);
/** False: the bytes do not give exactly `size` bytes. */
bool seal_unpacker_unpack(seal_unpacker *unpacker, const uint8_t *packed, size_t packed_size, uint8_t *out,
                          size_t size);

#endif
