/* The frames of a row of parts, live or sealed, one after the other: what sealing reads. It only reads the heaps, so it
 * may run on another thread while the game reads them too. Private to rewind/. */
#ifndef EDDY_REWIND_RUN_SOURCE_H
#define EDDY_REWIND_RUN_SOURCE_H

#include "line.h"

typedef struct run_source {
    const eddy_schema *schema;
    const eddy_hooks *hooks;
    line_part *parts; /**< a copy */
    uint32_t part_count;

    uint32_t part; /**< where it is */
    const frame_group *group;
    uint32_t base_turn, run_turn; /**< which of each pair is in use: the frame before may point into the other */
    frame_buffer bases[2];        /**< of live groups */
    opened_run *runs[2];          /**< of sealed heaps */
    frame_buffer frames[2];
    newborn_scratch scratch;
} run_source;

/** Copies the parts. False: no memory. The hooks must stay. */
bool run_source_begin(run_source *source, const eddy_schema *schema, const eddy_hooks *hooks, const line_part *parts,
                      uint32_t part_count);
/** Gives back what decoding needed, so that only the parts are held. */
void run_source_rest(run_source *source);
void run_source_end(run_source *source);
/** As seal_source wants it; `user` is the run_source. */
eddy_result run_source_read(void *user, uint32_t index, seal_frame *out, eddy_error *error);

#endif
