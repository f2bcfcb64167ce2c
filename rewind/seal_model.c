/* What the fields of a type have to do with each other, found by trial on a few columns:
 *
 *   mover  x = x + v * dt: a field whose differences are in a steady ratio to another field. A field that the table
 *          says it integrates is tried first, and the search ends there if that fits.
 *   gate   a field that changes when another one does, to a value (or by a difference) that came before with the same
 *          values there: a countdown reloads as the new state says, a walker takes the step of its direction.
 *
 * A field may only need fields that can be decoded before it. */
#include "seal_section.h"

#define TRIAL_COLUMNS 6u
#define TRIAL_GATES 2u
#define TRIAL_CHANGES 64u /* a field that changes less is not worth a search */
#define TRIAL_FIELDS 64u  /* of a type, a bit for each: what lies behind is not looked at */
#define RATIO_POINTS 24u

/* A field under trial. */
typedef struct trial {
    const seal_desc *desc;
    seal_run *run;
    seal_desk *desk;
    seal_field *field;
    uint32_t columns[TRIAL_COLUMNS], count;
    uint64_t costs[TRIAL_COLUMNS]; /* of each column as things stand */
} trial;

static bool is_narrow(const seal_field *field) {
    return field->shape.class != LANE_WIDE;
}

/* Whether `field` may look at `other`, by lanes that go together or the only one there is. */
static bool may_use(const trial *at, const seal_field *other) {
    return is_narrow(other) && other != at->field &&
           (other->shape.count == 1 || other->shape.count == at->field->shape.count) &&
           !(other->needs >> at->field->index & 1);
}

static uint32_t fields_of(const trial *at) {
    uint32_t count = at->run->schema->types[at->field->type].field_count;
    return count < TRIAL_FIELDS ? count : TRIAL_FIELDS;
}

/* ---- movers ---- */

static bool is_mobile(const seal_field *field) {
    lane_class class = field->shape.class;
    return class == LANE_F32 || class == LANE_F64 || (class == LANE_SIGNED && field->shape.bytes >= 2);
}

/* Ratios of a field's differences to another field, in frames where both move; ascending. */
static uint32_t take_ratios(trial *at, const seal_field *mover, bool late, double *out) {
    seal_desk *desk = at->desk;
    uint32_t count = 0, each = RATIO_POINTS / (at->count > 0 ? at->count : 1);
    for (uint32_t c = 0; c < at->count; c++) {
        const seal_column *column = &at->run->columns[at->columns[c]];
        uint32_t span = life_span(&at->run->lives[column->life]), taken = 0;
        uint32_t stride = span / (2 * each) + 1;
        seal_expand_column(at->run, at->field, column, desk->values);
        seal_expand(at->run, mover, column->life, mover->shape.count > 1 ? column->lane : 0, desk->mover);
        for (uint32_t t = 1; t < span && taken < each; t += stride) {
            double from = lane_number(at->field->shape.class, at->field->shape.mask, desk->values[t - 1]);
            double to = lane_number(at->field->shape.class, at->field->shape.mask, desk->values[t]);
            double by = lane_number(mover->shape.class, mover->shape.mask, desk->mover[late ? t - 1 : t]);
            double ratio = by != 0 ? (to - from) / by : 0;
            if (!(ratio > 1e-9 && ratio < 1e9)) {
                continue;
            }
            uint32_t place = count++;
            for (; place > 0 && out[place - 1] > ratio; place--) {
                out[place] = out[place - 1];
            }
            out[place] = ratio;
            taken++;
        }
    }
    return count;
}

/* What columns cost when they move by a field at some pace. */
static uint64_t cost_of_pace(trial *at, const seal_field *mover, column_pace pace) {
    uint64_t sum = 0;
    seal_model before = at->field->model;
    at->field->model.mover = (seal_ref){.field = mover->index};
    at->field->model.pace = pace;
    for (uint32_t c = 0; c < at->count; c++) {
        const seal_column *column = &at->run->columns[at->columns[c]];
        seal_expand_column(at->run, at->field, column, at->desk->values);
        column_walk walk = seal_walk(at->run, at->field, column, at->desk);
        column_predictors[PREDICT_MOVE].encode(&walk, at->desk->values, at->desk->trial);
        uint64_t cost = seal_cost(at->desk->trial, walk.count, walk.mask);
        sum += cost < at->costs[c] ? cost : at->costs[c];
    }
    at->field->model = before;
    return sum;
}

static uint64_t sum_of_costs(const trial *at) {
    uint64_t sum = 0;
    for (uint32_t c = 0; c < at->count; c++) {
        sum += at->costs[c];
    }
    return sum;
}

/* Tries a mover at the usual paces near the ratio that was found, and at that ratio. */
static void try_mover(trial *at, const seal_field *mover, bool late, uint64_t *best) {
    static const double rates[] = {1, 10, 20, 25, 30, 35, 50, 60, 72, 100, 120, 144, 240, 1000};
    double ratios[RATIO_POINTS];
    uint32_t count = take_ratios(at, mover, late, ratios);
    double median = count > 0 ? ratios[count / 2] : 0;
    if (count < 4 || ratios[count / 4] < 0.98 * median || ratios[count * 3 / 4] > 1.02 * median) {
        return;
    }
    bool is_whole = at->field->shape.class == LANE_SIGNED;
    for (size_t i = 0; i <= sizeof rates / sizeof rates[0]; i++) {
        double factor = i < sizeof rates / sizeof rates[0] ? 1 / rates[i] : median;
        if (factor < 0.99 * median || factor > 1.01 * median || (is_whole && factor != 1)) {
            continue;
        }
        for (int divides = 0; divides <= (!is_whole && factor != median); divides++) {
            column_pace pace = {.factor = divides ? rates[i] : factor, .divides = divides, .late = late};
            uint64_t cost = cost_of_pace(at, mover, pace);
            if (cost < *best - *best / 16) {
                *best = cost;
                at->field->model.mover = (seal_ref){.field = mover->index};
                at->field->model.pace = pace;
            }
        }
    }
}

static void search_mover(trial *at) {
    if (!is_mobile(at->field)) {
        return;
    }
    uint64_t best = sum_of_costs(at), before = best;
    const char *hint = at->field->field->integrates;
    for (int hinted = 1; hinted >= 0 && best == before; hinted--) {
        for (uint32_t i = 0; i < fields_of(at) && !seal_is_cancelled(at->desc); i++) {
            const seal_field *mover = seal_run_field(at->run, at->field->type, i);
            bool is_hinted = hint && strcmp(hint, mover->field->name) == 0;
            if (may_use(at, mover) && is_hinted == hinted && mover->shape.class == at->field->shape.class) {
                try_mover(at, mover, false, &best);
                try_mover(at, mover, true, &best);
            }
        }
    }
}

/* ---- gates ---- */

/* What columns cost with a model's memo, and with what else they had. */
static uint64_t cost_of_memo(trial *at, const seal_model *model) {
    uint64_t sum = 0;
    seal_model before = at->field->model;
    at->field->model = *model;
    memset(at->desk->memo, 0, sizeof *at->desk->memo);
    for (uint32_t c = 0; c < at->count; c++) {
        const seal_column *column = &at->run->columns[at->columns[c]];
        seal_expand_column(at->run, at->field, column, at->desk->values);
        column_walk walk = seal_walk(at->run, at->field, column, at->desk);
        column_predictors[PREDICT_MEMO].encode(&walk, at->desk->values, at->desk->trial);
        uint64_t cost = seal_cost(at->desk->trial, walk.count, walk.mask);
        sum += cost < at->costs[c] ? cost : at->costs[c];
    }
    at->field->model = before;
    return sum;
}

/* How badly a field would do as a gate: what changes beside it is dear, and so is, less, when it changes for nothing.
 * UINT64_MAX: it does not do at all. */
static uint64_t gate_badness(trial *at, const seal_field *gate) {
    seal_desk *desk = at->desk;
    uint64_t events = 0, beside = 0, idle = 0;
    for (uint32_t c = 0; c < at->count; c++) {
        const seal_column *column = &at->run->columns[at->columns[c]];
        uint32_t span = life_span(&at->run->lives[column->life]);
        seal_expand_column(at->run, at->field, column, desk->values);
        seal_expand(at->run, gate, column->life, gate->shape.count > 1 ? column->lane : 0, desk->gate);
        uint64_t mask = at->field->shape.mask, step = at->field->model.step;
        for (uint32_t t = 1; t < span; t++) {
            bool happens = ((desk->values[t] - desk->values[t - 1] - step) & mask) != 0;
            bool changes = desk->gate[t] != desk->gate[t - 1];
            events += happens;
            beside += happens && !changes;
            idle += changes && !happens;
        }
    }
    return beside * 2 > events ? UINT64_MAX : beside * 8 + idle;
}

/* The gates that are worth a trial, best first. */
static uint32_t rank_gates(trial *at, uint32_t *out) {
    uint64_t badness[TRIAL_GATES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < fields_of(at) && !seal_is_cancelled(at->desc); i++) {
        const seal_field *gate = seal_run_field(at->run, at->field->type, i);
        uint64_t bad = gate->count > 0 && may_use(at, gate) ? gate_badness(at, gate) : UINT64_MAX;
        if (bad == UINT64_MAX || (count == TRIAL_GATES && bad >= badness[count - 1])) {
            continue;
        }
        uint32_t place = count < TRIAL_GATES ? count++ : count - 1;
        for (; place > 0 && badness[place - 1] > bad; place--) {
            badness[place] = badness[place - 1];
            out[place] = out[place - 1];
        }
        badness[place] = bad;
        out[place] = i;
    }
    return count;
}

static void keep_cheaper(trial *at, const seal_model *model, seal_model *best, uint64_t *least) {
    uint64_t cost = cost_of_memo(at, model);
    if (cost < *least) {
        *least = cost;
        *best = *model;
    }
}

/* Every way to ask the memo at a gate: for the value or the difference, with the value before or not, with one more
 * field or none. */
static void try_gate(trial *at, uint32_t gate, seal_model *best, uint64_t *least) {
    seal_model model = at->field->model;
    model.gate = (seal_ref){.field = gate};
    for (int way = 0; way < 4; way++) {
        model.target = way & 1 ? MEMO_DELTA : MEMO_VALUE;
        model.key_own = way & 2;
        keep_cheaper(at, &model, best, least);
    }
    if (best->gate.field != gate) {
        return;
    }
    for (uint32_t i = 0; i < fields_of(at) && !seal_is_cancelled(at->desc); i++) {
        const seal_field *key = seal_run_field(at->run, at->field->type, i);
        if (i == gate || key->count == 0 || !may_use(at, key)) {
            continue;
        }
        model.key = (seal_ref){.field = i};
        for (int way = 0; way < 3; way++) {
            model.target = way == 0 ? MEMO_VALUE : MEMO_DELTA;
            model.key_own = way == 2;
            keep_cheaper(at, &model, best, least);
        }
    }
}

static void search_gate(trial *at) {
    uint32_t gates[TRIAL_GATES], count = rank_gates(at, gates);
    seal_model best = at->field->model, own = best;
    uint64_t before = sum_of_costs(at), least = before;
    own.key_own = true;
    keep_cheaper(at, &own, &best, &least);
    for (uint32_t i = 0; i < count; i++) {
        try_gate(at, gates[i], &best, &least);
    }
    if (least < before - before / 16) {
        at->field->model = best;
    }
}

/* ---- all fields ---- */

/* The difference that holds the majority of a few columns, if it does: how a countdown goes on. */
static uint64_t majority_step(trial *at) {
    uint64_t step = 0, held = 0, all = 0;
    int64_t weight = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < at->count; c++) {
            const seal_column *column = &at->run->columns[at->columns[c]];
            uint32_t span = life_span(&at->run->lives[column->life]);
            seal_expand_column(at->run, at->field, column, at->desk->values);
            for (uint32_t t = 1; t < span; t++) {
                uint64_t delta = (at->desk->values[t] - at->desk->values[t - 1]) & at->field->shape.mask;
                if (pass == 0) {
                    step = weight == 0 ? delta : step;
                    weight += delta == step ? 1 : -1;
                } else {
                    held += delta == step;
                    all++;
                }
            }
        }
    }
    return held * 2 > all ? step : 0;
}

static trial begin_trial(const seal_desc *desc, seal_run *run, seal_desk *desk, seal_field *field) {
    trial at = {.desc = desc, .run = run, .desk = desk, .field = field};
    at.count = field->count < TRIAL_COLUMNS ? field->count : TRIAL_COLUMNS;
    for (uint32_t c = 0; c < at.count; c++) {
        at.columns[c] = field->first + (uint32_t)((uint64_t)field->count * (2 * c + 1) / (2 * at.count));
    }
    field->model.has_memo = true;
    field->model.step = majority_step(&at);
    memset(desk->memo, 0, sizeof *desk->memo);
    for (uint32_t c = 0; c < at.count; c++) {
        const seal_column *column = &run->columns[at.columns[c]];
        seal_expand_column(run, field, column, desk->values);
        column_walk walk = seal_walk(run, field, column, desk);
        seal_choose(&walk, desk);
        at.costs[c] = seal_cost(desk->residuals, walk.count, walk.mask);
    }
    return at;
}

static uint64_t needed_by(const seal_run *run, uint16_t type, seal_ref ref) {
    return ref.field == SEAL_NONE ? 0 : (uint64_t)1 << ref.field | seal_run_field(run, type, ref.field)->needs;
}

/* A field has its model: what it needs is needed by all that need it. */
static void settle(seal_run *run, seal_field *field) {
    const seal_model *model = &field->model;
    field->needs = needed_by(run, field->type, model->mover) | needed_by(run, field->type, model->gate) |
                   needed_by(run, field->type, model->key);
    for (uint32_t i = 0; field->needs != 0 && i < run->schema->types[field->type].field_count; i++) {
        seal_field *other = seal_run_field(run, field->type, i);
        other->needs |= other->needs >> field->index & 1 ? field->needs : 0;
    }
}

static void search_field(const seal_desc *desc, seal_run *run, seal_desk *desk, seal_field *field) {
    if (!is_narrow(field) || field->changes < TRIAL_CHANGES || field->index >= TRIAL_FIELDS ||
        seal_is_cancelled(desc)) {
        field->model.has_memo = false;
        return;
    }
    trial at = begin_trial(desc, run, desk, field);
    search_mover(&at);
    search_gate(&at);
    settle(run, field);
}

/* A field after those it needs. */
static void put_in_order(seal_run *run, uint32_t number, uint32_t *order, uint32_t *count) {
    seal_field *field = &run->fields[number];
    if (field->is_ordered) {
        return;
    }
    field->is_ordered = true;
    const seal_ref refs[] = {field->model.mover, field->model.gate, field->model.key};
    for (size_t i = 0; i < sizeof refs / sizeof refs[0]; i++) {
        if (refs[i].field != SEAL_NONE) {
            put_in_order(run, run->type_first[field->type] + refs[i].field, order, count);
        }
    }
    order[(*count)++] = number;
}

void seal_model_search(const seal_desc *desc, seal_run *run, seal_desk *desk, uint32_t *order) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->field_count; i++) {
        search_field(desc, run, desk, &run->fields[i]);
    }
    for (uint32_t i = 0; i < run->field_count; i++) {
        put_in_order(run, i, order, &count);
    }
}
