/* Files, places, messages and the members of JSON objects. */
#include "tiled_reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages ---- */

bool tiled_fail(tiled_reader *reader, eddy_result code, const char *format, ...) {
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->code = code;
    eddy_fail(reader->error, code, "%s: %s%s%s", reader->file, reader->place, reader->place[0] ? ": " : "", text);
    return false;
}

void tiled_warn(tiled_reader *reader, const char *format, ...) {
    tiled_map *map = reader->map;
    if (map->warning_count == TILED_WARNINGS_MAX) {
        map->warnings_dropped++;
        return;
    }
    char text[320], line[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%.200s: %s%s%s", reader->file, reader->place, reader->place[0] ? ": " : "", text);
    reader->warnings[map->warning_count] = tiled_copy(reader, line);
    map->warning_count += reader->warnings[map->warning_count] != NULL;
}

size_t tiled_enter(tiled_reader *reader, const char *format, ...) {
    size_t mark = reader->place_bytes, room = sizeof reader->place - mark;
    int comma = mark > 0 && room > 2 ? snprintf(reader->place + mark, room, ", ") : 0;
    room -= (size_t)comma;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(reader->place + mark + comma, room, format, arguments);
    va_end(arguments);
    size_t kept = written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
    reader->place_bytes = mark + (size_t)comma + kept;
    return mark;
}

void tiled_leave(tiled_reader *reader, size_t mark) {
    reader->place_bytes = mark;
    reader->place[mark] = 0;
}

const char *tiled_json_kind(const json_t *value) {
    if (!value) {
        return "nothing";
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    }
    return "something unknown";
}

/* ---- files ---- */

/** All bytes of a regular file; NULL after tiled_fail. The caller frees. */
static char *file_read(tiled_reader *reader, const char *path, size_t *bytes) {
    struct stat status;
    if (stat(path, &status) != 0) {
        tiled_fail(reader, EDDY_E_IO, "%s; check the path: it counts from the file that names it", strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        tiled_fail(reader, EDDY_E_IO, "expected a file, found a folder or device; check the path");
        return NULL;
    }
    if (status.st_size > (off_t)TILED_FILE_BYTES_MAX) {
        tiled_fail(reader, EDDY_E_LIMIT, "expected at most %u bytes, found %lld; split it or compress its layers",
                   TILED_FILE_BYTES_MAX, (long long)status.st_size);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc((size_t)status.st_size + 1) : NULL;
    if (text) {
        *bytes = fread(text, 1, (size_t)status.st_size, file);
    }
    int cause = errno;
    if (!file || (text && ferror(file))) {
        tiled_fail(reader, EDDY_E_IO, "cannot be read: %s", strerror(cause));
        free(text);
        text = NULL;
    } else if (!text) {
        tiled_fail(reader, EDDY_E_MEMORY, "no memory for its %lld bytes", (long long)status.st_size);
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static bool ends_with(const char *text, const char *end) {
    size_t text_bytes = strlen(text), end_bytes = strlen(end);
    return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

/** Tiled's other format, by its name or its first character. */
static bool is_xml(const char *path, const char *text, size_t bytes) {
    size_t first = 0;
    while (first < bytes && memchr(" \t\r\n", text[first], 4)) {
        first++;
    }
    return ends_with(path, ".tsx") || ends_with(path, ".tx") || ends_with(path, ".tmx") ||
           (first < bytes && text[first] == '<');
}

json_t *tiled_parse(tiled_reader *reader, const char *path, const char *what, const char *as) {
    size_t mark = reader->place_bytes, bytes = 0;
    if (strcmp(path, reader->file) != 0) {
        tiled_enter(reader, "%s %s", what, path);
    }
    json_t *root = NULL;
    json_error_t cause = {0};
    char *text = file_read(reader, path, &bytes);
    if (text) {
        size_t mark_bytes = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        bool xml = is_xml(path, text + mark_bytes, bytes - mark_bytes);
        root = xml ? NULL : json_loadb(text + mark_bytes, bytes - mark_bytes, 0, &cause);
        if (xml) {
            tiled_fail(reader, EDDY_E_FORMAT, "expected JSON, found XML; save the %s from Tiled as %s", what, as);
        } else if (!root) {
            tiled_fail(reader, EDDY_E_FORMAT, "expected JSON: line %d, column %d: %s; save the %s from Tiled as %s",
                       cause.line, cause.column, cause.text, what, as);
        }
        free(text);
    }
    if (root && !json_is_object(root)) {
        tiled_fail(reader, EDDY_E_FORMAT, "expected a %s, found %s", what, tiled_json_kind(root));
        json_decref(root);
        root = NULL;
    }
    tiled_leave(reader, mark);
    return root;
}

/** Drops the last part of a joined path of `length` bytes; returns the new length, or SIZE_MAX: there is none to drop.
 */
static size_t path_up(const char *path, size_t length) {
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    bool is_up = length - start == 2 && memcmp(path + start, "..", 2) == 0;
    if (start == length || is_up) {
        return SIZE_MAX;
    }
    return start > 1 ? start - 1 : start;
}

const char *tiled_path(tiled_reader *reader, const char *file, const char *relative) {
    const char *slash = relative[0] == '/' ? NULL : strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0, bytes = folder + strlen(relative) + 2;
    char *raw = tiled_take(reader, bytes, 1), *path = tiled_take(reader, bytes, 1);
    if (!raw || !path) {
        return NULL;
    }
    memcpy(raw, file, folder);
    memcpy(raw + folder, relative, strlen(relative));
    size_t length = 0;
    if (raw[0] == '/') {
        path[length++] = '/';
    }
    for (const char *part = raw; *part;) {
        size_t part_bytes = strcspn(part, "/");
        size_t up = part_bytes == 2 && memcmp(part, "..", 2) == 0 ? path_up(path, length) : SIZE_MAX;
        if (up != SIZE_MAX) {
            length = up;
        } else if (part_bytes > 0 && !(part_bytes == 1 && part[0] == '.')) {
            if (length > 0 && path[length - 1] != '/') {
                path[length++] = '/';
            }
            memcpy(path + length, part, part_bytes);
            length += part_bytes;
        }
        part += part_bytes + (part[part_bytes] == '/');
    }
    path[length] = 0;
    return path;
}

/** Warns when an image is not there. */
static void check_image(tiled_reader *reader, const char *path) {
    if (access(path, R_OK) != 0) {
        tiled_warn(reader, "image %s: %s", path, strerror(errno));
    }
}

/* ---- members ---- */

static const json_t *member(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static bool wrong(tiled_reader *reader, const char *key, const char *expected, const json_t *found) {
    return tiled_fail(reader, EDDY_E_FORMAT, "\"%s\": expected %s, found %s", key, expected, tiled_json_kind(found));
}

/** A whole number within a range; fractions that are whole ("3.0") count. */
static bool get_integer(tiled_reader *reader, const json_t *object, const char *key, double min, double max,
                        double *out) {
    const json_t *value = member(object, key);
    if (!value) {
        return true;
    }
    double number = json_number_value(value);
    if (!json_is_number(value) || number != floor(number)) {
        return wrong(reader, key, "a whole number", value);
    }
    if (number < min || number > max) {
        return tiled_fail(reader, EDDY_E_LIMIT, "\"%s\": expected %.10g to %.10g, found %.10g", key, min, max, number);
    }
    *out = number;
    return true;
}

bool tiled_get_u32(tiled_reader *reader, const json_t *object, const char *key, uint32_t max, uint32_t *out) {
    double number = *out;
    bool good = get_integer(reader, object, key, 0, max, &number);
    *out = good ? (uint32_t)number : *out;
    return good;
}

bool tiled_get_i32(tiled_reader *reader, const json_t *object, const char *key, int32_t *out) {
    double number = *out;
    bool good = get_integer(reader, object, key, INT32_MIN, INT32_MAX, &number);
    *out = good ? (int32_t)number : *out;
    return good;
}

bool tiled_get_number(tiled_reader *reader, const json_t *object, const char *key, double *out) {
    const json_t *value = member(object, key);
    if (value && !json_is_number(value)) {
        return wrong(reader, key, "a number", value);
    }
    *out = value ? json_number_value(value) : *out;
    return true;
}

bool tiled_get_bool(tiled_reader *reader, const json_t *object, const char *key, bool *out) {
    const json_t *value = member(object, key);
    if (value && !json_is_boolean(value)) {
        return wrong(reader, key, "true or false", value);
    }
    *out = value ? json_is_true(value) : *out;
    return true;
}

bool tiled_get_text(tiled_reader *reader, const json_t *object, const char *key, const char **out) {
    const json_t *value = member(object, key);
    if (!value) {
        return true;
    }
    if (!json_is_string(value)) {
        return wrong(reader, key, "text", value);
    }
    *out = tiled_copy(reader, json_string_value(value));
    return *out != NULL;
}

bool tiled_get_type(tiled_reader *reader, const json_t *object, const char **out) {
    const json_t *type = member(object, "type");
    bool empty = !type || (json_is_string(type) && json_string_length(type) == 0);
    const json_t *other = empty ? member(object, "class") : NULL;
    return other ? tiled_get_text(reader, object, "class", out) : tiled_get_text(reader, object, "type", out);
}

bool tiled_get_image(tiled_reader *reader, const json_t *object, const char *key, const char **out) {
    const char *text = "";
    if (!tiled_get_text(reader, object, key, &text)) {
        return false;
    }
    if (text[0] == 0) {
        return true;
    }
    *out = tiled_path(reader, reader->file, text);
    if (*out) {
        check_image(reader, *out);
    }
    return *out != NULL;
}

void tiled_read_color(tiled_reader *reader, const char *what, const char *text, uint32_t *out) {
    const char *digits = text + (text[0] == '#');
    size_t count = strlen(digits);
    bool good = (count == 6 || count == 8) && strspn(digits, "0123456789abcdefABCDEF") == count;
    if (good) {
        *out = (uint32_t)strtoul(digits, NULL, 16) | (count == 6 ? 0xff000000u : 0);
    } else if (text[0]) {
        tiled_warn(reader, "\"%s\": expected #AARRGGBB, found \"%.20s\"; passed over", what, text);
    }
}

bool tiled_get_color(tiled_reader *reader, const json_t *object, const char *key, uint32_t *out) {
    const json_t *value = member(object, key);
    if (value && !json_is_string(value)) {
        return wrong(reader, key, "a colour as text", value);
    }
    if (value) {
        tiled_read_color(reader, key, json_string_value(value), out);
    }
    return true;
}

bool tiled_get_array(tiled_reader *reader, const json_t *object, const char *key, const json_t **out) {
    const json_t *value = member(object, key);
    if (value && !json_is_array(value)) {
        return wrong(reader, key, "an array", value);
    }
    *out = value;
    return true;
}
