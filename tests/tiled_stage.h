/* What the suites of the Tiled reader share: maps written as text, loaded, and looked at or refused. */
#ifndef EDDY_TESTS_TILED_STAGE_H
#define EDDY_TESTS_TILED_STAGE_H

#include "map_files.h"
#include "world/tiled.h"

#include <stdarg.h>

#define HEAD                                                                                                           \
    "{'type':'map','version':'1.8','orientation':'orthogonal','tilewidth':16,'tileheight':16,'width':3,'height':2,"
#define SET "'tilesets':[{'firstgid':1,'name':'t','tilewidth':16,'tileheight':16,'tilecount':4}],"
#define TILE_LAYER "{'type':'tilelayer','name':'L','x':0,'y':0,'width':3,'height':2,"

static tiled_map *stage_map; /* the last good one */
static eddy_error stage_error;

static inline void stage_setup(void) {
    map_folder_make();
}

static inline void stage_teardown(void) {
    tiled_map_destroy(stage_map);
    stage_map = NULL;
    map_folder_remove();
}

/** Loads what must be good. */
static inline const tiled_map *stage_good(const char *json) {
    tiled_map_destroy(stage_map);
    stage_map = NULL;
    stage_error.text[0] = 0;
    eddy_result result = tiled_map_load(map_write("map.tmj", json), &stage_map, &stage_error);
    ck_assert_msg(result == EDDY_OK, "%s: %s", eddy_result_name(result), stage_error.text);
    return stage_map;
}

/** Loads what must be refused with a code and a text that holds `part`; the map stays untouched. */
static inline void stage_bad(const char *json, eddy_result expected, const char *part) {
    static tiled_map before;
    tiled_map *made = &before;
    stage_error.text[0] = 0;
    eddy_result result = tiled_map_load(map_write("map.tmj", json), &made, &stage_error);
    ck_assert_msg(result == expected, "expected %s (%s), found %s: %s", eddy_result_name(expected), part,
                  eddy_result_name(result), stage_error.text);
    ck_assert_ptr_eq(made, &before);
    ck_assert_msg(strstr(stage_error.text, part) != NULL, "expected \"%s\" in: %s", part, stage_error.text);
    ck_assert_msg(strstr(stage_error.text, "map.tmj") != NULL, "the file is not named: %s", stage_error.text);
}

static inline const char *stage_format(const char *pattern, ...) {
    static char text[200000];
    va_list arguments;
    va_start(arguments, pattern);
    int bytes = vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    ck_assert_int_lt(bytes, (int)sizeof text);
    return text;
}

/** A loop test with an index for each row of a table. */
static inline void stage_add_loop(TCase *tcase, const TTest *test, size_t count) {
    tcase_add_loop_test(tcase, test, 0, (int)count);
}
#define STAGE_COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
