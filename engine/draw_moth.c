/* Moth: a small courier in a paper cloak. Every pose follows from the recorded state, so it plays backward too. */
#include "draw_parts.h"

#include <math.h>

#define RUN_SPEED 200.0f /* px/s at which the pose is fully leaned */

/* How the body stands, from the state alone. */
typedef struct moth_pose {
    float stretch_x, stretch_y; /* squash about the feet */
    float lean, spin;           /* radians; the spin is about the middle */
    float stride;               /* radians of the run cycle */
    float run;                  /* 0 standing .. 1 running */
    float rise;                 /* -1 falling fast .. 1 rising fast */
    float fade;
} moth_pose;

static moth_pose pose_of(const engine_draw *draw, const world_moth *moth, eddy_vec2 at) {
    moth_pose pose = {.stretch_x = 1, .stretch_y = 1, .fade = 1};
    float since = (float)(draw->time - moth->state_since), facing = moth->facing < 0 ? -1.0f : 1.0f;
    pose.run = moth->on_ground ? paint_clamp(fabsf(moth->vx) / RUN_SPEED, 0, 1) : 0;
    pose.rise = moth->on_ground ? 0 : paint_clamp(-moth->vy / 420.0f, -1, 1);
    pose.stride = at.x / 13.0f * facing;
    pose.lean = paint_clamp(moth->vx / RUN_SPEED, -1.4f, 1.4f) * facing * 0.13f;
    float stretch = 0.16f * fabsf(pose.rise) * (pose.rise > 0 ? 1.0f : 0.7f);
    if (moth->on_ground && moth->land_frames > 0 && moth->land_frames < 12) {
        float t = (float)moth->land_frames / 12.0f;
        stretch -= 0.24f * (1 - t) * cosf(t * 7.0f);
    }
    if (moth->state == MOTH_RISE) { /* the crouch that the jump sprang from is still seen for a moment */
        stretch -= 0.20f * (1 - paint_step(0, 5, since));
    }
    float breath = moth->state == MOTH_IDLE ? sinf((float)fmod(draw->time * 0.055, 6.283185307)) * 0.022f : 0;
    pose.stretch_y = 1 + stretch + breath;
    pose.stretch_x = 1 - stretch * 0.75f - breath * 0.6f;
    if (moth->state == MOTH_DYING) {
        pose.spin = facing * -0.16f * since / (1 + since * 0.012f);
        pose.stretch_x = pose.stretch_y = 1 - 0.2f * paint_step(0, 50, since);
        pose.fade = 1 - 0.85f * paint_step(22, 60, since);
    } else if (moth->state == MOTH_LEAVING) {
        pose.fade = 1 - paint_step(26, 70, since);
    }
    return pose;
}

/* The body's place: its origin is between the feet, y up is negative, x forward. */
static draw_place body_place(const world_moth *moth, eddy_vec2 at, const moth_pose *pose) {
    float facing = moth->facing < 0 ? -1.0f : 1.0f;
    float drift = moth->state == MOTH_LEAVING ? (1 - pose->fade) * -18 : 0;
    draw_place middle = draw_place_at(at.x, at.y + drift, pose->spin, facing, 1);
    draw_place feet = draw_place_at(0, MOTH_HALF_H, 0, pose->stretch_x, pose->stretch_y);
    return draw_place_in(middle, draw_place_in(feet, draw_place_at(0, 0, pose->lean, 1, 1)));
}

/* Where the lantern's ring is, in the body's place. */
static draw_place lantern_place(const engine_draw *draw, const world_moth *moth, const moth_pose *pose) {
    float forward = moth->vx * (moth->facing < 0 ? -1.0f : 1.0f);
    float swing = forward / RUN_SPEED * 0.22f + pose->rise * -0.22f;
    swing += sinf((float)fmod(draw->time * 0.07, 6.283185307)) * 0.08f + sinf(pose->stride) * 0.20f * pose->run;
    float bob = fabsf(sinf(pose->stride)) * -1.6f * pose->run;
    return draw_place_at(15.5f, -27 + bob, swing, 0.92f, 0.92f);
}

eddy_vec2 draw_moth_lantern(const engine_draw *draw, const world_moth *moth, eddy_vec2 at) {
    moth_pose pose = pose_of(draw, moth, at);
    draw_place place = draw_place_in(body_place(moth, at, &pose), lantern_place(draw, moth, &pose));
    const float down = 8; /* to the light inside */
    return (eddy_vec2){place.xy * down + place.x0, place.yy * down + place.y0};
}

static void show_legs(engine_draw *draw, const moth_pose *pose, draw_place body, SDL_Color color) {
    const draw_sprite *leg = &draw->atlas.art[ART_MOTH_LEG];
    for (int i = 0; i < 2; i++) {
        float turn = sinf(pose->stride + (float)i * 3.14159f) * 0.85f * pose->run;
        float lift = paint_clamp(cosf(pose->stride + (float)i * 3.14159f), 0, 1) * 3.2f * pose->run;
        if (pose->rise != 0) { /* in the air: one tucked, one reaching */
            turn = i ? 0.5f - 0.35f * pose->rise : -0.25f - 0.35f * pose->rise;
            lift = i ? 3 : 1;
        }
        draw_place at = draw_place_at(i ? 3.2f : -3.2f, -10.5f - lift, turn, 1, 1);
        draw_put(draw, leg, draw_place_in(body, at), color);
    }
}

/* The tail of the cloak streams behind: two pieces, the outer one later and farther. */
static void show_cape(engine_draw *draw, const world_moth *moth, const moth_pose *pose, draw_place body,
                      SDL_Color color) {
    const draw_sprite *cape = &draw->atlas.art[ART_MOTH_CAPE];
    float forward = moth->vx * (moth->facing < 0 ? -1.0f : 1.0f);
    float stream = paint_clamp(forward / RUN_SPEED, -0.4f, 1.3f);
    float wave = sinf((float)fmod(draw->time * 0.19, 6.283185307)) * (0.04f + 0.10f * stream) +
                 sinf(pose->stride * 2) * 0.06f * pose->run;
    float turn = 0.16f + stream * 0.62f + wave + (pose->rise < 0 ? -pose->rise * 1.05f : -pose->rise * 0.22f);
    draw_place neck = draw_place_in(body, draw_place_at(-3.5f, -29, turn, 1, 1.0f + 0.10f * fabsf(stream)));
    draw_put(draw, cape, neck, color);
    draw_place tip = draw_place_in(neck, draw_place_at(-0.5f, cape->h * 0.42f, 0.22f + wave * 1.7f, 0.72f, 0.72f));
    draw_put(draw, cape, tip, color);
}

void draw_moth(engine_draw *draw, const world_moth *moth, eddy_vec2 at, SDL_Color color) {
    moth_pose pose = pose_of(draw, moth, at);
    draw_place body = body_place(moth, at, &pose);
    color.a = (uint8_t)((float)color.a * pose.fade);
    float bob = fabsf(sinf(pose.stride)) * -1.6f * pose.run;
    float nod = sinf(pose.stride * 2) * 0.05f * pose.run + pose.rise * -0.16f;
    show_cape(draw, moth, &pose, body, color);
    show_legs(draw, &pose, body, color);
    draw_put(draw, &draw->atlas.art[ART_MOTH_CLOAK], draw_place_in(body, draw_place_at(0, -5.5f + bob, 0, 1, 1)),
             color);
    draw_put(draw, &draw->atlas.art[ART_MOTH_HEAD], draw_place_in(body, draw_place_at(1.5f, -29 + bob, nod, 1, 1)),
             color);
    draw_put(draw, &draw->atlas.art[ART_MOTH_LANTERN], draw_place_in(body, lantern_place(draw, moth, &pose)), color);
}
