/* Recorded values and session states as JSON. 64-bit integers and non-finite numbers are strings. */
#ifndef EDDY_TOOLS_JSON_H
#define EDDY_TOOLS_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "rewind/rewind.h"

/** Prints one object on one line, flushes, and drops the reference. */
void tool_json_line(FILE *out, json_t *object);
/** A string; what is not UTF-8, as a file name may be, becomes '?'. */
json_t *tool_json_text(const char *text);
/** Sixteen hex digits. */
json_t *tool_json_hash(uint64_t hash);
json_t *tool_json_real(double value);
/** A field: one value, or an array of its elements; enums by name; a str as text. `state`: the entity's struct. */
json_t *tool_json_field(const eddy_field *field, const void *state);
/** {name: value} of all fields of an entity. */
json_t *tool_json_fields(const eddy_schema *schema, const eddy_entity *entity);
/** {"id", "type", "immune", "fields"}. */
json_t *tool_json_entity(const eddy_schema *schema, const eddy_entity *entity);

#endif
