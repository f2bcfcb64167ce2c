/* Which level is meant: a number, a name or a map file. */
#ifndef EDDY_TOOLS_LEVELS_H
#define EDDY_TOOLS_LEVELS_H

#include "engine/path.h"

#define TOOL_PATH_BYTES ENGINE_PATH_BYTES

/** Where the game's things are: found once, from the environment or the build. */
typedef struct tool_places {
    char levels[TOOL_PATH_BYTES];  /**< maps, levels.json */
    char catalog[TOOL_PATH_BYTES]; /**< folder of sounds.json: the levels' or the game's own */
    char art[TOOL_PATH_BYTES];
    char sounds[TOOL_PATH_BYTES]; /**< built sound files */
} tool_places;

/** `level_dir` NULL: the game's own levels. EDDY_LEVELS and EDDY_SOUNDS in the environment override the build's.
 * E_LIMIT: a path too long. */
eddy_result tool_places_find(const char *level_dir, tool_places *out, eddy_error *error);

/** A level as levels.json lists it; `number` 0: a map file outside the list. */
typedef struct tool_level {
    uint32_t number;
    char name[256], title[64];
    char path[TOOL_PATH_BYTES];
} tool_level;

/** Finds LEVEL. E_IO or E_FORMAT: levels.json; E_ARGUMENT: no such level, with those there are; E_LIMIT: a path too
 * long. */
eddy_result tool_level_find(const tool_places *places, const char *level, tool_level *out, eddy_error *error);
/** The level with the next number. False: this was the last. */
bool tool_level_next(const tool_places *places, uint32_t number, tool_level *out);

#endif
