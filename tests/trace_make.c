/* Makes traces for test_trace.sh: trace_make CASE DIR [FRAMES] writes DIR/schema.json and DIR/frames.bin. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 0x9E3779B97F4A7C15u;

static uint32_t draw(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

static FILE *out;

static void put(const void *bytes, size_t size) {
    if (fwrite(bytes, 1, size, out) != size) {
        perror("trace_make");
        exit(1);
    }
}

static void put_count(uint32_t count) {
    put(&count, 4);
}

static void put_head(uint32_t id, uint16_t type) {
    const uint16_t zero = 0;
    put(&id, 4);
    put(&type, 2);
    put(&zero, 2);
}

#define ONE_SCHEMA(RATE)                                                                                               \
    "{\"eddy_trace\":1,\"rate\":" RATE ",\"types\":[{\"name\":\"spot\",\"fields\":[{\"name\":\"x\",\"kind\":\"i32\"}," \
    "{\"name\":\"life\",\"kind\":\"u8\",\"default\":3}]},{\"name\":\"wide\",\"fields\":[{\"name\":\"y\","              \
    "\"kind\":\"f64\",\"default\":-0.0}]}]}"

static void put_spot(uint32_t id, int32_t x) {
    const uint8_t life = 3;
    put_head(id, 0);
    put(&x, 4);
    put(&life, 1);
}

/* Frames without anything in them. */
static void make_hollow(uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++)
        put_count(0);
}

/* A small world that lives on: some move, some come and go. */
static void make_long(uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) {
        const bool born = i % 200 < 90;
        put_count(20 + born);
        for (uint32_t k = 1; k <= 20; k++)
            put_spot(k, (int32_t)(k % 3 == 0 ? i * k : k));
        if (born)
            put_spot(21 + i / 200, (int32_t)i);
    }
}

/* As many as a frame may have; each moves now and then. */
static void make_many(uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) {
        put_count(65535);
        for (uint32_t k = 1; k <= 65535; k++)
            put_spot(k, (int32_t)(k + i / (1 + k % 7)));
    }
}

/* Memory as it lies: 4,096 bytes each. */
static void make_image(uint32_t frames) {
    static uint8_t image[16][4096];
    for (uint32_t i = 0; i < frames; i++) {
        put_count(16);
        for (uint32_t k = 0; k < 16; k++) {
            for (uint32_t n = draw(40); n > 0; n--)
                image[k][draw(4096)] = (uint8_t)draw(256);
            put_head(k + 1, 0);
            put(image[k], sizeof image[k]);
        }
    }
}

/* Ids vanish and return, have the top bit, and change their type. */
static void make_lives(uint32_t frames) {
    static const uint32_t ids[] = {1, 2, 3, 900, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu};
    enum { COUNT = sizeof ids / sizeof *ids };
    for (uint32_t i = 0; i < frames; i++) {
        bool there[COUNT];
        uint32_t count = 0;
        for (int k = 0; k < COUNT; k++)
            count += there[k] = draw(4) > 0;
        put_count(count);
        for (int k = 0; k < COUNT; k++) {
            if (!there[k])
                continue;
            if (draw(5) > 0) {
                put_spot(ids[k], (int32_t)draw(3));
            } else {
                const double y = (double)draw(4) * -1.5;
                put_head(ids[k], 1);
                put(&y, sizeof y);
            }
        }
    }
}

/* Every kind, at the ends of its range, with every float that is no number. */
static const char every_schema[] =
    "{\"rate\":[60000,1001],\"types\":[{\"fields\":["
    "{\"name\":\"b\",\"kind\":\"bool\",\"default\":true},{\"name\":\"u8\",\"kind\":\"u8\",\"default\":255},"
    "{\"name\":\"i8\",\"kind\":\"i8\",\"default\":-128},{\"name\":\"u16\",\"kind\":\"u16\",\"count\":3,\"default\":[1,"
    "2,"
    "65535]},{\"name\":\"i16\",\"kind\":\"i16\",\"default\":-32768},{\"name\":\"u32\",\"kind\":\"u32\",\"default\":"
    "4294967295},{\"name\":\"i32\",\"kind\":\"i32\",\"default\":-2147483648},{\"name\":\"u64\",\"kind\":\"u64\","
    "\"default\":18446744073709551615},{\"name\":\"i64\",\"kind\":\"i64\",\"default\":\"-9223372036854775808\"},"
    "{\"name\":\"f32\",\"kind\":\"f32\",\"count\":3,\"default\":[0.1,\"nan:7fa00001\",-0.0],\"unit\":\"px\","
    "\"integrates\":\"speed\"},{\"name\":\"speed\",\"kind\":\"f64\",\"default\":\"-inf\",\"comment\":[1,{}]},"
    "{\"name\":\"id\",\"kind\":\"id\",\"default\":7},{\"name\":\"v\",\"kind\":\"vec2\",\"count\":2,\"default\":[[1,2],"
    "[3.5,-4]]},{\"name\":\"s\",\"kind\":\"str\",\"count\":6,\"default\":\"h\\u00fc\\u00fc\"},{\"name\":\"r\",\"kind\":"
    "\"i16\",\"min\":-5,\"max\":5},{\"name\":\"n\",\"kind\":\"u8\",\"names\":[\"up\",\"down\"]},{\"name\":\"h\","
    "\"kind\":\"f64\",\"min\":-0.5}],\"name\":\"every\"}],\"eddy_trace\":1,\"more\":null}";

static void make_every(uint32_t frames) {
    static const uint32_t floats[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
                                      0x7fa00001u, 0xffffffffu, 1,           0x807fffffu, 0x3dcccccdu};
    static const char texts[][7] = {"", "a", "h\xc3\xbc", "sixsix", "\xff\xfe"};
    for (uint32_t i = 0; i < frames; i++) {
        put_count(3);
        for (uint32_t id = 1; id <= 3; id++) {
            const int16_t r = (int16_t)((int)draw(11) - 5);
            const uint8_t n = (uint8_t)draw(2);
            const double h = draw(2) ? -0.5 : 1e300;
            const uint8_t b = (uint8_t)draw(2);
            put_head(id, 0);
            put(&b, 1);
            for (int k = 0; k < 1 + 1 + 6 + 2 + 4 + 4 + 8 + 8; k++)
                put(&(uint8_t){(uint8_t)(draw(2) ? draw(2) * 255 : draw(256))}, 1);
            for (int k = 0; k < 3; k++)
                put(&floats[draw(10)], 4);
            const uint64_t speed = (uint64_t)(0x7ff0u | draw(2) << 15 | draw(16)) << 48 | draw(3);
            put(&speed, 8);
            for (int k = 0; k < 5; k++) /* the id and both vec2 */
                put(&floats[draw(10)], 4);
            put(texts[draw(5)], 6);
            put(&r, 2);
            put(&n, 1);
            put(&h, 8);
        }
    }
}

typedef struct trace_case {
    const char *name, *schema;
    void (*make)(uint32_t frames);
    uint32_t frames;
} trace_case;

static const trace_case cases[] = {
    {"nothing", ONE_SCHEMA("60"), make_hollow, 0},
    {"hollow", ONE_SCHEMA("62.5"), make_hollow, 300},
    {"long", ONE_SCHEMA("35"), make_long, 3000},
    {"many", ONE_SCHEMA("\"1/3\""), make_many, 3},
    {"image",
     "{\"eddy_trace\":1,\"rate\":4294967295,\"types\":[{\"name\":\"image\",\"fields\":[{\"name\":\"byte\",\"kind\":"
     "\"u8\",\"count\":4096}]}]}",
     make_image, 200},
    {"lives", ONE_SCHEMA("[125,2]"), make_lives, 1500},
    {"every", every_schema, make_every, 500},
};

static FILE *open_in(const char *folder, const char *name) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc >= 3 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        out = open_in(argv[2], "schema.json");
        put(cases[i].schema, strlen(cases[i].schema));
        fclose(out);
        out = open_in(argv[2], "frames.bin");
        cases[i].make(argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : cases[i].frames);
        return fclose(out) == 0 ? 0 : 1;
    }
    fputs("usage: trace_make CASE DIR [FRAMES]\n", stderr);
    return 2;
}
