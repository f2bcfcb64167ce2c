/* The Tiled reader: objects, templates, properties, layers in groups, and files that are not maps. */
#include "suite.h"
#include "tiled_stage.h"

#define OBJECTS(objects) HEAD SET "'layers':[{'type':'objectgroup','name':'O','objects':[" objects "]}]}"

static const tiled_object *object(uint32_t id) {
    const tiled_object *found = tiled_map_object(stage_map, id, NULL);
    ck_assert_msg(found != NULL, "no object %u", id);
    return found;
}

static const tiled_property *property(const tiled_properties *from, const char *name) {
    const tiled_property *found = tiled_properties_find(from, name);
    ck_assert_msg(found != NULL, "no property %s", name);
    return found;
}

/* ---- objects ---- */

START_TEST(objects_come_in_every_shape) {
    stage_good(OBJECTS("{'id':1,'x':0.5,'y':6.25,'width':16,'height':8,'rotation':45,'visible':false,'name':'r'},"
                       "{'id':2,'point':true,'x':3,'y':4},{'id':3,'ellipse':true,'width':5,'height':5},"
                       "{'id':4,'capsule':true,'width':5,'height':9},"
                       "{'id':5,'polygon':[{'x':0,'y':0},{'x':16,'y':0},{'x':0,'y':-16.5}]},"
                       "{'id':6,'polyline':[{'x':0,'y':0},{'x':8,'y':8}]},"
                       "{'id':7,'text':{'text':'h\\u00e9llo','wrap':true,'pixelsize':20,'color':'#102030'}},"
                       "{'id':8,'gid':2147483650,'x':16,'y':32,'width':16,'height':16},"
                       "{'id':9,'gid':-2147483646,'x':16,'y':32,'width':16,'height':16}"));
    static const tiled_shape shapes[] = {TILED_RECTANGLE, TILED_POINT, TILED_ELLIPSE, TILED_CAPSULE, TILED_POLYGON,
                                         TILED_POLYLINE,  TILED_TEXT,  TILED_TILE,    TILED_TILE};
    for (uint32_t i = 0; i < STAGE_COUNT(shapes); i++) {
        ck_assert_msg(object(i + 1)->shape == shapes[i], "object %u has shape %d", i + 1, object(i + 1)->shape);
    }
    ck_assert_double_eq(object(1)->y, 6.25);
    ck_assert(!object(1)->visible && object(2)->visible);
    ck_assert_uint_eq(object(5)->point_count, 3);
    ck_assert_float_eq(object(5)->points[2].y, -16.5f);
    ck_assert_str_eq(object(7)->text.text, "h\xc3\xa9llo");
    ck_assert_uint_eq(object(7)->text.color, 0xff102030u);
    ck_assert_uint_eq(object(8)->gid, TILED_FLIP_H | 2);
    ck_assert_uint_eq(object(9)->gid, TILED_FLIP_H | 2);
}
END_TEST

/* A tile object of 16 x 8 at (100, 50): where is the upper left corner of its picture? */
static const struct {
    const char *alignment, *orientation;
    double rotation;
    float x, y;
} corners[] = {
    {"unspecified", "orthogonal", 0, 100, 42}, {"unspecified", "isometric", 0, 92, 42},
    {"topleft", "orthogonal", 0, 100, 50},     {"top", "orthogonal", 0, 92, 50},
    {"topright", "orthogonal", 0, 84, 50},     {"left", "orthogonal", 0, 100, 46},
    {"center", "orthogonal", 0, 92, 46},       {"right", "orthogonal", 0, 84, 46},
    {"bottomleft", "orthogonal", 0, 100, 42},  {"bottom", "orthogonal", 0, 92, 42},
    {"bottomright", "orthogonal", 0, 84, 42},  {"unspecified", "orthogonal", 90, 108, 50},
    {"center", "orthogonal", 180, 108, 54},    {"bottomright", "orthogonal", -90, 92, 66},
};

START_TEST(a_tile_object_hangs_on_its_sets_alignment_and_turns_about_it) {
    stage_good(
        stage_format("{'width':1,'height':1,'tilewidth':8,'tileheight':8,'orientation':'%s','tilesets':[{'firstgid':1,"
                     "'objectalignment':'%s'}],'layers':[{'type':'objectgroup','objects':[{'id':1,'gid':1,'x':100,"
                     "'y':50,'width':16,'height':8,'rotation':%g}]}]}",
                     corners[_i].orientation, corners[_i].alignment, corners[_i].rotation));
    eddy_vec2 corner = tiled_object_corner(stage_map, object(1));
    ck_assert_float_eq(corner.x, corners[_i].x);
    ck_assert_float_eq(corner.y, corners[_i].y);
}
END_TEST

START_TEST(a_class_is_under_type_or_class_and_may_come_from_the_tile) {
    stage_good(
        "{'width':1,'height':1,'tilewidth':8,'tileheight':8,'class':'Level','tilesets':[{'firstgid':1,'tiles':["
        "{'id':0,'type':'Old'},{'id':1,'class':'New'}]}],'layers':[{'type':'objectgroup','class':'Things','objects':["
        "{'id':1,'type':'A'},{'id':2,'class':'B'},{'id':3,'type':'','class':'C'},{'id':4,'gid':1},{'id':5,'gid':2},"
        "{'id':6,'gid':1,'type':'Own'},{'id':7}]}]}");
    static const char *const names[] = {"A", "B", "C", "Old", "New", "Own", ""};
    for (uint32_t i = 0; i < STAGE_COUNT(names); i++) {
        ck_assert_str_eq(object(i + 1)->type_name, names[i]);
    }
    ck_assert_str_eq(stage_map->type_name, "Level");
    ck_assert_str_eq(stage_map->layers[0].type_name, "Things");
}
END_TEST

static const struct {
    const char *objects;
    eddy_result code;
    const char *part;
} broken_objects[] = {
    {"7", EDDY_E_FORMAT, "layer \"O\": objects[0]: expected an object, found a whole number"},
    {"{'id':4,'x':'1'}", EDDY_E_FORMAT, "layer \"O\", object 4: \"x\": expected a number, found text"},
    {"{'id':4,'width':1e12}", EDDY_E_LIMIT, "object 4: \"width\": 1e+12 is out of range"},
    {"{'id':-4}", EDDY_E_LIMIT, "\"id\""},
    {"{'id':4,'polygon':{}}", EDDY_E_FORMAT, "\"polygon\": expected an array"},
    {"{'id':4,'polyline':[{'x':1e300,'y':0}]}", EDDY_E_LIMIT, "\"polyline\"[0]"},
    {"{'id':4,'ellipse':1}", EDDY_E_FORMAT, "\"ellipse\": expected true or false"},
    {"{'id':4,'gid':4294967296}", EDDY_E_LIMIT, "\"gid\""},
    {"{'id':4,'properties':[7]}", EDDY_E_FORMAT, "object 4: properties[0]: expected an object"},
    {"{'id':4,'properties':[{'name':'p','type':'int','value':'x'}]}", EDDY_E_FORMAT,
     "property \"p\": expected int, found text"},
    {"{'id':4,'template':'none.tj'}", EDDY_E_IO, "object 4, template "},
    {"{'id':4,'template':'old.tx'}", EDDY_E_FORMAT, "expected JSON, found XML; save the template from Tiled as .tj"},
    {"{'id':4,'template':'empty.tj'}", EDDY_E_FORMAT, "expected an \"object\", found nothing"},
    {"{'id':4,'template':'chain.tj'}", EDDY_E_FORMAT, "made from a template again"},
    {"{'id':4,'template':'lost.tj'}", EDDY_E_FORMAT, "gid 3 has no tile set"},
};

START_TEST(a_broken_object_is_named_by_its_id) {
    map_write("old.tx", "<template/>");
    map_write("empty.tj", "{'type':'template'}");
    map_write("chain.tj", "{'object':{'template':'chain.tj'}}");
    map_write("lost.tj", "{'object':{'gid':3}}");
    stage_bad(stage_format(HEAD SET "'layers':[{'type':'objectgroup','name':'O','objects':[%s]}]}",
                           broken_objects[_i].objects),
              broken_objects[_i].code, broken_objects[_i].part);
}
END_TEST

/* ---- templates ---- */

static void write_template(void) {
    map_write("sets/ext.tsj",
              "{'type':'tileset','name':'ext','tilecount':4,'tiles':[{'id':2,'type':'Spike','properties':["
              "{'name':'dmg','type':'int','value':7},{'name':'colour','type':'string','value':'grey'}]}]}");
    map_write(
        "tpl/key.tj",
        "{'type':'template','tileset':{'firstgid':1,'source':'../sets/ext.tsj'},'object':{'id':1,'gid':1073741827,"
        "'name':'key','width':16,'height':12,'rotation':30,'visible':false,'properties':["
        "{'name':'immune','type':'bool','value':true},{'name':'colour','type':'string','value':'red'},"
        "{'name':'song','type':'file','value':'a.ogg'},"
        "{'name':'path','type':'class','value':{'speed':1.5,'ease':{'in':false,'out':true}}}]}}");
}

#define WITH_EXT                                                                                                       \
    HEAD "'tilesets':[{'firstgid':1,'name':'b','tilecount':4},{'firstgid':5,'source':'sets/ext.tsj'}],"                \
         "'layers':[{'type':'objectgroup','objects':["

START_TEST(an_instance_lists_only_what_it_overrides) {
    write_template();
    stage_good(WITH_EXT
               "{'id':1,'template':'tpl/key.tj','x':16,'y':32},"
               "{'id':2,'template':'tpl/key.tj','x':3,'name':'mine','width':99,'visible':true,'rotation':0,'type':'K',"
               "'properties':[{'name':'colour','type':'string','value':'blue'},{'name':'own','type':'int','value':1},"
               "{'name':'path','type':'class','value':{'ease':{'in':true}}}]}]}]}");
    const tiled_object *plain = object(1), *changed = object(2);
    ck_assert_str_eq(plain->name, "key");
    ck_assert_str_eq(changed->name, "mine");
    ck_assert_str_eq(plain->type_name, "Spike"); /* the tile's: the template has none */
    ck_assert_str_eq(changed->type_name, "K");
    ck_assert_double_eq(plain->width, 16);
    ck_assert_double_eq(changed->width, 99);
    ck_assert_double_eq(changed->height, 12);
    ck_assert_double_eq(plain->rotation, 30);
    ck_assert_double_eq(changed->rotation, 0);
    ck_assert(!plain->visible && changed->visible);
    ck_assert_int_eq(property(&plain->properties, "dmg")->integer, 7);
    ck_assert_str_eq(property(&plain->properties, "colour")->text, "red");
    ck_assert_str_eq(property(&changed->properties, "colour")->text, "blue");
    ck_assert(property(&changed->properties, "immune")->boolean);
    ck_assert_int_eq(property(&changed->properties, "own")->integer, 1);
    ck_assert_uint_eq(changed->properties.count, 6);
    const tiled_property *path = property(&changed->properties, "path");
    ck_assert_double_eq(property(&path->items, "speed")->number, 1.5);
    const tiled_property *ease = property(&path->items, "ease");
    ck_assert(property(&ease->items, "in")->boolean && property(&ease->items, "out")->boolean);
    ck_assert(!property(&property(&property(&plain->properties, "path")->items, "ease")->items, "in")->boolean);
}
END_TEST

START_TEST(a_templates_gid_counts_in_its_own_numbering) {
    write_template();
    stage_good(WITH_EXT "{'id':1,'template':'tpl/key.tj'},{'id':2,'template':'tpl/key.tj','gid':2}]}]}");
    ck_assert_uint_eq(object(1)->gid, TILED_FLIP_V | 7);
    ck_assert_uint_eq(object(2)->gid, 2);
    ck_assert_uint_eq(stage_map->tileset_count, 2);
}
END_TEST

START_TEST(a_set_that_only_a_template_uses_is_added_behind_the_others) {
    write_template();
    stage_good(
        HEAD "'tilesets':[{'firstgid':1,'name':'b','tilecount':4,'tiles':[{'id':9}]}],'layers':[{'type':'objectgroup',"
             "'objects':[{'id':1,'template':'tpl/key.tj'},{'id':2,'template':'./tpl/../tpl/key.tj'}]}]}");
    ck_assert_uint_eq(stage_map->tileset_count, 2);
    ck_assert_uint_eq(stage_map->tilesets[1].first_gid, 11);
    ck_assert_uint_eq(object(1)->gid, TILED_FLIP_V | 13);
    ck_assert_uint_eq(object(2)->gid, TILED_FLIP_V | 13);
    ck_assert_int_eq(property(&object(1)->properties, "dmg")->integer, 7);
}
END_TEST

START_TEST(a_file_counts_from_the_file_that_names_it) {
    write_template();
    stage_good(WITH_EXT
               "{'id':1,'template':'tpl/key.tj','properties':[{'name':'own','type':'file','value':'../b.ogg'}]}]}]}");
    const tiled_property *song = property(&object(1)->properties, "song"),
                         *own = property(&object(1)->properties, "own");
    ck_assert_str_eq(song->text, "a.ogg");
    ck_assert_ptr_nonnull(strstr(song->path, "/tpl/a.ogg"));
    ck_assert_str_eq(own->text, "../b.ogg");
    ck_assert_msg(strcmp(own->path, "/tmp/b.ogg") == 0, "%s", own->path);
}
END_TEST

/* ---- properties ---- */

START_TEST(properties_come_in_every_kind) {
    stage_good(
        OBJECTS("{'id':1,'properties':[{'name':'s','type':'string','value':'x'},{'name':'i','type':'int','value':-3},"
                "{'name':'f','type':'float','value':2},{'name':'b','type':'bool','value':true},"
                "{'name':'c','type':'color','value':'#80102030'},{'name':'c6','type':'color','value':'#102030'},"
                "{'name':'c0','type':'color','value':''},{'name':'file','type':'file','value':'d/x'},"
                "{'name':'o','type':'object','value':12},"
                "{'name':'k','type':'class','propertytype':'P','value':{'n':1,'t':'x','in':{'d':0.5}}},"
                "{'name':'l','type':'list','value':[{'type':'int','value':4},{'type':'string','value':'y'},7]},"
                "{'name':'e','type':'int','propertytype':'Enum','value':2},"
                "{'name':'later','type':'matrix','value':[1,2]},{'name':'plain','value':'text'}]}"));
    const tiled_properties *all = &object(1)->properties;
    ck_assert_str_eq(property(all, "s")->text, "x");
    ck_assert_int_eq(property(all, "i")->integer, -3);
    ck_assert_int_eq(property(all, "f")->kind, TILED_FLOAT);
    ck_assert_double_eq(property(all, "f")->number, 2);
    ck_assert(property(all, "b")->boolean);
    ck_assert_uint_eq(property(all, "c")->color, 0x80102030u);
    ck_assert_uint_eq(property(all, "c6")->color, 0xff102030u);
    ck_assert_uint_eq(property(all, "c0")->color, 0);
    ck_assert_str_eq(property(all, "file")->text, "d/x");
    ck_assert_int_eq(property(all, "o")->integer, 12);
    ck_assert_str_eq(property(all, "k")->type_name, "P");
    ck_assert_double_eq(property(&property(&property(all, "k")->items, "in")->items, "d")->number, 0.5);
    ck_assert_uint_eq(property(all, "l")->items.count, 3);
    ck_assert_str_eq(property(all, "l")->items.items[1].text, "y");
    ck_assert_int_eq(property(all, "l")->items.items[2].integer, 7);
    ck_assert_str_eq(property(all, "e")->type_name, "Enum");
    ck_assert_int_eq(property(all, "later")->kind, TILED_LIST); /* a kind that is not known: by what it looks like */
    ck_assert_int_eq(property(all, "plain")->kind, TILED_STRING);
}
END_TEST

START_TEST(old_files_keep_properties_in_an_object) {
    stage_good(OBJECTS("{'id':1,'properties':{'speed':3,'name':'x','on':true}}"));
    ck_assert_int_eq(property(&object(1)->properties, "speed")->integer, 3);
    ck_assert(property(&object(1)->properties, "on")->boolean);
}
END_TEST

START_TEST(classes_nest_only_so_deep) {
    char text[4096] = "1";
    for (int depth = 0; depth < TILED_DEPTH_MAX + 1; depth++) {
        char outer[4096];
        snprintf(outer, sizeof outer, "{'c':%.4000s}", text);
        strcpy(text, outer);
        const char *json =
            stage_format(OBJECTS("{'id':1,'properties':[{'name':'p','type':'class','value':%s}]}"), text);
        if (depth < TILED_DEPTH_MAX - 1) {
            continue;
        }
        if (depth < TILED_DEPTH_MAX) {
            stage_good(json);
        } else {
            stage_bad(json, EDDY_E_LIMIT, "more than 32 classes in one another");
        }
    }
}
END_TEST

/* ---- layers ---- */

#define LAYERS(layers) HEAD "'layers':[" layers "]}"

START_TEST(groups_pass_on_what_they_are) {
    stage_good(LAYERS(
        "{'type':'group','name':'g','offsetx':10,'offsety':-4,'opacity':0.5,'parallaxx':0.5,'tintcolor':'#ff8040ff',"
        "'layers':[{'type':'group','name':'g','visible':false,'offsetx':1.5,'opacity':0.5,'parallaxx':0.5,'layers':["
        "{'type':'objectgroup','name':'g','offsety':3,'tintcolor':'#80ff00','objects':[]}]},"
        "{'type':'imagelayer','name':'i','repeatx':true}]},{'type':'objectgroup','name':'last','draworder':'index'}"));
    ck_assert_uint_eq(stage_map->layer_count, 5);
    const tiled_layer *inner = &stage_map->layers[2], *image = &stage_map->layers[3], *last = &stage_map->layers[4];
    ck_assert_int_eq(inner->kind, TILED_LAYER_OBJECTS);
    ck_assert_int_eq(inner->parent, 1);
    ck_assert_uint_eq(inner->depth, 2);
    ck_assert_double_eq(inner->offset_x, 11.5);
    ck_assert_double_eq(inner->offset_y, -1);
    ck_assert_double_eq(inner->opacity, 0.25);
    ck_assert_double_eq(inner->parallax_x, 0.25);
    ck_assert_uint_eq(inner->tint, 0xff404000u); /* 80ff00 of ff8040ff's channels 80, 40, ff */
    ck_assert(!inner->visible && image->visible && image->repeat_x && !image->repeat_y);
    ck_assert_int_eq(image->parent, 0);
    ck_assert_int_eq(last->parent, -1);
    ck_assert(last->by_index && !inner->by_index);
}
END_TEST

START_TEST(groups_nest_only_so_deep) {
    char text[8192] = "";
    for (int depth = 0; depth < TILED_DEPTH_MAX + 2; depth++) {
        char outer[8192];
        snprintf(outer, sizeof outer, "{'type':'group','layers':[%.8000s]}", text);
        strcpy(text, outer);
        if (depth == TILED_DEPTH_MAX) {
            stage_good(stage_format(LAYERS("%s"), text));
        }
    }
    stage_bad(stage_format(LAYERS("%s"), text), EDDY_E_LIMIT, "more than 32 groups in one another");
}
END_TEST

START_TEST(a_layer_in_groups_is_named_with_them) {
    stage_bad(LAYERS("{'type':'group','name':'outer','layers':[{'type':'group','layers':[{'type':'tilelayer',"
                     "'name':'in','width':2,'height':1,'data':[1]}]}]}"),
              EDDY_E_FORMAT, "layer \"outer\", layers[0], layer \"in\": expected 2 tiles, found 1");
}
END_TEST

START_TEST(layers_of_later_versions_are_passed_over_with_a_warning) {
    stage_good(LAYERS("{'type':'hologram','name':'h'},{'type':'objectgroup','name':'o','objects':[{'id':1}]}"));
    ck_assert_uint_eq(stage_map->layer_count, 1);
    ck_assert_uint_eq(stage_map->warning_count, 1);
    ck_assert_ptr_nonnull(strstr(stage_map->warnings[0], "hologram"));
}
END_TEST

/* ---- files ---- */

START_TEST(any_version_is_fine_and_so_are_unknown_keys) {
    static const char *const versions[][2] = {{"'version':1.5,", "1.5"},
                                              {"'version':1,", "1"},
                                              {"'version':'1.10',", "1.10"},
                                              {"'version':'99.9',", "99.9"},
                                              {"", ""}};
    stage_good(stage_format("{%s'width':1,'height':1,'tilewidth':8,'tileheight':8,'layers':[],'brand':{'new':[1,{}]}}",
                            versions[_i][0]));
    ck_assert_str_eq(stage_map->version, versions[_i][1]);
}
END_TEST

static const struct {
    const char *text, *part;
} no_maps[] = {
    {"", "expected JSON"},
    {"{", "expected JSON: line 1"},
    {"[]", "expected a map, found an array"},
    {"<?xml version='1.0'?><map/>", "expected JSON, found XML; save the map from Tiled as .tmj"},
    {"{'type':'tileset','layers':[]}", "found a tileset"},
    {"{'type':'map'}", "found a map without \"layers\""},
    {"{'layers':{},'width':1,'height':1,'tilewidth':8,'tileheight':8}",
     "\"layers\": expected an array, found an object"},
    {"{'layers':[7],'width':1,'height':1,'tilewidth':8,'tileheight':8}", "layers[0]: expected an object"},
    {"{'layers':[{}],'tilesets':7,'width':1,'height':1,'tilewidth':8,'tileheight':8}",
     "\"tilesets\": expected an array"},
    {"{'layers':[],'infinite':7,'width':1,'height':1,'tilewidth':8,'tileheight':8}",
     "\"infinite\": expected true or false"},
};

START_TEST(what_is_no_map_is_refused) {
    stage_bad(no_maps[_i].text, EDDY_E_FORMAT, no_maps[_i].part);
}
END_TEST

START_TEST(a_byte_order_mark_is_passed_over) {
    stage_good("\xef\xbb\xbf{'layers':[],'width':1,'height':1,'tilewidth':8,'tileheight':8}");
}
END_TEST

START_TEST(a_missing_file_and_a_folder_are_named) {
    tiled_map *made = NULL;
    ck_assert_int_eq(tiled_map_load(map_path("map.tmj.none"), &made, &stage_error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(stage_error.text, "map.tmj.none"));
    ck_assert_int_eq(tiled_map_load(map_folder, &made, &stage_error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(stage_error.text, "folder"));
    ck_assert_ptr_null(made);
}
END_TEST

/* A map with one of everything, each of its bytes changed in turn: the reader answers, whatever it is told. */
START_TEST(no_single_wrong_byte_harms) {
    write_template();
    char *json =
        strdup(WITH_EXT "{'id':1,'template':'tpl/key.tj','properties':[{'name':'p','type':'class','value':{'a':1}}]},"
                        "{'id':2,'polygon':[{'x':1,'y':2}]}]},{'type':'group','layers':[{'type':'tilelayer','name':'L',"
                        "'width':2,'height':1,'encoding':'base64','compression':'zlib','data':'eNpjZGBgYAJiAAAYAAQ='},"
                        "{'type':'tilelayer','chunks':[{'x':-1,'y':0,'width':1,'height':1,'data':[1]}]}]}]}");
    size_t length = strlen(json), refused = 0, accepted = 0;
    for (size_t i = 0; i < length; i++) {
        json[i] = json[i] == '\'' ? '"' : json[i];
    }
    stage_good(json);
    static const char wrong[] = {'9', '"', (char)0xff};
    for (size_t i = 0; i < length * sizeof wrong; i++) {
        char right = json[i / sizeof wrong];
        json[i / sizeof wrong] = wrong[i % sizeof wrong];
        tiled_map *made = NULL;
        stage_error.text[0] = 0;
        eddy_result result = tiled_map_load(map_write_bytes("map.tmj", json, length), &made, &stage_error);
        json[i / sizeof wrong] = right;
        ck_assert_msg((result == EDDY_OK) == (made != NULL), "byte %zu", i / sizeof wrong);
        ck_assert_msg(result == EDDY_OK || strstr(stage_error.text, map_folder), "byte %zu: %s", i / sizeof wrong,
                      stage_error.text);
        accepted += result == EDDY_OK;
        refused += result != EDDY_OK;
        tiled_map_destroy(made);
    }
    free(json);
    ck_assert_uint_gt(refused, 500);
    ck_assert_uint_gt(accepted, 50);
}
END_TEST

static void make(Suite *suite) {
    TCase *objects = suite_case(suite, "objects", 8);
    tcase_add_checked_fixture(objects, stage_setup, stage_teardown);
    tcase_add_test(objects, objects_come_in_every_shape);
    stage_add_loop(objects, a_tile_object_hangs_on_its_sets_alignment_and_turns_about_it, STAGE_COUNT(corners));
    tcase_add_test(objects, a_class_is_under_type_or_class_and_may_come_from_the_tile);
    stage_add_loop(objects, a_broken_object_is_named_by_its_id, STAGE_COUNT(broken_objects));
    tcase_add_test(objects, an_instance_lists_only_what_it_overrides);
    tcase_add_test(objects, a_templates_gid_counts_in_its_own_numbering);
    tcase_add_test(objects, a_set_that_only_a_template_uses_is_added_behind_the_others);
    tcase_add_test(objects, a_file_counts_from_the_file_that_names_it);

    TCase *properties = suite_case(suite, "properties", 8);
    tcase_add_checked_fixture(properties, stage_setup, stage_teardown);
    tcase_add_test(properties, properties_come_in_every_kind);
    tcase_add_test(properties, old_files_keep_properties_in_an_object);
    tcase_add_test(properties, classes_nest_only_so_deep);

    TCase *layers = suite_case(suite, "layers", 8);
    tcase_add_checked_fixture(layers, stage_setup, stage_teardown);
    tcase_add_test(layers, groups_pass_on_what_they_are);
    tcase_add_test(layers, groups_nest_only_so_deep);
    tcase_add_test(layers, a_layer_in_groups_is_named_with_them);
    tcase_add_test(layers, layers_of_later_versions_are_passed_over_with_a_warning);

    TCase *files = suite_case(suite, "files", 20);
    tcase_add_checked_fixture(files, stage_setup, stage_teardown);
    tcase_add_loop_test(files, any_version_is_fine_and_so_are_unknown_keys, 0, 5);
    stage_add_loop(files, what_is_no_map_is_refused, STAGE_COUNT(no_maps));
    tcase_add_test(files, a_byte_order_mark_is_passed_over);
    tcase_add_test(files, a_missing_file_and_a_folder_are_named);
    tcase_add_test(files, no_single_wrong_byte_harms);
}

int main(void) {
    return suite_run("tiled objects", make);
}
