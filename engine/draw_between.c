/* Positions between two shown frames, so that motion is smooth on a screen of any rate. */
#include "draw_parts.h"

#include <math.h>

eddy_vec2 draw_between(eddy_vec2 before, eddy_vec2 now, float alpha) {
    float dx = now.x - before.x, dy = now.y - before.y;
    if (!(fabsf(dx) <= DRAW_JUMP_PX && fabsf(dy) <= DRAW_JUMP_PX)) {
        return now; /* a jump, or not a number */
    }
    return (eddy_vec2){before.x + dx * alpha, before.y + dy * alpha};
}

const void *draw_before(const engine_picture *picture, eddy_id id, uint16_t type) {
    const eddy_entity *found = picture->before ? eddy_view_find(picture->before, id) : NULL;
    return found && found->type == type ? found->data : NULL;
}

double draw_time_of(const engine_picture *picture) {
    double now = world_game_of(picture->world)->frame;
    for (uint32_t i = 0; picture->before && i < picture->before->count; i++) {
        if (picture->before->entities[i].type == WORLD_GAME) {
            double before = ((const world_game *)picture->before->entities[i].data)->frame;
            return fabs(now - before) <= 16 ? before + (now - before) * (double)picture->alpha : now;
        }
    }
    return now;
}

/* Every world struct with a place begins with it, but for the game, the level and sounds, which are not drawn. */
static eddy_vec2 place_of(const void *data) {
    const float *xy = data;
    return (eddy_vec2){xy[0], xy[1]};
}

static void each_of(engine_draw *draw, eddy_view view, uint16_t type, draw_each_fn *each) {
    for (uint32_t i = 0; i < view.count; i++) {
        const eddy_entity *entity = &view.entities[i];
        if (entity->type != type) {
            continue;
        }
        eddy_vec2 at = place_of(entity->data);
        const void *before = draw_before(draw->picture, entity->id, type);
        if (before) {
            at = draw_between(place_of(before), at, draw->picture->alpha);
        }
        each(draw, entity, at);
    }
}

void draw_each(engine_draw *draw, uint16_t type, draw_each_fn *each) {
    each_of(draw, world_view(draw->picture->world), type, each);
    each_of(draw, world_immune(draw->picture->world), type, each);
}
