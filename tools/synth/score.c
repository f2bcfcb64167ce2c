/* Notes: `c#4+e4:2!0.7` is a chord of two beats at velocity 0.7; beats and velocity stay until changed; `r` rests, `|`
 * checks that a bar ends here. Phrases are laid into parts as they are (A), backward (A~), moved (A+5), repeated (A*3).
 */
#include "parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHORD_MAX 8

/** One token: up to CHORD_MAX frequencies; a rest has none. */
typedef struct note_token {
    double hz[CHORD_MAX];
    uint32_t count;
    double beats, velocity;
} note_token;

void synth_score_begin(synth_parser *parser) {
    parser->beat = 0;
    parser->beats = 1;
    parser->velocity = 1;
}

static eddy_result bad_note(const synth_parser *parser, const char *word) {
    return synth_parse_fail(parser, EDDY_E_FORMAT,
                            "expected a note such as c4, f#3+a3:1.5!0.8, 440hz:1/3 or r:2, or a bar line |", word);
}

/** Reads `c#4`, `bb3` or `440hz` and moves on. 0: not a pitch. */
static double read_pitch(const char **at) {
    static const int semitones[] = {9, 11, 0, 2, 4, 5, 7};
    const char *text = *at;
    if (*text >= '0' && *text <= '9') {
        char *end;
        double hz = strtod(text, &end);
        if (strncmp(end, "hz", 2) || !(hz >= 1 && hz <= 20000))
            return 0;
        *at = end + 2;
        return hz;
    }
    if (*text < 'a' || *text > 'g')
        return 0;
    int key = semitones[*text++ - 'a'];
    if (*text == '#' || *text == 'b')
        key += *text++ == '#' ? 1 : -1;
    if (*text < '0' || *text > '9')
        return 0;
    key += 12 * (*text++ - '0' + 1);
    *at = text;
    return 440 * exp2((key - 69) / 12.0);
}

/** Reads `1.5` or `1/3`. */
static bool read_beats(const char **at, double *out) {
    char *end;
    double value = strtod(*at, &end);
    if (end == *at)
        return false;
    if (*end == '/') {
        const char *below = end + 1;
        double divisor = strtod(below, &end);
        if (end == below || !(divisor > 0))
            return false;
        value /= divisor;
    }
    *at = end;
    *out = value;
    return value > 0 && value <= 4096;
}

static eddy_result read_chord(synth_parser *parser, const char *word, note_token *out) {
    const char *at = word;
    *out = (note_token){0};
    if (*at == 'r') {
        at++;
    } else {
        do {
            at += out->count > 0;
            double hz = read_pitch(&at);
            if (hz <= 0 || out->count == CHORD_MAX)
                return bad_note(parser, word);
            out->hz[out->count++] = hz;
        } while (*at == '+');
    }
    if (*at == ':' && (at++, !read_beats(&at, &parser->beats)))
        return bad_note(parser, word);
    if (*at == '!') {
        char *end;
        parser->velocity = strtod(at + 1, &end);
        if (end == at + 1 || !(parser->velocity > 0 && parser->velocity <= 2))
            return bad_note(parser, word);
        at = end;
    }
    out->beats = parser->beats;
    out->velocity = parser->velocity;
    return *at ? bad_note(parser, word) : EDDY_OK;
}

const synth_phrase *synth_phrase_find(const synth_sound *sound, const char *name, size_t name_bytes) {
    for (uint32_t i = 0; i < sound->phrase_count; i++)
        if (strlen(sound->phrases[i].name) == name_bytes && !memcmp(sound->phrases[i].name, name, name_bytes))
            return sound->phrases + i;
    return NULL;
}

static eddy_result check_bar(const synth_parser *parser) {
    double meter = parser->sound->meter;
    if (meter <= 0)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "a bar line needs a meter at the head of the file", NULL);
    double over = fabs(parser->beat - meter * nearbyint(parser->beat / meter));
    return over < 1e-6 ? EDDY_OK
                       : synth_parse_fail(parser, EDDY_E_VALUE, "the bar is not full, or too full, here", NULL);
}

eddy_result synth_score_phrase(synth_parser *parser) {
    synth_phrase *phrase = parser->sound->phrases + parser->sound->phrase_count - 1;
    for (uint32_t i = 0; i < parser->word_count; i++) {
        note_token chord;
        bool bar = !strcmp(parser->words[i], "|");
        eddy_result result = bar ? check_bar(parser) : read_chord(parser, parser->words[i], &chord);
        if (result)
            return result;
        if (bar)
            continue;
        for (uint32_t k = 0; k < chord.count; k++) {
            if (phrase->note_count == SYNTH_NOTES_MAX)
                return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 256 notes in a phrase", NULL);
            phrase->notes[phrase->note_count++] = (synth_note){parser->beat, chord.beats, chord.hz[k], chord.velocity};
        }
        phrase->beats = parser->beat += chord.beats;
    }
    return EDDY_OK;
}

/* ---- parts ---- */

/** Puts one note of the current part into time. */
static eddy_result add_event(synth_parser *parser, synth_note note) {
    synth_sound *sound = parser->sound;
    const synth_part *part = sound->parts + sound->part_count - 1;
    if (sound->event_count == SYNTH_EVENTS_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 8192 notes in a sound", NULL);
    double beat_s = 60 / sound->tempo;
    uint64_t seed = (uint64_t)sound->seed * 1000003u + sound->event_count;
    double start = note.beat * beat_s + part->loose.time_s * synth_noise(seed, 0);
    double pan = part->pan.place + part->pan.spread * synth_noise(seed, 1);
    if (!sound->loop && start < 0)
        start = 0;
    if (start >= (double)sound->count / SYNTH_RATE)
        return synth_parse_fail(parser, EDDY_E_VALUE, "a note begins after the end of the sound", NULL);
    sound->events[sound->event_count++] =
        (synth_event){.start_s = start,
                      .length_s = note.beats * beat_s,
                      .hz = note.hz,
                      .velocity = note.velocity * (1 + part->loose.velocity * synth_noise(seed, 2)),
                      .pan = pan < -1  ? -1
                             : pan > 1 ? 1
                                       : pan,
                      .part = sound->part_count - 1,
                      .seed = (uint32_t)synth_noise_bits(seed, 3)};
    return EDDY_OK;
}

/** One turn of a phrase at the current beat. Backward means mirrored in time: a note's end becomes its start. */
static eddy_result play_once(synth_parser *parser, const synth_phrase *phrase, bool backward, double factor) {
    for (uint32_t i = 0; i < phrase->note_count; i++) {
        synth_note note = phrase->notes[i];
        if (backward)
            note.beat = phrase->beats - note.beat - note.beats;
        note.beat += parser->beat;
        note.hz *= factor;
        eddy_result result = add_event(parser, note);
        if (result)
            return result;
    }
    parser->beat += phrase->beats;
    return EDDY_OK;
}

eddy_result synth_score_play(synth_parser *parser) {
    for (uint32_t i = 1; i < parser->word_count; i++) {
        const char *word = parser->words[i], *at = word + strcspn(word, "~+-*");
        const synth_phrase *phrase = synth_phrase_find(parser->sound, word, (size_t)(at - word));
        if (!phrase)
            return synth_parse_fail(parser, EDDY_E_FORMAT, "no phrase of this name above", word);
        bool backward = *at == '~';
        at += backward;
        long semitones = 0, repeats = 1;
        char *end = (char *)at;
        if (*at == '+' || *at == '-')
            semitones = strtol(at, &end, 10);
        if (*end == '*')
            repeats = strtol(end + 1, &end, 10);
        if (*end || repeats < 1 || repeats > 1024 || labs(semitones) > 60)
            return synth_parse_fail(parser, EDDY_E_FORMAT, "expected NAME[~][+-SEMITONES][*REPEATS]", word);
        for (long k = 0; k < repeats; k++) {
            eddy_result result = play_once(parser, phrase, backward, exp2((double)semitones / 12));
            if (result)
                return result;
        }
    }
    return EDDY_OK;
}

eddy_result synth_score_at(synth_parser *parser) {
    double beat;
    if (parser->word_count != 2 || !synth_parse_number(parser->words[1], &beat) || beat < 0)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "expected: at BEAT", NULL);
    parser->beat = beat;
    return EDDY_OK;
}

eddy_result synth_score_notes(synth_parser *parser) {
    for (uint32_t i = 1; i < parser->word_count; i++) {
        note_token chord;
        eddy_result result = read_chord(parser, parser->words[i], &chord);
        for (uint32_t k = 0; k < chord.count && !result; k++)
            result = add_event(parser, (synth_note){parser->beat, chord.beats, chord.hz[k], chord.velocity});
        if (result)
            return result;
        parser->beat += chord.beats;
    }
    return EDDY_OK;
}

/** `scatter COUNT NOTE...`: that many notes, one in each equal slice of the sound, at a place and of a kind that the
 * seed decides. */
eddy_result synth_score_scatter(synth_parser *parser) {
    double count;
    if (parser->word_count < 3 || !synth_parse_number(parser->words[1], &count) || count < 1 || count > 4096)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "expected: scatter COUNT NOTE...", NULL);
    synth_sound *sound = parser->sound;
    double slice_beats = (double)sound->count / SYNTH_RATE * sound->tempo / 60 / floor(count);
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        uint64_t seed = (uint64_t)sound->seed * 7919u + sound->event_count;
        note_token chord;
        uint32_t pick = (uint32_t)(synth_chance(seed, 4) * (parser->word_count - 2));
        eddy_result result = read_chord(parser, parser->words[2 + pick], &chord);
        double beat = (i + 0.98 * synth_chance(seed, 5)) * slice_beats;
        for (uint32_t k = 0; k < chord.count && !result; k++)
            result = add_event(parser, (synth_note){beat, chord.beats, chord.hz[k], chord.velocity});
        if (result)
            return result;
    }
    return EDDY_OK;
}
