/* A scene played to find out what it is: how large, how restless, and a digest of every frame. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "bench.h"
#include "tool.h"

#define IMAGE_BYTES_LARGE ((size_t)8 << 20)
#define IMAGE_FRAMES_LARGE 12u /**< the baselines record so many frames larger than that */

uint64_t bench_view_digest(const eddy_schema *schema, const eddy_view *view) {
    uint64_t digest = view->count;
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        const uint64_t who = (uint64_t)entity->type << 32 | entity->id;
        digest =
            digest * 0x9e3779b97f4a7c15u ^ XXH3_64bits_withSeed(entity->data, schema->types[entity->type].size, who);
    }
    return digest;
}

uint64_t bench_image_digest(const uint8_t *image, size_t bytes) {
    return XXH3_64bits(image, bytes);
}

/* ---- images ---- */

eddy_result bench_player_begin(bench_player *player, bench_source *source, bench_slots *slots, eddy_error *error) {
    *player = (bench_player){.source = source, .slots = slots, .frame = UINT32_MAX};
    bench_slots_reset(slots);
    eddy_result result = source->rewind(source, error);
    for (int i = 0; i < 2 && result == EDDY_OK; i++) {
        player->images[i] = calloc(1, slots->image_bytes);
        if (player->images[i])
            bench_slots_draw_constants(slots, &source->constants, player->images[i]);
        else
            result = eddy_fail(error, EDDY_E_MEMORY, "no memory for images of %zu bytes", slots->image_bytes);
    }
    return result;
}

eddy_result bench_player_next(bench_player *player, eddy_error *error) {
    const eddy_result result = player->source->next(player->source, &player->view, error);
    if (result != EDDY_OK)
        return result;
    if (!bench_slots_follow(player->slots, &player->view))
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the slots of a frame");
    player->frame++;
    uint8_t *image = player->images[player->frame % 2];
    bench_slots_draw(player->slots, &player->view, image);
    player->now = image;
    player->before = player->images[(player->frame + 1) % 2];
    return EDDY_OK;
}

void bench_player_end(bench_player *player) {
    free(player->images[0]);
    free(player->images[1]);
    player->images[0] = player->images[1] = NULL;
}

/* ---- the survey ---- */

static size_t structs_bytes(const eddy_schema *schema, const eddy_view *view) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < view->count; i++)
        bytes += schema->types[view->entities[i].type].size;
    return bytes;
}

/** Sizes, slots and the digests of views. */
static eddy_result survey_views(bench_source *source, bench_survey *out, eddy_error *error) {
    eddy_result result = source->rewind(source, error);
    const size_t constant_bytes = result == EDDY_OK ? structs_bytes(source->schema, &source->constants) : 0;
    for (uint32_t frame = 0; frame < source->frames && result == EDDY_OK && !tool_interrupted; frame++) {
        eddy_view view;
        result = source->next(source, &view, error);
        if (result != EDDY_OK)
            break;
        const size_t bytes = constant_bytes + structs_bytes(source->schema, &view);
        if (bytes > out->state_bytes)
            out->state_bytes = bytes;
        if (source->constants.count + view.count > out->entities_max)
            out->entities_max = source->constants.count + view.count;
        out->view_digests[frame] = bench_view_digest(source->schema, &view);
        if (!bench_slots_follow(&out->slots, &view))
            result = eddy_fail(error, EDDY_E_MEMORY, "no memory for the slots of a frame");
    }
    if (result == EDDY_OK)
        bench_slots_lay_out(&out->slots, &source->constants);
    return result;
}

static uint32_t words_that_differ(const uint8_t *a, const uint8_t *b, size_t bytes) {
    uint32_t count = 0;
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        count += memcmp(a + i, b + i, 4) != 0;
    return count;
}

/** Digests of images, and what changes from one to the next. The scene must play as it did before. */
static eddy_result survey_images(bench_source *source, bench_survey *out, eddy_error *error) {
    bench_player player;
    const size_t bytes = out->slots.image_bytes;
    uint64_t words = 0;
    out->image_frames =
        bytes > IMAGE_BYTES_LARGE && source->frames > IMAGE_FRAMES_LARGE ? IMAGE_FRAMES_LARGE : source->frames;
    eddy_result result = bench_player_begin(&player, source, &out->slots, error);
    for (uint32_t frame = 0; frame < out->image_frames && result == EDDY_OK && !tool_interrupted; frame++) {
        result = bench_player_next(&player, error);
        if (result != EDDY_OK)
            break;
        if (bench_view_digest(source->schema, &player.view) != out->view_digests[frame])
            result = eddy_fail(error, EDDY_E_VALUE, "frame %u is not the same when played again", frame);
        out->image_digests[frame] = bench_image_digest(player.now, bytes);
        words += frame ? words_that_differ(player.before, player.now, bytes) : 0;
    }
    bench_player_end(&player);
    if (out->image_frames > 1)
        out->words_changed = (double)words / (out->image_frames - 1);
    return result;
}

eddy_result bench_survey_make(bench_source *source, bench_survey *out, eddy_error *error) {
    *out = (bench_survey){.view_digests = calloc(source->frames, sizeof(uint64_t)),
                          .image_digests = calloc(source->frames, sizeof(uint64_t))};
    if (!out->view_digests || !out->image_digests || !bench_slots_begin(&out->slots, source->schema))
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the digests of %u frames", source->frames);
    eddy_result result = survey_views(source, out, error);
    if (result == EDDY_OK && !tool_interrupted)
        result = survey_images(source, out, error);
    return result;
}

void bench_survey_free(bench_survey *survey) {
    bench_slots_free(&survey->slots);
    free(survey->view_digests);
    free(survey->image_digests);
    *survey = (bench_survey){0};
}
