/* A copy of a view that owns its bytes: a level's beginning, or the frame shown before. */
#ifndef EDDY_ENGINE_SNAPSHOT_H
#define EDDY_ENGINE_SNAPSHOT_H

#include "rewind/rewind.h"

/** Zero is empty and valid; grows, never shrinks. */
typedef struct engine_snapshot {
    eddy_entity *entities;
    uint8_t *states;
    uint32_t count, entity_capacity;
    size_t state_capacity;
} engine_snapshot;

/** Copies a view. No allocation once it has been as large. E_MEMORY: unchanged. */
eddy_result engine_snapshot_take(engine_snapshot *snapshot, const eddy_schema *schema, const eddy_view *view,
                                 eddy_error *error);
eddy_view engine_snapshot_view(const engine_snapshot *snapshot);
void engine_snapshot_free(engine_snapshot *snapshot);

#endif
