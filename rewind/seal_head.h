/* A sealed run as bytes. Numbers are little-endian, or varints where it says so.
 *
 *      0  u64  XXH3 of all that follows
 *      8  u64  XXH3 of the hashes of all frames, 8 bytes each
 *     16  u32  first frame
 *     20  u32  frames, 1 to 65,535
 *     24  u32  pieces of branches
 *     28  u32  where the blocks begin
 *     32       for each piece: u32 branch, u32 frames
 *              directory, varints: number of blocks; for each: bytes raw, bytes packed;
 *              bytes of all columns in memory; number of columns; number of sections; for each, in the order in which
 *              they can be decoded: type, field, changes, columns, block, bytes, number of fields of the same type that
 *              it needs, those fields
 *              the blocks, each one zstd frame. Block 0 is the core (seal_core.h) with the small sections
 * (seal_section.h) behind it; each other block is one section. */
#ifndef EDDY_REWIND_SEAL_HEAD_H
#define EDDY_REWIND_SEAL_HEAD_H

#include "seal_run.h"

#define SEAL_HEAD_BYTES 32u
#define SEAL_NEEDS_MAX 3u

/** What does not vary in length. */
typedef struct seal_head {
    uint64_t checksum, digest;
    uint32_t first_frame, frame_count, branch_pieces, blocks_at;
} seal_head;
_Static_assert(sizeof(seal_head) == SEAL_HEAD_BYTES, "the head is a struct without padding");

typedef struct seal_branch_piece {
    uint32_t branch, frames;
} seal_branch_piece;

/** A section, as the directory names it. */
typedef struct seal_entry {
    uint64_t type, field, changes, columns, block, bytes;
    uint32_t need_count;
    uint32_t needs[SEAL_NEEDS_MAX];
} seal_entry;

typedef struct seal_block {
    uint64_t raw_bytes, packed_bytes;
} seal_block;

/** A walk through the directory. */
typedef struct seal_directory {
    bytes_reader reader; /**< stands before the first entry */
    bytes_reader blocks; /**< stands before the first block's sizes */
    uint64_t block_count, store_bytes, column_count, entry_count;
} seal_directory;

/** Whole and sound? The checksum is looked at, nothing else is trusted. */
bool seal_head_read(sealed_bytes sealed, seal_head *out);
/** Of bytes whose head is sound. A fault spoils `reader`. */
seal_directory seal_directory_begin(sealed_bytes sealed);
seal_block seal_directory_next_block(seal_directory *directory);
seal_entry seal_directory_next(seal_directory *directory);

void seal_entry_write(bytes_writer *out, const seal_entry *entry);
uint64_t seal_checksum(const void *bytes, size_t size);

#endif
