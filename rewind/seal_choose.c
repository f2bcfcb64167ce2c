/* Which predictor costs least for a column. Costs are what an ideal coder would need for places and residuals, in
 * sixteenths of a bit; long columns are judged by samples, all but the memo, which must see everything. */
#include "seal_section.h"

#define SAMPLE_FRAMES 64u /* in a row */
#define SAMPLES 8u
#define SAMPLED_FROM (2 * SAMPLES * SAMPLE_FRAMES) /* shorter columns are judged whole */
#define FIT_POINTS 512u

typedef struct column_cost {
    uint32_t frames, wrong, bits;
} column_cost;

static inline uint32_t bits_of(uint64_t folded) {
    return 64u - (uint32_t)__builtin_clzll(folded | 1);
}

static void add_cost(column_cost *cost, const uint64_t *residuals, uint32_t count, uint64_t mask) {
    for (uint32_t t = 1; t < count; t++) {
        if (residuals[t] != 0) {
            cost->wrong++;
            cost->bits += 1 + bits_of(residual_fold(residuals[t], mask));
        }
    }
    cost->frames += count - 1;
}

/* Sixteenths of a bit for a whole column of `frames`. */
static uint64_t total_cost(const column_cost *cost, uint32_t frames) {
    if (cost->wrong == 0 || cost->frames == 0) {
        return 0;
    }
    uint32_t often = cost->frames / cost->wrong;
    uint64_t place = often <= 1 ? 16 : 16 * (uint64_t)bits_of(often) + 16;
    return (cost->wrong * place + 16 * (uint64_t)cost->bits) * frames / cost->frames;
}

uint64_t seal_cost(const uint64_t *residuals, uint32_t count, uint64_t mask) {
    column_cost cost = {0};
    add_cost(&cost, residuals, count, mask);
    return total_cost(&cost, count - 1);
}

/* The numbers of the frames where samples begin. */
static uint32_t sample_at(uint32_t count, uint32_t index) {
    return (uint32_t)((uint64_t)(count - SAMPLE_FRAMES) * index / (SAMPLES - 1));
}

static uint64_t judge(column_walk *walk, predictor_id id, const uint64_t *values, uint64_t *trial) {
    column_cost cost = {0};
    if (walk->count < SAMPLED_FROM) {
        column_predictors[id].encode(walk, values, trial);
        add_cost(&cost, trial, walk->count, walk->mask);
        return total_cost(&cost, walk->count - 1);
    }
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t first = sample_at(walk->count, i);
        column_walk part = *walk;
        part.count = SAMPLE_FRAMES;
        part.mover = walk->mover ? walk->mover + first : NULL;
        column_predictors[id].encode(&part, values + first, trial);
        add_cost(&cost, trial, part.count, walk->mask);
    }
    return total_cost(&cost, walk->count - 1);
}

/* ---- the numbers of a column ---- */

typedef struct fit_point {
    double y, u, w; /* y = c0 * u + c1 * w */
} fit_point;

/* The points of a column for FIT or AFFINE: frames in which something moves. */
static uint32_t take_points(const column_walk *walk, const uint64_t *v, predictor_id id, fit_point *out) {
    uint32_t count = 0, stride = walk->count / FIT_POINTS + 1;
    for (uint32_t t = 3; t < walk->count && count < FIT_POINTS; t += stride) {
        if (v[t] == v[t - 1]) {
            continue;
        }
        double x[4];
        for (uint32_t i = 0; i < 4; i++) {
            x[i] = lane_number(walk->class, walk->mask, v[t - i]);
        }
        fit_point point = {.y = x[0] - x[1], .u = x[1] - x[2], .w = x[2] - x[3]};
        if (id == PREDICT_AFFINE) {
            point = (fit_point){.y = x[0], .u = x[1], .w = 1};
        }
        double size = point.y * point.y + point.u * point.u + point.w * point.w;
        if (size < 1e300) { /* neither infinite nor NaN */
            out[count++] = point;
        }
    }
    return count;
}

static bool solve(const fit_point *points, uint32_t count, double limit, double c[2]) {
    double uu = 0, uw = 0, ww = 0, uy = 0, wy = 0;
    for (uint32_t i = 0; i < count; i++) {
        const fit_point *p = &points[i];
        double error = p->y - c[0] * p->u - c[1] * p->w;
        if (error * error <= limit) {
            uu += p->u * p->u;
            uw += p->u * p->w;
            ww += p->w * p->w;
            uy += p->u * p->y;
            wy += p->w * p->y;
        }
    }
    double determinant = uu * ww - uw * uw;
    if (!(determinant > 1e-12 * uu * ww) || !(determinant < 1e300)) {
        return false;
    }
    c[0] = (uy * ww - wy * uw) / determinant;
    c[1] = (wy * uu - uy * uw) / determinant;
    return c[0] == c[0] && c[1] == c[1];
}

/* Not inline: gcc 12 at -O2 otherwise turns the choice between a double and its float into a vector of doubles, and the
 * rounding is lost. The decoder would then have other numbers than the encoder. */
__attribute__((noinline)) static float narrow_of(double number) {
    return (float)number;
}

/* Least squares, then again without what does not fit: bounces and jumps. */
static bool fit(const column_walk *walk, const uint64_t *values, predictor_id id, double out[2]) {
    fit_point points[FIT_POINTS];
    uint32_t count = take_points(walk, values, id, points);
    double c[2] = {0, 0};
    if (count < 8 || !solve(points, count, 1e301, c)) {
        return false;
    }
    for (int round = 0; round < 6; round++) {
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            double error = points[i].y - c[0] * points[i].u - c[1] * points[i].w;
            sum += error < 0 ? -error : error;
        }
        double mean = sum / count;
        if (!solve(points, count, mean * mean, c)) {
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        out[i] = walk->class == LANE_F64 ? c[i] : (double)narrow_of(c[i]);
    }
    return true;
}

/* The difference that comes most often, roughly: the one that holds the majority of those that are not zero. */
static uint64_t common_step(const column_walk *walk, const uint64_t *v) {
    uint64_t step = 0;
    uint32_t weight = 0;
    for (uint32_t t = 1; t < walk->count; t++) {
        uint64_t delta = (v[t] - v[t - 1]) & walk->mask;
        if (delta == 0) {
            continue;
        }
        if (weight == 0) {
            step = delta;
        }
        weight += delta == step ? 1 : UINT32_MAX;
    }
    return step;
}

/* ---- choosing ---- */

/* Whether a predictor can be tried on a column, with its numbers; and what they cost in the sealed run. */
static bool prepare(column_walk *walk, const uint64_t *values, predictor_id id, uint64_t *extra) {
    *extra = 0;
    switch (id) {
    case PREDICT_STEP:
        walk->add = common_step(walk, values);
        *extra = 16 * 8;
        return true;
    case PREDICT_FIT:
    case PREDICT_AFFINE:
        *extra = 16 * 64;
        return fit(walk, values, id, walk->fit);
    case PREDICT_MOVE:
        return walk->mover != NULL;
    case PREDICT_MEMO:
        return false;
    default:
        return true;
    }
}

static uint64_t judge_memo(column_walk *walk, seal_desk *desk) {
    memcpy(desk->memo_before, desk->memo, sizeof *desk->memo);
    column_predictors[PREDICT_MEMO].encode(walk, desk->values, desk->residuals);
    return seal_cost(desk->residuals, walk->count, walk->mask);
}

uint64_t seal_judge(column_walk *walk, predictor_id id, seal_desk *desk) {
    return id == PREDICT_MEMO ? judge_memo(walk, desk) : judge(walk, id, desk->values, desk->trial);
}

uint64_t seal_usual_step(const column_walk *walk, const uint64_t *values) {
    uint64_t step = 0;
    uint32_t votes = 0;
    for (uint32_t t = 1; t < walk->count; t++) {
        uint64_t delta = (values[t] - values[t - 1]) & walk->mask;
        step = votes == 0 ? delta : step;
        votes = delta == step ? votes + 1 : votes - 1;
    }
    return step;
}

seal_choice seal_choose(column_walk *walk, seal_desk *desk) {
    uint64_t best = UINT64_MAX;
    seal_choice choice = {0};
    if (walk->memo) {
        best = judge_memo(walk, desk);
        best += best / 8; /* zstd sees more in what the others leave than the cost says: measured */
        choice = (seal_choice){.id = PREDICT_MEMO, .cost = best};
    }
    bool memo_fits = walk->memo && best < 16 * 8 * 4;
    for (int i = 0; i < PREDICT_COUNT && !memo_fits; i++) {
        predictor_id id = (predictor_id)i;
        uint64_t extra;
        if (!prepare(walk, desk->values, id, &extra)) {
            continue;
        }
        uint64_t cost = judge(walk, id, desk->values, desk->trial) + extra;
        if (cost < best) {
            best = cost;
            choice = (seal_choice){.id = id, .fit = {walk->fit[0], walk->fit[1]}, .add = walk->add, .cost = cost};
        }
        if (id == PREDICT_STEP && best < 16 * 32) {
            break; /* nothing is worth more search */
        }
    }
    walk->fit[0] = choice.fit[0];
    walk->fit[1] = choice.fit[1];
    walk->add = choice.add;
    if (choice.id != PREDICT_MEMO) {
        if (walk->memo) {
            memcpy(desk->memo, desk->memo_before, sizeof *desk->memo);
        }
        column_predictors[choice.id].encode(walk, desk->values, desk->residuals);
    }
    return choice;
}
