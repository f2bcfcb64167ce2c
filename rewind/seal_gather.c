/* Frames to lives and columns: the changes are logged frame by frame, then laid out column by column. */
#include "cells.h"
#include "limits.h"
#include "seal_log.h"
#include "seal_run.h"

/* A column as long as its place is not known yet. */
typedef struct raw_column {
    uint32_t life, field, count;
    uint32_t final; /* its number in the end */
    uint32_t done;  /* while it is laid out: frames, or changes when sparse */
} raw_column;

typedef struct gather {
    const seal_desc *desc;
    seal_run *run;
    bytes_writer lives, states, columns, maps; /* seal_life, bytes, raw_column, uint32_t */
    bytes_writer map_of;                       /* of each life: 1 + its place in maps, or 0 */
    seal_log log;                              /* for each change its column, uint32_t, and the value */
    void *now, *before;                        /* uint32_t: the lives of a frame's entities */
    size_t now_bytes, before_bytes, frame_change_bytes;
    cell_change *changes;
    size_t change_bytes;
    uint32_t change_count;   /* of the frame at hand */
    uint32_t *frame_changes; /* how many */
    bool failed;
} gather;

static seal_life *lives_of(const gather *all) {
    return (seal_life *)(void *)all->lives.bytes;
}

static raw_column *columns_of(const gather *all) {
    return (raw_column *)(void *)all->columns.bytes;
}

/* ---- reading frames ---- */

static uint32_t begin_life(gather *all, const eddy_entity *entity, uint32_t t) {
    uint32_t size = all->desc->schema->types[entity->type].size;
    uint8_t *state = bytes_room(&all->states, limit_aligned(size));
    uint32_t none = 0, number = (uint32_t)(all->lives.size / sizeof(seal_life));
    if (!state) {
        all->failed = true;
        return 0;
    }
    seal_life life = {.id = entity->id, .type = entity->type, .birth = t, .last = t, .state = all->states.size};
    memcpy(state, entity->data, size);
    memset(state + size, 0, limit_aligned(size) - size);
    bytes_advance(&all->states, state + limit_aligned(size));
    bytes_write(&all->lives, &life, sizeof life);
    bytes_write(&all->map_of, &none, sizeof none);
    return number;
}

/* The numbers of a life's columns by lane, 1 + each; made when it first changes. */
static uint32_t *map_of_life(gather *all, uint32_t life, const seal_field *field) {
    uint32_t *place = (uint32_t *)(void *)all->map_of.bytes + life;
    if (*place == 0) {
        const seal_run *run = all->run;
        const seal_field *last = seal_run_field(run, field->type, run->schema->types[field->type].field_count - 1);
        size_t bytes = (size_t)(last->lane_first + last->shape.count) * sizeof(uint32_t);
        uint8_t *map = bytes_room(&all->maps, bytes);
        if (!map) {
            all->failed = true;
            return NULL;
        }
        memset(map, 0, bytes);
        *place = 1 + (uint32_t)(all->maps.size / sizeof(uint32_t));
        bytes_advance(&all->maps, map + bytes);
    }
    return (uint32_t *)(void *)all->maps.bytes + *place - 1;
}

static void log_change(gather *all, uint32_t life, const seal_field *field, uint32_t lane, const uint8_t *value) {
    uint32_t *map = map_of_life(all, life, field);
    if (!map) {
        return;
    }
    uint32_t *number = &map[field->lane_first + lane];
    if (*number == 0) {
        raw_column made = {.life = life, .field = (uint32_t)(field - all->run->fields)};
        bytes_write(&all->columns, &made, sizeof made);
        *number = (uint32_t)(all->columns.size / sizeof made);
    }
    uint8_t *at = seal_log_write(&all->log, sizeof(uint32_t) + field->shape.bytes);
    if (!at || all->columns.failed) {
        all->failed = true;
        return;
    }
    uint32_t column = *number - 1;
    columns_of(all)[column].count++;
    memcpy(at, &column, sizeof column);
    memcpy(at + sizeof column, value, field->shape.bytes);
    all->change_count++;
}

static void log_entity(gather *all, uint32_t life, const eddy_entity *before, const eddy_entity *now) {
    const eddy_type *type = &all->desc->schema->types[now->type];
    uint32_t count = cells_compare(type, before->data, now->data, all->changes);
    for (uint32_t i = 0; i < count && !all->failed; i++) {
        const cell_change *change = &all->changes[i];
        const seal_field *field = seal_run_field(all->run, now->type, (uint32_t)(change->field - type->fields));
        uint32_t bytes = field->shape.bytes, lane = (change->offset - change->field->offset) / bytes;
        const uint8_t *from = (const uint8_t *)before->data + change->offset;
        const uint8_t *to = (const uint8_t *)now->data + change->offset;
        for (uint32_t part = 0; part < cell_bytes(change->field); part += bytes, lane++) {
            if (memcmp(from + part, to + part, bytes) != 0) {
                log_change(all, life, field, lane, to + part);
            }
        }
    }
}

static void log_frame(gather *all, const eddy_view *before, const eddy_view *now, uint32_t t) {
    const uint32_t *lives_before = all->before;
    uint32_t *lives_now = all->now;
    for (uint32_t i = 0, j = 0; i < now->count && !all->failed; i++) {
        const eddy_entity *entity = &now->entities[i];
        while (j < before->count && before->entities[j].id < entity->id) {
            j++;
        }
        bool lives_on =
            j < before->count && before->entities[j].id == entity->id && before->entities[j].type == entity->type;
        if (!lives_on) {
            lives_now[i] = begin_life(all, entity, t);
            all->failed = all->failed || all->lives.failed || all->map_of.failed;
            continue;
        }
        lives_now[i] = lives_before[j];
        lives_of(all)[lives_now[i]].last = t;
        if (before->entities[j].data != entity->data) {
            log_entity(all, lives_now[i], &before->entities[j], entity);
        }
    }
}

static void swap(gather *all) {
    void *lives = all->now;
    size_t bytes = all->now_bytes;
    all->now = all->before;
    all->now_bytes = all->before_bytes;
    all->before = lives;
    all->before_bytes = bytes;
}

static eddy_result fail_memory(const seal_desc *desc, eddy_error *error) {
    return eddy_fail(error, EDDY_E_MEMORY, "no memory to seal frames %u to %u", desc->source.first_frame,
                     desc->source.first_frame + desc->source.frame_count - 1);
}

static eddy_result read_frames(gather *all, seal_gathered *out, eddy_error *error) {
    const seal_desc *desc = all->desc;
    eddy_view before = {0};
    for (uint32_t t = 0; t < desc->source.frame_count; t++) {
        seal_frame frame;
        eddy_result result = desc->source.read(desc->source.user, t, &frame, error);
        if (result != EDDY_OK) {
            return result;
        }
        if (seal_is_cancelled(desc) ||
            !memory_grow(&desc->hooks, &all->now, &all->now_bytes, 0, frame.view.count * sizeof(uint32_t))) {
            return fail_memory(desc, error);
        }
        all->change_count = 0;
        log_frame(all, &before, &frame.view, t);
        if (all->failed) {
            return fail_memory(desc, error);
        }
        out->hashes[t] = frame.hash;
        out->branches[t] = frame.branch;
        all->frame_changes[t] = all->change_count;
        before = frame.view;
        swap(all);
    }
    return EDDY_OK;
}

/* ---- laying out ---- */

/* Numbers of lives by ascending id; those of one id stay in the order of birth. Four passes over bytes of the id. */
static void sort_lives(const seal_life *lives, uint32_t count, uint32_t *order, uint32_t *other) {
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t starts[257] = {0};
        for (uint32_t i = 0; i < count; i++) {
            starts[(lives[i].id >> shift & 255) + 1]++;
        }
        for (uint32_t i = 0; i < 256; i++) {
            starts[i + 1] += starts[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            other[starts[lives[order[i]].id >> shift & 255]++] = order[i];
        }
        uint32_t *swapped = order;
        order = other;
        other = swapped;
    }
}

/* Gives every column its number: by field, life and lane. */
static void number_columns(gather *all, const uint32_t *order) {
    seal_run *run = all->run;
    raw_column *raw = columns_of(all);
    for (uint32_t i = 0; i < run->column_count; i++) {
        run->fields[raw[i].field].count++;
        run->fields[raw[i].field].changes += raw[i].count;
    }
    for (uint32_t i = 0, first = 0; i < run->field_count; i++) {
        run->fields[i].first = first;
        first += run->fields[i].count;
        run->fields[i].count = 0;
    }
    for (uint32_t life = 0; life < run->life_count; life++) {
        uint32_t map = ((const uint32_t *)(void *)all->map_of.bytes)[order[life]];
        if (map == 0) {
            continue;
        }
        const uint32_t *numbers = (const uint32_t *)(void *)all->maps.bytes + map - 1;
        uint32_t field_count = run->schema->types[run->lives[life].type].field_count;
        for (uint32_t i = 0; i < field_count; i++) {
            seal_field *field = seal_run_field(run, run->lives[life].type, i);
            for (uint32_t lane = 0; lane < field->shape.count; lane++) {
                uint32_t number = numbers[field->lane_first + lane];
                if (number > 0) {
                    raw[number - 1].final = field->first + field->count++;
                    run->columns[raw[number - 1].final] =
                        (seal_column){.life = life, .lane = lane, .count = raw[number - 1].count};
                }
            }
        }
    }
}

/* Gives every column its place in the store. */
static size_t place_columns(seal_run *run) {
    size_t at = 0;
    for (uint32_t i = 0; i < run->field_count; i++) {
        seal_field *field = &run->fields[i];
        field->is_known = true;
        for (uint32_t c = field->first; c < field->first + field->count; c++) {
            seal_column *column = &run->columns[c];
            column->at = at;
            at += seal_column_bytes(&field->shape, column->count, life_span(&run->lives[column->life]),
                                    &column->is_dense);
        }
    }
    return at;
}

/* Dense: the values up to frame t are those before. */
static void fill(seal_run *run, const seal_field *field, const seal_column *column, raw_column *raw, uint32_t t) {
    uint32_t bytes = field->shape.bytes;
    uint8_t *at = run->store + column->at;
    if (raw->done == 0) {
        const seal_life *life = &run->lives[column->life];
        memcpy(at, run->states + life->state + field->field->offset + column->lane * bytes, bytes);
        raw->done = 1;
    }
    for (; raw->done < t; raw->done++) {
        memcpy(at + (size_t)raw->done * bytes, at + (size_t)(raw->done - 1) * bytes, bytes);
    }
}

static void place_change(seal_run *run, raw_column *raw, uint32_t frame, const uint8_t *value) {
    const seal_field *field = &run->fields[raw->field];
    const seal_column *column = &run->columns[raw->final];
    uint32_t bytes = field->shape.bytes, t = frame - run->lives[column->life].birth;
    uint8_t *at = run->store + column->at;
    if (column->is_dense) {
        fill(run, field, column, raw, t);
        memcpy(at + (size_t)t * bytes, value, bytes);
    } else {
        lane_store(at + raw->done * sizeof(uint16_t), t, 2);
        memcpy(at + column->count * sizeof(uint16_t) + (size_t)raw->done * bytes, value, bytes);
    }
    raw->done++;
}

static void place_changes(gather *all) {
    seal_run *run = all->run;
    raw_column *raw = columns_of(all);
    for (uint32_t t = 0; t < run->frame_count; t++) {
        for (uint32_t i = 0; i < all->frame_changes[t]; i++) {
            const uint8_t *at = seal_log_read(&all->log);
            uint32_t number;
            memcpy(&number, at, sizeof number);
            place_change(run, &raw[number], t, at + sizeof number);
            seal_log_skip(&all->log, sizeof number + run->fields[raw[number].field].shape.bytes);
        }
    }
    for (uint32_t i = 0; i < run->column_count; i++) {
        const seal_column *column = &run->columns[raw[i].final];
        if (column->is_dense) {
            fill(run, &run->fields[raw[i].field], column, &raw[i], life_span(&run->lives[column->life]));
        }
    }
}

static bool lay_out(gather *all) {
    seal_run *run = all->run;
    const eddy_hooks *hooks = &run->hooks;
    uint32_t life_count = (uint32_t)(all->lives.size / sizeof(seal_life));
    uint32_t column_count = (uint32_t)(all->columns.size / sizeof(raw_column));
    size_t order_bytes = 2 * (size_t)life_count * sizeof(uint32_t) + 1;
    run->lives = memory_reserve(hooks, life_count * sizeof *run->lives + 1);
    run->life_count = life_count;
    run->columns = memory_reserve(hooks, column_count * sizeof *run->columns + 1);
    run->column_count = column_count;
    run->states = memory_reserve(hooks, all->states.size + 1);
    run->state_bytes = all->states.size;
    uint32_t *order = memory_reserve(hooks, order_bytes);
    bool good = run->lives && run->columns && run->states && order;
    if (good) {
        sort_lives(lives_of(all), life_count, order, order + life_count);
        for (uint32_t i = 0; i < life_count; i++) {
            run->lives[i] = lives_of(all)[order[i]];
            uint32_t size = (uint32_t)limit_aligned(run->schema->types[run->lives[i].type].size);
            size_t at =
                i > 0 ? run->lives[i - 1].state + limit_aligned(run->schema->types[run->lives[i - 1].type].size) : 0;
            memcpy(run->states + at, all->states.bytes + run->lives[i].state, size);
            run->lives[i].state = at;
        }
        number_columns(all, order);
        run->store_bytes = place_columns(run);
        run->store = memory_reserve(hooks, run->store_bytes + 1);
        good = run->store != NULL;
    }
    if (good) {
        place_changes(all);
    }
    memory_release(hooks, order, order_bytes);
    return good;
}

/* ---- all of it ---- */

static size_t changes_bytes(const eddy_schema *schema) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < schema->type_count; i++) {
        uint32_t cells = cells_count(&schema->types[i]);
        most = cells > most ? cells : most;
    }
    return most * sizeof(cell_change);
}

static void end(gather *all) {
    const eddy_hooks *hooks = &all->desc->hooks;
    bytes_writer *writers[] = {&all->lives, &all->states, &all->columns, &all->maps, &all->map_of};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        bytes_writer_free(writers[i]);
    }
    memory_release(hooks, all->now, all->now_bytes);
    memory_release(hooks, all->before, all->before_bytes);
    memory_release(hooks, all->changes, all->change_bytes);
    memory_release(hooks, all->frame_changes, all->frame_change_bytes);
    seal_log_free(&all->log);
}

eddy_result seal_gather(const seal_desc *desc, seal_run *run, seal_gathered *out, eddy_error *error) {
    const eddy_hooks *hooks = &desc->hooks;
    bytes_writer empty = {.hooks = hooks};
    uint32_t frames = desc->source.frame_count;
    gather all = {.desc = desc, .run = run, .lives = empty, .states = empty, .columns = empty};
    all.maps = all.map_of = empty;
    all.log.hooks = hooks;
    run->first_frame = desc->source.first_frame;
    run->frame_count = frames;
    all.change_bytes = changes_bytes(desc->schema);
    all.changes = memory_reserve(hooks, all.change_bytes);
    all.frame_change_bytes = frames * sizeof *all.frame_changes;
    all.frame_changes = memory_reserve(hooks, all.frame_change_bytes);
    out->hashes = memory_reserve(hooks, frames * sizeof *out->hashes);
    out->branches = memory_reserve(hooks, frames * sizeof *out->branches);
    eddy_result result = all.changes && all.frame_changes && out->hashes && out->branches
                             ? read_frames(&all, out, error)
                             : fail_memory(desc, error);
    if (result == EDDY_OK && !lay_out(&all)) {
        result = fail_memory(desc, error);
    }
    end(&all);
    return result;
}

void seal_gathered_free(seal_gathered *gathered, const seal_desc *desc) {
    uint32_t frames = desc->source.frame_count;
    memory_release(&desc->hooks, gathered->hashes, frames * sizeof *gathered->hashes);
    memory_release(&desc->hooks, gathered->branches, frames * sizeof *gathered->branches);
    *gathered = (seal_gathered){0};
}
