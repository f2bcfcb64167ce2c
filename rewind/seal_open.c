#include "seal_open.h"

#include "cells.h"
#include "limits.h"
#include "seal_core.h"
#include "seal_zstd.h"

/* More than a run of frames comes to, whatever a damaged directory says. */
#define OPEN_BYTES_MAX ((uint64_t)1 << 31)

#define NOTHING ((const uint8_t *)"")

typedef struct opening {
    sealed_bytes sealed;
    opened_run *opened;
    seal_unpacker *unpacker;
    seal_desk desk;
    seal_directory directory;
    seal_entry *entries;
    bool *wanted; /* for each entry */
    uint8_t *core, *block;
    size_t core_bytes, block_bytes, entries_bytes;
    size_t blocks_at, store_at;
    bytes_reader core_reader;
    const char *expected; /* NULL: all is well so far */
    bool no_memory;
} opening;

static bool is_well(const opening *all) {
    return !all->expected && !all->no_memory;
}

static void expect(opening *all, bool good, const char *expected) {
    if (!good && is_well(all)) {
        all->expected = expected;
    }
}

static void *take_memory(opening *all, uint64_t bytes) {
    expect(all, bytes <= OPEN_BYTES_MAX, "sizes of a run");
    void *memory = is_well(all) ? memory_reserve(&all->opened->run.hooks, bytes) : NULL;
    all->no_memory = all->no_memory || (is_well(all) && !memory);
    return memory;
}

/* ---- the directory ---- */

static void mark_wanted(opening *all, const seal_query *only) {
    for (uint64_t i = all->directory.entry_count; i-- > 0;) {
        seal_entry *entry = &all->entries[i];
        all->wanted[i] = all->wanted[i] || !only || (entry->type == only->type && entry->field == only->field);
        for (uint64_t j = 0; all->wanted[i] && j < i; j++) {
            for (uint32_t n = 0; n < entry->need_count; n++) {
                all->wanted[j] =
                    all->wanted[j] || (all->entries[j].type == entry->type && all->entries[j].field == entry->needs[n]);
            }
        }
    }
}

static void read_directory(opening *all, const seal_query *only) {
    seal_run *run = &all->opened->run;
    all->directory = seal_directory_begin(all->sealed);
    seal_directory *directory = &all->directory;
    expect(all, !directory->reader.expected, "a directory");
    all->entries_bytes = directory->entry_count * (sizeof *all->entries + sizeof *all->wanted) + 1;
    all->entries = take_memory(all, all->entries_bytes);
    uint64_t columns = 0;
    if (!is_well(all)) {
        return;
    }
    all->wanted = (bool *)(all->entries + directory->entry_count);
    for (uint64_t i = 0; i < directory->entry_count; i++) {
        seal_entry *entry = &all->entries[i];
        *entry = seal_directory_next(directory);
        bool known = entry->type < run->type_count && entry->field < run->schema->types[entry->type].field_count;
        expect(all, known && !directory->reader.expected, "fields of the schema");
        expect(all, entry->columns <= entry->bytes && entry->columns <= directory->column_count - columns,
               "as many columns as announced");
        if (!is_well(all)) {
            return;
        }
        seal_field *field = seal_run_field(run, (uint16_t)entry->type, (uint32_t)entry->field);
        expect(all, !field->is_known && field->count == 0 && entry->columns > 0, "each field once");
        field->first = (uint32_t)columns;
        field->count = (uint32_t)entry->columns;
        field->changes = entry->changes;
        columns += entry->columns;
    }
    expect(all, columns == directory->column_count, "as many columns as announced");
    mark_wanted(all, only);
}

/* ---- blocks ---- */

/* Unpacks the next block into `into`, or passes over it. */
static size_t unpack_next(opening *all, uint8_t **into, size_t *into_bytes, bool wanted) {
    seal_block block = seal_directory_next_block(&all->directory);
    bool is_whole = block.packed_bytes <= all->sealed.size - all->blocks_at;
    expect(all, is_whole && block.raw_bytes <= OPEN_BYTES_MAX, "whole blocks");
    if (!is_well(all)) {
        return 0;
    }
    const uint8_t *packed = all->sealed.bytes + all->blocks_at;
    all->blocks_at += block.packed_bytes;
    if (!wanted) {
        return 0;
    }
    if (block.raw_bytes + 1 > *into_bytes) {
        memory_release(&all->opened->run.hooks, *into, *into_bytes);
        *into_bytes = 0;
        *into = take_memory(all, block.raw_bytes + 1);
        *into_bytes = *into ? block.raw_bytes + 1 : 0;
    }
    if (is_well(all)) {
        expect(all, seal_unpacker_unpack(all->unpacker, packed, block.packed_bytes, *into, block.raw_bytes),
               "a block that unpacks");
    }
    return block.raw_bytes;
}

static void read_core(opening *all) {
    size_t size = unpack_next(all, &all->core, &all->core_bytes, true);
    if (is_well(all)) {
        all->core_reader = bytes_reader_of(all->core, size);
        all->no_memory = !seal_core_read(&all->core_reader, &all->opened->run);
        expect(all, !all->core_reader.expected, all->core_reader.expected);
    }
}

static void read_section(opening *all, const seal_entry *entry, bool wanted) {
    seal_run *run = &all->opened->run;
    bytes_reader own, *from = &own;
    if (entry->block == 0) {
        const uint8_t *bytes = bytes_take(&all->core_reader, entry->bytes);
        expect(all, bytes != NULL, "a whole core");
        own = bytes_reader_of(bytes ? bytes : NOTHING, bytes ? entry->bytes : 0);
    } else {
        size_t size = unpack_next(all, &all->block, &all->block_bytes, wanted);
        bool is_there = is_well(all) && wanted;
        own = bytes_reader_of(is_there ? all->block : NOTHING, is_there ? size : 0);
    }
    if (is_well(all) && wanted) {
        seal_field *field = seal_run_field(run, (uint16_t)entry->type, (uint32_t)entry->field);
        seal_section_read(from, run, field, &all->desk, &all->store_at);
        expect(all, !from->expected, from->expected);
    }
}

static void read_sections(opening *all) {
    seal_run *run = &all->opened->run;
    expect(all, all->directory.column_count <= OPEN_BYTES_MAX / sizeof *run->columns, "a number of columns");
    expect(all, all->directory.store_bytes <= OPEN_BYTES_MAX, "sizes of a run");
    if (!is_well(all)) {
        return;
    }
    run->column_count = (uint32_t)all->directory.column_count;
    run->columns = take_memory(all, run->column_count * sizeof *run->columns + 1);
    run->store = take_memory(all, all->directory.store_bytes + 1);
    run->store_bytes = run->store ? all->directory.store_bytes : 0;
    for (uint32_t i = 0; i < run->field_count; i++) {
        run->fields[i].is_known = run->fields[i].count == 0;
    }
    for (uint64_t i = 0; i < all->directory.entry_count && is_well(all); i++) {
        read_section(all, &all->entries[i], all->wanted[i]);
    }
}

/* ---- what is behind ---- */

/* Are the values allowed? The checksum says so, unless the bytes were made to lie. */
static bool value_is_sound(const seal_field *field, const uint8_t *value) {
    if (field->field->kind != EDDY_VEC2) {
        return cell_check(field->field, value) == NULL;
    }
    uint8_t pair[8];
    memcpy(pair, value, 4);
    memcpy(pair + 4, value, 4);
    return cell_check(field->field, pair) == NULL;
}

static bool field_is_free(const eddy_field *field) {
    return field->kind != EDDY_BOOL && field->kind != EDDY_STR && field->min == field->max && field->name_count == 0;
}

static bool first_values_are_sound(const seal_run *run) {
    for (uint32_t i = 0; i < run->life_count; i++) {
        const eddy_type *type = &run->schema->types[run->lives[i].type];
        for (uint32_t f = 0; f < type->field_count; f++) {
            const seal_field *field = seal_run_field(run, run->lives[i].type, f);
            const uint8_t *at = run->states + run->lives[i].state + field->field->offset;
            for (uint32_t lane = 0; !field_is_free(field->field) && lane < field->shape.count; lane++) {
                if (!value_is_sound(field, at + lane * field->shape.bytes)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool columns_are_sound(const seal_run *run) {
    for (uint32_t f = 0; f < run->field_count; f++) {
        const seal_field *field = &run->fields[f];
        for (uint32_t i = 0; !field_is_free(field->field) && field->is_known && i < field->count; i++) {
            const seal_column *column = &run->columns[field->first + i];
            uint32_t count = column->is_dense ? life_span(&run->lives[column->life]) : column->count;
            const uint8_t *at = run->store + column->at + (column->is_dense ? 0 : column->count * sizeof(uint16_t));
            for (uint32_t n = 0; n < count; n++) {
                if (!value_is_sound(field, at + (size_t)n * field->shape.bytes)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Columns by life. */
static void index_uses(opening *all) {
    seal_run *run = &all->opened->run;
    run->uses = take_memory(all, run->column_count * sizeof *run->uses + 1);
    run->use_fields = take_memory(all, run->column_count * sizeof *run->use_fields + 1);
    if (!is_well(all)) {
        return;
    }
    for (uint32_t i = 0; i < run->column_count; i++) {
        run->lives[run->columns[i].life].use_count++;
    }
    for (uint32_t i = 0, first = 0; i < run->life_count; i++) {
        run->lives[i].first_use = first;
        first += run->lives[i].use_count;
        run->lives[i].use_count = 0;
    }
    for (uint32_t f = 0; f < run->field_count; f++) {
        for (uint32_t i = run->fields[f].first; i < run->fields[f].first + run->fields[f].count; i++) {
            seal_life *life = &run->lives[run->columns[i].life];
            uint32_t use = life->first_use + life->use_count++;
            run->uses[use] = i;
            run->use_fields[use] = f;
        }
    }
}

static void end(opening *all) {
    const eddy_hooks *hooks = &all->opened->run.hooks;
    seal_unpacker_destroy(all->unpacker);
    seal_desk_end(&all->desk, hooks);
    memory_release(hooks, all->entries, all->entries_bytes);
    memory_release(hooks, all->core, all->core_bytes);
    memory_release(hooks, all->block, all->block_bytes);
}

static void open_all(opening *all, const seal_head *head, const seal_query *only) {
    seal_run *run = &all->opened->run;
    run->first_frame = head->first_frame;
    run->frame_count = head->frame_count;
    all->blocks_at = head->blocks_at;
    all->unpacker = seal_unpacker_create(&run->hooks);
    all->no_memory = !all->unpacker || !seal_desk_begin(&all->desk, head->frame_count, &run->hooks);
    if (is_well(all)) {
        read_directory(all, only);
    }
    if (is_well(all)) {
        read_core(all);
    }
    read_sections(all);
    expect(all, !is_well(all) || (first_values_are_sound(run) && columns_are_sound(run)), "values that are allowed");
    if (!only && is_well(all)) {
        index_uses(all);
    }
}

eddy_result seal_open(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks, const seal_query *only,
                      opened_run **out, eddy_error *error) {
    seal_head head;
    if (!seal_head_read(sealed, &head)) {
        return eddy_fail(error, EDDY_E_DAMAGED, "a sealed run of %zu bytes: expected its checksum to hold",
                         sealed.size);
    }
    opened_run *opened = memory_reserve(hooks, sizeof *opened);
    if (!opened) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to open a sealed run");
    }
    opening all = {.sealed = sealed, .opened = opened};
    opened->digest = head.digest;
    all.no_memory = !seal_run_begin(&opened->run, schema, hooks);
    if (is_well(&all)) {
        open_all(&all, &head, only);
    }
    end(&all);
    if (is_well(&all)) {
        *out = opened;
        return EDDY_OK;
    }
    opened_close(opened);
    return all.no_memory
               ? eddy_fail(error, EDDY_E_MEMORY, "no memory to open the sealed frames from %u", head.first_frame)
               : eddy_fail(error, EDDY_E_DAMAGED, "the sealed frames from %u: expected %s", head.first_frame,
                           all.expected);
}

eddy_result sealed_open(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks, opened_run **out,
                        eddy_error *error) {
    return seal_open(schema, sealed, hooks, NULL, out, error);
}

void opened_close(opened_run *run) {
    if (run) {
        eddy_hooks hooks = run->run.hooks;
        seal_run_free(&run->run);
        memory_release(&hooks, run, sizeof *run);
    }
}

size_t opened_owned_bytes(const opened_run *run) {
    return sizeof *run + seal_run_owned_bytes(&run->run);
}

/* ---- reading ---- */

static void put_values(const seal_run *run, const seal_life *life, uint32_t t, uint8_t *state) {
    for (uint32_t i = life->first_use; i < life->first_use + life->use_count; i++) {
        const seal_column *column = &run->columns[run->uses[i]];
        const seal_field *field = &run->fields[run->use_fields[i]];
        const uint8_t *value = seal_column_at(run, &field->shape, column, t);
        if (value) {
            uint8_t *to = state + field->field->offset + column->lane * field->shape.bytes;
            if (field->shape.class == LANE_WIDE) {
                memcpy(to, value, field->shape.bytes);
            } else {
                lane_store(to, lane_load(value, field->shape.bytes), field->shape.bytes);
            }
        }
    }
}

eddy_result opened_read(const opened_run *opened, uint32_t frame, frame_buffer *out, eddy_error *error) {
    const seal_run *run = &opened->run;
    uint32_t t = frame - run->first_frame;
    out->count = 0;
    out->state_bytes = 0;
    if (t >= run->frame_count) {
        return eddy_fail(error, EDDY_E_FRAME, "frame %u: expected one of %u to %u", frame, run->first_frame,
                         run->first_frame + run->frame_count - 1);
    }
    if (!frame_buffer_reserve_entities(out,
                                       run->life_count < EDDY_ENTITIES_MAX ? run->life_count : EDDY_ENTITIES_MAX)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to read frame %u", frame);
    }
    for (uint32_t i = 0; i < run->life_count; i++) {
        const seal_life *life = &run->lives[i];
        if (t - life->birth > life->last - life->birth) {
            continue;
        }
        const uint8_t *state = run->states + life->state;
        if (out->count == out->entity_capacity) {
            break; /* more than a frame may have: only foreign bytes say so */
        }
        if (life->use_count > 0) {
            uint32_t size = run->schema->types[life->type].size;
            uint8_t *own = frame_buffer_push_state(out, size);
            if (!own) {
                out->count = 0;
                return eddy_fail(error, EDDY_E_MEMORY, "no memory to read frame %u", frame);
            }
            memcpy(own, state, size);
            put_values(run, life, t - life->birth, own);
            state = own;
        }
        out->entities[out->count++] = (eddy_entity){.id = life->id, .type = life->type, .data = state};
    }
    return EDDY_OK;
}

/* ---- one value over time ---- */

/* Tells the value of an element over one life, within the frames asked for. */
static void tell_life(const seal_run *run, const seal_query *query, const seal_life *life) {
    const seal_field *field = seal_run_field(run, query->type, query->field);
    uint32_t bytes = cell_bytes(field->field), parts = bytes / field->shape.bytes;
    const uint8_t *first = run->states + life->state + field->field->offset + query->element * bytes;
    uint32_t from = run->first_frame + life->birth, to = run->first_frame + life->last;
    uint8_t pair[8];
    const uint8_t *last = NULL;
    for (uint32_t frame = from > query->first ? from : query->first; frame <= to && frame <= query->last; frame++) {
        const uint8_t *value = first;
        uint8_t next[8];
        for (uint32_t part = 0; part < parts; part++) {
            const seal_column *column =
                seal_find_column(run, field, (uint32_t)(life - run->lives), query->element * parts + part);
            const uint8_t *now = column ? seal_column_at(run, &field->shape, column, frame - from) : NULL;
            if (parts > 1) {
                memcpy(next + part * field->shape.bytes, now ? now : first + part * field->shape.bytes,
                       field->shape.bytes);
                value = next;
            } else {
                value = now ? now : first;
            }
        }
        if (!last || memcmp(last, value, bytes) != 0) {
            query->each(query->user, frame, value);
        }
        if (parts > 1) {
            memcpy(pair, next, sizeof pair);
            last = pair;
        } else {
            last = value;
        }
    }
}

eddy_result sealed_history(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks,
                           const seal_query *query, eddy_error *error) {
    opened_run *opened;
    eddy_result result = seal_open(schema, sealed, hooks, query, &opened, error);
    if (result != EDDY_OK) {
        return result;
    }
    const seal_run *run = &opened->run;
    uint32_t next = query->first; /* the first frame of which nothing was told */
    for (uint32_t i = 0; i < run->life_count && next <= query->last; i++) {
        const seal_life *life = &run->lives[i];
        uint32_t from = run->first_frame + life->birth, to = run->first_frame + life->last;
        if (life->id != query->id || life->type != query->type || to < query->first || from > query->last) {
            continue;
        }
        if (from > next) {
            query->each(query->user, next, NULL);
        }
        tell_life(run, query, life);
        next = to + 1;
    }
    if (next <= query->last) {
        query->each(query->user, next, NULL);
    }
    opened_close(opened);
    return EDDY_OK;
}
