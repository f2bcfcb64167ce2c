#include "field.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} kinds[EDDY_KIND_COUNT] = {
#define EDDY_KIND(name, number, ctype, bytes, text) [number] = {text, bytes},
#include "kinds.inl"
#undef EDDY_KIND
};

#define EDDY_KIND(name, number, ctype, bytes, text)                                                                    \
    _Static_assert(sizeof(ctype) == (bytes), #name ": the C type is not as wide as recorded");
#include "kinds.inl"
#undef EDDY_KIND

uint32_t eddy_kind_bytes(eddy_kind kind) {
    return (unsigned)kind < EDDY_KIND_COUNT ? kinds[kind].bytes : 0;
}

const char *eddy_kind_name(eddy_kind kind) {
    return (unsigned)kind < EDDY_KIND_COUNT ? kinds[kind].name : NULL;
}

eddy_kind eddy_kind_from_name(const char *name) {
    unsigned kind = 0;
    while (kind < EDDY_KIND_COUNT && strcmp(kinds[kind].name, name) != 0) {
        kind++;
    }
    return (eddy_kind)kind;
}
