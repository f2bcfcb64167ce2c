#define XXH_INLINE_ALL
#include "seal_head.h"

#include <xxhash.h>

uint64_t seal_checksum(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

static seal_head head_of(sealed_bytes sealed) {
    seal_head head;
    memcpy(&head, sealed.bytes, sizeof head);
    return head;
}

bool seal_head_read(sealed_bytes sealed, seal_head *out) {
    if (!sealed.bytes || sealed.size < SEAL_HEAD_BYTES) {
        return false;
    }
    *out = head_of(sealed);
    size_t checked = sizeof out->checksum;
    return out->checksum == seal_checksum(sealed.bytes + checked, sealed.size - checked) && out->frame_count > 0 &&
           out->frame_count <= SEAL_FRAMES_MAX && out->first_frame <= UINT32_MAX - out->frame_count &&
           out->branch_pieces > 0 && out->branch_pieces <= out->frame_count && out->blocks_at <= sealed.size &&
           SEAL_HEAD_BYTES + (uint64_t)out->branch_pieces * sizeof(seal_branch_piece) <= out->blocks_at;
}

seal_directory seal_directory_begin(sealed_bytes sealed) {
    seal_head head = head_of(sealed);
    size_t at = SEAL_HEAD_BYTES + head.branch_pieces * sizeof(seal_branch_piece);
    seal_directory directory = {.reader = bytes_reader_of(sealed.bytes + at, head.blocks_at - at)};
    bytes_reader *reader = &directory.reader;
    directory.block_count = bytes_varint(reader);
    bytes_expect(reader, directory.block_count > 0 && directory.block_count <= bytes_left(reader), "a number of blocks",
                 directory.block_count);
    directory.blocks = *reader;
    for (uint64_t i = 0; i < directory.block_count && !reader->expected; i++) {
        bytes_varint(reader);
        bytes_varint(reader);
    }
    directory.store_bytes = bytes_varint(reader);
    directory.column_count = bytes_varint(reader);
    directory.entry_count = bytes_varint(reader);
    bytes_expect(reader, directory.entry_count <= bytes_left(reader), "a number of sections", directory.entry_count);
    return directory;
}

seal_block seal_directory_next_block(seal_directory *directory) {
    seal_block block;
    block.raw_bytes = bytes_varint(&directory->blocks);
    block.packed_bytes = bytes_varint(&directory->blocks);
    return block;
}

seal_entry seal_directory_next(seal_directory *directory) {
    bytes_reader *reader = &directory->reader;
    seal_entry entry;
    entry.type = bytes_varint(reader);
    entry.field = bytes_varint(reader);
    entry.changes = bytes_varint(reader);
    entry.columns = bytes_varint(reader);
    entry.block = bytes_varint(reader);
    entry.bytes = bytes_varint(reader);
    uint64_t needs = bytes_varint(reader);
    entry.need_count = bytes_expect(reader, needs <= SEAL_NEEDS_MAX, "few needs", needs) ? (uint32_t)needs : 0;
    for (uint32_t i = 0; i < entry.need_count; i++) {
        uint64_t need = bytes_varint(reader);
        entry.needs[i] = bytes_expect(reader, need < UINT32_MAX, "a field", need) ? (uint32_t)need : 0;
    }
    return entry;
}

void seal_entry_write(bytes_writer *out, const seal_entry *entry) {
    const uint64_t numbers[] = {entry->type,  entry->field, entry->changes,   entry->columns,
                                entry->block, entry->bytes, entry->need_count};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bytes_write_varint(out, numbers[i]);
    }
    for (uint32_t i = 0; i < entry->need_count; i++) {
        bytes_write_varint(out, entry->needs[i]);
    }
}

/* ---- what is read without unpacking ---- */

uint32_t sealed_last_frame(sealed_bytes sealed) {
    seal_head head = head_of(sealed);
    return head.first_frame + head.frame_count - 1;
}

uint32_t sealed_branch_of(sealed_bytes sealed, uint32_t frame) {
    seal_head head = head_of(sealed);
    uint32_t left = frame - head.first_frame;
    seal_branch_piece piece = {0};
    for (uint32_t i = 0; i < head.branch_pieces; i++) {
        memcpy(&piece, sealed.bytes + SEAL_HEAD_BYTES + i * sizeof piece, sizeof piece);
        if (left < piece.frames) {
            break;
        }
        left -= piece.frames;
    }
    return piece.branch;
}

uint64_t sealed_changes(sealed_bytes sealed, uint16_t type, uint32_t field) {
    seal_directory directory = seal_directory_begin(sealed);
    for (uint64_t i = 0; i < directory.entry_count && !directory.reader.expected; i++) {
        seal_entry entry = seal_directory_next(&directory);
        if (entry.type == type && entry.field == field) {
            return entry.changes;
        }
    }
    return 0;
}
