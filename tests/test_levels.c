/* Levels: from a map to a world, what an author may get wrong, and the two levels that come with the game. */
#include "map_files.h"
#include "suite.h"

#include "engine/script.h"
#include "engine/session.h"
#include "world/world.h"

#include <jansson.h>
#include <stdarg.h>

#define LEVELS EDDY_SOURCE_DIR "/levels"
#define MAP_HEAD                                                                                                       \
    "{'type':'map','orientation':'orthogonal','tilewidth':32,'tileheight':32,'width':8,'height':4,'tilesets':["        \
    "{'firstgid':1,'tiles':[{'id':1,'properties':[{'name':'solid','type':'bool','value':false}]}]}],"
#define WALLS                                                                                                          \
    "{'type':'tilelayer','name':'walls','width':8,'height':4,'data':[0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,2147483649,"       \
    "0,2,0,0,0,0,0,1, 1,1,1,1,1,1,1,1]}"
#define MOTH "{'id':1,'type':'moth','point':true,'x':48,'y':96}"
/** A small level with these objects beside Moth. */
#define WITH(objects) MAP_HEAD "'layers':[" WALLS ",{'type':'objectgroup','name':'o','objects':[" MOTH objects "]}]}"

static world *level;
static eddy_error error;

static void setup(void) {
    map_folder_make();
}

static void teardown(void) {
    world_destroy(level);
    level = NULL;
    map_folder_remove();
}

static void good(const char *json) {
    eddy_result result = world_load(map_write("level.tmj", json), NULL, 0, &level, &error);
    ck_assert_msg(result == EDDY_OK, "%s: %s", eddy_result_name(result), error.text);
}

static void bad(const char *json, const char *part) {
    error.text[0] = 0;
    eddy_result result = world_load(map_write("level.tmj", json), NULL, 0, &level, &error);
    ck_assert_msg(result == EDDY_E_FORMAT || result == EDDY_E_LIMIT || result == EDDY_E_VALUE, "%s: %s",
                  eddy_result_name(result), error.text);
    ck_assert_ptr_null(level);
    ck_assert_msg(strstr(error.text, part) != NULL, "expected \"%s\" in: %s", part, error.text);
    ck_assert_msg(strstr(error.text, "level.tmj: ") != NULL, "the file is not named: %s", error.text);
}

/** The state of the `index`th entity of a type, in the frame or the constants; NULL: there is none. */
static const void *find(eddy_view view, world_type type, uint32_t index) {
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.entities[i].type == type && index-- == 0) {
            return view.entities[i].data;
        }
    }
    return NULL;
}

static const void *thing(world_type type, uint32_t index) {
    const void *found = find(world_view(level), type, index);
    found = found ? found : find(world_constants(level), type, index);
    ck_assert_ptr_nonnull(found);
    return found;
}

static uint32_t count(world_type type) {
    uint32_t found = 0;
    while (find(world_view(level), type, found) || find(world_constants(level), type, found)) {
        found++;
    }
    return found;
}

/* ---- what a map may hold ---- */

START_TEST(tiles_are_walls_unless_their_set_says_otherwise) {
    good(WITH(""));
    static const char *const rows[] = {"........", ".......#", ".......#", "########"};
    for (int32_t y = 0; y < 4; y++) {
        for (int32_t x = 0; x < 8; x++) {
            ck_assert_msg(world_solid_at(level, x, y) == (rows[y][x] == '#'), "tile (%d, %d)", x, y);
        }
    }
    ck_assert_uint_le(count(WORLD_SOLID), 2);
}
END_TEST

START_TEST(standing_things_stand_on_their_point_or_the_foot_of_their_box) {
    good(
        WITH(",{'id':2,'type':'kettle','x':96,'y':64,'width':32,'height':32,'properties':[{'name':'left','type':'bool',"
             "'value':true}]},{'id':3,'type':'lever','point':true,'x':200,'y':96},"
             "{'id':4,'type':'scenery','point':true,'x':60,'y':96,'properties':[{'name':'kind','type':'string','value':"
             "'lamp'},"
             "{'name':'depth','type':'float','value':-0.5},{'name':'flip','type':'bool','value':true}]}"));
    ck_assert_float_eq(world_moth_of(level)->x, 48);
    ck_assert_float_eq(world_moth_of(level)->y, 96 - MOTH_HALF_H);
    const world_kettle *kettle = thing(WORLD_KETTLE, 0);
    ck_assert_float_eq(kettle->x, 112);
    ck_assert_float_eq(kettle->y, 96 - KETTLE_HALF_H);
    ck_assert_int_eq(kettle->facing, -1);
    ck_assert_float_eq(((const world_lever *)thing(WORLD_LEVER, 0))->y, 96 - LEVER_HALF_H);
    const world_scenery *lamp = thing(WORLD_SCENERY, 0);
    ck_assert_str_eq(lamp->kind, "lamp");
    ck_assert_float_eq(lamp->y, 96);
    ck_assert_float_eq(lamp->scale, 1);
    ck_assert_float_eq(lamp->depth, -0.5f);
    ck_assert_uint_eq(lamp->flip, 1);
}
END_TEST

START_TEST(a_lever_may_come_after_what_hangs_on_it) {
    good(WITH(
        ",{'id':2,'type':'gate','x':160,'y':32,'width':16,'height':64,'properties':[{'name':'lever','type':'object',"
        "'value':3}]},{'id':3,'type':'lever','point':true,'x':100,'y':96,'properties':[{'name':'mode','type':'string',"
        "'value':'timed'},{'name':'hold','type':'int','value':90},{'name':'on','type':'bool','value':true}]}"));
    const world_gate *gate = thing(WORLD_GATE, 0);
    const world_lever *lever = thing(WORLD_LEVER, 0);
    ck_assert_uint_ne(gate->lever, 0);
    eddy_view view = world_view(level);
    ck_assert_ptr_eq(eddy_view_find(&view, gate->lever)->data, lever);
    ck_assert_float_eq(gate->x, 168);
    ck_assert_float_eq(gate->half_h, 32);
    ck_assert_uint_eq(lever->mode * 1000u + lever->hold * 10u + lever->on, 1901);
}
END_TEST

START_TEST(a_pan_goes_along_a_line_of_feet_or_round_a_wheel) {
    good(WITH(",{'id':2,'type':'pan','x':100,'y':50,'polyline':[{'x':0,'y':0},{'x':40,'y':-20}],'properties':["
              "{'name':'length','type':'int','value':64},{'name':'period','type':'int','value':100},"
              "{'name':'phase','type':'int','value':50}]},"
              "{'id':3,'type':'wheel','ellipse':true,'x':64,'y':0,'width':64,'height':64,'properties':["
              "{'name':'pans','type':'int','value':3},{'name':'backward','type':'bool','value':true}]}"));
    ck_assert_uint_eq(count(WORLD_PAN), 4);
    const world_pan *line = thing(WORLD_PAN, 0), *last = thing(WORLD_PAN, 3);
    ck_assert_float_eq(line->half_w, 32);
    ck_assert_float_eq(line->x, 140); /* half a period on: at the other end */
    ck_assert_float_eq(line->y - line->half_h, 30);
    const world_wheel *wheel = thing(WORLD_WHEEL, 0);
    ck_assert_float_eq(wheel->radius, 32);
    ck_assert_int_eq(wheel->direction, -1);
    ck_assert_uint_eq(wheel->pans, 3);
    ck_assert_uint_eq(last->index, 2);
    ck_assert_uint_ne(last->wheel, 0);
}
END_TEST

START_TEST(layers_offsets_and_groups_count_in) {
    good(MAP_HEAD "'layers':[" WALLS
                  ",{'type':'group','offsetx':8,'layers':[{'type':'objectgroup','offsetx':2,'offsety':-5,"
                  "'objects':[" MOTH ",{'id':2,'type':'wick','point':true,'x':90,'y':40}]}]}]}");
    const world_wick *wick = thing(WORLD_WICK, 0);
    ck_assert_float_eq(wick->x, 100);
    ck_assert_float_eq(wick->y, 35);
}
END_TEST

START_TEST(an_infinite_map_begins_where_its_walls_do) {
    good("{'infinite':true,'width':0,'height':0,'tilewidth':32,'tileheight':32,'layers':[{'type':'tilelayer','name':'"
         "walls',"
         "'chunks':[{'x':-2,'y':-1,'width':4,'height':2,'data':[0,0,0,0,1,1,1,1]}]},{'type':'objectgroup','objects':["
         "{'id':1,'type':'moth','point':true,'x':0,'y':0}]}]}");
    ck_assert_uint_eq(world_level_of(level)->width_tiles, 4);
    ck_assert_float_eq(world_moth_of(level)->x, 64);
    ck_assert(world_solid_at(level, 0, 1) && !world_solid_at(level, 0, 0));
}
END_TEST

START_TEST(the_maps_properties_are_the_levels) {
    good(MAP_HEAD
         "'properties':[{'name':'title','type':'string','value':'A Title'},{'name':'seed','type':'int','value':9},"
         "{'name':'sky','type':'color','value':'#ff102030'},{'name':'wicks_needed','type':'int','value':1}],"
         "'layers':[" WALLS ",{'type':'objectgroup','objects':[" MOTH
         ",{'id':2,'type':'wick','point':true,'x':9,'y':9},"
         "{'id':3,'type':'wick','x':90,'y':9,'width':10,'height':10}]}]}");
    const world_level *found = world_level_of(level);
    ck_assert_str_eq(found->title, "A Title");
    ck_assert_uint_eq(found->seed, 9);
    ck_assert_uint_eq(found->sky, 0x102030);
    ck_assert_uint_eq(found->wicks_total * 10 + found->wicks_needed, 21);
    world_destroy(level);
    level = NULL;
    good(WITH(",{'id':2,'type':'wick','point':true,'x':9,'y':9},{'id':3,'type':'wick','point':true,'x':90,'y':9}"));
    ck_assert_uint_eq(world_level_of(level)->wicks_needed, 2); /* all of them, if nothing is said */
}
END_TEST

/* ---- what an author may get wrong ---- */

static const struct {
    const char *object, *part;
} wrong_objects[] = {
    {"'type':'dragon'", "object 7 (dragon): expected a class out of moth, kettle, wick"},
    {"'x':3", "found \"\""},
    {"'type':'moth','point':true,'x':96,'y':96", "object 7 (moth): expected one moth, found another as object 1"},
    {"'type':'kettle','point':true,'x':16,'y':120,'name':'Bob'",
     "object 7 (kettle \"Bob\"): it stands in the wall tile (0, 3)"},
    {"'type':'kettle','point':true,'x':900,'y':96", "inside the map's 8 x 4 tiles"},
    {"'type':'kettle','polyline':[{'x':0,'y':0}]", "expected a point, rectangle or tile, found a polyline"},
    {"'type':'nettle','x':9,'y':9,'width':0,'height':5",
     "expected a rectangle of at least 1 x 1 px, found a rectangle of 0 x 5"},
    {"'type':'exit','point':true,'x':9,'y':9", "expected a rectangle of at least 1 x 1 px, found a point"},
    {"'type':'emitter','x':9,'y':9,'width':1e-20,'height':9",
     "expected a rectangle of at least 1 x 1 px, found a rectangle of 1e-20 x 9"},
    {"'type':'hint','x':0,'y':0,'width':9,'height':9", "expected a property \"text\""},
    {"'type':'scenery','point':true", "expected a property \"kind\""},
    {"'type':'emitter','width':9,'height':9,'properties':[{'name':'kind','type':'string','value':'rain'}]",
     "property \"kind\": expected one of dust, embers, snow"},
    {"'type':'pan','polyline':[{'x':0,'y':0},{'x':1,'y':0},{'x':2,'y':0}]", "expected a polyline of two points"},
    {"'type':'pan','width':9,'height':9", "expected a polyline of two points, found a rectangle"},
    {"'type':'wheel','ellipse':true,'width':20,'height':10", "expected an ellipse as wide as it is high"},
    {"'type':'wheel','ellipse':true,'width':20,'height':20,'properties':[{'name':'pans','type':'int','value':65}]",
     "property \"pans\": expected 1 to 64, found 65"},
    {"'type':'wheel','ellipse':true,'width':20,'height':20,'properties':[{'name':'period','type':'float','value':9.5}]",
     "property \"period\": expected a whole number"},
    {"'type':'gate','width':9,'height':9", "object 7 (gate): expected an object property \"lever\""},
    {"'type':'gate','width':9,'height':9,'properties':[{'name':'lever','type':'object','value':99}]",
     "expected a lever, found object 99, which is not in the map"},
    {"'type':'gate','width':9,'height':9,'properties':[{'name':'lever','type':'object','value':1}]",
     "expected a lever, found object 1, which is a moth"},
    {"'type':'gate','width':9,'height':9,'properties':[{'name':'lever','type':'int','value':1}]", "expected an object"},
    {"'type':'lever','point':true,'properties':[{'name':'mode','type':'string','value':'sticky'}]",
     "expected one of toggle, timed; found \"sticky\""},
    {"'type':'wick','point':true,'properties':[{'name':'colour','type':'string','value':'red'}]",
     "property \"colour\" is not known here; known are: none"},
    {"'type':'kettle','point':true,'x':96,'y':96,'properties':[{'name':'left','type':'string','value':'yes'}]",
     "property \"left\": expected a bool, found a string"},
    {"'type':'nettle','width':9,'height':9,'rotation':45", "expected no rotation, found 45"},
    {"'type':'wick','point':true,'x':1e8,'y':0", "expected a place within 65536 px"},
};

START_TEST(a_wrong_object_is_named_with_what_was_expected) {
    char json[2000];
    snprintf(json, sizeof json, WITH(",{'id':7,%s}"), wrong_objects[_i].object);
    bad(json, wrong_objects[_i].part);
}
END_TEST

static const struct {
    const char *json, *part;
} wrong_maps[] = {
    {MAP_HEAD "'layers':[" WALLS "]}", "expected one object of class \"moth\", found none"},
    {MAP_HEAD "'layers':[{'type':'objectgroup','objects':[" MOTH "]}]}", "expected a tile layer named \"walls\""},
    {"{'tilewidth':16,'tileheight':32,'width':1,'height':1,'layers':[{'type':'tilelayer','name':'walls','width':1,'"
     "height':1,"
     "'data':[1]}]}",
     "expected tiles of 32 x 32 px, found 16 x 32"},
    {"{'tilewidth':32,'tileheight':32,'width':1,'height':1,'orientation':'isometric','layers':[{'type':'tilelayer',"
     "'name':'walls','width':1,'height':1,'data':[1]}]}",
     "expected an orthogonal map, found isometric"},
    {"{'tilewidth':32,'tileheight':32,'width':1,'height':1,'layers':[{'type':'tilelayer','name':'walls','offsetx':3,"
     "'width':1,'height':1,'data':[1]}]}",
     "expected no offset"},
    {MAP_HEAD "'properties':[{'name':'wicks_needed','type':'int','value':1}],'layers':[" WALLS
              ",{'type':'objectgroup','objects':[" MOTH "]}]}",
     "expected at most the map's 0 wicks, found 1"},
    {MAP_HEAD "'properties':[{'name':'wibble','type':'int','value':1}],'layers':[" WALLS "]}",
     "property \"wibble\" is not known here; known are: title seed"},
    {MAP_HEAD "'properties':[{'name':'sky','type':'string','value':'blue'}],'layers':[" WALLS "]}", "expected a color"},
    {MAP_HEAD
     "'properties':[{'name':'title','type':'string','value':'123456789012345678901234567890123456789012345678'}],"
     "'layers':[" WALLS "]}",
     "expected at most 47 bytes, found 48"},
};

START_TEST(a_wrong_map_is_told_what_is_missing) {
    bad(wrong_maps[_i].json, wrong_maps[_i].part);
}
END_TEST

/* ---- sounds ---- */

static world_catalog catalog;

START_TEST(the_catalog_holds_every_sound_once) {
    ck_assert_msg(world_catalog_load(LEVELS "/sounds.json", &catalog, &error) == EDDY_OK, "%s", error.text);
    ck_assert_uint_ge(catalog.count, 12);
    const world_sound_def *music = world_catalog_find(&catalog, "music_lamp");
    ck_assert_ptr_nonnull(music);
    ck_assert_int_eq(music->category, EDDY_CATEGORY_MUSIC);
    ck_assert_int_eq(music->repeat, EDDY_SOUND_LOOP);
    ck_assert_double_gt(music->length, 48000 * 10);
    ck_assert_ptr_null(world_catalog_find(&catalog, "no such sound"));
}
END_TEST

static const struct {
    const char *json, *part;
} wrong_catalogs[] = {
    {"{", "line 1"},
    {"{}", "expected an object \"sounds\""},
    {"{'sounds':[]}", "expected an object \"sounds\""},
    {"{'sounds':{'a':{'file':'a.ogg','length':1},'a':{'file':'a.ogg','length':1}}}", "duplicate"},
    {"{'sounds':{'a':{'length':1}}}", "sound \"a\": \"file\": expected text"},
    {"{'sounds':{'a':{'file':'a.ogg'}}}", "\"length\": expected a number of samples"},
    {"{'sounds':{'a':{'file':'a.ogg','length':-1}}}", "\"length\""},
    {"{'sounds':{'a':{'file':'a.ogg','length':1,'gain':5}}}", "\"gain\": expected 0 to 4"},
    {"{'sounds':{'a':{'file':'a.ogg','length':1,'repeat':'twice'}}}", "\"once\" or \"loop\""},
    {"{'sounds':{'a':{'file':'a.ogg','length':1,'category':'noise'}}}", "\"effect\", \"music\""},
    {"{'sounds':{'a234567890123456789012345678':{'file':'a.ogg','length':1}}}", "at most 27 bytes, found 28"},
};

START_TEST(a_wrong_catalog_names_the_sound_and_changes_nothing) {
    world_catalog before;
    memset(&before, 0x5a, sizeof before);
    catalog = before;
    eddy_result result = world_catalog_load(map_write("sounds.json", wrong_catalogs[_i].json), &catalog, &error);
    ck_assert_int_ne(result, EDDY_OK);
    ck_assert_msg(strstr(error.text, wrong_catalogs[_i].part) && strstr(error.text, "sounds.json"), "%s", error.text);
    ck_assert_mem_eq(&catalog, &before, sizeof before);
}
END_TEST

START_TEST(music_that_the_catalog_has_not_is_an_error) {
    const char *json = MAP_HEAD "'properties':[{'name':'music','type':'string','value':'tango'}],'layers':[" WALLS
                                ",{'type':'objectgroup','objects':[" MOTH "]}]}";
    catalog.count = 0;
    ck_assert_int_eq(world_load(map_write("level.tmj", json), &catalog, 0, &level, &error), EDDY_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "\"music\": expected a key of sounds.json, found \"tango\""));
    good(json); /* without a catalog a level is silent */
}
END_TEST

/* ---- the levels of the game ---- */

/** What a level is made of; a change of the maps changes these on purpose. */
typedef struct golden {
    const char *name, *title, *music, *ambience;
    uint32_t width, height, wicks, needed, kettles, pans, wheels, levers, gates, exits, hints;
} golden;

static const golden levels[] = {
    {"first-lamp", "First Lamp", "music_lamp", "amb_dusk", 176, 46, 3, 3, 2, 2, 0, 1, 1, 1, 8},
    {"millwheel", "Millwheel", "music_mill", "amb_mill", 150, 50, 3, 3, 3, 5, 2, 2, 2, 1, 5},
};

static void load(const golden *row) {
    char path[400];
    snprintf(path, sizeof path, LEVELS "/%s.tmj", row->name);
    ck_assert_msg(world_catalog_load(LEVELS "/sounds.json", &catalog, &error) == EDDY_OK, "%s", error.text);
    ck_assert_msg(world_load(path, &catalog, 0, &level, &error) == EDDY_OK, "%s", error.text);
}

static void step(uint16_t held) {
    world_step(level, (world_input){.held = held, .fresh = UINT16_MAX});
}

START_TEST(a_level_holds_what_its_map_says) {
    const golden *row = &levels[_i];
    load(row);
    const world_level *found = world_level_of(level);
    ck_assert_str_eq(found->title, row->title);
    ck_assert_uint_eq(found->width_tiles, row->width);
    ck_assert_uint_eq(found->height_tiles, row->height);
    ck_assert_uint_eq(found->wicks_total, row->wicks);
    ck_assert_uint_eq(found->wicks_needed, row->needed);
    ck_assert_uint_eq(count(WORLD_KETTLE), row->kettles);
    ck_assert_uint_eq(count(WORLD_PAN), row->pans);
    ck_assert_uint_eq(count(WORLD_WHEEL), row->wheels);
    ck_assert_uint_eq(count(WORLD_LEVER), row->levers);
    ck_assert_uint_eq(count(WORLD_GATE), row->gates);
    ck_assert_uint_eq(count(WORLD_EXIT), row->exits);
    ck_assert_uint_eq(count(WORLD_HINT), row->hints);
    ck_assert_uint_ge(count(WORLD_SCENERY), 40);
    ck_assert_uint_ge(count(WORLD_EMITTER), 5);
}
END_TEST

START_TEST(music_and_ambience_play_from_frame_0) {
    load(&levels[_i]);
    bool music = false, ambience = false;
    const eddy_sound *sound = NULL;
    for (uint32_t i = 0; (sound = find(world_view(level), WORLD_SOUND, i)) != NULL; i++) {
        music |= strcmp(sound->asset, levels[_i].music) == 0 && sound->category == EDDY_CATEGORY_MUSIC &&
                 sound->repeat == EDDY_SOUND_LOOP && sound->place == EDDY_SOUND_HERE;
        ambience |= strcmp(sound->asset, levels[_i].ambience) == 0 && sound->category == EDDY_CATEGORY_AMBIENCE;
    }
    ck_assert(music);
    ck_assert(ambience);
}
END_TEST

START_TEST(idling_at_the_start_is_safe_for_ever) {
    load(&levels[_i]);
    float x = world_moth_of(level)->x;
    for (int tick = 0; tick < 3600; tick++) {
        step(0);
        ck_assert_msg(world_game_of(level)->outcome == WORLD_GOING_ON, "tick %d", tick);
    }
    ck_assert_float_eq(world_moth_of(level)->x, x);
    ck_assert_uint_eq(world_moth_of(level)->on_ground, 1);
}
END_TEST

START_TEST(walking_right_for_300_ticks_is_safe) {
    load(&levels[_i]);
    for (int tick = 0; tick < 300; tick++) {
        step(BUTTON_RIGHT);
        ck_assert_msg(world_game_of(level)->outcome == WORLD_GOING_ON, "tick %d", tick);
    }
}
END_TEST

START_TEST(its_solution_reaches_the_exit) {
    char path[400];
    snprintf(path, sizeof path, LEVELS "/%s.inp", levels[_i].name);
    engine_script script = {0};
    ck_assert_msg(engine_script_load(path, &script, &error) == EDDY_OK, "%s", error.text);
    ck_assert_uint_lt(script.ticks, 3000);
    load(&levels[_i]);
    for (uint64_t tick = 0; tick < script.ticks && world_game_of(level)->outcome != WORLD_WON; tick++) {
        ck_assert_msg(world_game_of(level)->outcome != WORLD_DIED, "died at tick %u, (%g, %g)", (unsigned)tick,
                      (double)world_moth_of(level)->x / WORLD_TILE, (double)world_moth_of(level)->y / WORLD_TILE);
        step(engine_script_held(&script, tick));
    }
    ck_assert_uint_eq(world_game_of(level)->outcome, WORLD_WON);
    ck_assert_uint_eq(world_game_of(level)->wicks_taken, levels[_i].needed);
    engine_script_free(&script);
}
END_TEST

/** First Lamp up to the lip of its shaft, then these buttons until the outcome or the floor; returns the outcome. */
static uint8_t into_the_shaft(uint16_t first, int first_ticks, uint16_t then) {
    engine_script script = {0};
    ck_assert_msg(engine_script_load(LEVELS "/first-lamp.inp", &script, &error) == EDDY_OK, "%s", error.text);
    load(&levels[0]);
    for (uint64_t tick = 0; world_moth_of(level)->x < 131.4f * WORLD_TILE; tick++) {
        ck_assert_uint_lt(tick, script.ticks);
        step(engine_script_held(&script, tick));
    }
    engine_script_free(&script);
    for (int tick = 0; tick < 200 && world_game_of(level)->outcome == WORLD_GOING_ON; tick++) {
        step(tick < first_ticks ? first : then);
    }
    return world_game_of(level)->outcome;
}

START_TEST(the_shaft_kills_who_runs_or_drops_into_it_and_spares_who_steers_back) {
    ck_assert_uint_eq(into_the_shaft(BUTTON_RIGHT, 200, 0), WORLD_DIED);
    world_destroy(level);
    ck_assert_uint_eq(into_the_shaft(0, 200, 0), WORLD_DIED);
    world_destroy(level);
    ck_assert_uint_eq(into_the_shaft(BUTTON_LEFT, 45, 0), WORLD_GOING_ON);
    ck_assert_uint_eq(world_moth_of(level)->on_ground, 1);
}
END_TEST

START_TEST(the_bottom_of_the_shaft_is_out_of_sight_from_its_lip) {
    load(&levels[0]);
    engine_script script = {0};
    ck_assert_msg(engine_script_load(LEVELS "/first-lamp.inp", &script, &error) == EDDY_OK, "%s", error.text);
    uint64_t tick = 0;
    while (world_moth_of(level)->x < 130 * WORLD_TILE) {
        step(engine_script_held(&script, tick++));
    }
    engine_script_free(&script);
    float lowest = world_game_of(level)->camera_y + WORLD_VIEW_H / 2;
    for (uint32_t i = 0; i < count(WORLD_NETTLE); i++) {
        const world_nettle *nettle = thing(WORLD_NETTLE, i);
        if (nettle->x > 131 * WORLD_TILE) {
            ck_assert_float_gt(nettle->y - nettle->half_h, lowest);
        }
    }
}
END_TEST

/* Scripts that rewind need a session: ticks, not frames. */
static const char *const scripts[][2] = {{"first-lamp", "first-lamp-rewind"}, {"millwheel", "millwheel-ladder"}};

START_TEST(a_script_that_rewinds_reaches_the_exit_too) {
    char map[400], path[400];
    snprintf(map, sizeof map, LEVELS "/%s.tmj", scripts[_i][0]);
    snprintf(path, sizeof path, LEVELS "/scripts/%s.inp", scripts[_i][1]);
    engine_script script = {0};
    ck_assert_msg(engine_script_load(path, &script, &error) == EDDY_OK, "%s", error.text);
    engine_session_desc desc = {.map_path = map, .level_dir = LEVELS, .device = EDDY_AUDIO_NONE};
    engine_session *session = NULL;
    ck_assert_msg(engine_session_create(&desc, &session, &error) == EDDY_OK, "%s", error.text);
    bool rewound = false;
    for (uint64_t tick = 0; tick < script.ticks; tick++) {
        engine_session_tick(session, engine_script_held(&script, tick));
        rewound |= engine_session_state_of(session).rewinding;
    }
    ck_assert(rewound);
    ck_assert(engine_session_state_of(session).won);
    engine_script_free(&script);
    ck_assert_msg(engine_session_close(session, &error) == EDDY_OK, "%s", error.text);
}
END_TEST

START_TEST(the_list_of_levels_names_maps_that_are_there) {
    json_t *root = json_load_file(LEVELS "/levels.json", JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(root);
    json_t *list = json_object_get(root, "levels"), *entry = NULL;
    size_t i = 0;
    ck_assert_uint_eq(json_array_size(list), sizeof levels / sizeof *levels);
    json_array_foreach(list, i, entry) {
        ck_assert_int_eq(json_integer_value(json_object_get(entry, "number")), (json_int_t)i + 1);
        ck_assert_str_eq(json_string_value(json_object_get(entry, "name")), levels[i].name);
        ck_assert_str_eq(json_string_value(json_object_get(entry, "title")), levels[i].title);
        char path[400];
        snprintf(path, sizeof path, LEVELS "/%s", json_string_value(json_object_get(entry, "file")));
        ck_assert_msg(access(path, R_OK) == 0, "%s", path);
    }
    json_decref(root);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static void make(Suite *suite) {
    TCase *maps = suite_case(suite, "maps", 8);
    tcase_add_checked_fixture(maps, setup, teardown);
    tcase_add_test(maps, tiles_are_walls_unless_their_set_says_otherwise);
    tcase_add_test(maps, standing_things_stand_on_their_point_or_the_foot_of_their_box);
    tcase_add_test(maps, a_lever_may_come_after_what_hangs_on_it);
    tcase_add_test(maps, a_pan_goes_along_a_line_of_feet_or_round_a_wheel);
    tcase_add_test(maps, layers_offsets_and_groups_count_in);
    tcase_add_test(maps, an_infinite_map_begins_where_its_walls_do);
    tcase_add_test(maps, the_maps_properties_are_the_levels);
    tcase_add_loop_test(maps, a_wrong_object_is_named_with_what_was_expected, 0, COUNT(wrong_objects));
    tcase_add_loop_test(maps, a_wrong_map_is_told_what_is_missing, 0, COUNT(wrong_maps));

    TCase *sounds = suite_case(suite, "sounds", 8);
    tcase_add_checked_fixture(sounds, setup, teardown);
    tcase_add_test(sounds, the_catalog_holds_every_sound_once);
    tcase_add_loop_test(sounds, a_wrong_catalog_names_the_sound_and_changes_nothing, 0, COUNT(wrong_catalogs));
    tcase_add_test(sounds, music_that_the_catalog_has_not_is_an_error);

    TCase *game = suite_case(suite, "the game's levels", 20);
    tcase_add_checked_fixture(game, setup, teardown);
    tcase_add_loop_test(game, a_level_holds_what_its_map_says, 0, COUNT(levels));
    tcase_add_loop_test(game, music_and_ambience_play_from_frame_0, 0, COUNT(levels));
    tcase_add_loop_test(game, idling_at_the_start_is_safe_for_ever, 0, COUNT(levels));
    tcase_add_loop_test(game, walking_right_for_300_ticks_is_safe, 0, COUNT(levels));
    tcase_add_loop_test(game, its_solution_reaches_the_exit, 0, COUNT(levels));
    tcase_add_test(game, the_shaft_kills_who_runs_or_drops_into_it_and_spares_who_steers_back);
    tcase_add_test(game, the_bottom_of_the_shaft_is_out_of_sight_from_its_lip);
    tcase_add_loop_test(game, a_script_that_rewinds_reaches_the_exit_too, 0, COUNT(scripts));
    tcase_add_test(game, the_list_of_levels_names_maps_that_are_there);
}

int main(void) {
    return suite_run("levels", make);
}
