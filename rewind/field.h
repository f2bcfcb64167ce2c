/* Field tables: what an entity type consists of.
 *
 * The struct is written by hand, the table beside it, in the order of the struct:
 *
 *     typedef struct kettle { float x, y; uint8_t state, life; uint16_t timer; } kettle;
 *     #define KETTLE_FIELDS(F, S) \
 *         F(S, x, F32, 1, .unit = "px") F(S, y, F32, 1, .unit = "px") \
 *         F(S, state, U8, 1) F(S, life, U8, 1) F(S, timer, U16, 1, .unit = "frames")
 *     EDDY_FIELDS(kettle, KETTLE_FIELDS);            // kettle_fields[], or the build stops
 *     static const kettle kettle_default = {.life = 3};
 *     eddy_type types[] = {EDDY_TYPE(kettle, &kettle_default)};
 *
 * The build stops when a field has no row, the struct has padding, the order or a count differs, or a kind is not the
 * member's C type. Recorder, hash, validator, printer and file all walk the same table. */
#ifndef EDDY_FIELD_H
#define EDDY_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Names one entity on one line of frames. 0 is none. */
typedef uint32_t eddy_id;

/** Ids with this bit belong to immune entities: they live on ticks and a rewind does not touch them. */
#define EDDY_ID_IMMUNE 0x80000000u

typedef struct eddy_vec2 {
    float x, y;
} eddy_vec2;

typedef enum eddy_kind {
#define EDDY_KIND(name, number, ctype, bytes, text) EDDY_##name = (number),
#include "kinds.inl"
#undef EDDY_KIND
    EDDY_KIND_COUNT
} eddy_kind;

#define EDDY_CTYPE_BOOL bool
#define EDDY_CTYPE_U8 uint8_t
#define EDDY_CTYPE_I8 int8_t
#define EDDY_CTYPE_U16 uint16_t
#define EDDY_CTYPE_I16 int16_t
#define EDDY_CTYPE_U32 uint32_t
#define EDDY_CTYPE_I32 int32_t
#define EDDY_CTYPE_U64 uint64_t
#define EDDY_CTYPE_I64 int64_t
#define EDDY_CTYPE_F32 float
#define EDDY_CTYPE_F64 double
#define EDDY_CTYPE_ID eddy_id
#define EDDY_CTYPE_VEC2 eddy_vec2
#define EDDY_CTYPE_STR char

/** One row. A str is `count` bytes with a zero tail; every other kind is `count` elements. */
typedef struct eddy_field {
    const char *name;
    eddy_kind kind;
    uint32_t count;   /**< elements; bytes for a str; at least 1 */
    uint32_t offset;  /**< bytes from the start of the struct; rows are contiguous */
    double min, max;  /**< inclusive; min == max: every value of the kind is allowed. NaN is outside any range */
    const char *unit; /**< "px", "px/s", "frames"; NULL: none */
    const char *const *names; /**< enum names, for values 0 .. name_count-1; a larger value is outside the range */
    uint32_t name_count;
    const char *integrates; /**< hint: the name of the field of the same type that this one accumulates; NULL: none */
} eddy_field;

/** A type of entity. Its struct has no padding, so its bytes are its state. */
typedef struct eddy_type {
    const char *name;
    uint32_t size; /**< bytes of the struct */
    const eddy_field *fields;
    uint32_t field_count;
    const void *defaults; /**< the default-constructed entity, `size` bytes; NULL: all zero */
} eddy_type;

/** All types of a world. An entity's `type` is an index into `types`. Not copied: must outlive its users. */
typedef struct eddy_schema {
    const eddy_type *types;
    uint32_t type_count;
} eddy_schema;

/** Bytes of one element of a kind; 0 for an unknown kind. */
uint32_t eddy_kind_bytes(eddy_kind kind);
/** "f32", "vec2", ...; NULL for an unknown kind. */
const char *eddy_kind_name(eddy_kind kind);
/** The kind of a name, or EDDY_KIND_COUNT. */
eddy_kind eddy_kind_from_name(const char *name);

/* ---- the tripwires ---- */

/* A row is F(S, member, KIND, count) or F(S, member, KIND, count, .unit = ..., ...): the count heads the variable part.
 */
#define EDDY_FIRST_(first, ...) first
#define EDDY_COUNT_(...) (EDDY_FIRST_(__VA_ARGS__, 0))
#define EDDY_FIELD_MEMBER_(S, member, KIND, ...) EDDY_CTYPE_##KIND member[EDDY_COUNT_(__VA_ARGS__)];
#define EDDY_FIELD_CHECK_(S, member, KIND, ...)                                                                        \
    _Static_assert(_Generic(&((S *)0)->member, EDDY_CTYPE_##KIND * : 1,                                                \
                            EDDY_CTYPE_##KIND(*)[EDDY_COUNT_(__VA_ARGS__)] : 1, default : 0),                          \
                   #S "." #member ": the kind " #KIND " in the row, or its count, is not the C type of the member");   \
    _Static_assert(sizeof(((S *)0)->member) == sizeof(EDDY_CTYPE_##KIND) * EDDY_COUNT_(__VA_ARGS__),                   \
                   #S "." #member ": the count in the row is not that of the member");                                 \
    _Static_assert(offsetof(S, member) == offsetof(struct S##_packed_, member),                                        \
                   #S "." #member ": not in the order of the struct, or padding before it");
#define EDDY_FIELD_ROW_(S, member, KIND, ...)                                                                          \
    {.name = #member, .kind = EDDY_##KIND, .offset = (uint32_t)offsetof(S, member), .count = __VA_ARGS__},

/** Defines `static const eddy_field S_fields[]` from a row list, or stops the build. */
#define EDDY_FIELDS(S, ROWS)                                                                                           \
    struct __attribute__((packed)) S##_packed_ {                                                                       \
        ROWS(EDDY_FIELD_MEMBER_, S)                                                                                    \
    };                                                                                                                 \
    ROWS(EDDY_FIELD_CHECK_, S)                                                                                         \
    _Static_assert(sizeof(struct S##_packed_) == sizeof(S), #S ": a field has no row, or the struct has padding");     \
    static const eddy_field S##_fields[] = {ROWS(EDDY_FIELD_ROW_, S)}

/** An eddy_type initialiser for a struct whose table EDDY_FIELDS defined. `default_ptr` may be NULL. */
#define EDDY_TYPE(S, default_ptr)                                                                                      \
    {                                                                                                                  \
        .name = #S, .size = (uint32_t)sizeof(S), .fields = S##_fields,                                                 \
        .field_count = (uint32_t)(sizeof(S##_fields) / sizeof(S##_fields[0])), .defaults = (default_ptr)               \
    }

#endif
