/* One value over time. Sealed heaps unpack only the field that is asked for; live ones are walked frame by frame. */
#include "cells.h"
#include "timeline.h"

#include <string.h>

/* A walk over the parts of a line: each change is told once, whatever heaps it lies across. */
typedef struct history_walk {
    const eddy_history *asked;
    eddy_timeline *timeline;
    uint32_t value_bytes;
    uint8_t *last; /* the value that was told last; `is_there` unless the entity was not */
    bool is_there, has_told;
} history_walk;

static void tell(void *user, uint32_t frame, const void *value) {
    history_walk *walk = user;
    bool is_same = walk->has_told && walk->is_there == (value != NULL) &&
                   (!value || memcmp(walk->last, value, walk->value_bytes) == 0);
    if (is_same) {
        return;
    }
    walk->has_told = true;
    walk->is_there = value != NULL;
    if (value) {
        memcpy(walk->last, value, walk->value_bytes);
    }
    walk->asked->each(walk->asked->user, frame, value);
}

static const void *value_in(const history_walk *walk, const eddy_view *view) {
    const eddy_entity *entity = eddy_view_find(view, walk->asked->id);
    if (!entity || entity->type != walk->asked->type) {
        return NULL;
    }
    const eddy_field *field = &walk->timeline->desc.schema->types[entity->type].fields[walk->asked->field];
    return (const uint8_t *)entity->data + field->offset + walk->asked->element * cell_bytes(field);
}

static eddy_result walk_live(history_walk *walk, const line_part *part, uint32_t first, uint32_t last,
                             eddy_error *error) {
    run_source source;
    const eddy_timeline *timeline = walk->timeline;
    if (!run_source_begin(&source, timeline->desc.schema, &timeline->spare.inner, part, 1)) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to walk frames %u to %u", first, last);
    }
    eddy_result result = EDDY_OK;
    for (uint32_t frame = first; frame <= last && result == EDDY_OK; frame++) {
        seal_frame found;
        result = run_source_read(&source, frame - part->first_frame, &found, error);
        if (result == EDDY_OK) {
            tell(walk, frame, value_in(walk, &found.view));
        }
    }
    run_source_end(&source);
    return result;
}

static eddy_result walk_part(history_walk *walk, const line_part *part, eddy_error *error) {
    const eddy_history *asked = walk->asked;
    uint32_t first = asked->first_frame > part->first_frame ? asked->first_frame : part->first_frame;
    uint32_t last = asked->last_frame < part->last_frame ? asked->last_frame : part->last_frame;
    if (!heap_is_sealed(part->heap)) {
        return walk_live(walk, part, first, last, error);
    }
    seal_query query = {.id = asked->id,
                        .type = asked->type,
                        .field = asked->field,
                        .element = asked->element,
                        .first = first,
                        .last = last,
                        .each = tell,
                        .user = walk};
    return sealed_history(walk->timeline->desc.schema, part->heap->sealed, &walk->timeline->spare.inner, &query, error);
}

static eddy_result check_history(const eddy_timeline *timeline, const eddy_history *asked, eddy_error *error) {
    const eddy_schema *schema = timeline->desc.schema;
    eddy_result result = timeline_check_frame(&timeline->line, asked->first_frame, error);
    if (result == EDDY_OK) {
        result = timeline_check_frame(&timeline->line, asked->last_frame, error);
    }
    if (result != EDDY_OK) {
        return result;
    }
    if (asked->first_frame > asked->last_frame) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "expected the first frame before the last, found %u and %u",
                         asked->first_frame, asked->last_frame);
    }
    if (asked->type >= schema->type_count || asked->field >= schema->types[asked->type].field_count) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "type %u has no field %u", asked->type, asked->field);
    }
    const eddy_field *field = &schema->types[asked->type].fields[asked->field];
    if (asked->element >= (field->kind == EDDY_STR ? 1 : field->count)) {
        return eddy_fail(error, EDDY_E_ARGUMENT, "field %s has no element %u", field->name, asked->element);
    }
    return EDDY_OK;
}

eddy_result eddy_timeline_history(eddy_timeline *timeline, const eddy_history *asked, eddy_error *error) {
    eddy_result result = check_history(timeline, asked, error);
    if (result != EDDY_OK) {
        return result;
    }
    const eddy_field *field = &timeline->desc.schema->types[asked->type].fields[asked->field];
    history_walk walk = {.asked = asked, .timeline = timeline, .value_bytes = cell_bytes(field)};
    walk.last = memory_reserve(&timeline->spare.inner, walk.value_bytes);
    if (!walk.last) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for a value of %u bytes", walk.value_bytes);
    }
    const frame_line *line = &timeline->line;
    for (uint32_t i = line_find_part(line, asked->first_frame);
         i < line->part_count && line->parts[i].first_frame <= asked->last_frame && result == EDDY_OK; i++) {
        result = walk_part(&walk, &line->parts[i], error);
    }
    memory_release(&timeline->spare.inner, walk.last, walk.value_bytes);
    return result;
}
