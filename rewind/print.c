#include "rewind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest text that reads back as the same number; NaN and infinity by name. */
static int print_float(char *out, size_t out_bytes, double value, bool is_single) {
    char text[40];
    if (isnan(value)) {
        return snprintf(out, out_bytes, signbit(value) ? "-nan" : "nan");
    }
    for (int digits = is_single ? 6 : 15;; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        bool same = is_single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
        if (same || digits >= 17) {
            return snprintf(out, out_bytes, "%s", text);
        }
    }
}

static int print_vec2(char *out, size_t out_bytes, const void *value) {
    eddy_vec2 pair;
    char x[40], y[40];
    memcpy(&pair, value, sizeof pair);
    print_float(x, sizeof x, pair.x, true);
    print_float(y, sizeof y, pair.y, true);
    return snprintf(out, out_bytes, "(%s, %s)", x, y);
}

/* A whole number by its enum name when it has one. */
static int print_whole(const eddy_field *field, char *out, size_t out_bytes, int64_t value) {
    if (value >= 0 && value < (int64_t)field->name_count && field->names[value]) {
        return snprintf(out, out_bytes, "%s", field->names[value]);
    }
    return snprintf(out, out_bytes, "%" PRId64, value);
}

#define CASE_WHOLE(KIND)                                                                                               \
    case EDDY_##KIND: {                                                                                                \
        EDDY_CTYPE_##KIND whole;                                                                                       \
        memcpy(&whole, value, sizeof whole);                                                                           \
        return print_whole(field, out, out_bytes, (int64_t)whole);                                                     \
    }
#define CASE_FLOAT(KIND)                                                                                               \
    case EDDY_##KIND: {                                                                                                \
        EDDY_CTYPE_##KIND number;                                                                                      \
        memcpy(&number, value, sizeof number);                                                                         \
        return print_float(out, out_bytes, (double)number, sizeof number == sizeof(float));                            \
    }

int eddy_value_print(const eddy_field *field, const void *value, char *out, size_t out_bytes) {
    switch (field->kind) {
        CASE_WHOLE(U8)
        CASE_WHOLE(I8)
        CASE_WHOLE(U16)
        CASE_WHOLE(I16)
        CASE_WHOLE(U32)
        CASE_WHOLE(I32)
        CASE_WHOLE(I64)
        CASE_WHOLE(ID)
        CASE_FLOAT(F32)
        CASE_FLOAT(F64)
    case EDDY_BOOL:
        return snprintf(out, out_bytes, "%s", *(const uint8_t *)value ? "true" : "false");
    case EDDY_U64: {
        uint64_t whole;
        memcpy(&whole, value, sizeof whole);
        return whole <= INT64_MAX ? print_whole(field, out, out_bytes, (int64_t)whole)
                                  : snprintf(out, out_bytes, "%" PRIu64, whole);
    }
    case EDDY_VEC2:
        return print_vec2(out, out_bytes, value);
    case EDDY_STR:
        return snprintf(out, out_bytes, "%.*s", (int)strnlen(value, field->count), (const char *)value);
    default:
        return snprintf(out, out_bytes, "?");
    }
}
