#include "block.h"

#include "cells.h"
#include "limits.h"

/* ---- shared ---- */

static eddy_result fault_result(const bytes_reader *reader, bool no_memory, const char *what, frame_buffer *out,
                                eddy_error *error) {
    if (!no_memory && !reader->expected) {
        return EDDY_OK;
    }
    out->count = 0;
    out->state_bytes = 0;
    if (no_memory) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to decode a %s into", what);
    }
    return eddy_fail(error, EDDY_E_DAMAGED, "%s, byte %zu: expected %s, found %llu", what, reader->bad_at,
                     reader->expected, (unsigned long long)reader->found);
}

/* One decoding in progress. */
typedef struct decoding {
    const eddy_schema *schema;
    bytes_reader reader;
    frame_buffer *out;
    bool no_memory;
} decoding;

/* A copy of a struct in the buffer itself, or NULL. */
static void *own_state(decoding *work, uint16_t type, const void *from) {
    const eddy_type *of = &work->schema->types[type];
    if (!bytes_expect(&work->reader, work->out->state_bytes + of->size <= LIMIT_STATE_BYTES,
                      "a frame that is not too large", work->out->state_bytes)) {
        return NULL;
    }
    void *state = frame_buffer_push_state(work->out, of->size);
    if (!state) {
        work->no_memory = true;
    } else if (from) {
        memcpy(state, from, of->size);
    } else {
        memset(state, 0, of->size);
    }
    return state;
}

/* The type word: a type, and whether cells follow. */
static uint16_t read_type(const eddy_schema *schema, bytes_reader *reader, bool *has_cells) {
    uint64_t word = bytes_varint(reader);
    *has_cells = word & 1;
    return bytes_expect(reader, word >> 1 < schema->type_count, "a known type", word >> 1) ? (uint16_t)(word >> 1) : 0;
}

/* A struct of its own: the default-constructed one with the cells that follow in `reader`. */
static const void *read_state(decoding *work, bytes_reader *reader, uint16_t type, bool has_cells) {
    const eddy_type *of = &work->schema->types[type];
    void *state = own_state(work, type, of->defaults);
    if (state && has_cells) {
        cells_read(reader, of, state);
    }
    return state;
}

/* ---- base blocks ---- */

static void decode_base_entity(decoding *work, eddy_id *last_id) {
    bytes_reader *reader = &work->reader;
    uint64_t gap = bytes_varint(reader);
    bytes_expect(reader, gap < UINT32_MAX - *last_id, "an id of 32 bits", gap);
    bool has_cells;
    uint16_t type = read_type(work->schema, reader, &has_cells);
    if (reader->expected) {
        return;
    }
    *last_id += (eddy_id)gap + 1;
    const void *state = read_state(work, reader, type, has_cells);
    work->out->entities[work->out->count++] = (eddy_entity){.id = *last_id, .type = type, .data = state};
}

eddy_result block_decode_base(const eddy_schema *schema, block_bytes base, frame_buffer *out, eddy_error *error) {
    decoding work = {.schema = schema, .reader = bytes_reader_of(base.bytes, base.size), .out = out};
    bytes_reader *reader = &work.reader;
    out->count = 0;
    out->state_bytes = 0;
    uint64_t count = bytes_varint(reader);
    /* An entity takes two bytes at least: a count is believed only as far as the block can hold it. */
    if (bytes_expect(reader, count <= bytes_left(reader) / 2 && count <= LIMIT_CONSTANTS, "a count of entities",
                     count)) {
        work.no_memory = !frame_buffer_reserve_entities(out, (uint32_t)count);
    }
    eddy_id last_id = 0;
    for (uint64_t i = 0; i < count && !work.no_memory && !reader->expected; i++) {
        decode_base_entity(&work, &last_id);
    }
    bytes_expect(reader, bytes_left(reader) == 0 || work.no_memory, "the end of the block", bytes_left(reader));
    return fault_result(reader, work.no_memory, "base block", out, error);
}

/* ---- diff blocks ---- */

/* Pairs of runs: `first` of one kind, then `second` of the other. */
typedef struct run_cursor {
    uint64_t pairs;
    uint64_t left; /* of what the runs cover */
    bool begun;
} run_cursor;

static run_cursor runs_begin(bytes_reader *reader, uint64_t covered) {
    run_cursor runs = {.pairs = bytes_varint(reader), .left = covered};
    bytes_expect(reader, runs.pairs <= bytes_left(reader) / 2, "a count of runs", runs.pairs);
    return runs;
}

static bool runs_next(run_cursor *runs, bytes_reader *reader, uint64_t *first, uint64_t *second) {
    if (runs->pairs == 0 || reader->expected) {
        return false;
    }
    *first = bytes_varint(reader);
    *second = bytes_varint(reader);
    bool whole = *first <= runs->left && *second <= runs->left - *first;
    if (!bytes_expect(reader, whole && *second > 0 && (*first > 0 || !runs->begun), "runs within what they cover",
                      *second)) {
        return false;
    }
    runs->begun = true;
    runs->left -= *first + *second;
    runs->pairs--;
    return true;
}

/* Steps over the runs of the base and says how many of its entities are gone. */
static uint64_t count_gone(bytes_reader *reader, uint32_t base_count) {
    uint64_t gone = 0, kept_run, gone_run;
    run_cursor runs = runs_begin(reader, base_count);
    while (runs_next(&runs, reader, &kept_run, &gone_run)) {
        gone += gone_run;
    }
    return gone;
}

/* Entities of newborns hold a pointer to their entry until their turn comes. */
static eddy_entity newborn_head(const eddy_schema *schema, bytes_reader *reader, const block_bytes *entry) {
    bytes_reader head = bytes_reader_of(entry->bytes, entry->size);
    uint64_t id = bytes_varint(&head);
    bool has_cells;
    uint16_t type = read_type(schema, &head, &has_cells);
    bytes_expect(reader, !head.expected && id > 0 && id <= UINT32_MAX, "a newborn entry with an id and a type", id);
    return (eddy_entity){.id = (eddy_id)id, .type = type, .data = entry};
}

/* Puts the newborns that are alive at entities[at ...], in order of birth. Returns how many. */
static uint32_t gather_newborns(decoding *work, uint32_t at, const block_bytes *newborns, uint32_t newborn_count) {
    bytes_reader *reader = &work->reader;
    uint64_t next = 0, away, alive;
    uint32_t count = 0;
    run_cursor runs = runs_begin(reader, newborn_count);
    while (runs_next(&runs, reader, &away, &alive) && !work->no_memory) {
        next += away;
        if (!bytes_expect(reader, at + count + alive <= EDDY_ENTITIES_MAX, "at most 65535 entities", alive)) {
            break;
        }
        /* The buffer counts nothing yet, but what was gathered must move with it. */
        work->out->count = at + count;
        work->no_memory = !frame_buffer_reserve_entities(work->out, (uint32_t)(at + count + alive));
        for (uint64_t i = 0; i < alive && !work->no_memory; i++) {
            work->out->entities[at + count++] = newborn_head(work->schema, reader, &newborns[next++]);
        }
    }
    work->out->count = 0;
    return count;
}

static void sift_down(eddy_entity *heap, uint32_t root, uint32_t count) {
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child].id < heap[child + 1].id) {
            child++;
        }
        if (heap[root].id >= heap[child].id) {
            return;
        }
        eddy_entity swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
    }
}

/* By id, in place. Ids nearly always ascend with birth, so look first. */
static void sort_entities(eddy_entity *entities, uint32_t count) {
    uint32_t sorted = 1;
    while (sorted < count && entities[sorted - 1].id < entities[sorted].id) {
        sorted++;
    }
    if (sorted >= count) {
        return;
    }
    for (uint32_t root = count / 2; root-- > 0;) {
        sift_down(entities, root, count);
    }
    for (uint32_t end = count; --end > 0;) {
        eddy_entity swap = entities[0];
        entities[0] = entities[end];
        entities[end] = swap;
        sift_down(entities, 0, end);
    }
}

static const void *newborn_state(decoding *work, const block_bytes *entry) {
    bytes_reader reader = bytes_reader_of(entry->bytes, entry->size);
    bool has_cells;
    bytes_varint(&reader);
    uint16_t type = read_type(work->schema, &reader, &has_cells);
    const void *state = read_state(work, &reader, type, has_cells);
    if (!bytes_expect(&reader, bytes_left(&reader) == 0, "the end of the entry", bytes_left(&reader))) {
        bytes_spoil(&work->reader, reader.expected, reader.found);
    }
    return state;
}

/* Puts one entity into the frame: its reference state, its own copy of it unless the base is to be borrowed from. */
static void place_entity(decoding *work, eddy_entity entity, bool is_newborn, bool borrow) {
    frame_buffer *out = work->out;
    bool ascends = out->count == 0 || out->entities[out->count - 1].id < entity.id;
    if (!bytes_expect(&work->reader, ascends, "an id that is in the frame once", entity.id)) {
        return;
    }
    if (is_newborn) {
        entity.data = newborn_state(work, entity.data);
    } else if (!borrow) {
        entity.data = own_state(work, entity.type, entity.data);
    }
    out->entities[out->count++] = entity;
}

/* Merges what is kept of the base with the newborns, which lie at the end of the entities: never ahead of the merge. */
static void merge_entities(decoding *work, bytes_reader gone_reader, const eddy_view *base, uint32_t kept_count,
                           uint32_t newborn_count, bool borrow) {
    uint64_t kept_run = 0, gone_run = 0;
    run_cursor runs = runs_begin(&gone_reader, base->count);
    bool more = runs_next(&runs, &gone_reader, &kept_run, &gone_run);
    uint64_t gone_at = more ? kept_run : base->count;
    uint32_t newborn = 0;
    for (uint64_t i = 0; work->out->count < kept_count + newborn_count && !work->no_memory && !work->reader.expected;) {
        if (i == gone_at && i < base->count) {
            i += gone_run;
            more = runs_next(&runs, &gone_reader, &kept_run, &gone_run);
            gone_at = more ? i + kept_run : base->count;
            continue;
        }
        const eddy_entity *next = newborn < newborn_count ? &work->out->entities[kept_count + newborn] : NULL;
        if (next && (i >= base->count || next->id < base->entities[i].id)) {
            newborn++;
            place_entity(work, *next, true, borrow);
        } else {
            place_entity(work, base->entities[i++], false, borrow);
        }
    }
}

static void apply_changes(decoding *work) {
    bytes_reader *reader = &work->reader;
    frame_buffer *out = work->out;
    for (uint64_t next = 0; bytes_left(reader) > 0 && !work->no_memory;) {
        uint64_t gap = bytes_varint(reader);
        if (!bytes_expect(reader, next < out->count && gap < out->count - next, "an entity of the frame", gap)) {
            return;
        }
        eddy_entity *entity = &out->entities[next + gap];
        next += gap + 1;
        void *state = frame_buffer_owns(out, entity) ? out->states + ((const uint8_t *)entity->data - out->states)
                                                     : own_state(work, entity->type, entity->data);
        if (state) {
            entity->data = state;
            cells_read(reader, &work->schema->types[entity->type], state);
        }
    }
}

static eddy_result decode_diff(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                               uint32_t newborn_count, block_bytes diff, bool borrow, frame_buffer *out,
                               eddy_error *error) {
    decoding work = {.schema = schema, .reader = bytes_reader_of(diff.bytes, diff.size), .out = out};
    out->count = 0;
    out->state_bytes = 0;
    bytes_reader gone_reader = work.reader;
    uint32_t kept_count = base->count - (uint32_t)count_gone(&work.reader, base->count);
    bytes_expect(&work.reader, kept_count <= EDDY_ENTITIES_MAX, "at most 65535 entities", kept_count);
    if (!work.reader.expected) {
        work.no_memory = !frame_buffer_reserve_entities(out, kept_count);
    }
    if (!work.reader.expected && !work.no_memory) {
        uint32_t born = gather_newborns(&work, kept_count, newborns, newborn_count);
        if (born > 0) {
            sort_entities(out->entities + kept_count, born);
        }
        if (borrow && born == 0 && kept_count == base->count) {
            frame_buffer_borrow(out, base); /* nobody came or went: by far the most frequent */
        } else {
            merge_entities(&work, gone_reader, base, kept_count, born, borrow);
        }
        apply_changes(&work);
    }
    return fault_result(&work.reader, work.no_memory, "diff block", out, error);
}

eddy_result block_decode_diff(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                              uint32_t newborn_count, block_bytes diff, frame_buffer *out, eddy_error *error) {
    return decode_diff(schema, base, newborns, newborn_count, diff, false, out, error);
}

eddy_result block_decode_diff_onto(const eddy_schema *schema, const eddy_view *base, const block_bytes *newborns,
                                   uint32_t newborn_count, block_bytes diff, frame_buffer *out, eddy_error *error) {
    return decode_diff(schema, base, newborns, newborn_count, diff, true, out, error);
}
