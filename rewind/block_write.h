/* Writing what block.h maps: the parts that base blocks, newborn entries and constants share. */
#ifndef EDDY_REWIND_BLOCK_WRITE_H
#define EDDY_REWIND_BLOCK_WRITE_H

#include "cells.h"

/** Writes the type word of an entity and what differs from the default. With `check`, values out of range are refused
 * (E_VALUE) and nothing is written. `changes` is scratch for the type's cells. */
eddy_result block_write_state(bytes_writer *writer, const eddy_schema *schema, const eddy_entity *entity, bool check,
                              cell_change *changes, eddy_error *error);
/** Writes one entity of a base block; `last_id` is that of the one before, 0 for the first. */
eddy_result block_write_base_entity(bytes_writer *writer, const eddy_schema *schema, const eddy_entity *entity,
                                    eddy_id last_id, bool check, cell_change *changes, eddy_error *error);
/** Writes a checked view as a base block. Look at writer->failed afterwards. */
void block_write_base(bytes_writer *writer, const eddy_schema *schema, const eddy_view *view, cell_change *changes);

/** Runs of ascending indices out of 0 .. covered-1, as pairs: how many are not among them, how many then are.
 * With `inverse` the pairs say it the other way round: how many are among them, how many then are not. */
void block_write_runs(bytes_writer *writer, const uint32_t *indices, uint32_t count, uint32_t covered, bool inverse);

#endif
