#include "block_write.h"

eddy_result block_write_state(bytes_writer *writer, const eddy_schema *schema, const eddy_entity *entity, bool check,
                              cell_change *changes, eddy_error *error) {
    const eddy_type *type = &schema->types[entity->type];
    uint32_t count = cells_compare_default(type, entity->data, changes);
    if (check) {
        eddy_result result = cells_check_changes(type, entity->id, entity->data, changes, count, error);
        if (result != EDDY_OK) {
            return result;
        }
    }
    bytes_write_varint(writer, (uint64_t)entity->type << 1 | (count > 0));
    if (count > 0) {
        cells_write(writer, type, entity->data, changes, count);
    }
    return EDDY_OK;
}

eddy_result block_write_base_entity(bytes_writer *writer, const eddy_schema *schema, const eddy_entity *entity,
                                    eddy_id last_id, bool check, cell_change *changes, eddy_error *error) {
    bytes_write_varint(writer, entity->id - last_id - 1);
    return block_write_state(writer, schema, entity, check, changes, error);
}

void block_write_base(bytes_writer *writer, const eddy_schema *schema, const eddy_view *view, cell_change *changes) {
    eddy_id last_id = 0;
    bytes_write_varint(writer, view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        block_write_base_entity(writer, schema, &view->entities[i], last_id, false, changes, NULL);
        last_id = view->entities[i].id;
    }
}

/* One run from `at` on: its length. */
static uint32_t run_length(const uint32_t *indices, uint32_t count, uint32_t at) {
    uint32_t length = at < count ? 1 : 0;
    while (at + length < count && indices[at + length] == indices[at] + length) {
        length++;
    }
    return length;
}

static uint32_t put_runs(bytes_writer *writer, const uint32_t *indices, uint32_t count, uint32_t covered,
                         bool inverse) {
    uint32_t pairs = 0, next = 0; /* next: the first index not yet covered */
    for (uint32_t at = 0; at < count || (inverse && next < covered);) {
        uint32_t gap = 0, run = 0;
        if (!inverse) {
            gap = indices[at] - next;
            run = run_length(indices, count, at);
        } else {
            run = at < count && indices[at] == next ? run_length(indices, count, at) : 0;
            gap = (at + run < count ? indices[at + run] : covered) - next - run;
        }
        at += run;
        next += gap + run;
        if (inverse && gap == 0) {
            break; /* nothing is gone after the last run */
        }
        pairs++;
        if (writer) {
            bytes_write_varint(writer, inverse ? run : gap);
            bytes_write_varint(writer, inverse ? gap : run);
        }
    }
    return pairs;
}

void block_write_runs(bytes_writer *writer, const uint32_t *indices, uint32_t count, uint32_t covered, bool inverse) {
    bytes_write_varint(writer, put_runs(NULL, indices, count, covered, inverse));
    put_runs(writer, indices, count, covered, inverse);
}
