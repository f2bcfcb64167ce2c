#include "bench.h"

#include <string.h>

static const bench_scene scenes[] = {
    {"smooth", "252 entities in 400-byte structs, 30 of them on the move: balls, walkers, flyers, shots; 10 animate",
     true, BENCH_MOTION_SMOOTH, &bench_motion_smooth, bench_motion_open},
    {"noise", "smooth, and every mover is pushed at random in every frame", true, BENCH_MOTION_NOISE,
     &bench_motion_noise, bench_motion_open},
    {"quiet", "as many, but 6 balls and 20 walkers of one speed on flat ground", true, BENCH_MOTION_SMOOTH,
     &bench_motion_quiet, bench_motion_open},
    {"plain", "smooth, with its 212 constants handed over in every frame like everything else", false,
     BENCH_MOTION_SMOOTH, &bench_motion_plain, bench_motion_open},
    {"first-lamp", "the game's first level, played by its solution over and over", false, BENCH_MOTION_GAME,
     "first-lamp", bench_level_open},
    {"millwheel", "the game's second level, played by its solution over and over", false, BENCH_MOTION_GAME,
     "millwheel", bench_level_open},
    {"loft", "500 movers and 64 sounds: heavy", false, BENCH_MOTION_SMOOTH, &bench_motion_loft, bench_motion_open},
    {"constants", "smooth, with 100,000 constants instead of 212: they must cost nothing a frame", false,
     BENCH_MOTION_SMOOTH, &bench_motion_constants, bench_motion_open},
};

const bench_scene bench_scene_trace = {"trace", "a recording's last line", false, BENCH_MOTION_ANY,
                                       NULL,    bench_trace_open};

const bench_scene *bench_scenes(uint32_t *count) {
    *count = sizeof scenes / sizeof scenes[0];
    return scenes;
}

const bench_scene *bench_scene_find(const char *name) {
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    return NULL;
}

double bench_source_rate(const bench_source *source) {
    return (double)source->rate_num / source->rate_den;
}

uint32_t bench_source_frames(const bench_source *source, double minutes) {
    const double frames = minutes * 60 * bench_source_rate(source);
    return frames < 1 ? 1 : frames >= UINT32_MAX ? UINT32_MAX : (uint32_t)frames;
}
