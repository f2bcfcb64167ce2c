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

static inline uint64_t hold_at(const uint64_t *v, uint32_t t) {
    return v[t - 1];
}

static inline uint64_t back_at(const uint64_t *v, uint32_t t) {
    return v[t - (t > 1 ? 2 : 1)];
}

static inline uint64_t linear_at(const uint64_t *v, uint32_t t) {
    return t > 1 ? 2 * v[t - 1] - v[t - 2] : v[t - 1];
}

static inline uint64_t curve_at(const uint64_t *v, uint32_t t) {
    return t > 2 ? 3 * (v[t - 1] - v[t - 2]) + v[t - 3] : linear_at(v, t);
}

#define WHOLE_LOOPS(name, EXPECTED)                                                                                    \
    static void name##_encode(column_walk *walk, const uint64_t *values, uint64_t *restrict residuals) {               \
        for (uint32_t t = 1; t < walk->count; t++) {                                                                   \
            residuals[t] = (values[t] - (EXPECTED)) & walk->mask;                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_decode(column_walk *walk, uint64_t *restrict values, const uint64_t *restrict residuals) {      \
        for (uint32_t t = 1; t < walk->count; t++) {                                                                   \
            values[t] = (residuals[t] + (EXPECTED)) & walk->mask;                                                      \
        }                                                                                                              \
    }
WHOLE_LOOPS(hold, hold_at(values, t))
WHOLE_LOOPS(step, hold_at(values, t) + walk->add)
WHOLE_LOOPS(back, back_at(values, t))
WHOLE_LOOPS(linear, linear_at(values, t))
WHOLE_LOOPS(curve, curve_at(values, t))

/* ---- numbers: what follows a, before which were b and c ---- */

/* The others work on numbers. Those of the last frames are kept at hand: to convert them again for each frame would be
 * most of the work of opening a heap. */

static inline double fit_number(const column_walk *walk, lane_class class, double a, double b, double c) {
    double c0 = (double)walk->fit[0], c1 = (double)walk->fit[1];
    if (class == LANE_F32) { /* in doubles it is exact enough in any order; this one waits least for a */
        return a * (1 + c0) + (b * (c1 - c0) - c * c1);
    }
    return a + (c1 * (b - c) + c0 * (a - b)) + (class == LANE_F64 ? 0.0 : 0.5);
}

static inline double affine_number(const column_walk *walk, double a) {
    return (double)walk->fit[0] * a + (double)walk->fit[1];
}

/* How far the mover moves it, in the arithmetic of the column's own type, as games do it. */
static inline double move_by(const column_walk *walk, lane_class class, uint64_t speed) {
    double by = number_of(walk->mover_class, walk->mask, speed), factor = walk->pace.factor;
    if (class == LANE_F32) {
        return (double)(walk->pace.divides ? (float)by / (float)factor : (float)by * (float)factor);
    }
    return walk->pace.divides ? by / factor : by * factor;
}
static inline double move_number(lane_class class, double a, double by) {
    return class == LANE_F32 ? (double)((float)a + (float)by) : a + by;
}

/* NEXT is the number expected at t, VALUE what is found there. */
#define NUMBER_LOOP(CLASS, FIRST, NEXT, VALUE)                                                                         \
    {                                                                                                                  \
        double a = number_of(CLASS, walk->mask, values[(FIRST)-1]);                                                    \
        double b = number_of(CLASS, walk->mask, values[(FIRST) > 1 ? (FIRST)-2 : 0]);                                  \
        double c = number_of(CLASS, walk->mask, values[(FIRST) > 2 ? (FIRST)-3 : 0]);                                  \
        uint64_t before = values[(FIRST)-1];                                                                           \
        for (uint32_t t = (FIRST); t < walk->count; t++) {                                                             \
            uint64_t expected = value_of(CLASS, walk->mask, NEXT(CLASS), before);                                      \
            before = VALUE;                                                                                            \
            c = b;                                                                                                     \
            b = a;                                                                                                     \
            a = number_of(CLASS, walk->mask, before);                                                                  \
        }                                                                                                              \
        (void)c;                                                                                                       \
    }
#define FIT_NEXT(CLASS) fit_number(walk, CLASS, a, b, c)
#define AFFINE_NEXT(CLASS) affine_number(walk, a)
#define MOVE_NEXT(CLASS) move_number(CLASS, a, move_by(walk, CLASS, mover[t - late]))
#define ENCODED (residuals[t] = (values[t] - expected) & walk->mask, values[t])
#define DECODED (values[t] = (residuals[t] + expected) & walk->mask)
#define EACH_NUMBER_CLASS(FIRST, NEXT, VALUE)                                                                          \
    switch (walk->class) {                                                                                             \
    case LANE_F32:                                                                                                     \
        NUMBER_LOOP(LANE_F32, FIRST, NEXT, VALUE) break;                                                               \
    case LANE_F64:                                                                                                     \
        NUMBER_LOOP(LANE_F64, FIRST, NEXT, VALUE) break;                                                               \
    case LANE_SIGNED:                                                                                                  \
        NUMBER_LOOP(LANE_SIGNED, FIRST, NEXT, VALUE) break;                                                            \
    default:                                                                                                           \
        NUMBER_LOOP(LANE_UNSIGNED, FIRST, NEXT, VALUE) break;                                                          \
    }

/* A float and a residual: the float so many steps further. While the sign stays, and nearly always it does, the bits
 * can be added as they are; each step of a column waits for this. */
static inline float float_after(float expected, uint32_t residual, float before) {
    uint32_t bits, sum;
    expected = expected == expected ? expected : before;
    memcpy(&bits, &expected, sizeof bits);
    bool is_negative = bits >> 31;
    sum = is_negative ? bits - residual : bits + residual;
    if (sum >> 31 != is_negative) {
        sum = (uint32_t)lane_unorder(LANE_F32, (uint32_t)(lane_order(LANE_F32, bits) + residual));
    }
    float found;
    memcpy(&found, &sum, sizeof found);
    return found;
}

static inline float float_of_value(uint64_t value) {
    uint32_t bits = (uint32_t)lane_unorder(LANE_F32, value);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline uint64_t value_of_float(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return lane_order(LANE_F32, bits);
}

/* A float column being decoded: the last three numbers. */
typedef struct float_state {
    float a, b, c;
} float_state;

static inline float_state float_begin(const uint64_t *values, uint32_t t) {
    return (float_state){.a = float_of_value(values[t - 1]),
                         .b = float_of_value(values[t > 1 ? t - 2 : 0]),
                         .c = float_of_value(values[t > 2 ? t - 3 : 0])};
}

static inline void float_step(const column_walk *walk, predictor_id id, float_state *state, uint64_t *values,
                              const uint64_t *residuals, uint32_t t) {
    double a = (double)state->a, expected;
    if (id == PREDICT_FIT) {
        expected = fit_number(walk, LANE_F32, a, (double)state->b, (double)state->c);
    } else if (id == PREDICT_AFFINE) {
        expected = affine_number(walk, a);
    } else {
        expected = move_number(LANE_F32, a, move_by(walk, LANE_F32, walk->mover[t - walk->pace.late]));
    }
    float found = float_after((float)expected, (uint32_t)residuals[t], state->a);
    values[t] = value_of_float(found);
    state->c = state->b;
    state->b = state->a;
    state->a = found;
}

static inline void float_decode(const column_walk *walk, predictor_id id, uint64_t *restrict values,
                                const uint64_t *restrict residuals, uint32_t first) {
    float_state state = float_begin(values, first);
    for (uint32_t t = first; t < walk->count; t++) {
        float_step(walk, id, &state, values, residuals, t);
    }
}

/* The first frames of a fit, which has not seen three of them yet, go straight on. */
#define FIT_FIRST 3u
static void fit_encode(column_walk *walk, const uint64_t *values, uint64_t *restrict residuals) {
    for (uint32_t t = 1; t < walk->count && t < FIT_FIRST; t++) {
        residuals[t] = (values[t] - linear_at(values, t)) & walk->mask;
    }
    if (walk->count > FIT_FIRST) {
        EACH_NUMBER_CLASS(FIT_FIRST, FIT_NEXT, ENCODED)
    }
}
static void fit_decode(column_walk *walk, uint64_t *restrict values, const uint64_t *restrict residuals) {
    for (uint32_t t = 1; t < walk->count && t < FIT_FIRST; t++) {
        values[t] = (residuals[t] + linear_at(values, t)) & walk->mask;
    }
    if (walk->class == LANE_F32 && walk->count > FIT_FIRST) {
        float_decode(walk, PREDICT_FIT, values, residuals, FIT_FIRST);
    } else if (walk->count > FIT_FIRST) {
        EACH_NUMBER_CLASS(FIT_FIRST, FIT_NEXT, DECODED)
    }
}
static void affine_encode(column_walk *walk, const uint64_t *values, uint64_t *restrict residuals) {
    EACH_NUMBER_CLASS(1, AFFINE_NEXT, ENCODED)
}
static void affine_decode(column_walk *walk, uint64_t *restrict values, const uint64_t *restrict residuals) {
    if (walk->class == LANE_F32) {
        float_decode(walk, PREDICT_AFFINE, values, residuals, 1);
        return;
    }
    EACH_NUMBER_CLASS(1, AFFINE_NEXT, DECODED)
}

/* Whole numbers are moved as they are, whatever the pace. */
static bool moves_whole(const column_walk *walk) {
    return walk->class != LANE_F32 && walk->class != LANE_F64;
}
static void move_encode(column_walk *walk, const uint64_t *values, uint64_t *restrict residuals) {
    const uint64_t *mover = walk->mover;
    uint32_t late = walk->pace.late;
    for (uint32_t t = 1; t < walk->count && moves_whole(walk); t++) {
        residuals[t] = (values[t] - values[t - 1] - mover[t - late]) & walk->mask;
    }
    if (walk->class == LANE_F32) {
        NUMBER_LOOP(LANE_F32, 1, MOVE_NEXT, ENCODED)
    } else if (walk->class == LANE_F64) {
        NUMBER_LOOP(LANE_F64, 1, MOVE_NEXT, ENCODED)
    }
}
static void move_decode(column_walk *walk, uint64_t *restrict values, const uint64_t *restrict residuals) {
    const uint64_t *mover = walk->mover;
    uint32_t late = walk->pace.late;
    for (uint32_t t = 1; t < walk->count && moves_whole(walk); t++) {
        values[t] = (residuals[t] + values[t - 1] + mover[t - late]) & walk->mask;
    }
    if (walk->class == LANE_F32) {
        float_decode(walk, PREDICT_MOVE, values, residuals, 1);
    } else if (walk->class == LANE_F64) {
        NUMBER_LOOP(LANE_F64, 1, MOVE_NEXT, DECODED)
    }
}

/* ---- two at once ---- */

bool column_can_pair(const column_decoding *a, const column_decoding *b) {
    return a->id == b->id && a->walk.class == LANE_F32 && b->walk.class == LANE_F32 &&
           (a->id == PREDICT_FIT || a->id == PREDICT_AFFINE || a->id == PREDICT_MOVE);
}

/* From `first` to the end of the shorter one side by side, then the rest of the longer one. */
static inline void pair_decode(predictor_id id, const column_decoding *a, const column_decoding *b, uint32_t first) {
    uint64_t *restrict va = a->values, *restrict vb = b->values;
    const uint64_t *restrict ra = a->residuals, *restrict rb = b->residuals;
    uint32_t both = a->walk.count < b->walk.count ? a->walk.count : b->walk.count, t = first;
    if (first >= both) {
        return;
    }
    float_state sa = float_begin(va, first), sb = float_begin(vb, first);
    for (; t < both; t++) {
        float_step(&a->walk, id, &sa, va, ra, t);
        float_step(&b->walk, id, &sb, vb, rb, t);
    }
    float_decode(&a->walk, id, va, ra, t);
    float_decode(&b->walk, id, vb, rb, t);
}

void column_decode_pair(column_decoding *a, column_decoding *b) {
    bool has_room = a->walk.count > FIT_FIRST && b->walk.count > FIT_FIRST;
    if (!has_room) {
        column_predictors[a->id].decode(&a->walk, a->values, a->residuals);
        column_predictors[b->id].decode(&b->walk, b->values, b->residuals);
        return;
    }
    switch (a->id) {
    case PREDICT_FIT:
        for (uint32_t t = 1; t < FIT_FIRST; t++) {
            a->values[t] = (a->residuals[t] + linear_at(a->values, t)) & a->walk.mask;
            b->values[t] = (b->residuals[t] + linear_at(b->values, t)) & b->walk.mask;
        }
        pair_decode(PREDICT_FIT, a, b, FIT_FIRST);
        return;
    case PREDICT_AFFINE:
        pair_decode(PREDICT_AFFINE, a, b, 1);
        return;
    default:
        pair_decode(PREDICT_MOVE, a, b, 1);
        return;
    }
}

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
