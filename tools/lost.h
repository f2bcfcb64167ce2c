/* What a damaged recording no longer holds, for people and as JSON. */
#ifndef EDDY_TOOLS_LOST_H
#define EDDY_TOOLS_LOST_H

#include <jansson.h>
#include <stdio.h>

#include "rewind/rewind.h"

/** Prints a line for each run of frames or ticks that stand in the index's ranges and are not there; at most 20. */
void tool_lost_print(const eddy_reader *reader, FILE *out);
/** [{"axis", "branch", "first_frame", "last_frame"}]: the same runs, all of them. */
json_t *tool_lost_json(const eddy_reader *reader);
/** How many ticks a recording holds; the beginning, tick 0, is none. */
uint64_t tool_ticks_held(const eddy_session_info *info);

#endif
