/* A room: eight delay lines that feed each other (Householder matrix), two all-passes before them. In a loop it is run
 * once round its own tail first, so it begins as it ends. Its mirror runs over the reversed sends: sound that gathers
 * before each note as the room lets it go after, so that the whole is the same heard from either side. */
#include "render.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 8, PASSES = 4, LINE_MAX = 4096 };

typedef struct room_line {
    float samples[LINE_MAX];
    uint32_t length, at;
    double gain, low;
} room_line;

typedef struct synth_room {
    room_line lines[LINES], passes[PASSES];
} synth_room;

static const uint32_t line_lengths[LINES] = {1559, 1801, 2087, 2351, 2689, 2999, 3323, 3691};
static const uint32_t pass_lengths[PASSES] = {241, 557, 263, 523};

static void room_begin(synth_room *room, double seconds) {
    memset(room, 0, sizeof *room);
    for (uint32_t i = 0; i < LINES; i++) {
        room->lines[i].length = line_lengths[i];
        room->lines[i].gain = pow(10, -3.0 * line_lengths[i] / (seconds * SYNTH_RATE));
    }
    for (uint32_t i = 0; i < PASSES; i++)
        room->passes[i].length = pass_lengths[i];
}

static void line_push(room_line *line, double sample) {
    line->samples[line->at] = (float)sample;
    line->at = line->at + 1 == line->length ? 0 : line->at + 1;
}

static double pass_step(room_line *line, double in) {
    double out = line->samples[line->at] - 0.6 * in;
    line_push(line, in + 0.6 * out);
    return out;
}

static void room_step(synth_room *room, const double *in, double *out) {
    double fed[2] = {pass_step(room->passes + 1, pass_step(room->passes + 0, in[0])),
                     pass_step(room->passes + 3, pass_step(room->passes + 2, in[1]))};
    double heard[LINES], sum = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        room_line *line = room->lines + i;
        line->low += 0.7 * (line->samples[line->at] * line->gain - line->low);
        sum += heard[i] = line->low;
    }
    for (uint32_t i = 0; i < LINES; i++)
        line_push(room->lines + i, heard[i] - sum * (2.0 / LINES) + fed[i & 1] + 1e-20);
    out[0] = 0.5 * (heard[0] - heard[2] + heard[4] - heard[6]);
    out[1] = 0.5 * (heard[1] - heard[3] + heard[5] - heard[7]);
}

static void room_run(synth_room *room, const synth_sound *sound, synth_bus *bus, bool backward, double mix) {
    room_begin(room, sound->reverb.seconds);
    int64_t count = (int64_t)bus->count;
    int64_t warm = bus->loop ? (int64_t)(1.5 * sound->reverb.seconds * SYNTH_RATE) : 0;
    for (int64_t at = -warm; at < count; at++) {
        int64_t turn = (at % count + count) % count;
        size_t place = (size_t)(backward ? count - 1 - turn : turn);
        const float *right = bus->send[bus->channels - 1];
        double in[2] = {bus->send[0][place], right[place]}, out[2];
        room_step(room, in, out);
        if (at < 0)
            continue;
        if (bus->channels == 1)
            out[0] = 0.7 * (out[0] + out[1]);
        for (uint32_t c = 0; c < bus->channels; c++)
            bus->dry[c][place] += (float)(mix * out[c]);
    }
}

eddy_result synth_reverb_add(const synth_sound *sound, synth_bus *bus, eddy_error *error) {
    if (sound->reverb.mix <= 0)
        return EDDY_OK;
    synth_room *room = malloc(sizeof *room);
    if (!room)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for the reverb");
    room_run(room, sound, bus, false, sound->reverb.mix);
    if (sound->reverb.mirror > 0)
        room_run(room, sound, bus, true, sound->reverb.mix * sound->reverb.mirror);
    free(room);
    return EDDY_OK;
}
