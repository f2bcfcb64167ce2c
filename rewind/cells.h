/* Cells: the smallest things that are recorded. A cell is one element of a field; a str field is one cell, whatever its
 * length. The cells of a type are numbered from 0 in table order.
 *
 * A set of changed cells with their new values, as bytes:
 *
 *     head    varint  low bit 0: the bits above it say which cells changed, bit 0 for cell 0; not all zero
 *                     low bit 1: the bits above it are a number of runs, at least 1, and for each follow:
 *                       varint  2 * (how many cells lie between it and the run before, or the beginning), + 1 when
 *                               it is longer than one cell
 *                       varint  then only: its length - 2
 *     values          of those cells, in order:
 *                       bool u8 i8      1 byte (a bool is 0 or 1)
 *                       u16 u32 u64 id  varint
 *                       i16 i32 i64     varint of the zigzag form: 0 -1 1 -2 2 ... are 0 1 2 3 4 ...
 *                       f32             4 bytes, little-endian; f64: 8; vec2: x then y, 4 each
 *                       str             varint length, at most the field's count, then so many bytes, none of them zero
 *
 * Values, never differences: nothing adds up. Whoever writes takes the shorter head; whoever reads takes both. */
#ifndef EDDY_REWIND_CELLS_H
#define EDDY_REWIND_CELLS_H

#include "bytes.h"

/** eddy_kind_bytes of a kind that is known to be one. */
static inline uint32_t cell_kind_bytes(eddy_kind kind) {
    static const uint8_t bytes_of[EDDY_KIND_COUNT] = {
#define EDDY_KIND(name, number, ctype, bytes, text) [number] = (bytes),
#include "kinds.inl"
#undef EDDY_KIND
    };
    return bytes_of[kind];
}

/** A changed cell: where it is in the struct, and whose. */
typedef struct cell_change {
    const eddy_field *field;
    uint32_t cell, offset;
} cell_change;

/** How many cells a type has. O(fields). */
uint32_t cells_count(const eddy_type *type);
/** Bytes of one cell of a field in the struct. */
static inline uint32_t cell_bytes(const eddy_field *field) {
    return field->kind == EDDY_STR ? field->count : cell_kind_bytes(field->kind);
}

/** The cells in which two structs of a type differ, bit for bit, ascending. `out` holds cells_count(type). Returns how
 * many. */
uint32_t cells_compare(const eddy_type *type, const void *from, const void *to, cell_change *out);
/** As cells_compare, from the default-constructed struct. */
uint32_t cells_compare_default(const eddy_type *type, const void *to, cell_change *out);
/** Writes a set of changed cells with their values in `state`; `count` is at least 1. */
void cells_write(bytes_writer *writer, const eddy_type *type, const void *state, const cell_change *changes,
                 uint32_t count);
/** Reads such a set into `state`, checking cells and values. A fault spoils the reader. */
void cells_read(bytes_reader *reader, const eddy_type *type, void *state);

/** Walks all cells of a type: begin with a zeroed `at`; false after the last. */
bool cells_next(const eddy_type *type, cell_change *at);

/** NULL when a cell's value is allowed, otherwise what is expected instead. */
const char *cell_check(const eddy_field *field, const void *value);
/** Checks every cell of a struct. E_VALUE as cell_fail says it. */
eddy_result cells_check(const eddy_type *type, eddy_id id, const void *state, eddy_error *error);
/** Checks some cells of a struct: those that differ from one that was checked before. */
eddy_result cells_check_changes(const eddy_type *type, eddy_id id, const void *state, const cell_change *changes,
                                uint32_t count, eddy_error *error);
/** E_VALUE, naming the entity, field, element, what was expected and what was found. */
eddy_result cell_fail(const eddy_type *type, eddy_id id, const cell_change *change, const void *state,
                      eddy_error *error);

#endif
