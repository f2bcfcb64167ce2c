#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

/** Where a line of a script stands, for messages. */
typedef struct script_place {
    const char *path;
    unsigned line;
} script_place;

static eddy_result script_add_run(engine_script *script, uint32_t count, uint16_t held, script_place place,
                                  eddy_error *error) {
    if (script->ticks + count > ENGINE_SCRIPT_TICKS_MAX)
        return eddy_fail(error, EDDY_E_LIMIT, "%s:%u: the script grows past %u ticks", place.path, place.line,
                         ENGINE_SCRIPT_TICKS_MAX);
    /* Room grows by doubling: whenever the count is a power of two. */
    if ((script->run_count & (script->run_count - 1)) == 0) {
        size_t capacity = script->run_count ? (size_t)script->run_count * 2 : 1;
        engine_script_run *runs = realloc(script->runs, capacity * sizeof *runs);
        if (!runs)
            return eddy_fail(error, EDDY_E_MEMORY, "%s:%u: out of memory", place.path, place.line);
        script->runs = runs;
    }
    script->runs[script->run_count++] = (engine_script_run){script->ticks, count, held};
    script->ticks += count;
    return EDDY_OK;
}

static eddy_result script_parse_buttons(const char *text, uint16_t *held, script_place place, eddy_error *error) {
    *held = 0;
    if (strcmp(text, "none") == 0)
        return EDDY_OK;
    for (;;) {
        size_t length = strcspn(text, "+");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        uint16_t bit = length < sizeof name ? world_button(name) : 0;
        if (!bit)
            return eddy_fail(error, EDDY_E_FORMAT,
                             "%s:%u: unknown button \"%.*s\"; expected none, or some of: %s, joined by +", place.path,
                             place.line, (int)length, text, world_button_names());
        *held |= bit;
        if (!text[length])
            return EDDY_OK;
        text += length + 1;
    }
}

static eddy_result script_parse_line(engine_script *script, char *line, script_place place, eddy_error *error) {
    line[strcspn(line, "#\r\n")] = '\0';
    char *state = NULL;
    const char *count_text = strtok_r(line, " \t", &state);
    if (!count_text)
        return EDDY_OK;
    const char *buttons = strtok_r(NULL, " \t", &state);
    const char *rest = strtok_r(NULL, " \t", &state);
    char *end;
    errno = 0;
    unsigned long count = strtoul(count_text, &end, 10);
    if (!isdigit((unsigned char)count_text[0]) || *end || errno || count > ENGINE_SCRIPT_TICKS_MAX)
        return eddy_fail(error, EDDY_E_FORMAT, "%s:%u: expected a number of ticks, found \"%s\"", place.path,
                         place.line, count_text);
    if (!buttons || rest)
        return eddy_fail(error, EDDY_E_FORMAT, "%s:%u: expected `COUNT buttons`, as `12 right+jump`; found %s%s",
                         place.path, place.line, rest ? "a third word: " : "no buttons", rest ? rest : "");
    uint16_t held;
    eddy_result result = script_parse_buttons(buttons, &held, place, error);
    if (result != EDDY_OK || count == 0)
        return result;
    return script_add_run(script, (uint32_t)count, held, place, error);
}

eddy_result engine_script_load(const char *path, engine_script *out, eddy_error *error) {
    *out = (engine_script){0};
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be read: %s", path, strerror(errno));
    char line[512];
    script_place place = {path, 0};
    eddy_result result = EDDY_OK;
    while (result == EDDY_OK && fgets(line, sizeof line, file)) {
        place.line++;
        if (!strchr(line, '\n') && strlen(line) < sizeof line - 1 && !feof(file))
            result = eddy_fail(error, EDDY_E_FORMAT, "%s:%u: expected text, found a zero byte", path, place.line);
        else if (!strchr(line, '\n') && !feof(file))
            result = eddy_fail(error, EDDY_E_FORMAT, "%s:%u: the line is longer than %zu bytes", path, place.line,
                               sizeof line - 2);
        else
            result = script_parse_line(out, line, place, error);
    }
    if (result == EDDY_OK && ferror(file))
        result = eddy_fail(error, EDDY_E_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (!is_stdin)
        fclose(file);
    if (result != EDDY_OK)
        engine_script_free(out);
    return result;
}

void engine_script_free(engine_script *script) {
    free(script->runs);
    *script = (engine_script){0};
}

uint16_t engine_script_held(const engine_script *script, uint64_t tick) {
    uint32_t low = 0, high = script->run_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const engine_script_run *run = &script->runs[middle];
        if (tick < run->first_tick)
            high = middle;
        else if (tick - run->first_tick >= run->count)
            low = middle + 1;
        else
            return run->held;
    }
    return 0;
}
