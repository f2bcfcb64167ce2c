/* Messages and properties of the level loader. */
#include "level.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

eddy_result level_fail(level_loader *loader, eddy_result code, const char *format, ...) {
    char text[280], place[120] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const tiled_object *here = loader->here;
    if (here && here->name[0]) {
        snprintf(place, sizeof place, "object %u (%.30s \"%.40s\"): ", here->id, here->type_name, here->name);
    } else if (here) {
        snprintf(place, sizeof place, "object %u (%.30s): ", here->id, here->type_name);
    }
    return eddy_fail(loader->error, code, "%s: %s%s", loader->map->path, place, text);
}

static const tiled_properties *properties_here(const level_loader *loader) {
    return loader->here ? &loader->here->properties : &loader->map->properties;
}

static const tiled_property *find(const level_loader *loader, const char *name) {
    return tiled_properties_find(properties_here(loader), name);
}

static eddy_result wrong_kind(level_loader *loader, const tiled_property *found, const char *expected) {
    return level_fail(loader, EDDY_E_FORMAT, "property \"%s\": expected %s, found a %s; set its type in Tiled",
                      found->name, expected, tiled_kind_name(found->kind));
}

static bool is_number(const tiled_property *property) {
    return property->kind == TILED_INT || property->kind == TILED_FLOAT;
}

eddy_result level_get_number(level_loader *loader, const char *name, double min, double max, float *out) {
    const tiled_property *found = find(loader, name);
    if (!found) {
        return EDDY_OK;
    }
    if (!is_number(found)) {
        return wrong_kind(loader, found, "a number");
    }
    if (!(found->number >= min && found->number <= max)) {
        return level_fail(loader, EDDY_E_LIMIT, "property \"%s\": expected %g to %g, found %g", name, min, max,
                          found->number);
    }
    *out = (float)found->number;
    return EDDY_OK;
}

eddy_result level_get_count(level_loader *loader, const char *name, uint32_t min, uint32_t max, uint32_t *out) {
    const tiled_property *found = find(loader, name);
    if (!found) {
        return EDDY_OK;
    }
    if (!is_number(found) || found->number != floor(found->number)) {
        return wrong_kind(loader, found, "a whole number");
    }
    if (found->number < min || found->number > max) {
        return level_fail(loader, EDDY_E_LIMIT, "property \"%s\": expected %u to %u, found %.10g", name, min, max,
                          found->number);
    }
    *out = (uint32_t)found->number;
    return EDDY_OK;
}

eddy_result level_get_bool(level_loader *loader, const char *name, bool *out) {
    const tiled_property *found = find(loader, name);
    if (found && found->kind != TILED_BOOL) {
        return wrong_kind(loader, found, "a bool");
    }
    *out = found ? found->boolean : *out;
    return EDDY_OK;
}

eddy_result level_get_text(level_loader *loader, const char *name, char *out, size_t out_bytes) {
    const tiled_property *found = find(loader, name);
    if (!found) {
        return EDDY_OK;
    }
    if (found->kind != TILED_STRING) {
        return wrong_kind(loader, found, "a string");
    }
    size_t bytes = strlen(found->text);
    if (bytes >= out_bytes) {
        return level_fail(loader, EDDY_E_LIMIT, "property \"%s\": expected at most %zu bytes, found %zu; shorten it",
                          name, out_bytes - 1, bytes);
    }
    memset(out, 0, out_bytes);
    memcpy(out, found->text, bytes);
    return EDDY_OK;
}

eddy_result level_get_name(level_loader *loader, const char *name, const char *const *names, uint32_t count,
                           uint32_t *out) {
    const tiled_property *found = find(loader, name);
    if (!found) {
        return EDDY_OK;
    }
    char list[160] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (found->kind == TILED_STRING && strcmp(found->text, names[i]) == 0) {
            *out = i;
            return EDDY_OK;
        }
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used = used + (size_t)more < sizeof list ? used + (size_t)more : sizeof list - 1;
    }
    return level_fail(loader, EDDY_E_FORMAT, "property \"%s\": expected one of %s; found \"%.30s\"", name, list,
                      found->text);
}

eddy_result level_get_lever(level_loader *loader, eddy_id *out) {
    const tiled_property *found = find(loader, "lever");
    if (!found || (found->kind == TILED_OBJECT && found->integer == 0)) {
        return EDDY_OK;
    }
    if (found->kind != TILED_OBJECT) {
        return wrong_kind(loader, found, "an object");
    }
    for (uint32_t i = 0; i < loader->lever_count; i++) {
        if (loader->levers[i].object == found->integer) {
            *out = loader->levers[i].entity;
            return EDDY_OK;
        }
    }
    bool fits = found->integer > 0 && found->integer <= INT32_MAX;
    const tiled_object *other = fits ? tiled_map_object(loader->map, (uint32_t)found->integer, NULL) : NULL;
    return level_fail(loader, EDDY_E_FORMAT,
                      "property \"lever\": expected a lever, found object %lld, which is %s%.30s",
                      (long long)found->integer, other ? "a " : "not in the map", other ? other->type_name : "");
}

eddy_result level_check_names(level_loader *loader, const char *allowed) {
    const tiled_properties *properties = properties_here(loader);
    for (uint32_t i = 0; i < properties->count; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, " %.40s ", properties->items[i].name);
        if (strchr(properties->items[i].name, ' ') || !strstr(allowed, wanted)) {
            return level_fail(loader, EDDY_E_FORMAT, "property \"%.40s\" is not known here; known are:%s",
                              properties->items[i].name, allowed[0] ? allowed : " none");
        }
    }
    return EDDY_OK;
}
