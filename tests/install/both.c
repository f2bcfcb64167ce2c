/* A program that is not Kettlewick, with both: sounds are recorded as the entities they are. */
#include <eddy/audio/audio.h>
#include <eddy/rewind/rewind.h>
#include <stdio.h>

EDDY_FIELDS(eddy_sound, EDDY_SOUND_FIELDS);

int main(void) {
    static const eddy_sound fresh = {.pitch = 1};
    eddy_type types[] = {EDDY_TYPE(eddy_sound, &fresh)};
    const eddy_schema schema = {.types = types, .type_count = 1};
    const eddy_timeline_desc desc = {.schema = &schema};
    eddy_timeline *timeline = NULL;
    eddy_audio *audio = NULL;
    eddy_error error = {.text = ""};
    int status = 1;
    if (eddy_timeline_create(&desc, &timeline, &error) == EDDY_OK &&
        eddy_audio_create(&(eddy_audio_desc){.device = EDDY_AUDIO_NONE}, &audio, &error) == EDDY_OK) {
        eddy_sound sound = {.gain = 1, .pitch = 1, .asset = "chime", .repeat = EDDY_SOUND_LOOP};
        for (int frame = 0; frame < 10; frame++) {
            const eddy_entity entity = {1, 0, &sound};
            eddy_timeline_append(timeline, &(eddy_view){&entity, 1}, &error);
            eddy_sound_step(&sound, 800, 1);
        }
        eddy_view back;
        if (eddy_timeline_read(timeline, 4, &back, &error) == EDDY_OK)
            status = ((const eddy_sound *)back.entities[0].data)->position == 3200 ? 0 : 1;
    }
    if (status)
        fprintf(stderr, "%s\n", error.text);
    else
        puts("both");
    eddy_audio_destroy(audio);
    eddy_timeline_destroy(timeline);
    return status;
}
