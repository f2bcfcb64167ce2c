/* Columns: one cell of one entity over the frames of its life, and what is expected of it. A cell of two parts (vec2)
 * is two columns. Values are coded as the difference from what a predictor expects, so a predictor is as good as it is
 * cheap to correct. The encoder and the decoder run the same prediction on the same values, so it may use anything that
 * is computed the same everywhere: integers, and float arithmetic without contraction. Private to rewind/.
 *
 * Values are taken as whole numbers of 8 to 64 bits in which neighbours are neighbours: floats are mapped to integers
 * of the same order (-0.0 is one below 0.0), each bit pattern to its own, so NaN payloads survive. */
#ifndef EDDY_REWIND_COLUMN_H
#define EDDY_REWIND_COLUMN_H

#include "bytes.h"

/** What the numbers of a column mean. */
typedef enum lane_class { LANE_UNSIGNED, LANE_SIGNED, LANE_F32, LANE_F64, LANE_WIDE } lane_class;

/** The part of a field that is one column: an element, half of a vec2, or a whole str (LANE_WIDE). */
typedef struct lane_shape {
    lane_class class;
    uint32_t bytes; /**< of one lane in the struct */
    uint32_t count; /**< lanes of the field */
    uint64_t mask;  /**< the bits of a value; 0 for LANE_WIDE */
} lane_shape;
lane_shape lane_shape_of(const eddy_field *field);

/** The bits of a value as they lie in a struct. Not for LANE_WIDE. */
static inline uint64_t lane_load(const void *from, uint32_t bytes) {
    uint64_t bits = 0;
    switch (bytes) {
    case 1:
        return *(const uint8_t *)from;
    case 2:
        memcpy(&bits, from, 2);
        return bits;
    case 4:
        memcpy(&bits, from, 4);
        return bits;
    default:
        memcpy(&bits, from, 8);
        return bits;
    }
}
static inline void lane_store(void *to, uint64_t bits, uint32_t bytes) {
    switch (bytes) {
    case 1:
        *(uint8_t *)to = (uint8_t)bits;
        return;
    case 2:
        memcpy(to, &bits, 2);
        return;
    case 4:
        memcpy(to, &bits, 4);
        return;
    default:
        memcpy(to, &bits, 8);
    }
}

/** From bits to numbers that keep the order of floats, and back. */
static inline uint64_t lane_order(lane_class class, uint64_t bits) {
    switch (class) {
    case LANE_F32:
        return (uint32_t)(bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u));
    case LANE_F64:
        return bits ^ (bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63);
    default:
        return bits;
    }
}
static inline uint64_t lane_unorder(lane_class class, uint64_t value) {
    switch (class) {
    case LANE_F32:
        return (uint32_t)(value ^ (value >> 31 ? 0x80000000u : 0xffffffffu));
    case LANE_F64:
        return value ^ (value >> 63 ? (uint64_t)1 << 63 : UINT64_MAX);
    default:
        return value;
    }
}

/* ---- what was seen before ---- */

/** One thing remembered: what came of a key. */
typedef struct memo_entry {
    uint64_t value;
    uint32_t tag, age;
    bool known, sure;
} memo_entry;
#define MEMO_SIZE 1024u

/** What the columns of a field have shown so far, by key; shared by all lives of a type. */
typedef struct column_memo {
    memo_entry entries[MEMO_SIZE];
} column_memo;

/** How a field's memo is asked. */
typedef enum memo_target { MEMO_VALUE, MEMO_DELTA } memo_target;

/* ---- predicting ---- */

/** How a field moves by another: x(t) = x(t-1) + v * factor, or v / factor; v at t or at t-1. */
typedef struct column_pace {
    double factor;
    bool divides, late;
} column_pace;

/** All that a prediction may look at. */
typedef struct column_walk {
    lane_class class;
    uint64_t mask;
    uint32_t count;        /**< frames */
    const uint64_t *mover; /**< the column that this one adds up, or NULL */
    lane_class mover_class;
    column_pace pace;
    const uint64_t *gate; /**< the memo is asked when this one changes; NULL: it is asked when the value is as old as
                               it became before */
    const uint64_t *key;  /**< part of the memo's key, or NULL */
    bool key_own;         /**< the value before is part of it too */
    memo_target target;
    column_memo *memo; /**< NULL: there is none */
    uint64_t step;     /**< what the memo's columns add when nothing happens */
    double fit[2];     /**< the column's own numbers: floats, but for LANE_F64 */
    uint64_t add;      /**< the column's own step */
} column_walk;

/** Numbers of a predictor, in files: pinned. */
typedef enum predictor_id {
#define COLUMN_PREDICTOR(NAME, name, number, text) PREDICT_##NAME = (number),
#include "predictors.inl"
#undef COLUMN_PREDICTOR
    PREDICT_COUNT
} predictor_id;

typedef struct predictor {
    const char *name;
    /** values[0 .. count-1] to residuals[1 .. count-1], modulo the mask. */
    void (*encode)(column_walk *walk, const uint64_t *values, uint64_t *residuals);
    /** The way back: values[0] is given. */
    void (*decode)(column_walk *walk, uint64_t *values, const uint64_t *residuals);
} predictor;
extern const predictor column_predictors[PREDICT_COUNT];

/** A column on its way back. */
typedef struct column_decoding {
    predictor_id id;
    column_walk walk;
    uint64_t *values;
    const uint64_t *residuals;
} column_decoding;
/** Whether two columns can be decoded side by side: nearly twice as fast as one after the other, for each value waits
 * for the one before it. */
bool column_can_pair(const column_decoding *a, const column_decoding *b);
void column_decode_pair(column_decoding *a, column_decoding *b);

/** A residual as a number that is small when the residual is near zero, on either side; and back. */
static inline uint64_t residual_fold(uint64_t residual, uint64_t mask) {
    uint64_t top = mask ^ (mask >> 1);
    return ((residual << 1) ^ (residual & top ? UINT64_MAX : 0)) & mask;
}
static inline uint64_t residual_unfold(uint64_t folded, uint64_t mask) {
    return ((folded >> 1) ^ (folded & 1 ? UINT64_MAX : 0)) & mask;
}

/** A value as a number of its meaning. */
double lane_number(lane_class class, uint64_t mask, uint64_t value);

#endif
