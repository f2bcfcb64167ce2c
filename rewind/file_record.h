/* The record layer of the session file: what frames every record, and how the next one is found after damage.
 *
 *   file   = prefix (16 bytes), then records to the end
 *   prefix = 8E "EDDY" 0D 0A 1A 0A, version u8, six zero bytes
 *   record = head (32 bytes), payload
 *
 *   head:  0 marker    D9 "rec"
 *          4 kind      u16   file_records.inl
 *          6 flags     u16   zero
 *          8 length    u64   bytes of payload
 *         16 sequence  u32   0, 1, 2 ... in the order of the file
 *         20 check     u32   low half of XXH3-64 of bytes 0..19
 *         24 hash      u64   XXH3-64 of the payload, seeded with bytes 16..23 as a u64
 *
 * The head carries its own check, so a length can be trusted before the payload is, a cut file can be told from a
 * broken one, and finding the next record costs one pass. Private to rewind/. */
#ifndef EDDY_REWIND_FILE_RECORD_H
#define EDDY_REWIND_FILE_RECORD_H

#include "file_bytes.h"

#define FILE_VERSION 1u
#define FILE_MAGIC_BYTES 9u /**< of the prefix; the version follows */
#define FILE_PREFIX_BYTES 16u
#define FILE_HEAD_BYTES 32u /**< in front of each payload */

typedef enum file_kind {
#define FILE_RECORD(name, number) FILE_##name = (number),
#include "file_records.inl"
#undef FILE_RECORD
} file_kind;

/** "FRAMES" and the like; "unknown" otherwise. */
const char *file_kind_name(uint16_t kind);

extern const uint8_t file_prefix[FILE_PREFIX_BYTES];

/** Appends a whole record to `out`. */
void file_record_put(bytes_writer *out, file_kind kind, uint32_t sequence, const void *payload, size_t payload_bytes);

/** A record in the bytes of a file. */
typedef struct file_record {
    uint16_t kind;
    uint32_t sequence;
    uint64_t offset; /**< of its head in the file */
    const uint8_t *payload;
    size_t payload_bytes;
    uint64_t end; /**< offset behind it */
} file_record;

/** What was found to be broken. */
typedef struct file_damage {
    uint32_t count;
    uint64_t lost_bytes;
    char text[320]; /**< of the first; "" while count is 0 */
} file_damage;

/** Counts a damage; the text of the first is kept. */
void file_damage_add(file_damage *damage, uint64_t lost_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** A walk over the whole records of a file. Start with {bytes, size, .at = FILE_PREFIX_BYTES, .damage = ...}. */
typedef struct file_scan {
    const uint8_t *bytes;
    uint64_t size, at;
    uint64_t next_sequence;
    bool gap; /**< bytes were passed over since the last whole record: a jump of the sequence is explained */
    bool cut; /**< the file ends inside a record (or in never-written zeros) */
    file_damage *damage;
} file_scan;

/** The next whole record: head and payload hash are right, and it follows in sequence. Broken bytes are passed over and
 * counted. False at the end. Each byte is hashed at most once and searched at most once. */
bool file_scan_next(file_scan *scan, file_record *out);

/** Whether a whole record stands at `offset`; its place into `out`. */
bool file_record_at(const uint8_t *bytes, uint64_t size, uint64_t offset, file_record *out);

#endif
