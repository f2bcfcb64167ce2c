#include "column.h"

lane_shape lane_shape_of(const eddy_field *field) {
    lane_shape shape = {.bytes = 4, .count = field->count, .class = LANE_UNSIGNED};
    switch (field->kind) {
    case EDDY_STR:
        return (lane_shape){.class = LANE_WIDE, .bytes = field->count, .count = 1};
    case EDDY_VEC2:
        shape.class = LANE_F32;
        shape.count = 2 * field->count;
        break;
    case EDDY_F32:
        shape.class = LANE_F32;
        break;
    case EDDY_F64:
        shape.class = LANE_F64;
        shape.bytes = 8;
        break;
    case EDDY_I8:
    case EDDY_I16:
    case EDDY_I32:
    case EDDY_I64:
        shape.class = LANE_SIGNED;
        shape.bytes = eddy_kind_bytes(field->kind);
        break;
    default:
        shape.bytes = eddy_kind_bytes(field->kind);
        break;
    }
    shape.mask = UINT64_MAX >> (64 - 8 * shape.bytes);
    return shape;
}

/* ---- values as numbers ---- */

static inline double number_of(lane_class class, uint64_t mask, uint64_t value) {
    uint64_t bits = lane_unorder(class, value);
    switch (class) {
    case LANE_F32: {
        uint32_t low = (uint32_t)bits;
        float number;
        memcpy(&number, &low, sizeof number);
        return (double)number;
    }
    case LANE_F64: {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    case LANE_SIGNED: {
        uint64_t top = mask ^ (mask >> 1);
        return (double)(int64_t)((bits ^ top) - top);
    }
    default:
        return (double)bits;
    }
}

double lane_number(lane_class class, uint64_t mask, uint64_t value) {
    return number_of(class, mask, value);
}

/* The value next to a number. What is no number (the sign of a NaN is not the same everywhere), or too large for an
 * integer, gives `otherwise`. */
static inline uint64_t value_of(lane_class class, uint64_t mask, double number, uint64_t otherwise) {
    if (!(number == number)) {
        return otherwise;
    }
    if (class == LANE_F32) {
        float narrow = (float)number;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return lane_order(class, bits);
    }
    if (class == LANE_F64) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return lane_order(class, bits);
    }
    if (!(number > -9e18 && number < 9e18)) {
        return otherwise;
    }
    int64_t whole = (int64_t)number;
    return (uint64_t)(whole - (number < (double)whole)) & mask;
}

/* ---- what is expected at frame t, which is at least 1; from values before it ---- */

static inline uint64_t hold_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    (void)walk;
    (void)class;
    return v[t - 1];
}

static inline uint64_t step_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    (void)class;
    return v[t - 1] + walk->add;
}

static inline uint64_t back_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    (void)walk;
    (void)class;
    return v[t - (t > 1 ? 2 : 1)];
}

static inline uint64_t linear_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    (void)walk;
    (void)class;
    return t > 1 ? 2 * v[t - 1] - v[t - 2] : v[t - 1];
}

static inline uint64_t curve_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    return t > 2 ? 3 * (v[t - 1] - v[t - 2]) + v[t - 3] : linear_at(walk, class, v, t);
}

static inline uint64_t fit_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    if (t < 3) {
        return linear_at(walk, class, v, t);
    }
    double a = number_of(class, walk->mask, v[t - 1]);
    double b = number_of(class, walk->mask, v[t - 2]);
    double c = number_of(class, walk->mask, v[t - 3]);
    double delta = (double)walk->fit[0] * (a - b) + (double)walk->fit[1] * (b - c);
    return value_of(class, walk->mask, a + delta + (class == LANE_SIGNED || class == LANE_UNSIGNED ? 0.5 : 0.0),
                    v[t - 1]);
}

static inline uint64_t affine_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    double before = number_of(class, walk->mask, v[t - 1]);
    return value_of(class, walk->mask, (double)walk->fit[0] * before + (double)walk->fit[1], v[t - 1]);
}

/* The sum is made as games make it: in the arithmetic of the column's own type. */
static inline uint64_t move_at(const column_walk *walk, lane_class class, const uint64_t *v, uint32_t t) {
    uint64_t speed = walk->mover[walk->pace.late ? t - 1 : t];
    double before = number_of(class, walk->mask, v[t - 1]);
    double by = number_of(walk->mover_class, walk->mask, speed), factor = walk->pace.factor;
    if (class == LANE_F32) {
        float add = walk->pace.divides ? (float)by / (float)factor : (float)by * (float)factor;
        return value_of(class, walk->mask, (double)((float)before + add), v[t - 1]);
    }
    if (class == LANE_F64) {
        return value_of(class, walk->mask, before + (walk->pace.divides ? by / factor : by * factor), v[t - 1]);
    }
    return v[t - 1] + speed;
}

/* ---- loops ---- */

#define ENCODE_LOOP(name, CLASS)                                                                                       \
    for (uint32_t t = 1; t < walk->count; t++) {                                                                       \
        residuals[t] = (values[t] - name##_at(walk, CLASS, values, t)) & walk->mask;                                   \
    }
#define DECODE_LOOP(name, CLASS)                                                                                       \
    for (uint32_t t = 1; t < walk->count; t++) {                                                                       \
        values[t] = (residuals[t] + name##_at(walk, CLASS, values, t)) & walk->mask;                                   \
    }
#define EACH_CLASS(LOOP, name)                                                                                         \
    switch (walk->class) {                                                                                             \
    case LANE_F32:                                                                                                     \
        LOOP(name, LANE_F32) break;                                                                                    \
    case LANE_F64:                                                                                                     \
        LOOP(name, LANE_F64) break;                                                                                    \
    case LANE_SIGNED:                                                                                                  \
        LOOP(name, LANE_SIGNED) break;                                                                                 \
    default:                                                                                                           \
        LOOP(name, LANE_UNSIGNED) break;                                                                               \
    }
#define BOTH_LOOPS(name, BODY)                                                                                         \
    static void name##_encode(column_walk *walk, const uint64_t *values, uint64_t *residuals) {                        \
        BODY(ENCODE_LOOP, name)                                                                                        \
    }                                                                                                                  \
    static void name##_decode(column_walk *walk, uint64_t *values, const uint64_t *residuals) {                        \
        BODY(DECODE_LOOP, name)                                                                                        \
    }
#define ANY_CLASS(LOOP, name) LOOP(name, LANE_UNSIGNED)

BOTH_LOOPS(hold, ANY_CLASS)
BOTH_LOOPS(step, ANY_CLASS)
BOTH_LOOPS(back, ANY_CLASS)
BOTH_LOOPS(linear, ANY_CLASS)
BOTH_LOOPS(curve, ANY_CLASS)
BOTH_LOOPS(fit, EACH_CLASS)
BOTH_LOOPS(affine, EACH_CLASS)
BOTH_LOOPS(move, EACH_CLASS)

/* ---- the memo ---- */

static inline memo_entry *memo_find(column_memo *memo, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t hash = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu) ^ (c * 0x165667b19e3779f9u);
    hash *= 0x9e3779b97f4a7c15u;
    memo_entry *entry = &memo->entries[hash >> 54];
    uint32_t tag = (uint32_t)(hash >> 16);
    if (!entry->known || entry->tag != tag) {
        entry->known = entry->known && entry->sure; /* a thing that was right twice is not forgotten at once */
        entry->sure = false;
        if (!entry->known) {
            *entry = (memo_entry){.tag = tag};
        }
    }
    return entry->tag == tag ? entry : NULL;
}

static inline void memo_learn(memo_entry *entry, uint64_t value, uint32_t age) {
    if (entry->known && entry->value == value && entry->age == age) {
        entry->sure = true;
    } else if (entry->sure) {
        entry->sure = false;
    } else {
        entry->value = value;
        entry->age = age;
        entry->known = true;
    }
}

/* Where a walk through a column with its memo stands. */
typedef struct memo_walk {
    uint64_t since_value, before_value; /* the value after the last event, and the one before that */
    uint32_t since;                     /* when that was */
    bool whole;                         /* and that it was an event, not the beginning */
    memo_entry *entry;
} memo_walk;

static inline void memo_enter(memo_walk *at, const column_walk *walk, uint64_t value, uint32_t t) {
    at->since_value = value;
    at->since = t;
    at->entry = memo_find(walk->memo, value, walk->key_own ? at->before_value : 0, walk->key ? walk->key[t] : 0);
}

/* Asked by age. */
static inline uint64_t memo_age_expect(memo_walk *at, const column_walk *walk, const uint64_t *v, uint32_t t) {
    if (t == 1) {
        at->before_value = v[0];
        memo_enter(at, walk, v[0], 0);
    }
    const memo_entry *entry = at->entry;
    if (entry && entry->known && entry->age == t - at->since) {
        return v[t - 1] + entry->value;
    }
    return v[t - 1] + walk->step;
}
static inline void memo_age_learn(memo_walk *at, const column_walk *walk, const uint64_t *v, uint32_t t) {
    if (v[t] == ((v[t - 1] + walk->step) & walk->mask)) {
        return;
    }
    if (at->entry && (at->whole || !at->entry->known)) {
        memo_learn(at->entry, (v[t] - v[t - 1]) & walk->mask, t - at->since);
    }
    at->whole = true;
    at->before_value = at->since_value;
    memo_enter(at, walk, v[t], t);
}

/* Asked when the gate changes. */
static inline uint64_t memo_gate_expect(memo_walk *at, const column_walk *walk, const uint64_t *v, uint32_t t) {
    at->entry = NULL;
    if (walk->gate[t] == walk->gate[t - 1]) {
        return v[t - 1] + walk->step;
    }
    at->entry = memo_find(walk->memo, walk->gate[t], walk->key_own ? v[t - 1] : 0, walk->key ? walk->key[t] : 0);
    if (!at->entry || !at->entry->known) {
        return v[t - 1] + walk->step;
    }
    return walk->target == MEMO_DELTA ? v[t - 1] + at->entry->value : at->entry->value;
}
static inline void memo_gate_learn(memo_walk *at, const column_walk *walk, const uint64_t *v, uint32_t t) {
    if (at->entry) {
        memo_learn(at->entry, (walk->target == MEMO_DELTA ? v[t] - v[t - 1] : v[t]) & walk->mask, 0);
    }
}

#define MEMO_ENCODE(kind)                                                                                              \
    for (uint32_t t = 1; t < walk->count; t++) {                                                                       \
        residuals[t] = (values[t] - memo_##kind##_expect(&at, walk, values, t)) & walk->mask;                          \
        memo_##kind##_learn(&at, walk, values, t);                                                                     \
    }
#define MEMO_DECODE(kind)                                                                                              \
    for (uint32_t t = 1; t < walk->count; t++) {                                                                       \
        values[t] = (residuals[t] + memo_##kind##_expect(&at, walk, values, t)) & walk->mask;                          \
        memo_##kind##_learn(&at, walk, values, t);                                                                     \
    }

static void memo_encode(column_walk *walk, const uint64_t *values, uint64_t *residuals) {
    memo_walk at = {0};
    if (walk->gate) {
        MEMO_ENCODE(gate)
    } else {
        MEMO_ENCODE(age)
    }
}

static void memo_decode(column_walk *walk, uint64_t *values, const uint64_t *residuals) {
    memo_walk at = {0};
    if (walk->gate) {
        MEMO_DECODE(gate)
    } else {
        MEMO_DECODE(age)
    }
}

const predictor column_predictors[PREDICT_COUNT] = {
#define COLUMN_PREDICTOR(NAME, name, number, text) [number] = {#name, name##_encode, name##_decode},
#include "predictors.inl"
#undef COLUMN_PREDICTOR
};
