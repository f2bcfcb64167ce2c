#include "file_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

const uint8_t file_prefix[FILE_PREFIX_BYTES] = {0x8e, 'E', 'D', 'D', 'Y', '\r', '\n', 0x1a, '\n', FILE_VERSION};

static const uint8_t record_marker[4] = {0xd9, 'r', 'e', 'c'};

/* Offsets inside a record's head. */
enum { AT_KIND = 4, AT_FLAGS = 6, AT_LENGTH = 8, AT_SEQUENCE = 16, AT_CHECK = 20, AT_HASH = 24 };

const char *file_kind_name(uint16_t kind) {
    switch (kind) {
#define FILE_RECORD(name, number)                                                                                      \
    case FILE_##name:                                                                                                  \
        return #name;
#include "file_records.inl"
#undef FILE_RECORD
    default:
        return "unknown";
    }
}

static uint32_t head_check(const uint8_t *head) {
    return (uint32_t)XXH3_64bits(head, AT_CHECK);
}

/* Sequence and check seed the payload's hash: a payload is only right behind its own head. */
static uint64_t payload_hash(const uint8_t *head, const void *payload, size_t payload_bytes) {
    uint64_t seed;
    memcpy(&seed, head + AT_SEQUENCE, sizeof seed);
    return XXH3_64bits_withSeed(payload, payload_bytes, seed);
}

void file_record_put(bytes_writer *out, file_kind kind, uint32_t sequence, const void *payload, size_t payload_bytes) {
    uint8_t head[FILE_HEAD_BYTES] = {0};
    uint16_t kind_number = (uint16_t)kind;
    uint64_t length = payload_bytes;
    memcpy(head, record_marker, sizeof record_marker);
    memcpy(head + AT_KIND, &kind_number, sizeof kind_number);
    memcpy(head + AT_LENGTH, &length, sizeof length);
    memcpy(head + AT_SEQUENCE, &sequence, sizeof sequence);
    uint32_t check = head_check(head);
    memcpy(head + AT_CHECK, &check, sizeof check);
    uint64_t hash = payload_hash(head, payload, payload_bytes);
    memcpy(head + AT_HASH, &hash, sizeof hash);
    bytes_write(out, head, sizeof head);
    bytes_write(out, payload, payload_bytes);
}

void file_damage_add(file_damage *damage, uint64_t lost_bytes, const char *format, ...) {
    damage->lost_bytes += lost_bytes;
    if (damage->count++ > 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(damage->text, sizeof damage->text, format, arguments);
    va_end(arguments);
}

/* ---- reading ---- */

typedef enum record_state { RECORD_WHOLE, RECORD_CUT, RECORD_BROKEN_HEAD, RECORD_BROKEN_PAYLOAD } record_state;

/* Reads the head at `offset` without its payload: WHOLE, CUT or BROKEN_HEAD. */
static record_state head_read(const uint8_t *bytes, uint64_t size, uint64_t offset, file_record *out) {
    const uint8_t *head = bytes + offset;
    uint64_t left = size - offset;
    size_t marker_bytes = left < sizeof record_marker ? (size_t)left : sizeof record_marker;
    *out = (file_record){.offset = offset};
    if (memcmp(head, record_marker, marker_bytes) != 0)
        return RECORD_BROKEN_HEAD;
    if (left >= AT_FLAGS)
        memcpy(&out->kind, head + AT_KIND, sizeof out->kind);
    if (left < FILE_HEAD_BYTES)
        return RECORD_CUT;
    uint32_t check;
    memcpy(&check, head + AT_CHECK, sizeof check);
    if (check != head_check(head))
        return RECORD_BROKEN_HEAD;
    uint64_t length;
    memcpy(&length, head + AT_LENGTH, sizeof length);
    memcpy(&out->sequence, head + AT_SEQUENCE, sizeof out->sequence);
    if (length > left - FILE_HEAD_BYTES)
        return RECORD_CUT;
    out->payload = head + FILE_HEAD_BYTES;
    out->payload_bytes = (size_t)length;
    out->end = offset + FILE_HEAD_BYTES + length;
    return RECORD_WHOLE;
}

static record_state record_read(const uint8_t *bytes, uint64_t size, uint64_t offset, file_record *out) {
    record_state state = head_read(bytes, size, offset, out);
    if (state != RECORD_WHOLE)
        return state;
    uint64_t hash;
    memcpy(&hash, bytes + offset + AT_HASH, sizeof hash);
    return hash == payload_hash(bytes + offset, out->payload, out->payload_bytes) ? RECORD_WHOLE
                                                                                  : RECORD_BROKEN_PAYLOAD;
}

bool file_record_at(const uint8_t *bytes, uint64_t size, uint64_t offset, file_record *out) {
    return offset < size && record_read(bytes, size, offset, out) == RECORD_WHOLE;
}

/* The offset of the next head that is right and whose payload lies inside the file; `size` when there is none. */
static uint64_t head_find(const uint8_t *bytes, uint64_t size, uint64_t from) {
    file_record record;
    while (from < size) {
        const uint8_t *found = memchr(bytes + from, record_marker[0], (size_t)(size - from));
        if (!found)
            break;
        from = (uint64_t)(found - bytes);
        if (head_read(bytes, size, from, &record) == RECORD_WHOLE)
            return from;
        from++;
    }
    return size;
}

static bool bytes_are_zero(const uint8_t *bytes, uint64_t count) {
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)count - 1) == 0);
}

/* Steps over bytes at `at` that are no whole record, to the next head. A torn end is a cut, not a damage. */
static void scan_pass_over(file_scan *scan, record_state state, const file_record *record) {
    uint64_t at = scan->at, found = head_find(scan->bytes, scan->size, at + 1);
    scan->at = found;
    scan->gap = true;
    if (found == scan->size && (state == RECORD_CUT || bytes_are_zero(scan->bytes + at, found - at))) {
        scan->cut = true;
        scan->damage->lost_bytes += found - at;
    } else if (state == RECORD_CUT) {
        file_damage_add(scan->damage, found - at,
                        "byte %" PRIu64 ": a %s record is longer than the file, and records follow; what lies around "
                        "it can still be read; try another copy of the file",
                        at, file_kind_name(record->kind));
    } else {
        file_damage_add(scan->damage, found - at,
                        "byte %" PRIu64 ": expected the head of record %" PRIu64 ", found %02x %02x ..., no head for "
                        "%" PRIu64 " bytes; what lies around it can still be read; try another copy of the file",
                        at, scan->next_sequence, scan->bytes[at], at + 1 < scan->size ? scan->bytes[at + 1] : 0,
                        found - at);
    }
}

/* A whole record: does it come in order? */
static bool scan_accept(file_scan *scan, const file_record *record) {
    uint64_t expected = scan->next_sequence;
    if (record->sequence < expected) {
        file_damage_add(scan->damage, record->end - record->offset,
                        "byte %" PRIu64 ": a %s record: expected number %" PRIu64 ", found %" PRIu32 " again or out of "
                        "order; it is not used; try another copy of the file",
                        record->offset, file_kind_name(record->kind), expected, record->sequence);
        return false;
    }
    if (record->sequence > expected && !scan->gap)
        file_damage_add(scan->damage, 0,
                        "byte %" PRIu64 ": a %s record: expected number %" PRIu64 ", found %" PRIu32 ": records are "
                        "missing; the others can still be read; try another copy of the file",
                        record->offset, file_kind_name(record->kind), expected, record->sequence);
    scan->next_sequence = (uint64_t)record->sequence + 1;
    scan->gap = false;
    return true;
}

bool file_scan_next(file_scan *scan, file_record *out) {
    while (scan->at < scan->size) {
        record_state state = record_read(scan->bytes, scan->size, scan->at, out);
        if (state == RECORD_WHOLE) {
            scan->at = out->end;
            if (scan_accept(scan, out))
                return true;
        } else if (state == RECORD_BROKEN_PAYLOAD) {
            scan->at = out->end;
            scan->gap = true;
            file_damage_add(scan->damage, out->end - out->offset,
                            "byte %" PRIu64 ": a %s record (number %" PRIu32 "): expected %zu bytes with the recorded "
                            "hash, found others; what lies around it can still be read; try another copy of the file",
                            out->offset, file_kind_name(out->kind), out->sequence, out->payload_bytes);
        } else {
            scan_pass_over(scan, state, out);
        }
    }
    return false;
}
