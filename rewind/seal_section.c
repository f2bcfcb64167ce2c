#include "seal_section.h"

bool seal_desk_begin(seal_desk *desk, uint32_t frame_count, const eddy_hooks *hooks) {
    size_t column = (size_t)frame_count * sizeof(uint64_t);
    *desk = (seal_desk){.bytes = 9 * column + 2 * sizeof(column_memo)};
    uint8_t *memory = desk->memory = memory_reserve(hooks, desk->bytes);
    if (!memory) {
        return false;
    }
    desk->memo = (void *)memory;
    desk->memo_before = desk->memo + 1;
    uint64_t **arrays[] = {&desk->values, &desk->residuals,    &desk->trial,           &desk->mover,      &desk->gate,
                           &desk->key,    &desk->other_values, &desk->other_residuals, &desk->other_mover};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = (void *)(memory + 2 * sizeof(column_memo) + i * column);
    }
    return true;
}

void seal_desk_end(seal_desk *desk, const eddy_hooks *hooks) {
    memory_release(hooks, desk->memory, desk->bytes);
    desk->memory = NULL;
}

static const uint64_t *expand_ref(const seal_run *run, const seal_field *field, const seal_column *column, seal_ref ref,
                                  uint64_t *out) {
    if (ref.field == SEAL_NONE) {
        return NULL;
    }
    const seal_field *other = seal_run_field(run, field->type, ref.field);
    seal_expand(run, other, column->life, other->shape.count == field->shape.count ? column->lane : ref.lane, out);
    return out;
}

column_walk seal_walk(const seal_run *run, const seal_field *field, const seal_column *column, seal_desk *desk) {
    const seal_model *model = &field->model;
    column_walk walk = {
        .class = field->shape.class,
        .mask = field->shape.mask,
        .count = life_span(&run->lives[column->life]),
        .pace = model->pace,
        .key_own = model->key_own,
        .target = model->target,
        .memo = model->has_memo ? desk->memo : NULL,
        .step = model->step,
    };
    walk.mover = expand_ref(run, field, column, model->mover, desk->mover);
    if (walk.mover) {
        walk.mover_class = seal_run_field(run, field->type, model->mover.field)->shape.class;
    }
    if (walk.memo) {
        walk.gate = expand_ref(run, field, column, model->gate, desk->gate);
        walk.key = expand_ref(run, field, column, model->key, desk->key);
    }
    return walk;
}

/* ---- where residuals are ---- */

typedef enum place_form { PLACE_NONE, PLACE_GAPS, PLACE_MASK, PLACE_ALL } place_form;

static place_form place_form_of(uint32_t count, uint32_t frames) {
    if (count == 0) {
        return PLACE_NONE;
    }
    return count * 10u >= frames * 9u ? PLACE_ALL : count * 8u <= frames ? PLACE_GAPS : PLACE_MASK;
}

static uint8_t *put_residual(uint8_t *at, uint64_t residual, const lane_shape *shape) {
    lane_store(at, residual_fold(residual, shape->mask), shape->bytes);
    return at + shape->bytes;
}

/* Residuals 1 .. frames to the streams. */
static void write_residuals(bytes_writer *streams, const lane_shape *shape, const uint64_t *residuals, uint32_t frames,
                            uint32_t count) {
    place_form form = place_form_of(count, frames);
    if (form == PLACE_NONE) {
        return;
    }
    uint8_t *value = bytes_room(&streams[STREAM_VALUE], (size_t)frames * shape->bytes);
    uint8_t *gap = bytes_room(&streams[STREAM_GAP], (size_t)count * BYTES_VARINT_MAX);
    uint8_t *mask = bytes_room(&streams[STREAM_MASK], frames / 8 + 1);
    if (!value || !gap || !mask) {
        return;
    }
    memset(mask, 0, frames / 8 + 1);
    for (uint32_t t = 1, next = 1; t <= frames; t++) {
        if (residuals[t] == 0 && form != PLACE_ALL) {
            continue;
        }
        value = put_residual(value, residuals[t], shape);
        mask[(t - 1) / 8] |= (uint8_t)(1u << ((t - 1) % 8));
        gap = form == PLACE_GAPS ? bytes_put_varint(gap, t - next) : gap;
        next = t + 1;
    }
    bytes_advance(&streams[STREAM_VALUE], value);
    bytes_advance(&streams[STREAM_GAP], gap);
    bytes_advance(&streams[STREAM_MASK], form == PLACE_MASK ? mask + (frames + 7) / 8 : mask);
}

/* ---- writing ---- */

static void write_ref(bytes_writer *out, seal_ref ref) {
    if (ref.field != SEAL_NONE) {
        bytes_write_varint(out, ref.field);
        bytes_write_varint(out, ref.lane);
    }
}

static void write_model(bytes_writer *out, const seal_field *field) {
    const seal_model *model = &field->model;
    bool moves = model->mover.field != SEAL_NONE;
    unsigned flags = moves | model->has_memo << 1 | (model->gate.field != SEAL_NONE) << 2 |
                     (model->key.field != SEAL_NONE) << 3 | model->key_own << 4 | (model->target == MEMO_DELTA) << 5 |
                     model->pace.divides << 6 | model->pace.late << 7;
    bytes_write_varint(out, flags);
    write_ref(out, model->mover);
    if (moves) {
        bytes_write(out, &model->pace.factor, sizeof model->pace.factor);
    }
    write_ref(out, model->gate);
    write_ref(out, model->key);
    if (model->has_memo) {
        bytes_write_varint(out, residual_fold(model->step, field->shape.mask));
    }
}

static void write_wide(bytes_writer *streams, const seal_run *run, const seal_field *field, const seal_column *column) {
    const uint8_t *at = run->store + column->at;
    bytes_write_varint(&streams[STREAM_COUNT], column->count);
    for (uint32_t i = 0, next = 1; i < column->count; i++) {
        uint32_t t = (uint32_t)lane_load(at + i * sizeof(uint16_t), 2);
        bytes_write_varint(&streams[STREAM_GAP], t - next);
        next = t + 1;
    }
    bytes_write(&streams[STREAM_VALUE], at + column->count * sizeof(uint16_t),
                (size_t)column->count * field->shape.bytes);
}

static void write_fit(bytes_writer *out, const double fit[2], lane_class class) {
    for (int i = 0; i < 2; i++) {
        float narrow = (float)fit[i];
        if (class == LANE_F64) {
            bytes_write(out, &fit[i], sizeof fit[i]);
        } else {
            bytes_write(out, &narrow, sizeof narrow);
        }
    }
}

static void write_narrow(bytes_writer *streams, const seal_run *run, const seal_field *field, const seal_column *column,
                         seal_desk *desk) {
    seal_expand_column(run, field, column, desk->values);
    column_walk walk = seal_walk(run, field, column, desk);
    seal_choice choice = seal_choose(&walk, desk);
    uint32_t count = 0;
    for (uint32_t t = 1; t < walk.count; t++) {
        count += desk->residuals[t] != 0;
    }
    uint8_t id = (uint8_t)choice.id;
    bytes_write(&streams[STREAM_PREDICTOR], &id, 1);
    bytes_write_varint(&streams[STREAM_COUNT], count);
    if (choice.id == PREDICT_FIT || choice.id == PREDICT_AFFINE) {
        write_fit(&streams[STREAM_FIT], choice.fit, field->shape.class);
    } else if (choice.id == PREDICT_STEP) {
        bytes_write_varint(&streams[STREAM_FIT], residual_fold(choice.add, field->shape.mask));
    }
    write_residuals(streams, &field->shape, desk->residuals, walk.count - 1, count);
}

void seal_pieces_cut(seal_pieces *out) {
    size_t here = out->bytes.size, last = 0;
    if (out->cuts.size > 0) {
        memcpy(&last, out->cuts.bytes + out->cuts.size - sizeof last, sizeof last);
    }
    if (here - last >= 256) {
        bytes_write(&out->cuts, &here, sizeof here);
    }
}

/* The values of a section, rows of `width` bytes, as planes. */
static void write_planes(seal_pieces *out, const uint8_t *rows, size_t size, uint32_t width) {
    size_t count = size / width;
    for (uint32_t plane = 0; count > 0 && plane < width; plane++) {
        uint8_t *at = bytes_room(&out->bytes, count);
        for (size_t i = 0; at && i < count; i++) {
            at[i] = rows[i * width + plane];
        }
        if (at) {
            bytes_advance(&out->bytes, at + count);
        }
        seal_pieces_cut(out);
    }
}

static void write_streams(seal_pieces *out, const bytes_writer *streams, const lane_shape *shape) {
    for (int i = 0; i < STREAMS; i++) {
        bytes_write_varint(&out->bytes, streams[i].size);
    }
    for (int i = 0; i < STREAM_VALUE; i++) {
        if (streams[i].size == 0) {
            continue;
        }
        bytes_write(&out->bytes, streams[i].bytes, streams[i].size);
        seal_pieces_cut(out);
    }
    write_planes(out, streams[STREAM_VALUE].bytes, streams[STREAM_VALUE].size,
                 shape->class == LANE_WIDE ? 1 : shape->bytes);
}

bool seal_section_write(const seal_desc *desc, const seal_run *run, const seal_field *field, seal_desk *desk,
                        seal_pieces *out) {
    bytes_writer streams[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = (bytes_writer){.hooks = &desc->hooks};
    }
    memset(desk->memo, 0, sizeof *desk->memo);
    bool cancelled = false;
    for (uint32_t i = 0, life = 0; i < field->count && !cancelled; i++) {
        const seal_column *column = &run->columns[field->first + i];
        bytes_write_varint(&streams[STREAM_LIFE], column->life - life);
        if (field->shape.count > 1) {
            bytes_write_varint(&streams[STREAM_LANE], column->lane);
        }
        if (field->shape.class == LANE_WIDE) {
            write_wide(streams, run, field, column);
        } else {
            write_narrow(streams, run, field, column, desk);
        }
        life = column->life;
        cancelled = seal_is_cancelled(desc);
    }
    write_model(&out->bytes, field);
    write_streams(out, streams, &field->shape);
    bool failed = cancelled || out->bytes.failed || out->cuts.failed;
    for (int i = 0; i < STREAMS; i++) {
        failed = failed || streams[i].failed;
        bytes_writer_free(&streams[i]);
    }
    return !failed;
}

/* ---- reading ---- */

static seal_ref read_ref(bytes_reader *reader, const seal_run *run, const seal_field *field, bool is_there) {
    seal_ref ref = {.field = SEAL_NONE};
    if (!is_there) {
        return ref;
    }
    uint64_t index = bytes_varint(reader), lane = bytes_varint(reader);
    if (bytes_expect(reader, index < run->schema->types[field->type].field_count, "a field of the type", index)) {
        const seal_field *other = seal_run_field(run, field->type, (uint32_t)index);
        bytes_expect(reader, other->is_known && other->shape.class != LANE_WIDE, "a field that came before", index);
        bytes_expect(reader, lane < other->shape.count, "an element of the field", lane);
    }
    return reader->expected ? ref : (seal_ref){.field = (uint32_t)index, .lane = (uint32_t)lane};
}

static void read_model(bytes_reader *reader, const seal_run *run, seal_field *field) {
    uint64_t flags = bytes_varint(reader);
    seal_model model = {.has_memo = flags >> 1 & 1, .key_own = flags >> 4 & 1, .target = flags >> 5 & 1};
    model.pace.divides = flags >> 6 & 1;
    model.pace.late = flags >> 7 & 1;
    model.mover = read_ref(reader, run, field, flags & 1);
    const uint8_t *factor = flags & 1 ? bytes_take(reader, sizeof model.pace.factor) : NULL;
    if (factor) {
        memcpy(&model.pace.factor, factor, sizeof model.pace.factor);
    }
    model.gate = read_ref(reader, run, field, flags & 4);
    model.key = read_ref(reader, run, field, flags & 8);
    if (model.has_memo) {
        model.step = residual_unfold(bytes_varint(reader), field->shape.mask) & field->shape.mask;
    }
    field->model = model;
}

/* The streams of a section while it is read. */
typedef struct section_reader {
    bytes_reader streams[STREAMS];
    const uint8_t *values; /* planes, or rows of a str */
    size_t value_count, value_at;
} section_reader;

static void begin_streams(bytes_reader *reader, section_reader *section, const lane_shape *shape) {
    uint64_t sizes[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        sizes[i] = bytes_varint(reader);
    }
    for (int i = 0; i < STREAMS; i++) {
        const uint8_t *bytes = bytes_take(reader, sizes[i]);
        section->streams[i] = bytes_reader_of(bytes ? bytes : (const uint8_t *)"", bytes ? sizes[i] : 0);
    }
    section->values = section->streams[STREAM_VALUE].start;
    section->value_count = bytes_left(&section->streams[STREAM_VALUE]) / shape->bytes;
    section->value_at = 0;
}

static uint64_t take_residual(section_reader *section, const lane_shape *shape) {
    if (section->value_at >= section->value_count) {
        bytes_spoil(&section->streams[STREAM_VALUE], "a residual", section->value_at);
        return 0;
    }
    const uint8_t *at = section->values + section->value_at++;
    uint64_t folded = 0;
    for (uint32_t plane = 0; plane < shape->bytes; plane++, at += section->value_count) {
        folded |= (uint64_t)*at << (8 * plane);
    }
    return residual_unfold(folded, shape->mask) & shape->mask;
}

/* Residuals 1 .. frames, all of them there: plane by plane, without a choice inside the loops. */
static void take_residuals(section_reader *section, const lane_shape *shape, uint64_t *restrict residuals,
                           uint32_t frames) {
    if (section->value_count - section->value_at < frames) {
        bytes_spoil(&section->streams[STREAM_VALUE], "residuals", section->value_count);
        return;
    }
    const uint8_t *restrict plane = section->values + section->value_at;
    for (uint32_t i = 0; i < shape->bytes; i++, plane += section->value_count) {
        for (uint32_t t = 0; t < frames; t++) {
            residuals[t + 1] |= (uint64_t)plane[t] << (8 * i);
        }
    }
    uint64_t mask = shape->mask;
    for (uint32_t t = 1; t <= frames; t++) {
        residuals[t] = residual_unfold(residuals[t], mask) & mask;
    }
    section->value_at += frames;
}

static void read_residuals(section_reader *section, const lane_shape *shape, uint64_t *residuals, uint32_t frames,
                           uint32_t count) {
    place_form form = place_form_of(count, frames);
    memset(residuals, 0, (frames + (size_t)1) * sizeof *residuals);
    if (form == PLACE_GAPS) {
        for (uint64_t i = 0, t = 0; i < count; i++) {
            uint64_t gap = bytes_varint(&section->streams[STREAM_GAP]);
            t += gap < frames ? gap + 1 : frames + (uint64_t)1;
            if (!bytes_expect(&section->streams[STREAM_GAP], t <= frames, "a frame of the life", t)) {
                return;
            }
            residuals[t] = take_residual(section, shape);
        }
        return;
    }
    if (form == PLACE_ALL) {
        take_residuals(section, shape, residuals, frames);
        return;
    }
    const uint8_t *mask = form == PLACE_MASK ? bytes_take(&section->streams[STREAM_MASK], (frames + 7) / 8) : NULL;
    for (uint32_t t = 1; t <= frames && mask; t++) {
        if (mask[(t - 1) / 8] >> ((t - 1) % 8) & 1) {
            residuals[t] = take_residual(section, shape);
        }
    }
}

/* The place of a column of `count` changes in the store. */
static bool place(bytes_reader *reader, seal_run *run, const seal_field *field, seal_column *column, uint32_t count,
                  size_t *at) {
    column->count = count;
    column->at = *at;
    size_t bytes = seal_column_bytes(&field->shape, count, life_span(&run->lives[column->life]), &column->is_dense);
    if (!bytes_expect(reader, count > 0 && bytes <= run->store_bytes - *at, "columns of the size announced", bytes)) {
        return false;
    }
    *at += bytes;
    return true;
}

static void read_wide(section_reader *section, seal_run *run, const seal_field *field, seal_column *column,
                      size_t *at) {
    bytes_reader *gaps = &section->streams[STREAM_GAP];
    uint64_t count = bytes_varint(&section->streams[STREAM_COUNT]), t = 0;
    uint32_t span = life_span(&run->lives[column->life]);
    if (!bytes_expect(gaps, count < span, "changes within a life", count) ||
        !place(gaps, run, field, column, (uint32_t)count, at)) {
        return;
    }
    uint8_t *to = run->store + column->at;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = bytes_varint(gaps);
        t += gap < span ? gap + 1 : span;
        if (!bytes_expect(gaps, t < span, "a frame of the life", t)) {
            return;
        }
        lane_store(to + i * sizeof(uint16_t), t, 2);
    }
    size_t bytes = (size_t)count * field->shape.bytes;
    const uint8_t *values = bytes_take(&section->streams[STREAM_VALUE], bytes);
    if (values) {
        memcpy(to + count * sizeof(uint16_t), values, bytes);
    }
}

static void read_fit(bytes_reader *reader, double fit[2], lane_class class) {
    for (int i = 0; i < 2; i++) {
        float narrow = 0;
        const uint8_t *from = bytes_take(reader, class == LANE_F64 ? sizeof fit[i] : sizeof narrow);
        if (from && class == LANE_F64) {
            memcpy(&fit[i], from, sizeof fit[i]);
        } else if (from) {
            memcpy(&narrow, from, sizeof narrow);
            fit[i] = (double)narrow;
        }
    }
}

static bool read_identity(section_reader *section, seal_run *run, const seal_field *field, uint32_t i) {
    bytes_reader *lives = &section->streams[STREAM_LIFE];
    seal_column *column = &run->columns[field->first + i];
    const seal_column *before = i > 0 ? column - 1 : NULL;
    uint64_t life = (before ? before->life : 0) + bytes_varint(lives);
    uint64_t lane = field->shape.count > 1 ? bytes_varint(&section->streams[STREAM_LANE]) : 0;
    bool good = life < run->life_count && run->lives[life].type == field->type && lane < field->shape.count &&
                (!before || life > before->life || lane > before->lane);
    if (!bytes_expect(lives, good, "a life of the type, in order", life)) {
        return false;
    }
    *column = (seal_column){.life = (uint32_t)life, .lane = (uint32_t)lane};
    return true;
}

/* Reads what there is of a column but its values. */
static bool begin_narrow(section_reader *section, seal_run *run, const seal_field *field, const seal_column *column,
                         seal_desk *desk, column_decoding *out) {
    bytes_reader *counts = &section->streams[STREAM_COUNT], *fits = &section->streams[STREAM_FIT];
    out->walk = seal_walk(run, field, column, desk);
    const uint8_t *id = bytes_take(&section->streams[STREAM_PREDICTOR], 1);
    uint64_t count = bytes_varint(counts);
    column_walk *walk = &out->walk;
    bool good =
        id && *id < PREDICT_COUNT && (*id != PREDICT_MOVE || walk->mover) && (*id != PREDICT_MEMO || walk->memo);
    if (!bytes_expect(counts, good, "a predictor", id ? *id : 0) ||
        !bytes_expect(counts, count < walk->count, "residuals within a life", count)) {
        return false;
    }
    out->id = (predictor_id)*id;
    if (out->id == PREDICT_FIT || out->id == PREDICT_AFFINE) {
        read_fit(fits, walk->fit, walk->class);
    } else if (out->id == PREDICT_STEP) {
        walk->add = residual_unfold(bytes_varint(fits), walk->mask) & walk->mask;
    }
    out->values = desk->values;
    out->residuals = desk->residuals;
    read_residuals(section, &field->shape, desk->residuals, walk->count - 1, (uint32_t)count);
    const uint8_t *first = run->states + run->lives[column->life].state + field->field->offset;
    desk->values[0] = lane_order(walk->class, lane_load(first + column->lane * field->shape.bytes, field->shape.bytes));
    return true;
}

static void end_narrow(section_reader *section, seal_run *run, const seal_field *field, seal_column *column,
                       const column_decoding *found, size_t *at) {
    uint32_t changes = 0;
    for (uint32_t t = 1; t < found->walk.count; t++) {
        changes += found->values[t] != found->values[t - 1];
    }
    if (place(&section->streams[STREAM_COUNT], run, field, column, changes, at)) {
        seal_store_column(run, field, column, found->values);
    }
}

/* The desk for the second column of a pair: other rows, the same memo, which no column of a pair uses. */
static seal_desk other_desk(const seal_desk *desk) {
    seal_desk other = *desk;
    other.values = desk->other_values;
    other.residuals = desk->other_residuals;
    other.mover = desk->other_mover;
    return other;
}

/* Reads a column, and with it the next one if both can be decoded side by side. Returns how many: 0 after a fault. */
static uint32_t read_narrow(section_reader *section, seal_run *run, const seal_field *field, uint32_t index,
                            seal_desk *desk, size_t *at) {
    seal_column *column = &run->columns[field->first + index];
    seal_desk second_desk = other_desk(desk);
    column_decoding first, second;
    if (!begin_narrow(section, run, field, column, desk, &first)) {
        return 0;
    }
    bool may_pair = column_can_pair(&first, &first) && index + 1 < field->count;
    if (!may_pair || !read_identity(section, run, field, index + 1)) {
        column_predictors[first.id].decode(&first.walk, first.values, first.residuals);
        end_narrow(section, run, field, column, &first, at);
        return 1;
    }
    if (!begin_narrow(section, run, field, column + 1, &second_desk, &second)) {
        return 0;
    }
    if (column_can_pair(&first, &second)) {
        column_decode_pair(&first, &second);
    } else {
        column_predictors[first.id].decode(&first.walk, first.values, first.residuals);
        column_predictors[second.id].decode(&second.walk, second.values, second.residuals);
    }
    end_narrow(section, run, field, column, &first, at);
    end_narrow(section, run, field, column + 1, &second, at);
    return 2;
}

/* A fault in a stream is one of the section. */
static void spoil_from(bytes_reader *reader, const section_reader *section) {
    for (int s = 0; s < STREAMS; s++) {
        bytes_expect(reader, !section->streams[s].expected,
                     section->streams[s].expected ? section->streams[s].expected : "", section->streams[s].found);
    }
}

void seal_section_read(bytes_reader *reader, seal_run *run, seal_field *field, seal_desk *desk, size_t *at) {
    section_reader section;
    read_model(reader, run, field);
    begin_streams(reader, &section, &field->shape);
    memset(desk->memo, 0, sizeof *desk->memo);
    for (uint32_t i = 0; i < field->count && !reader->expected;) {
        if (!read_identity(&section, run, field, i)) {
            i++;
        } else if (field->shape.class == LANE_WIDE) {
            read_wide(&section, run, field, &run->columns[field->first + i++], at);
        } else {
            i += read_narrow(&section, run, field, i, desk, at);
        }
        spoil_from(reader, &section);
    }
    field->is_known = !reader->expected;
}
