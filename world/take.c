/* Becoming a recorded frame: checked whole, then swapped in. No rule runs, nothing is made or heard. */
#include "inside.h"

static bool type_rewinds(uint32_t type) {
    return type < WORLD_CLOCK;
}

static bool type_is_immune(uint32_t type) {
    return type == WORLD_PAN || type == WORLD_WHEEL || type == WORLD_SOUND || type == WORLD_CLOCK;
}

/* The two lists a reference may lead into: the view that is checked, and the kind of time that stays. */
typedef struct reference_scope {
    const eddy_view *view;
    eddy_view others;
    bool immune;
} reference_scope;

static const eddy_entity *scope_find(const reference_scope *scope, eddy_id id) {
    bool in_view = ((id & EDDY_ID_IMMUNE) != 0) == scope->immune;
    return eddy_view_find(in_view ? scope->view : &scope->others, id);
}

/* `id` is 0 or an entity of one of two types. */
static eddy_result check_reference(const reference_scope *scope, const eddy_entity *from, const char *field, eddy_id id,
                                   world_type type, world_type or_type, eddy_error *error) {
    if (id == 0)
        return EDDY_OK;
    const eddy_schema *schema = world_schema();
    const eddy_entity *found = scope_find(scope, id);
    if (found && (found->type == type || found->type == or_type))
        return EDDY_OK;
    return eddy_fail(error, EDDY_E_ENTITY,
                     "entity %u (%s): %s is %u, expected 0 or a %s or %s, found %s; the recording is of another level "
                     "or damaged: try `eddy verify`",
                     (unsigned)from->id, schema->types[from->type].name, field, (unsigned)id, schema->types[type].name,
                     schema->types[or_type].name, found ? schema->types[found->type].name : "nothing");
}

static eddy_result check_pan(const reference_scope *scope, const eddy_entity *entity, eddy_error *error) {
    const world_pan *pan = entity->data;
    eddy_result result = check_reference(scope, entity, "wheel", pan->wheel, WORLD_WHEEL, WORLD_WHEEL, error);
    if (!result)
        result = check_reference(scope, entity, "lever", pan->lever, WORLD_LEVER, WORLD_LEVER, error);
    if (!result && pan->wheel && ((pan->wheel ^ entity->id) & EDDY_ID_IMMUNE))
        return eddy_fail(error, EDDY_E_ENTITY, "entity %u (world_pan): only one of the pan and its wheel %u is immune",
                         (unsigned)entity->id, (unsigned)pan->wheel);
    return result;
}

static eddy_result check_sound(const reference_scope *scope, const eddy_entity *entity, eddy_error *error) {
    const eddy_sound *sound = entity->data;
    if (sound->emitter == 0 || scope_find(scope, sound->emitter))
        return EDDY_OK;
    return eddy_fail(error, EDDY_E_ENTITY,
                     "entity %u (eddy_sound): emitter is %u, expected 0 or an entity, found nothing",
                     (unsigned)entity->id, (unsigned)sound->emitter);
}

static eddy_result check_references(const reference_scope *scope, const eddy_entity *entity, eddy_error *error) {
    switch (entity->type) {
    case WORLD_GAME:
        return check_reference(scope, entity, "moth", ((const world_game *)entity->data)->moth, WORLD_MOTH, WORLD_MOTH,
                               error);
    case WORLD_MOTH:
        return check_reference(scope, entity, "support", ((const world_moth *)entity->data)->support, WORLD_PAN,
                               WORLD_GATE, error);
    case WORLD_KETTLE:
        return check_reference(scope, entity, "support", ((const world_kettle *)entity->data)->support, WORLD_PAN,
                               WORLD_GATE, error);
    case WORLD_PAN:
        return check_pan(scope, entity, error);
    case WORLD_WHEEL:
        return check_reference(scope, entity, "lever", ((const world_wheel *)entity->data)->lever, WORLD_LEVER,
                               WORLD_LEVER, error);
    case WORLD_GATE:
        return check_reference(scope, entity, "lever", ((const world_gate *)entity->data)->lever, WORLD_LEVER,
                               WORLD_LEVER, error);
    case WORLD_SOUND:
        return check_sound(scope, entity, error);
    default:
        return EDDY_OK;
    }
}

/* Is every entity of a type and with an id that belong to this kind of time, and is there room for it? */
static eddy_result check_kinds(const world *w, const eddy_view *view, bool immune, uint32_t counts[WORLD_TYPE_COUNT],
                               eddy_error *error) {
    const eddy_schema *schema = world_schema();
    const store *s = immune ? &w->immune : &w->now;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        const char *name = schema->types[entity->type].name;
        if (immune ? !type_is_immune(entity->type) : !type_rewinds(entity->type))
            return eddy_fail(error, EDDY_E_ENTITY, "entity %u: a %s has no place among %s entities",
                             (unsigned)entity->id, name, immune ? "immune" : "rewindable");
        if (((entity->id & EDDY_ID_IMMUNE) != 0) != immune)
            return eddy_fail(error, EDDY_E_ENTITY, "entity %u (%s): the id is %s, expected otherwise",
                             (unsigned)entity->id, name, immune ? "rewindable" : "immune");
        if (++counts[entity->type] > s->pools[entity->type].capacity)
            return eddy_fail(error, EDDY_E_LIMIT, "more than %u of %s, found number %u at entity %u",
                             (unsigned)s->pools[entity->type].capacity, name, (unsigned)counts[entity->type],
                             (unsigned)entity->id);
    }
    return EDDY_OK;
}

/* Exactly one of what there is one of, and an id counter beyond every id. */
static eddy_result check_singles(const eddy_view *view, bool immune, const uint32_t counts[WORLD_TYPE_COUNT],
                                 const store *constants, eddy_error *error) {
    uint32_t next_id = UINT32_MAX;
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->entities[i].type == WORLD_GAME)
            next_id = ((const world_game *)view->entities[i].data)->next_id;
        if (view->entities[i].type == WORLD_CLOCK)
            next_id = ((const world_clock *)view->entities[i].data)->next_id;
    }
    if (immune ? (view->count > 0 && counts[WORLD_CLOCK] != 1) : (counts[WORLD_GAME] != 1 || counts[WORLD_MOTH] != 1))
        return immune ? eddy_fail(error, EDDY_E_ENTITY, "expected one world_clock, found %u", counts[WORLD_CLOCK])
                      : eddy_fail(error, EDDY_E_ENTITY, "expected one world_game and one world_moth, found %u and %u",
                                  counts[WORLD_GAME], counts[WORLD_MOTH]);
    eddy_id last = view->count ? view->entities[view->count - 1].id : 0;
    if (!immune && constants->all.count && constants->all.entities[constants->all.count - 1].id > last)
        last = constants->all.entities[constants->all.count - 1].id;
    if (next_id <= last)
        return eddy_fail(error, EDDY_E_VALUE, "next_id is %u, expected more than the last id %u", (unsigned)next_id,
                         (unsigned)last);
    return EDDY_OK;
}

eddy_result take_check(const world *w, const eddy_view *view, bool immune, eddy_error *error) {
    uint32_t counts[WORLD_TYPE_COUNT] = {0};
    eddy_result result = eddy_view_check(world_schema(), view, error);
    if (!result)
        result = check_kinds(w, view, immune, counts, error);
    if (!result)
        result = check_singles(view, immune, counts, &w->constants, error);
    reference_scope scope = {view, immune ? world_view(w) : world_immune(w), immune};
    for (uint32_t i = 0; i < view->count && !result; i++)
        result = check_references(&scope, &view->entities[i], error);
    return result;
}

/* Fills the spare store, then swaps: the view may lie in the store that is left. */
static void commit(store *now, store *spare, const eddy_view *view) {
    store_clear(spare);
    for (uint32_t i = 0; i < view->count; i++)
        store_put(spare, view->entities[i].id, view->entities[i].type, view->entities[i].data);
    store left = *now;
    *now = *spare;
    *spare = left;
}

eddy_result world_take(world *w, const eddy_view *view, eddy_error *error) {
    eddy_result result = take_check(w, view, false, error);
    if (result)
        return result;
    commit(&w->now, &w->spare, view);
    pans_rest(&w->now, w->motions);
    return EDDY_OK;
}

eddy_result world_take_immune(world *w, const eddy_view *view, eddy_error *error) {
    eddy_result result = take_check(w, view, true, error);
    if (result)
        return result;
    commit(&w->immune, &w->immune_spare, view);
    pans_rest(&w->immune, w->immune_motions);
    return EDDY_OK;
}
