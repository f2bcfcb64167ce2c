/* A program that is not Kettlewick, with the sound alone: a sound entity on its own clock, and ears without a device. */
#include <eddy/audio/audio.h>
#include <stdio.h>

int main(void) {
    const eddy_audio_desc desc = {.device = EDDY_AUDIO_NONE};
    eddy_audio *audio;
    eddy_error error;
    if (eddy_audio_create(&desc, &audio, &error) != EDDY_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    /* A second of sound lives 66 frames, whatever is heard of it. */
    eddy_sound sound = {.length = EDDY_SOUND_RATE, .gain = 1, .pitch = 1, .asset = "chime"};
    int frames = 0;
    while (!eddy_sound_over(&sound)) {
        const eddy_audio_sound heard = {1, &sound};
        const eddy_audio_scene scene = {.sounds = &heard, .count = 1};
        eddy_audio_look(audio, &scene);
        eddy_sound_step(&sound, EDDY_SOUND_RATE / 60.0, 1);
        frames++;
    }
    eddy_audio_destroy(audio);
    if (frames != 66) {
        fprintf(stderr, "expected 66 frames, got %d\n", frames);
        return 1;
    }
    puts("audio");
    return 0;
}
