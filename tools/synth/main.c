/* eddy_synth DESCRIPTION OUT.ogg          makes one sound and judges it as decoded
 * eddy_synth --check SOUNDS.json FOLDER   judges built files */
#include "synth.h"

#include <stdio.h>
#include <string.h>

/** A stream number from the file's name, so that files differ and rebuilds do not. */
static uint32_t serial_of(const char *path) {
    const char *slash = strrchr(path, '/');
    uint64_t sum = 0;
    for (const char *c = slash ? slash + 1 : path; *c; c++)
        sum = synth_noise_bits(sum, (unsigned char)*c);
    return (uint32_t)(sum & 0x7fffffff);
}

static eddy_result judge_file(const char *path, const synth_sound *sound, eddy_error *error) {
    synth_audio audio;
    synth_measurement measured;
    eddy_result result = synth_decode(path, &audio, error);
    if (result)
        return result;
    result = synth_measure(&audio, &measured, error);
    synth_audio_destroy(&audio);
    return result ? result : synth_judge(path, &measured, sound->count, sound->channels, sound->loop, error);
}

static eddy_result make(const char *description, const char *path, eddy_error *error) {
    synth_sound *sound;
    synth_audio audio;
    eddy_result result = synth_parse_file(description, &sound, error);
    if (result)
        return result;
    result = synth_render(sound, &audio, error);
    if (!result) {
        result = synth_encode(&audio, path, sound->quality, serial_of(path), error);
        synth_audio_destroy(&audio);
    }
    if (!result)
        result = judge_file(path, sound, error);
    synth_sound_destroy(sound);
    return result;
}

int main(int argc, char **argv) {
    static const char usage[] = "usage: eddy_synth DESCRIPTION.txt OUT.ogg\n"
                                "       eddy_synth --check SOUNDS.json FOLDER\n";
    eddy_error error = {0};
    eddy_result result;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--check")) {
        result = synth_check(argv[2], argv[3], &error);
    } else if (argc == 3 && argv[1][0] != '-') {
        result = make(argv[1], argv[2], &error);
    } else {
        fputs(usage, stderr);
        return 2;
    }
    if (result)
        fprintf(stderr, "eddy_synth: %s\n", error.text);
    return result ? 1 : 0;
}
