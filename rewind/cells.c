#include "cells.h"

#include <stdio.h>

static bool kind_is_str(const eddy_field *field) {
    return field->kind == EDDY_STR;
}

static uint32_t field_cells(const eddy_field *field) {
    return kind_is_str(field) ? 1 : field->count;
}

uint32_t cells_count(const eddy_type *type) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        count += field_cells(&type->fields[i]);
    }
    return count;
}

bool cells_next(const eddy_type *type, cell_change *at) {
    if (!at->field) {
        *at = (cell_change){.field = type->fields, .offset = type->fields->offset};
        return true;
    }
    at->cell++;
    at->offset += cell_bytes(at->field);
    if (at->offset < at->field->offset + at->field->count * cell_kind_bytes(at->field->kind)) {
        return true;
    }
    return ++at->field < type->fields + type->field_count;
}

/* ---- comparing ---- */

/* The first offset from `at` on where a struct is not zero, or `size`. */
static uint32_t next_set(const uint8_t *to, uint32_t at, uint32_t size) {
    for (; at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, to + at, 8);
        if (word != 0) {
            return at + (uint32_t)__builtin_ctzll(word) / 8;
        }
    }
    while (at < size && to[at] == 0) {
        at++;
    }
    return at;
}

#define SAME_BYTES 32u

/* The first offset from `at` on where two structs differ, or `size`. `from` NULL is all zero. */
static uint32_t next_difference(const uint8_t *from, const uint8_t *to, uint32_t at, uint32_t size) {
    if (!from) {
        return next_set(to, at, size);
    }
    /* Mostly the rest is the same, and nothing sees that sooner than memcmp; but it does not say where. */
    if (size - at >= 2 * SAME_BYTES && memcmp(from + at, to + at, SAME_BYTES) == 0) {
        at += SAME_BYTES;
        if (memcmp(from + at, to + at, size - at) == 0) {
            return size;
        }
    }
    for (; at + 32 <= size; at += 32) {
        uint64_t a[4], b[4];
        memcpy(a, from + at, 32);
        memcpy(b, to + at, 32);
        if ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) {
            break;
        }
    }
    for (; at + 8 <= size; at += 8) {
        uint64_t a, b;
        memcpy(&a, from + at, 8);
        memcpy(&b, to + at, 8);
        if (a != b) {
            return at + (uint32_t)__builtin_ctzll(a ^ b) / 8;
        }
    }
    while (at < size && from[at] == to[at]) {
        at++;
    }
    return at;
}

uint32_t cells_compare(const eddy_type *type, const void *from, const void *to, cell_change *out) {
    const eddy_field *field = type->fields;
    uint32_t count = 0, field_first = 0, bytes = cell_bytes(field);
    uint32_t at = next_difference(from, to, 0, type->size);
    while (at < type->size) {
        while (at >= field->offset + field_cells(field) * bytes) {
            field_first += field_cells(field);
            field++;
            bytes = cell_bytes(field);
        }
        /* Elements are 1, 2, 4 or 8 bytes: a division would be half of this loop. */
        uint32_t element = kind_is_str(field) ? 0 : (at - field->offset) >> __builtin_ctz(bytes);
        uint32_t offset = field->offset + element * bytes;
        out[count++] = (cell_change){.field = field, .cell = field_first + element, .offset = offset};
        at = next_difference(from, to, offset + bytes, type->size);
    }
    return count;
}

uint32_t cells_compare_default(const eddy_type *type, const void *to, cell_change *out) {
    return cells_compare(type, type->defaults, to, out);
}

/* ---- writing ---- */

static uint64_t zigzag(int64_t value) {
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t bits) {
    return (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

/* Structs of imported traces are packed: nothing may be read as if it were aligned. */
#define EDDY_KIND(name, number, ctype, bytes, text)                                                                    \
    static inline ctype load_##name(const void *from) {                                                                \
        ctype value;                                                                                                   \
        memcpy(&value, from, sizeof value);                                                                            \
        return value;                                                                                                  \
    }
#include "kinds.inl"
#undef EDDY_KIND

static uint8_t *put_bytes(uint8_t *at, const uint8_t *value, size_t size) {
    memcpy(at, value, size);
    return at + size;
}

static uint8_t *value_put(uint8_t *at, const eddy_field *field, const uint8_t *value) {
    switch (field->kind) {
    case EDDY_BOOL:
    case EDDY_U8:
    case EDDY_I8:
        *at = *value;
        return at + 1;
    case EDDY_U16:
        return bytes_put_varint(at, load_U16(value));
    case EDDY_I16:
        return bytes_put_varint(at, zigzag(load_I16(value)));
    case EDDY_U32:
    case EDDY_ID:
        return bytes_put_varint(at, load_U32(value));
    case EDDY_I32:
        return bytes_put_varint(at, zigzag(load_I32(value)));
    case EDDY_U64:
        return bytes_put_varint(at, load_U64(value));
    case EDDY_I64:
        return bytes_put_varint(at, zigzag(load_I64(value)));
    case EDDY_F32:
        return put_bytes(at, value, 4);
    case EDDY_F64:
    case EDDY_VEC2:
        return put_bytes(at, value, 8);
    default: {
        size_t length = strnlen((const char *)value, field->count);
        return put_bytes(bytes_put_varint(at, length), value, length);
    }
    }
}

/* The last cell that a head of bits can name: one bit of the 64 says which form it is. */
#define CELL_BITS_LAST 62u
/* Up to this cell the bits are at most two bytes, and nothing is shorter. */
#define CELL_SHORT_LAST 12u

/* How many cells in a row change, from the change `at` on. */
static uint32_t run_length(const cell_change *changes, uint32_t count, uint32_t at) {
    uint32_t length = 1;
    while (at + length < count && changes[at + length].cell == changes[at].cell + length) {
        length++;
    }
    return length;
}

static uint8_t *set_put_runs(uint8_t *at, const cell_change *changes, uint32_t count, uint32_t runs) {
    at = bytes_put_varint(at, (uint64_t)runs << 1 | 1);
    uint32_t next = 0;
    for (uint32_t i = 0, length; i < count; i += length) {
        length = run_length(changes, count, i);
        at = bytes_put_varint(at, (uint64_t)(changes[i].cell - next) << 1 | (length > 1));
        if (length > 1) {
            at = bytes_put_varint(at, length - 2);
        }
        next = changes[i].cell + length;
    }
    return at;
}

/* The shorter of both heads: bits take a byte for every seven cells up to the last; runs one for their number and, up
 * to there, one or two for each. */
static uint8_t *set_put(uint8_t *at, const cell_change *changes, uint32_t count) {
    uint32_t last = changes[count - 1].cell;
    uint32_t runs = 0, run_bytes = 1;
    if (last > CELL_SHORT_LAST) {
        for (uint32_t i = 0, length; i < count; i += length) {
            length = run_length(changes, count, i);
            run_bytes += length > 1 ? 2 : 1;
            runs++;
        }
    }
    if (last > CELL_BITS_LAST || (last > CELL_SHORT_LAST && run_bytes < (last + 8) / 7)) {
        return set_put_runs(at, changes, count, runs);
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint64_t)2 << changes[i].cell;
    }
    return bytes_put_varint(at, bits);
}

void cells_write(bytes_writer *writer, const eddy_type *type, const void *state, const cell_change *changes,
                 uint32_t count) {
    /* At most: a head, an index of five bytes for each cell (a run of two has ten), and for its value a varint of ten,
     * or a length of five and the bytes of the struct. */
    uint8_t *at = bytes_room(writer, BYTES_VARINT_MAX + (size_t)count * (5 + BYTES_VARINT_MAX) + type->size);
    if (!at) {
        return;
    }
    at = set_put(at, changes, count);
    for (uint32_t i = 0; i < count; i++) {
        at = value_put(at, changes[i].field, (const uint8_t *)state + changes[i].offset);
    }
    bytes_advance(writer, at);
}

/* ---- checking ---- */

static double value_as_number(const eddy_field *field, const uint8_t *value) {
    switch (field->kind) {
#define EDDY_NUMBER_(KIND)                                                                                             \
    case EDDY_##KIND:                                                                                                  \
        return (double)load_##KIND(value);
        EDDY_NUMBER_(U8)
        EDDY_NUMBER_(I8)
        EDDY_NUMBER_(U16)
        EDDY_NUMBER_(I16)
        EDDY_NUMBER_(U32)
        EDDY_NUMBER_(I32)
        EDDY_NUMBER_(U64)
        EDDY_NUMBER_(I64)
        EDDY_NUMBER_(F32)
        EDDY_NUMBER_(F64)
        EDDY_NUMBER_(ID)
#undef EDDY_NUMBER_
    default:
        return 0;
    }
}

static bool number_in_range(const eddy_field *field, double number) {
    return number >= field->min && number <= field->max;
}

static const char *check_number(const eddy_field *field, const uint8_t *value) {
    if (field->min != field->max) {
        bool good = field->kind == EDDY_VEC2
                        ? number_in_range(field, load_VEC2(value).x) && number_in_range(field, load_VEC2(value).y)
                        : number_in_range(field, value_as_number(field, value));
        if (!good) {
            return "a value in the field's range";
        }
    }
    if (field->name_count > 0) {
        double number = value_as_number(field, value);
        if (!(number >= 0 && number < field->name_count)) {
            return "one of the named values";
        }
    }
    return NULL;
}

const char *cell_check(const eddy_field *field, const void *value) {
    const uint8_t *bytes = value;
    if (field->kind == EDDY_BOOL) {
        return *bytes <= 1 ? NULL : "0 or 1 in a bool";
    }
    if (kind_is_str(field)) {
        size_t length = strnlen(value, field->count);
        while (length < field->count && bytes[length] == 0) {
            length++;
        }
        return length == field->count ? NULL : "only zeros after a str's end";
    }
    return field->min == field->max && field->name_count == 0 ? NULL : check_number(field, bytes);
}

eddy_result cells_check(const eddy_type *type, eddy_id id, const void *state, eddy_error *error) {
    cell_change at = {0};
    while (cells_next(type, &at)) {
        if (cell_check(at.field, (const uint8_t *)state + at.offset)) {
            return cell_fail(type, id, &at, state, error);
        }
    }
    return EDDY_OK;
}

eddy_result cells_check_changes(const eddy_type *type, eddy_id id, const void *state, const cell_change *changes,
                                uint32_t count, eddy_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (cell_check(changes[i].field, (const uint8_t *)state + changes[i].offset)) {
            return cell_fail(type, id, &changes[i], state, error);
        }
    }
    return EDDY_OK;
}

eddy_result cell_fail(const eddy_type *type, eddy_id id, const cell_change *change, const void *state,
                      eddy_error *error) {
    const eddy_field *field = change->field;
    const uint8_t *value = (const uint8_t *)state + change->offset;
    const char *expected = cell_check(field, value);
    char found[80];
    if (field->kind == EDDY_BOOL) {
        snprintf(found, sizeof found, "%u", (unsigned)*value);
    } else if (kind_is_str(field)) {
        snprintf(found, sizeof found, "bytes after \"%.*s\"", (int)(field->count < 40 ? field->count : 40),
                 (const char *)value);
    } else {
        eddy_value_print(field, value, found, sizeof found);
    }
    uint32_t element = (change->offset - field->offset) / cell_bytes(field);
    char range[80] = "";
    if (field->min != field->max) {
        snprintf(range, sizeof range, " %g .. %g", field->min, field->max);
    }
    return eddy_fail(error, EDDY_E_VALUE, "entity %u (%s), field %s[%u]: expected %s%s, found %s", id, type->name,
                     field->name, element, expected ? expected : "an allowed value", range, found);
}

/* ---- reading ---- */

/* Walks a set of changed cells: which is next, and where it lies. */
typedef struct set_cursor {
    const eddy_field *field, *field_end;
    uint32_t field_first; /* number of the field's first cell */
    uint64_t bits;        /* left to name, when the head is one of bits */
    bytes_reader list;    /* otherwise: the runs */
    uint64_t runs_left, run_left, next;
} set_cursor;

static set_cursor set_begin(bytes_reader *reader, const eddy_type *type) {
    set_cursor set = {.field = type->fields, .field_end = type->fields + type->field_count};
    uint64_t head = bytes_varint(reader);
    if (!(head & 1)) {
        set.bits = head >> 1;
        bytes_expect(reader, head != 0, "at least one changed cell", 0);
        return set;
    }
    set.runs_left = head >> 1;
    bool good = set.runs_left > 0 && set.runs_left <= bytes_left(reader);
    if (bytes_expect(reader, good, "a number of runs of changed cells", set.runs_left)) {
        set.list = *reader;
        for (uint64_t i = 0; i < set.runs_left && !reader->expected; i++) {
            if (bytes_varint(reader) & 1) {
                bytes_varint(reader);
            }
        }
    }
    return set;
}

/* Enters the next run of the list. */
static bool set_next_run(set_cursor *set, bytes_reader *reader) {
    uint64_t gap = bytes_varint(&set->list);
    uint64_t more = gap & 1 ? bytes_varint(&set->list) : 0;
    if (!bytes_expect(reader, gap >> 1 < UINT32_MAX && more < UINT32_MAX, "a cell of the type", gap >> 1)) {
        return false;
    }
    set->next += gap >> 1;
    set->run_left = gap & 1 ? more + 2 : 1;
    set->runs_left--;
    return true;
}

/* The next changed cell, or false at the end or a fault. */
static bool set_next(set_cursor *set, bytes_reader *reader, cell_change *out) {
    uint64_t cell;
    if (reader->expected) {
        return false;
    }
    if (set->bits) {
        cell = (uint64_t)__builtin_ctzll(set->bits);
        set->bits &= set->bits - 1;
    } else if (set->run_left > 0 || (set->runs_left > 0 && set_next_run(set, reader))) {
        cell = set->next++;
        set->run_left--;
    } else {
        return false;
    }
    while (set->field < set->field_end && cell - set->field_first >= field_cells(set->field)) {
        set->field_first += field_cells(set->field);
        set->field++;
    }
    if (!bytes_expect(reader, set->field < set->field_end, "a cell of the type", cell)) {
        return false;
    }
    *out = (cell_change){.field = set->field, .cell = (uint32_t)cell};
    out->offset = set->field->offset + (uint32_t)(cell - set->field_first) * cell_bytes(set->field);
    return true;
}

static void read_unsigned(bytes_reader *reader, uint32_t bytes, uint8_t *value) {
    uint64_t number = bytes_varint(reader);
    if (bytes_expect(reader, bytes == 8 || number >> bytes * 8 == 0, "a number that fits its kind", number)) {
        memcpy(value, &number, bytes);
    }
}

static void read_signed(bytes_reader *reader, uint32_t bytes, uint8_t *value) {
    uint64_t number = bytes_varint(reader);
    if (bytes_expect(reader, bytes == 8 || number >> bytes * 8 == 0, "a number that fits its kind", number)) {
        int64_t decoded = unzigzag(number);
        memcpy(value, &decoded, bytes);
    }
}

static void read_raw(bytes_reader *reader, uint32_t bytes, uint8_t *value) {
    const uint8_t *taken = bytes_take(reader, bytes);
    if (taken) {
        memcpy(value, taken, bytes);
    }
}

static void read_str(bytes_reader *reader, uint32_t count, uint8_t *value) {
    uint64_t length = bytes_varint(reader);
    const uint8_t *text =
        bytes_expect(reader, length <= count, "a str that fits its field", length) ? bytes_take(reader, length) : NULL;
    if (text && bytes_expect(reader, !memchr(text, 0, length), "a str without zeros", 0)) {
        memcpy(value, text, length);
        memset(value + length, 0, count - length);
    }
}

static void value_read(bytes_reader *reader, const eddy_field *field, uint8_t *value) {
    uint32_t bytes = cell_kind_bytes(field->kind);
    switch (field->kind) {
    case EDDY_U16:
    case EDDY_U32:
    case EDDY_U64:
    case EDDY_ID:
        read_unsigned(reader, bytes, value);
        break;
    case EDDY_I16:
    case EDDY_I32:
    case EDDY_I64:
        read_signed(reader, bytes, value);
        break;
    case EDDY_STR:
        read_str(reader, field->count, value);
        break;
    default:
        read_raw(reader, bytes, value);
        break;
    }
    bool known_good = reader->expected || kind_is_str(field);
    const char *expected = known_good ? NULL : cell_check(field, value);
    if (expected) {
        bytes_spoil(reader, expected, *value);
    }
}

void cells_read(bytes_reader *reader, const eddy_type *type, void *state) {
    set_cursor set = set_begin(reader, type);
    cell_change change;
    while (set_next(&set, reader, &change)) {
        value_read(reader, change.field, (uint8_t *)state + change.offset);
    }
}
