#include "seal_core.h"

#include "cells.h"
#include "limits.h"

typedef enum row_mode { ROW_DEFAULT, ROW_BITS, ROW_BY_LIFE, ROW_BY_ELEMENT, ROW_MODES } row_mode;

/* The values of a field over all lives of its type, as one row. */
typedef struct value_row {
    const seal_run *run;
    const seal_field *field;
    const uint32_t *lives; /* of the type */
    uint32_t life_count;
    size_t count; /* values */
} value_row;

static uint8_t *row_at(const value_row *row, size_t index) {
    uint32_t lanes = row->field->shape.count;
    const seal_life *life = &row->run->lives[row->lives[index / lanes]];
    return row->run->states + life->state + row->field->field->offset + index % lanes * row->field->shape.bytes;
}

static const uint8_t *default_at(const value_row *row, size_t index) {
    const eddy_type *type = &row->run->schema->types[row->field->type];
    const uint8_t *defaults = type->defaults;
    return defaults ? defaults + row->field->field->offset + index % row->field->shape.count * row->field->shape.bytes
                    : NULL;
}

static uint64_t number_at(const value_row *row, const uint8_t *from) {
    return lane_order(row->field->shape.class, from ? lane_load(from, row->field->shape.bytes) : 0);
}

/* What a value is a difference from. */
static uint64_t base_of(const value_row *row, row_mode mode, size_t index) {
    size_t back = mode == ROW_BY_LIFE ? row->field->shape.count : 1;
    return number_at(row, index >= back ? row_at(row, index - back) : default_at(row, index));
}

static uint64_t coded_at(const value_row *row, row_mode mode, size_t index) {
    const uint8_t *from = row_at(row, index);
    if (mode == ROW_BITS) {
        return lane_load(from, row->field->shape.bytes);
    }
    uint64_t mask = row->field->shape.mask;
    return residual_fold((number_at(row, from) - base_of(row, mode, index)) & mask, mask);
}

/* ---- choosing a mode ---- */

/* 16 * log2, nearly. */
static uint32_t log2_16(uint32_t value) {
    uint32_t whole = 31u - (uint32_t)__builtin_clz(value);
    return 16 * whole + (whole >= 4 ? (value >> (whole - 4)) & 15 : value << (4 - whole) & 15);
}

#define ROW_JUDGED 4096u

static uint64_t row_cost(const value_row *row, row_mode mode) {
    uint32_t histogram[8][256] = {{0}};
    uint32_t bytes = row->field->shape.bytes;
    uint32_t count = (uint32_t)(row->count < ROW_JUDGED ? row->count : ROW_JUDGED);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = coded_at(row, mode, i);
        for (uint32_t plane = 0; plane < bytes; plane++) {
            histogram[plane][value >> (8 * plane) & 255]++;
        }
    }
    uint64_t cost = 0;
    for (uint32_t plane = 0; plane < bytes; plane++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t often = histogram[plane][byte];
            cost += often > 0 ? (uint64_t)often * (log2_16(count) - log2_16(often)) + 16 * 8 : 0;
        }
    }
    return cost;
}

static bool row_is_default(const value_row *row) {
    uint32_t bytes = row->field->shape.bytes;
    for (size_t i = 0; i < row->count; i++) {
        const uint8_t *expected = default_at(row, i), *found = row_at(row, i);
        if (expected ? memcmp(expected, found, bytes) != 0
                     : found[0] != 0 || memcmp(found, found + 1, bytes - 1) != 0) {
            return false;
        }
    }
    return true;
}

static row_mode choose_mode(const value_row *row) {
    if (row_is_default(row)) {
        return ROW_DEFAULT;
    }
    row_mode best = ROW_BITS;
    if (row->field->shape.class == LANE_WIDE) {
        return best;
    }
    uint64_t least = row_cost(row, best);
    for (row_mode mode = ROW_BY_LIFE; mode < ROW_MODES; mode++) {
        uint64_t cost = row_cost(row, mode);
        if (cost < least) {
            least = cost;
            best = mode;
        }
    }
    return best;
}

/* ---- writing ---- */

static void write_row(const value_row *row, seal_pieces *out) {
    row_mode mode = choose_mode(row);
    uint8_t byte = (uint8_t)mode;
    uint32_t bytes = row->field->shape.bytes;
    bytes_write(&out->bytes, &byte, 1);
    if (mode == ROW_DEFAULT) {
        return;
    }
    uint8_t *to = bytes_room(&out->bytes, row->count * bytes);
    if (!to) {
        return;
    }
    for (size_t i = 0; i < row->count; i++) {
        if (row->field->shape.class == LANE_WIDE) {
            memcpy(to + i * bytes, row_at(row, i), bytes);
            continue;
        }
        uint64_t value = coded_at(row, mode, i);
        for (uint32_t plane = 0; plane < bytes; plane++) {
            to[plane * row->count + i] = (uint8_t)(value >> (8 * plane));
        }
    }
    bytes_advance(&out->bytes, to + row->count * bytes);
    seal_pieces_cut(out);
}

static void write_lives(const seal_run *run, seal_pieces *out) {
    bytes_write_varint(&out->bytes, run->life_count);
    for (uint32_t i = 0; i < run->life_count; i++) {
        bytes_write_varint(&out->bytes, run->lives[i].id - (i > 0 ? run->lives[i - 1].id : 0));
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        bytes_write_varint(&out->bytes, run->lives[i].type);
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        bytes_write_varint(&out->bytes, run->lives[i].birth);
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        bytes_write_varint(&out->bytes, run->lives[i].last - run->lives[i].birth);
    }
    seal_pieces_cut(out);
}

/* Calls `each` for every field of every type that has lives. False: no memory. */
static bool each_row(const seal_run *run, void (*each)(value_row *row, void *user), void *user) {
    size_t bytes = run->life_count * sizeof(uint32_t) + 1;
    uint32_t *lives = memory_reserve(&run->hooks, bytes);
    if (!lives) {
        return false;
    }
    for (uint32_t type = 0; type < run->type_count; type++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < run->life_count; i++) {
            if (run->lives[i].type == type) {
                lives[count++] = i;
            }
        }
        for (uint32_t i = 0; count > 0 && i < run->schema->types[type].field_count; i++) {
            const seal_field *field = seal_run_field(run, (uint16_t)type, i);
            value_row row = {.run = run, .field = field, .lives = lives, .life_count = count};
            row.count = (size_t)count * field->shape.count;
            each(&row, user);
        }
    }
    memory_release(&run->hooks, lives, bytes);
    return true;
}

static void write_each(value_row *row, void *user) {
    write_row(row, user);
}

bool seal_core_write(const seal_run *run, seal_pieces *out) {
    write_lives(run, out);
    return each_row(run, write_each, out) && !out->bytes.failed && !out->cuts.failed;
}

/* ---- reading ---- */

static void read_row(value_row *row, void *user) {
    bytes_reader *reader = user;
    uint32_t bytes = row->field->shape.bytes;
    const uint8_t *head = bytes_take(reader, 1);
    row_mode mode = head ? (row_mode)*head : ROW_DEFAULT;
    bool is_wide = row->field->shape.class == LANE_WIDE;
    bytes_expect(reader, mode < (is_wide ? ROW_BY_LIFE : ROW_MODES), "a way to code first values", mode);
    const uint8_t *from = mode == ROW_DEFAULT ? NULL : bytes_take(reader, row->count * bytes);
    if (reader->expected || (!from && !default_at(row, 0))) {
        return; /* states begin as zeros */
    }
    for (size_t i = 0; i < row->count; i++) {
        if (!from || is_wide) {
            memcpy(row_at(row, i), from ? from + i * bytes : default_at(row, i), bytes);
            continue;
        }
        uint64_t value = 0;
        for (uint32_t plane = 0; plane < bytes; plane++) {
            value |= (uint64_t)from[plane * row->count + i] << (8 * plane);
        }
        if (mode != ROW_BITS) {
            uint64_t mask = row->field->shape.mask;
            value = (residual_unfold(value, mask) + base_of(row, mode, i)) & mask;
            value = lane_unorder(row->field->shape.class, value);
        }
        lane_store(row_at(row, i), value, bytes);
    }
}

static void read_lives(bytes_reader *reader, seal_run *run) {
    seal_life *lives = run->lives;
    uint64_t id = 0;
    for (uint32_t i = 0; i < run->life_count; i++) {
        id += bytes_varint(reader);
        if (!bytes_expect(reader, id > 0 && id <= UINT32_MAX, "an id", id)) {
            return;
        }
        lives[i].id = (eddy_id)id;
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        uint64_t type = bytes_varint(reader);
        if (!bytes_expect(reader, type < run->type_count, "a type", type)) {
            return;
        }
        lives[i].type = (uint16_t)type;
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        uint64_t birth = bytes_varint(reader);
        bool again = i > 0 && lives[i - 1].id == lives[i].id;
        if (!bytes_expect(reader, birth < run->frame_count && (!again || birth > lives[i - 1].birth),
                          "a birth in order", birth)) {
            return;
        }
        lives[i].birth = (uint32_t)birth;
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        uint64_t more = bytes_varint(reader);
        bool follows = i + 1 < run->life_count && lives[i + 1].id == lives[i].id;
        uint32_t end = follows ? lives[i + 1].birth : run->frame_count;
        if (!bytes_expect(reader, more < end - lives[i].birth, "the frames of a life", more)) {
            return;
        }
        lives[i].last = lives[i].birth + (uint32_t)more;
    }
}

/* More than a frame may have, several times over. */
#define STATES_MAX (2 * LIMIT_STATE_BYTES)

bool seal_core_read(bytes_reader *reader, seal_run *run) {
    uint64_t count = bytes_varint(reader);
    if (!bytes_expect(reader, count <= bytes_left(reader) / 4, "a number of lives", count)) {
        return true;
    }
    run->lives = memory_reserve(&run->hooks, count * sizeof *run->lives + 1);
    if (!run->lives) {
        return false;
    }
    run->life_count = (uint32_t)count;
    read_lives(reader, run);
    size_t bytes = 0;
    for (uint32_t i = 0; i < count && !reader->expected; i++) {
        run->lives[i].state = bytes;
        bytes += limit_aligned(run->schema->types[run->lives[i].type].size);
        bytes_expect(reader, bytes <= STATES_MAX, "fewer structs", bytes);
    }
    if (reader->expected) {
        return true;
    }
    run->states = memory_reserve(&run->hooks, bytes + 1);
    run->state_bytes = bytes;
    return run->states && each_row(run, read_row, reader);
}
