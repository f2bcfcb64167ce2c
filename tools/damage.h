/* What a damaged recording no longer holds, for people and as JSON. */
#ifndef EDDY_TOOLS_DAMAGE_H
#define EDDY_TOOLS_DAMAGE_H

#include <jansson.h>
#include <stdio.h>

#include "rewind/rewind.h"

/** Prints nothing of a whole recording; else how much is lost, the first damage, and a line for each run of frames or
 * ticks that stand in the index's ranges and are not there, at most 20. */
void tool_damage_print(const eddy_reader *reader, FILE *out);
/** Sets "damage_count", "damage", "lost_bytes" and "lost": [{"axis", "branch", "first_frame", "last_frame"}], the same
 * runs, all of them. */
void tool_damage_json(const eddy_reader *reader, json_t *object);
/** "damaged", "closed and whole" or "whole, not closed". */
const char *tool_damage_state(const eddy_session_info *info, bool damaged);
/** How many ticks a recording holds; the beginning, tick 0, is none. */
uint64_t tool_ticks_held(const eddy_session_info *info);

#endif
