/* Judges built sound files by sounds.json, read as the game reads it. */
#include "synth.h"

#include "world/world.h"

#include <stdio.h>

static void print_row(const char *key, const synth_measurement *m, bool loop) {
    printf("%-12s %7.3f s %u ch  peak %6.2f  rms %6.2f  LUFS %6.2f  first %6.1f  least %6.1f  dc %.6f  "
           "step %.4f / %.4f",
           key, (double)m->count / SYNTH_RATE, m->channels, m->peak_db, m->rms_db, m->loudness_lufs, m->first_rms_db,
           m->least_rms_db, m->dc, m->step_p999, m->step_max);
    if (loop)
        printf("  seam %.6f (%.3f)\n", m->seam, m->seam_ratio);
    else
        printf("  edge %.6f\n", m->edge);
}

static eddy_result check_one(const world_sound_def *def, const char *folder, eddy_error *error) {
    char path[4096];
    synth_audio audio;
    synth_measurement measured;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, def->file) >= sizeof path)
        return eddy_fail(error, EDDY_E_LIMIT, "%.100s...: the path is too long", path);
    eddy_result result = synth_decode(path, &audio, error);
    if (result)
        return result;
    result = synth_measure(&audio, &measured, error);
    synth_audio_destroy(&audio);
    if (result)
        return result;
    bool loop = def->repeat == EDDY_SOUND_LOOP;
    bool stereo = def->category == EDDY_CATEGORY_MUSIC || def->category == EDDY_CATEGORY_AMBIENCE;
    print_row(def->key, &measured, loop);
    return synth_judge(def->key, &measured, (size_t)def->length, stereo ? 2 : 1, loop, error);
}

eddy_result synth_check(const char *json_path, const char *folder, eddy_error *error) {
    static world_catalog catalog;
    eddy_result result = world_catalog_load(json_path, &catalog, error);
    if (result)
        return result;
    /* All are printed even when one is bad; the first bad one is told. */
    for (uint32_t i = 0; i < catalog.count; i++) {
        eddy_error later;
        eddy_result one = check_one(catalog.sounds + i, folder, result ? &later : error);
        result = result ? result : one;
    }
    return result;
}
