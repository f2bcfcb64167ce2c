#include "seal_run.h"

#include "cells.h"

bool seal_run_begin(seal_run *run, const eddy_schema *schema, const eddy_hooks *hooks) {
    *run = (seal_run){.schema = schema, .hooks = *hooks, .type_count = schema->type_count};
    for (uint32_t type = 0; type < schema->type_count; type++) {
        run->field_count += schema->types[type].field_count;
    }
    run->type_first = memory_reserve(hooks, (schema->type_count + 1) * sizeof *run->type_first);
    run->fields = memory_reserve(hooks, (run->field_count + 1) * sizeof *run->fields);
    if (!run->type_first || !run->fields) {
        return false;
    }
    seal_field *field = run->fields;
    for (uint32_t type = 0; type < schema->type_count; type++) {
        uint32_t lanes = 0;
        run->type_first[type] = (uint32_t)(field - run->fields);
        for (uint32_t i = 0; i < schema->types[type].field_count; i++, field++) {
            const eddy_field *of = &schema->types[type].fields[i];
            *field = (seal_field){.field = of, .type = (uint16_t)type, .index = i, .lane_first = lanes};
            field->shape = lane_shape_of(of);
            field->model.mover.field = field->model.gate.field = field->model.key.field = SEAL_NONE;
            lanes += field->shape.count;
        }
    }
    return true;
}

void seal_run_free(seal_run *run) {
    memory_release(&run->hooks, run->lives, run->life_count * sizeof *run->lives + 1);
    memory_release(&run->hooks, run->states, run->state_bytes + 1);
    memory_release(&run->hooks, run->type_first, (run->type_count + 1) * sizeof *run->type_first);
    memory_release(&run->hooks, run->fields, (run->field_count + 1) * sizeof *run->fields);
    memory_release(&run->hooks, run->columns, run->column_count * sizeof *run->columns + 1);
    memory_release(&run->hooks, run->uses, run->column_count * sizeof *run->uses + 1);
    memory_release(&run->hooks, run->use_fields, run->column_count * sizeof *run->use_fields + 1);
    memory_release(&run->hooks, run->store, run->store_bytes + 1);
    *run = (seal_run){.hooks = run->hooks};
}

size_t seal_run_owned_bytes(const seal_run *run) {
    return run->life_count * sizeof *run->lives + run->state_bytes + run->store_bytes +
           run->type_count * sizeof *run->type_first + run->field_count * sizeof *run->fields +
           run->column_count * (sizeof *run->columns + sizeof *run->uses + sizeof *run->use_fields);
}

size_t seal_column_bytes(const lane_shape *shape, uint32_t count, uint32_t span, bool *is_dense) {
    size_t sparse = (size_t)count * (sizeof(uint16_t) + shape->bytes);
    size_t dense = (size_t)span * shape->bytes;
    *is_dense = shape->class != LANE_WIDE && dense < sparse;
    return *is_dense ? dense : sparse;
}

const seal_column *seal_find_column(const seal_run *run, const seal_field *field, uint32_t life, uint32_t lane) {
    uint32_t low = field->first, high = field->first + field->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const seal_column *column = &run->columns[middle];
        if (column->life < life || (column->life == life && column->lane < lane)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const seal_column *column = &run->columns[low];
    return low < field->first + field->count && column->life == life && column->lane == lane ? column : NULL;
}

static const uint8_t *first_value(const seal_run *run, const seal_field *field, uint32_t life, uint32_t lane) {
    return run->states + run->lives[life].state + field->field->offset + lane * field->shape.bytes;
}

/* Most columns have four bytes; loops without a choice inside are several times as fast. */
static void expand_dense(const lane_shape *shape, const uint8_t *at, uint32_t span, uint64_t *restrict out) {
    for (uint32_t t = 0; t < span && shape->bytes != 4; t++) {
        out[t] = lane_order(shape->class, lane_load(at + t * shape->bytes, shape->bytes));
    }
    for (uint32_t t = 0; t < span && shape->bytes == 4; t++) {
        uint32_t bits;
        memcpy(&bits, at + 4 * t, sizeof bits);
        out[t] = bits;
    }
    for (uint32_t t = 0; t < span && shape->class == LANE_F32; t++) {
        out[t] = lane_order(LANE_F32, out[t]);
    }
}

static void store_dense(const lane_shape *shape, const uint64_t *restrict values, uint32_t span, uint8_t *restrict at) {
    if (shape->bytes != 4) {
        for (uint32_t t = 0; t < span; t++) {
            lane_store(at + t * shape->bytes, lane_unorder(shape->class, values[t]), shape->bytes);
        }
        return;
    }
    for (uint32_t t = 0; t < span && shape->class == LANE_F32; t++) {
        uint32_t bits = (uint32_t)lane_unorder(LANE_F32, values[t]);
        memcpy(at + 4 * t, &bits, sizeof bits);
    }
    for (uint32_t t = 0; t < span && shape->class != LANE_F32; t++) {
        uint32_t bits = (uint32_t)values[t];
        memcpy(at + 4 * t, &bits, sizeof bits);
    }
}

void seal_expand_column(const seal_run *run, const seal_field *field, const seal_column *column, uint64_t *out) {
    uint32_t span = life_span(&run->lives[column->life]), bytes = field->shape.bytes;
    const uint8_t *at = run->store + column->at;
    if (column->is_dense) {
        expand_dense(&field->shape, at, span, out);
        return;
    }
    uint64_t value = lane_load(first_value(run, field, column->life, column->lane), bytes);
    const uint8_t *values = at + column->count * sizeof(uint16_t);
    uint32_t t = 0;
    for (uint32_t i = 0; i <= column->count; i++) {
        uint32_t end = i < column->count ? (uint32_t)lane_load(at + i * sizeof(uint16_t), 2) : span;
        uint64_t number = lane_order(field->shape.class, value);
        for (; t < end; t++) {
            out[t] = number;
        }
        value = i < column->count ? lane_load(values + (size_t)i * bytes, bytes) : 0;
    }
}

void seal_expand(const seal_run *run, const seal_field *field, uint32_t life, uint32_t lane, uint64_t *out) {
    const seal_column *column = seal_find_column(run, field, life, lane);
    if (column) {
        seal_expand_column(run, field, column, out);
        return;
    }
    uint32_t span = life_span(&run->lives[life]);
    uint64_t bits = lane_load(first_value(run, field, life, lane), field->shape.bytes);
    uint64_t number = lane_order(field->shape.class, bits);
    for (uint32_t t = 0; t < span; t++) {
        out[t] = number;
    }
}

void seal_store_column(seal_run *run, const seal_field *field, const seal_column *column, const uint64_t *values) {
    uint32_t span = life_span(&run->lives[column->life]), bytes = field->shape.bytes;
    uint8_t *at = run->store + column->at;
    if (column->is_dense) {
        store_dense(&field->shape, values, span, at);
        return;
    }
    uint8_t *place = at, *value = at + column->count * sizeof(uint16_t);
    for (uint32_t t = 1; t < span; t++) {
        if (values[t] != values[t - 1]) {
            lane_store(place, t, 2);
            lane_store(value, lane_unorder(field->shape.class, values[t]), bytes);
            place += 2;
            value += bytes;
        }
    }
}

const uint8_t *seal_column_at(const seal_run *run, const lane_shape *shape, const seal_column *column, uint32_t t) {
    const uint8_t *at = run->store + column->at;
    if (column->is_dense) {
        return at + (size_t)t * shape->bytes;
    }
    uint32_t low = 0, high = column->count; /* the first change after t */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane_load(at + middle * sizeof(uint16_t), 2) <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? at + column->count * sizeof(uint16_t) + (size_t)(low - 1) * shape->bytes : NULL;
}
