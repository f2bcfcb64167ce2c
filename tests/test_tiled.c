/* The Tiled reader: what Tiled may write is read, what it may not is refused with a message that helps. */
#include "suite.h"
#include "tiled_stage.h"

#include <zlib.h>
#include <zstd.h>

/* ---- tiles ---- */

static const uint32_t six[] = {1, 2, 3, 1 | TILED_FLIP_H, 2 | TILED_FLIP_V, 3 | TILED_FLIP_D};

/** Base64 of bytes, packed as Tiled does: compression "", "zlib", "gzip" or "zstd". Static. */
static const char *packed(const char *compression, const void *bytes, size_t count) {
    static unsigned char data[100000];
    static char text[140000];
    size_t size = 0;
    if (strcmp(compression, "zstd") == 0) {
        size = ZSTD_compress(data, sizeof data, bytes, count, 3);
        ck_assert(!ZSTD_isError(size));
    } else if (compression[0]) {
        z_stream stream = {.next_in = (unsigned char *)(uintptr_t)bytes,
                           .avail_in = (uInt)count,
                           .next_out = data,
                           .avail_out = sizeof data};
        int bits = strcmp(compression, "gzip") == 0 ? 15 + 16 : 15;
        ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
        ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
        size = stream.total_out;
        deflateEnd(&stream);
    } else {
        size = count;
        memcpy(data, bytes, count);
    }
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *to = text;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
                        (i + 2 < size ? data[i + 2] : 0);
        for (int j = 0; j < 4; j++) {
            *to++ = i + (size_t)j > size ? '=' : digits[bits >> (18 - 6 * j) & 63];
        }
    }
    *to = 0;
    return text;
}

static const char *base64_layer(const char *compression, const char *data) {
    return stage_format(HEAD SET "'layers':[" TILE_LAYER "'encoding':'base64','compression':'%s','data':'%s'}]}",
                        compression, data);
}

static void check_six(void) {
    const tiled_layer *layer = tiled_map_layer(stage_map, TILED_LAYER_TILES, "L");
    ck_assert_ptr_nonnull(layer);
    ck_assert_uint_eq(layer->width * 100 + layer->height, 302);
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(layer->tiles[i] == six[i], "tile %d: expected %08x, found %08x", i, six[i], layer->tiles[i]);
    }
}

static const char *const compressions[] = {"", "zlib", "gzip", "zstd"};

START_TEST(base64_in_every_compression_means_the_same) {
    stage_good(base64_layer(compressions[_i], packed(compressions[_i], six, sizeof six)));
    check_six();
}
END_TEST

START_TEST(an_array_means_the_same_with_and_without_its_encoding_and_with_signed_numbers) {
    static const char *const arrays[] = {
        "'data':[1,2,3,2147483649,1073741826,536870915]",
        "'encoding':'csv','data':[1,2,3,2147483649,1073741826,536870915]",
        "'encoding':'base64','compression':'zlib','data':[1,2,3,2147483649,1073741826,536870915]",
        "'data':[1,2,3,-2147483647,1073741826,536870915.0]",
    };
    stage_good(stage_format(HEAD SET "'layers':[" TILE_LAYER "%s}]}", arrays[_i]));
    check_six();
}
END_TEST

START_TEST(base64_may_have_blanks_and_lack_its_padding) {
    char loose[200];
    const char *tight = packed("", six, sizeof six);
    snprintf(loose, sizeof loose, "\\n  %.10s\\n  %s  ", tight, tight + 10);
    stage_good(base64_layer("", loose));
    check_six();
    uint32_t eight[2] = {1, 2};
    char *end = strchr(strcpy(loose, packed("", eight, sizeof eight)), '=');
    ck_assert_ptr_nonnull(end);
    *end = 0;
    stage_good(stage_format(
        HEAD SET "'layers':[{'type':'tilelayer','name':'L','width':2,'height':1,'encoding':'base64','data':'%s'}]}",
        loose));
    ck_assert_uint_eq(stage_map->layers[0].tiles[1], 2);
}
END_TEST

START_TEST(data_of_another_length_names_the_layer_and_both_lengths) {
    uint32_t seven[7] = {1, 2, 3, 4, 5, 6, 7};
    stage_bad(base64_layer(compressions[_i], packed(compressions[_i], seven, 20)), EDDY_E_FORMAT, "layer \"L\": ");
    ck_assert_msg(strstr(stage_error.text, "expected 24 bytes") && strstr(stage_error.text, "found 20"), "%s",
                  stage_error.text);
    stage_bad(base64_layer(compressions[_i], packed(compressions[_i], seven, 28)), EDDY_E_FORMAT, "expected 24 bytes");
    stage_bad(HEAD SET "'layers':[" TILE_LAYER "'data':[1,2,3,4,5]}]}", EDDY_E_FORMAT, "expected 6 tiles, found 5");
    stage_bad(HEAD SET "'layers':[" TILE_LAYER "'data':[1,2,3,4,5,6,7]}]}", EDDY_E_FORMAT, "expected 6 tiles, found 7");
}
END_TEST

static const struct {
    const char *layer, *part;
} broken_data[] = {
    {"'data':[1,2,3,4,5,'x']", "data[5]: expected a tile number, found text"},
    {"'data':[1,2,3,4,5,4294967296]", "data[5]"},
    {"'data':[1,2,3,4,5,1.5]", "data[5]"},
    {"'data':{}", "expected an array or base64 text, found an object"},
    {"'opacity':1", "expected an array or base64 text, found nothing"},
    {"'data':'AAAA'", "expected base64 for data that is text"},
    {"'encoding':'xml','data':'AAAA'", "found \"xml\""},
    {"'encoding':'base64','data':'AA*A'", "0x2a at 2"},
    {"'encoding':'base64','compression':'lzma','data':'AAAA'", "found \"lzma\""},
    {"'encoding':'base64','compression':'zlib','data':'AAAA'", "cannot be unpacked"},
    {"'encoding':'base64','compression':'gzip','data':'H4sI'", "cannot be unpacked: it ends too early"},
    {"'encoding':'base64','compression':'zstd','data':'KLUv/SAYwQAA'", "cannot be unpacked"},
    {"'encoding':'base64','compression':'zlib','data':''", "it ends too early"},
    {"'encoding':7,'data':[]", "\"encoding\": expected text, found a whole number"},
};

START_TEST(broken_data_says_what_is_broken) {
    stage_bad(stage_format(HEAD SET "'layers':[" TILE_LAYER "%s}]}", broken_data[_i].layer), EDDY_E_FORMAT,
              broken_data[_i].part);
}
END_TEST

START_TEST(a_bomb_is_stopped_at_the_size_of_the_layer) {
    static const unsigned char zeros[32u << 20];
    stage_bad(base64_layer(compressions[_i], packed(compressions[_i], zeros, sizeof zeros)), EDDY_E_FORMAT,
              "found at least 25");
}
END_TEST

/* ---- sizes ---- */

static const struct {
    const char *text;
    eddy_result code;
    const char *part;
} sizes[] = {
    {"'width':0,'height':2", EDDY_E_FORMAT, "found 0 x 2"},
    {"'width':4097,'height':1", EDDY_E_LIMIT, "\"width\": expected 0 to 4096, found 4097"},
    {"'width':1000000000,'height':1000000000", EDDY_E_LIMIT, "\"width\""},
    {"'width':-1,'height':2", EDDY_E_LIMIT, "\"width\""},
    {"'width':1.5,'height':2", EDDY_E_FORMAT, "\"width\": expected a whole number, found a fraction"},
    {"'width':'3','height':2", EDDY_E_FORMAT, "\"width\": expected a whole number, found text"},
    {"'width':1e300,'height':2", EDDY_E_LIMIT, "\"width\""},
};

START_TEST(a_layer_has_a_sane_size) {
    stage_bad(stage_format(HEAD "'layers':[{'type':'tilelayer','name':'L',%s,'data':[]}]}", sizes[_i].text),
              sizes[_i].code, sizes[_i].part);
}
END_TEST

START_TEST(a_map_has_tiles_and_a_size) {
    stage_bad("{'width':1,'height':1,'tilewidth':0,'tileheight':16,'layers':[]}", EDDY_E_FORMAT, "found 0 x 16");
    stage_bad("{'width':0,'height':1,'tilewidth':16,'tileheight':16,'layers':[]}", EDDY_E_FORMAT, "found 0 x 1");
    stage_good("{'infinite':true,'width':0,'height':0,'tilewidth':16,'tileheight':16,'layers':[]}");
}
END_TEST

START_TEST(all_layers_together_are_limited) {
    enum { SIDE = 4096, LAYERS = 3 };
    uint32_t *zeros = calloc((size_t)SIDE * SIDE, 4);
    ck_assert_ptr_nonnull(zeros);
    char *layer = strdup(stage_format("{'type':'tilelayer','name':'big','width':%d,'height':%d,'encoding':'base64',"
                                      "'compression':'zstd','data':'%s'}",
                                      SIDE, SIDE, packed("zstd", zeros, (size_t)SIDE * SIDE * 4)));
    free(zeros);
    char *three = strdup(stage_format("%s,%s,%s", layer, layer, layer));
    stage_bad(stage_format(HEAD "'layers':[%s]}", three), EDDY_E_LIMIT, "tiles in all layers");
    free(three);
    free(layer);
}
END_TEST

/* ---- infinite maps ---- */

#define INFINITE                                                                                                       \
    "{'infinite':true,'width':3,'height':2,'tilewidth':16,'tileheight':16,'layers':[{'type':'tilelayer','name':'L',"

START_TEST(chunks_lie_where_they_say_even_left_of_zero) {
    stage_good(INFINITE "'chunks':[{'x':-2,'y':-1,'width':2,'height':1,'data':[0,1]},"
                        "{'x':0,'y':0,'width':1,'height':2,'data':[2,3]}]}]}");
    const tiled_layer *layer = &stage_map->layers[0];
    static const uint32_t expected[] = {0, 1, 0, 0, 0, 2, 0, 0, 3};
    ck_assert_int_eq(layer->x, -2);
    ck_assert_int_eq(layer->y, -1);
    ck_assert_uint_eq(layer->width * 100 + layer->height, 303);
    ck_assert_mem_eq(layer->tiles, expected, sizeof expected);
}
END_TEST

START_TEST(a_chunk_is_packed_as_its_layer_says) {
    char data[100];
    strcpy(data, packed("zstd", six, sizeof six));
    stage_good(stage_format(INFINITE
                            "'encoding':'base64','compression':'zstd','chunks':[{'x':0,'y':0,'width':3,'height':2,"
                            "'data':'%s'}]}]}",
                            data));
    check_six();
}
END_TEST

START_TEST(no_chunks_are_an_empty_layer) {
    stage_good(INFINITE "'chunks':[]}]}");
    ck_assert_uint_eq(stage_map->layers[0].width, 0);
    stage_good(INFINITE "'width':0}]}");
    ck_assert_uint_eq(stage_map->layers[0].width, 0);
}
END_TEST

START_TEST(bad_chunks_are_named) {
    stage_bad(
        INFINITE
        "'chunks':[{'x':0,'y':0,'width':1,'height':1,'data':[1]},{'x':9,'y':0,'width':2,'height':1,'data':[1]}]}]}",
        EDDY_E_FORMAT, "layer \"L\", chunks[1]: expected 2 tiles, found 1");
    stage_bad(INFINITE "'chunks':[{'x':-2147483648,'y':0,'width':1,'height':1,'data':[1]},"
                       "{'x':2147483647,'y':0,'width':1,'height':1,'data':[1]}]}]}",
              EDDY_E_LIMIT, "expected chunks within 4096 x 4096");
    stage_bad(INFINITE "'chunks':[7]}]}", EDDY_E_FORMAT, "chunks[0]");
    stage_bad(INFINITE "'chunks':{}}]}", EDDY_E_FORMAT, "\"chunks\": expected an array");
}
END_TEST

/* ---- tile sets ---- */

START_TEST(a_tile_is_of_the_last_set_that_begins_before_it) {
    stage_good("{'width':1,'height':1,'tilewidth':8,'tileheight':8,'layers':[],'tilesets':["
               "{'firstgid':100,'name':'c'},{'firstgid':1,'name':'a','tilecount':2,'tiles':[{'id':40,'class':'far'},{'"
               "id':3}]},"
               "{'firstgid':60,'name':'b','tilecount':1}]}");
    static const struct {
        uint32_t gid;
        const char *name;
    } rows[] = {{1, "a"}, {41, "a"}, {59, "a"}, {60, "b"}, {99, "b"}, {100 | TILED_FLIP_H, "c"}, {5000, "c"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_str_eq(tiled_map_tileset(stage_map, rows[i].gid)->name, rows[i].name);
    }
    ck_assert_ptr_null(tiled_map_tileset(stage_map, 0));
    ck_assert_str_eq(tiled_tileset_tile(tiled_map_tileset(stage_map, 1), 40)->type_name, "far");
    ck_assert_ptr_null(tiled_tileset_tile(tiled_map_tileset(stage_map, 1), 39));
}
END_TEST

START_TEST(a_set_may_have_its_own_file_and_its_image_counts_from_there) {
    map_write("sets/ext.tsj", "{'type':'tileset','name':'ext','tilecount':4,'image':'../img/./t.png','tiles':[{'id':2,"
                              "'type':'Spike','animation':[{'tileid':1,'duration':90},{'tileid':2,'duration':60}],"
                              "'objectgroup':{'objects':[{'id':1,'x':2,'y':8,'width':12,'height':8}]}}]}");
    stage_good(HEAD "'layers':[],'tilesets':[{'firstgid':5,'source':'sets/ext.tsj'}]}");
    const tiled_tileset *set = &stage_map->tilesets[0];
    ck_assert_str_eq(set->name, "ext");
    ck_assert_msg(strstr(set->image, "/img/t.png") && !strstr(set->image, ".."), "%s", set->image);
    ck_assert_uint_eq(stage_map->warning_count, 1); /* the image is not there */
    ck_assert_ptr_nonnull(strstr(stage_map->warnings[0], "img/t.png"));
    const tiled_tile *tile = tiled_tileset_tile(set, 2);
    ck_assert_uint_eq(tile->frame_count, 2);
    ck_assert_uint_eq(tile->frames[1].duration_ms, 60);
    ck_assert_uint_eq(tile->object_count, 1);
    ck_assert_double_eq(tile->objects[0].width, 12);
}
END_TEST

static const struct {
    const char *sets;
    eddy_result code;
    const char *part;
} broken_sets[] = {
    {"{'firstgid':1,'source':'none.tsj'}", EDDY_E_IO, "none.tsj: No such file"},
    {"{'firstgid':1,'source':'set.tsx'}", EDDY_E_FORMAT,
     "expected JSON, found XML; save the tile set from Tiled as .tsj"},
    {"{'firstgid':1,'source':'xml.tsj'}", EDDY_E_FORMAT, "expected JSON, found XML"},
    {"{'firstgid':1,'source':'map.tmj'}", EDDY_E_FORMAT, "expected a tile set, found a map"},
    {"{'firstgid':0}", EDDY_E_FORMAT, "tilesets[0]: \"firstgid\": expected 1 or more"},
    {"{}", EDDY_E_FORMAT, "\"firstgid\""},
    {"7", EDDY_E_FORMAT, "tilesets[0]: expected an object, found a whole number"},
    {"{'firstgid':1,'tiles':[{'id':-1}]}", EDDY_E_LIMIT, "tiles[0]: \"id\""},
    {"{'firstgid':1,'tiles':7}", EDDY_E_FORMAT, "\"tiles\": expected an array"},
    {"{'firstgid':1,'source':'.'}", EDDY_E_IO, "found a folder"},
};

START_TEST(a_broken_set_is_named_with_what_to_try) {
    map_write("set.tsx", "<?xml version='1.0'?><tileset/>");
    map_write("xml.tsj", "  <tileset/>");
    stage_bad(stage_format(HEAD "'layers':[],'tilesets':[%s]}", broken_sets[_i].sets), broken_sets[_i].code,
              broken_sets[_i].part);
}
END_TEST

START_TEST(tiles_before_every_set_are_worth_a_warning) {
    stage_good(HEAD "'tilesets':[{'firstgid':9}],'layers':[" TILE_LAYER "'data':[1,0,9,10,8,0]}]}");
    ck_assert_uint_eq(stage_map->warning_count, 1);
    ck_assert_ptr_nonnull(strstr(stage_map->warnings[0], "layer \"L\": 2 tiles are of no tile set"));
}
END_TEST

static void make(Suite *suite) {
    TCase *data = suite_case(suite, "tiles", 20);
    tcase_add_checked_fixture(data, stage_setup, stage_teardown);
    stage_add_loop(data, base64_in_every_compression_means_the_same, STAGE_COUNT(compressions));
    stage_add_loop(data, an_array_means_the_same_with_and_without_its_encoding_and_with_signed_numbers, 4);
    tcase_add_test(data, base64_may_have_blanks_and_lack_its_padding);
    stage_add_loop(data, data_of_another_length_names_the_layer_and_both_lengths, STAGE_COUNT(compressions));
    stage_add_loop(data, broken_data_says_what_is_broken, STAGE_COUNT(broken_data));
    tcase_add_loop_test(data, a_bomb_is_stopped_at_the_size_of_the_layer, 1, 4);
    stage_add_loop(data, a_layer_has_a_sane_size, STAGE_COUNT(sizes));
    tcase_add_test(data, a_map_has_tiles_and_a_size);
    tcase_add_test(data, all_layers_together_are_limited);

    TCase *infinite = suite_case(suite, "infinite maps", 8);
    tcase_add_checked_fixture(infinite, stage_setup, stage_teardown);
    tcase_add_test(infinite, chunks_lie_where_they_say_even_left_of_zero);
    tcase_add_test(infinite, a_chunk_is_packed_as_its_layer_says);
    tcase_add_test(infinite, no_chunks_are_an_empty_layer);
    tcase_add_test(infinite, bad_chunks_are_named);

    TCase *sets = suite_case(suite, "tile sets", 8);
    tcase_add_checked_fixture(sets, stage_setup, stage_teardown);
    tcase_add_test(sets, a_tile_is_of_the_last_set_that_begins_before_it);
    tcase_add_test(sets, a_set_may_have_its_own_file_and_its_image_counts_from_there);
    stage_add_loop(sets, a_broken_set_is_named_with_what_to_try, STAGE_COUNT(broken_sets));
    tcase_add_test(sets, tiles_before_every_set_are_worth_a_warning);
}

int main(void) {
    return suite_run("tiled", make);
}
