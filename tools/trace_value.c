/* Numbers and defaults of schema.json: bits to JSON and back. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "trace.h"

/** Whole numbers up to here are exact in a double, and so in every JSON reader. */
#define WHOLE_EXACT_MAX ((uint64_t)1 << 53)

/* ---- numbers ---- */

/** A whole number of up to 64 bits and a sign. */
typedef struct whole {
    bool negative;
    uint64_t magnitude;
} whole;

static bool whole_read_text(const char *text, whole *out) {
    *out = (whole){.negative = *text == '-'};
    text += out->negative;
    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    for (; *text; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (out->magnitude > (UINT64_MAX - digit) / 10)
            return false;
        out->magnitude = out->magnitude * 10 + digit;
    }
    return true;
}

static bool whole_read(const json_t *value, whole *out) {
    if (json_is_string(value))
        return whole_read_text(json_string_value(value), out);
    if (json_is_integer(value)) {
        const json_int_t number = json_integer_value(value);
        *out = (whole){.negative = number < 0, .magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number};
        return true;
    }
    const double number = json_real_value(value);
    if (!json_is_real(value) || number != floor(number) || fabs(number) > (double)WHOLE_EXACT_MAX)
        return false;
    *out = (whole){.negative = number < 0, .magnitude = (uint64_t)fabs(number)};
    return true;
}

bool trace_real_read(const json_t *value, double *out) {
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        char *end;
        *out = strtod(text, &end);
        return end != text && !*end;
    }
    *out = json_number_value(value);
    return json_is_number(value);
}

/* ---- rates ---- */

static trace_rate rate_reduced(uint64_t num, uint64_t den) {
    uint64_t a = num, b = den;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (trace_rate){(uint32_t)(num / a), (uint32_t)(den / a)};
}

/** The fraction of smallest terms that is this very number: a continued fraction. */
static bool rate_from_real(double number, trace_rate *out) {
    uint64_t num = 1, den = 0, num_before = 0, den_before = 1;
    double rest = number;
    if (!(number > 0 && number <= UINT32_MAX))
        return false;
    for (int i = 0; i < 64; i++) {
        const double floored = floor(rest);
        if (floored > UINT32_MAX)
            return false;
        const uint64_t part = (uint64_t)floored;
        const uint64_t next_num = part * num + num_before, next_den = part * den + den_before;
        if (next_num > UINT32_MAX || next_den > UINT32_MAX)
            return false;
        num_before = num, den_before = den;
        num = next_num, den = next_den;
        if (num > 0 && (double)num / (double)den == number) {
            *out = rate_reduced(num, den);
            return true;
        }
        rest = 1 / (rest - floored);
    }
    return false;
}

static bool rate_from_pair(const whole *num, const whole *den, trace_rate *out) {
    const bool good = !num->negative && !den->negative && num->magnitude > 0 && den->magnitude > 0 &&
                      num->magnitude <= UINT32_MAX && den->magnitude <= UINT32_MAX;
    if (good)
        *out = rate_reduced(num->magnitude, den->magnitude);
    return good;
}

static bool rate_from_text(const char *text, trace_rate *out) {
    char first[24];
    const char *slash = strchr(text, '/');
    whole num, den = {.magnitude = 1};
    if (!slash || (size_t)(slash - text) >= sizeof first)
        return whole_read_text(text, &num) && rate_from_pair(&num, &den, out);
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    return whole_read_text(first, &num) && whole_read_text(slash + 1, &den) && rate_from_pair(&num, &den, out);
}

bool trace_rate_read(const json_t *value, trace_rate *out) {
    whole num, den = {.magnitude = 1};
    if (json_is_array(value))
        return json_array_size(value) == 2 && whole_read(json_array_get(value, 0), &num) &&
               whole_read(json_array_get(value, 1), &den) && rate_from_pair(&num, &den, out);
    if (json_is_string(value))
        return rate_from_text(json_string_value(value), out);
    if (json_is_integer(value))
        return whole_read(value, &num) && rate_from_pair(&num, &den, out);
    return json_is_real(value) && rate_from_real(json_real_value(value), out);
}

json_t *trace_rate_json(trace_rate rate) {
    rate = rate_reduced(rate.num, rate.den);
    if (rate.den == 1)
        return json_integer(rate.num);
    uint32_t rest = rate.den;
    while (rest % 2 == 0)
        rest /= 2;
    while (rest % 5 == 0)
        rest /= 5;
    trace_rate again;
    const double number = (double)rate.num / rate.den;
    if (rest == 1 && rate_from_real(number, &again) && again.num == rate.num && again.den == rate.den)
        return json_real(number);
    return json_pack("[I, I]", (json_int_t)rate.num, (json_int_t)rate.den);
}

/* ---- one number of a default ---- */

static const char *whole_put(const json_t *value, eddy_kind kind, uint8_t *out) {
    static const char *const expected_of[EDDY_KIND_COUNT] = {
        [EDDY_BOOL] = "true or false",
        [EDDY_U8] = "a whole number of 0 to 255",
        [EDDY_I8] = "a whole number of -128 to 127",
        [EDDY_U16] = "a whole number of 0 to 65535",
        [EDDY_I16] = "a whole number of -32768 to 32767",
        [EDDY_U32] = "a whole number of 0 to 4294967295",
        [EDDY_I32] = "a whole number of -2147483648 to 2147483647",
        [EDDY_U64] = "a whole number of 0 to 18446744073709551615",
        [EDDY_I64] = "a whole number of -9223372036854775808 to 9223372036854775807",
        [EDDY_ID] = "an id of 0 to 4294967295",
    };
    const uint32_t bytes = eddy_kind_bytes(kind);
    const bool is_signed = kind == EDDY_I8 || kind == EDDY_I16 || kind == EDDY_I32 || kind == EDDY_I64;
    whole number;
    if (kind == EDDY_BOOL && json_is_boolean(value))
        number = (whole){.magnitude = json_is_true(value)};
    else if (!whole_read(value, &number))
        return expected_of[kind];
    uint64_t max = kind == EDDY_BOOL ? 1 : UINT64_MAX >> (64 - 8 * bytes + is_signed);
    if (number.negative)
        max = is_signed ? max + 1 : 0;
    if (number.magnitude > max)
        return expected_of[kind];
    const uint64_t bits = number.negative ? 0 - number.magnitude : number.magnitude;
    memcpy(out, &bits, bytes);
    return NULL;
}

/** "nan:7fa00001": a NaN by its bits. */
static bool nan_read(const json_t *value, uint32_t bytes, uint8_t *out) {
    const char *text = json_string_value(value);
    if (!text || strncmp(text, "nan:", 4) != 0 || strlen(text + 4) != 2 * (size_t)bytes ||
        strspn(text + 4, "0123456789abcdef") != 2 * (size_t)bytes)
        return false;
    const uint64_t bits = strtoull(text + 4, NULL, 16);
    memcpy(out, &bits, bytes);
    return true;
}

static const char *float_put(const json_t *value, bool is_single, uint8_t *out) {
    double number;
    if (nan_read(value, is_single ? 4 : 8, out))
        return NULL;
    if (!trace_real_read(value, &number))
        return "a number, \"inf\", \"-inf\" or \"nan\"";
    const float single = (float)number;
    if (is_single && isinf(single) && !isinf(number))
        return "a number that an f32 can hold";
    memcpy(out, is_single ? (const void *)&single : &number, is_single ? sizeof single : sizeof number);
    return NULL;
}

/** Fills one number: an element, or half of a vec2. */
static const char *number_put(const json_t *value, eddy_kind kind, uint8_t *out) {
    if (kind == EDDY_F32 || kind == EDDY_VEC2 || kind == EDDY_F64)
        return float_put(value, kind != EDDY_F64, out);
    return whole_put(value, kind, out);
}

/* ---- a field's default ---- */

static const char *str_put(const json_t *value, uint32_t count, uint8_t *out) {
    if (json_is_string(value) && json_string_length(value) <= count) {
        memcpy(out, json_string_value(value), json_string_length(value));
        return NULL;
    }
    if (json_is_integer(value) && json_integer_value(value) == 0)
        return NULL; /* some write 0 for every field */
    if (!json_is_array(value) || json_array_size(value) > count)
        return "a text of at most as many bytes as its count, or an array of bytes";
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *expected = whole_put(json_array_get(value, i), EDDY_U8, out + i);
        if (expected)
            return expected;
    }
    return NULL;
}

const char *trace_default_read(const eddy_field *field, const json_t *value, uint8_t *out) {
    const uint32_t halves = field->kind == EDDY_VEC2 ? 2 : 1, bytes = eddy_kind_bytes(field->kind) / halves;
    const size_t count = (size_t)field->count * halves, given = json_array_size(value);
    const char *expected = NULL;
    memset(out, 0, (size_t)field->count * eddy_kind_bytes(field->kind));
    if (!value)
        return NULL;
    if (field->kind == EDDY_STR)
        return str_put(value, field->count, out);
    if (!json_is_array(value)) {
        expected = number_put(value, field->kind, out);
        for (size_t i = 1; i < count && !expected; i++)
            memcpy(out + i * bytes, out, bytes);
        return expected;
    }
    const bool pairs = halves == 2 && json_is_array(json_array_get(value, 0));
    if (given != (pairs ? field->count : count))
        return "one value, or an array of as many as its count";
    for (size_t i = 0; i < count && !expected; i++) {
        const json_t *element = json_array_get(value, pairs ? i / 2 : i);
        if (pairs && json_array_size(element) != 2)
            return "pairs of numbers in a vec2";
        expected = number_put(pairs ? json_array_get(element, i % 2) : element, field->kind, out + i * bytes);
    }
    return expected;
}

/** A float that JSON has no number for, or NULL. */
static json_t *nan_json(const uint8_t *bytes, bool is_single) {
    uint64_t bits = 0;
    memcpy(&bits, bytes, is_single ? 4 : 8);
    const uint64_t infinity = is_single ? 0x7f800000u : 0x7ff0000000000000u;
    const uint64_t quiet = is_single ? 0x7fc00000u : 0x7ff8000000000000u;
    if ((bits & (is_single ? INT32_MAX : INT64_MAX)) <= infinity || bits == quiet)
        return NULL;
    return is_single ? json_sprintf("nan:%08" PRIx64, bits) : json_sprintf("nan:%016" PRIx64, bits);
}

/** One number: an element, or half of a vec2. */
static json_t *number_json(eddy_kind kind, const uint8_t *bytes) {
    const eddy_field plain = {.name = "", .kind = kind == EDDY_VEC2 ? EDDY_F32 : kind, .count = 1};
    json_t *json = NULL;
    if (plain.kind == EDDY_F32 || kind == EDDY_F64)
        json = nan_json(bytes, kind != EDDY_F64);
    if (!json)
        json = tool_json_field(&plain, bytes);
    whole number;
    const bool is_64_bits = kind == EDDY_U64 || kind == EDDY_I64;
    if (is_64_bits && whole_read(json, &number) && number.magnitude <= WHOLE_EXACT_MAX) {
        json_decref(json);
        json = json_integer(number.negative ? -(json_int_t)number.magnitude : (json_int_t)number.magnitude);
    }
    return json;
}

static json_t *str_json(const eddy_field *field, const uint8_t *bytes) {
    const size_t length = strnlen((const char *)bytes, field->count);
    json_t *text = json_stringn((const char *)bytes, length);
    if (text)
        return text;
    text = json_array();
    for (size_t i = 0; i < length; i++)
        json_array_append_new(text, json_integer(bytes[i]));
    return text;
}

json_t *trace_default_json(const eddy_field *field, const uint8_t *bytes) {
    if (field->kind == EDDY_STR)
        return str_json(field, bytes);
    const bool is_pair = field->kind == EDDY_VEC2;
    const uint32_t size = eddy_kind_bytes(field->kind) / (is_pair ? 2 : 1);
    const size_t count = (size_t)field->count * (is_pair ? 2 : 1);
    /* All the same: each is as the one before. */
    if (memcmp(bytes, bytes + size, (count - 1) * size) == 0)
        return number_json(field->kind, bytes);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i += is_pair ? 2 : 1) {
        json_t *element = number_json(field->kind, bytes + i * size);
        if (is_pair)
            element = json_pack("[o, o]", element, number_json(field->kind, bytes + (i + 1) * size));
        json_array_append_new(array, element);
    }
    return array;
}
