/* Reads a description: lines of words, `#` begins a comment. Keys stand in tables with their ranges, so a message can
 * always say what was expected. The notes of phrases and parts are score.c's. */
#include "parse.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 128
#define ARGUMENTS_MAX 4

/** One key: where its numbers go, how many there may be, and the range of each. */
typedef struct key_row {
    const char *name, *form;
    size_t offset;
    uint32_t least, most;
    struct {
        double low, high;
    } range[ARGUMENTS_MAX];
} key_row;

static const key_row sound_keys[] = {
    {"tempo", "BEATS_PER_MINUTE", offsetof(synth_sound, tempo), 1, 1, {{10, 400}}},
    {"meter", "BEATS_PER_BAR", offsetof(synth_sound, meter), 1, 1, {{1, 32}}},
    {"quality", "0..1", offsetof(synth_sound, quality), 1, 1, {{0, 1}}},
    {"loudness", "LUFS", offsetof(synth_sound, loudness_lufs), 1, 1, {{-60, -6}}},
    {"peak", "DECIBELS", offsetof(synth_sound, peak_db), 1, 1, {{-60, SYNTH_PEAK_CAP_DB}}},
    {"seed", "NUMBER", offsetof(synth_sound, seed), 1, 1, {{0, 1e9}}},
    {"turn", "SECONDS", offsetof(synth_sound, turn_s), 1, 1, {{0, SYNTH_SECONDS_MAX}}},
    {"highpass", "HZ", offsetof(synth_sound, highpass_hz), 1, 1, {{5, 2000}}},
    {"fade", "IN_SECONDS OUT_SECONDS", offsetof(synth_sound, fade), 2, 2, {{0, 10}, {0, 10}}},
    {"reverb", "SECONDS MIX [MIRROR]", offsetof(synth_sound, reverb), 2, 3, {{0.05, 20}, {0, 2}, {0, 1}}},
};

static const key_row instrument_keys[] = {
    {"envelope",
     "ATTACK_S DECAY_S SUSTAIN RELEASE_S",
     offsetof(synth_instrument, envelope),
     4,
     4,
     {{0.0005, 60}, {0, 60}, {0, 1}, {0.001, 60}}},
    {"fm", "RATIO INDEX [DECAY_S]", offsetof(synth_instrument, fm), 2, 3, {{0, 64}, {0, 20}, {0, 60}}},
    {"vibrato", "HZ CENTS", offsetof(synth_instrument, vibrato), 2, 2, {{0.01, 200}, {0, 2400}}},
    {"tremolo", "HZ DEPTH", offsetof(synth_instrument, tremolo), 2, 2, {{0.01, 200}, {0, 1}}},
    {"drift", "HZ CENTS", offsetof(synth_instrument, drift), 2, 2, {{0.01, 50}, {0, 2400}}},
    {"sway", "HZ DEPTH", offsetof(synth_instrument, sway), 2, 2, {{0.01, 50}, {0, 1}}},
    {"wander", "HZ OCTAVES", offsetof(synth_instrument, wander), 2, 2, {{0.01, 50}, {0, 5}}},
    {"unison", "COPIES CENTS [SPREAD]", offsetof(synth_instrument, unison), 2, 3, {{1, 8}, {0, 100}, {0, 1}}},
    {"bend", "FROM_SEMITONES TO_SEMITONES", offsetof(synth_instrument, bend), 2, 2, {{-48, 48}, {-48, 48}}},
    {"noise", "GAIN", offsetof(synth_instrument, noise), 1, 1, {{0, 4}}},
    {"gain", "DECIBELS", offsetof(synth_instrument, gain_db), 1, 1, {{-90, 24}}},
};

static const key_row part_keys[] = {
    {"gain", "DECIBELS", offsetof(synth_part, gain_db), 1, 1, {{-90, 24}}},
    {"send", "0..2", offsetof(synth_part, send), 1, 1, {{0, 2}}},
    {"pan", "PLACE [SPREAD]", offsetof(synth_part, pan), 1, 2, {{-1, 1}, {0, 1}}},
    {"loose", "SECONDS VELOCITY", offsetof(synth_part, loose), 2, 2, {{0, 0.2}, {0, 1}}},
};

static const char *const filter_names[SYNTH_FILTER_KINDS] = {"low", "high", "band"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

eddy_result synth_parse_fail(const synth_parser *parser, eddy_result code, const char *text, const char *word) {
    return eddy_fail(parser->error, code, "%s:%u: %s%s%s%s", parser->name, parser->line, text, word ? " (found \"" : "",
                     word ? word : "", word ? "\")" : "");
}

bool synth_parse_number(const char *word, double *out) {
    char *end;
    errno = 0;
    double value = strtod(word, &end);
    if (end == word || *end || errno || !isfinite(value))
        return false;
    *out = value;
    return true;
}

/** Numbers of one key into the struct at `base`. */
static eddy_result read_key(synth_parser *parser, const key_row *row, void *base) {
    char text[200];
    uint32_t count = parser->word_count - 1;
    snprintf(text, sizeof text, "expected: %s %s", row->name, row->form);
    if (count < row->least || count > row->most)
        return synth_parse_fail(parser, EDDY_E_FORMAT, text, NULL);
    for (uint32_t i = 0; i < count; i++) {
        double value;
        if (!synth_parse_number(parser->words[i + 1], &value))
            return synth_parse_fail(parser, EDDY_E_FORMAT, text, parser->words[i + 1]);
        if (value < row->range[i].low || value > row->range[i].high) {
            snprintf(text, sizeof text, "%s %s: number %u must be in %g .. %g", row->name, row->form, i + 1,
                     row->range[i].low, row->range[i].high);
            return synth_parse_fail(parser, EDDY_E_VALUE, text, parser->words[i + 1]);
        }
        memcpy((char *)base + row->offset + i * sizeof(double), &value, sizeof value);
    }
    return EDDY_OK;
}

static const key_row *find_key(const key_row *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name))
            return rows + i;
    return NULL;
}

/** An unknown key, with the known ones. */
static eddy_result unknown_key(synth_parser *parser, const key_row *rows, size_t count, const char *others) {
    char text[400];
    int used = snprintf(text, sizeof text, "unknown key; expected one of: %s", others);
    for (size_t i = 0; i < count && used < (int)sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s", rows[i].name);
    return synth_parse_fail(parser, EDDY_E_FORMAT, text, parser->words[0]);
}

/* ---- the head of a description ---- */

/** `length NUMBER s|beats|samples`: a whole number of samples, always. */
static eddy_result read_length(synth_parser *parser) {
    double value, samples = 0;
    const char *form = "expected: length NUMBER s, beats or samples (tempo stands before)";
    if (parser->word_count != 3 || !synth_parse_number(parser->words[1], &value))
        return synth_parse_fail(parser, EDDY_E_FORMAT, form, NULL);
    if (!strcmp(parser->words[2], "s"))
        samples = value * SYNTH_RATE;
    else if (!strcmp(parser->words[2], "beats"))
        samples = value * SYNTH_RATE * 60 / parser->sound->tempo;
    else if (!strcmp(parser->words[2], "samples"))
        samples = value;
    else
        return synth_parse_fail(parser, EDDY_E_FORMAT, form, parser->words[2]);
    if (samples < 1 || samples > SYNTH_SECONDS_MAX * SYNTH_RATE)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "length must be 1 sample to 300 s", parser->words[1]);
    if (fabs(samples - nearbyint(samples)) > 1e-6)
        return synth_parse_fail(parser, EDDY_E_VALUE, "length must be a whole number of samples at 48 kHz", NULL);
    parser->sound->count = (size_t)nearbyint(samples);
    return EDDY_OK;
}

static eddy_result read_title(synth_parser *parser) {
    synth_sound *sound = parser->sound;
    sound->title[0] = 0;
    for (uint32_t i = 1; i < parser->word_count; i++) {
        size_t used = strlen(sound->title);
        snprintf(sound->title + used, sizeof sound->title - used, "%s%s", i > 1 ? " " : "", parser->words[i]);
    }
    return EDDY_OK;
}

static eddy_result read_head(synth_parser *parser) {
    synth_sound *sound = parser->sound;
    const char *key = parser->words[0];
    const key_row *row = find_key(sound_keys, COUNT(sound_keys), key);
    if (row)
        return read_key(parser, row, sound);
    if (!strcmp(key, "title"))
        return read_title(parser);
    if (!strcmp(key, "length"))
        return read_length(parser);
    bool loop = !strcmp(key, "loop"), stereo = !strcmp(key, "stereo");
    if (loop || !strcmp(key, "once"))
        sound->loop = loop;
    else if (stereo || !strcmp(key, "mono"))
        sound->channels = stereo ? 2 : 1;
    else
        return unknown_key(parser, sound_keys, COUNT(sound_keys), "title length loop once stereo mono");
    if (parser->word_count > 1)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "nothing may follow here", parser->words[1]);
    return EDDY_OK;
}

/* ---- instruments ---- */

static eddy_result read_partial(synth_parser *parser, synth_instrument *instrument) {
    if (instrument->partial_count == SYNTH_PARTIALS_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 24 partials", NULL);
    static const key_row row = {"partial", "RATIO GAIN [DECAY_S]", 0, 2, 3, {{0.01, 100}, {-4, 4}, {0, 60}}};
    synth_partial partial = {0};
    eddy_result result = read_key(parser, &row, &partial);
    if (!result)
        instrument->partials[instrument->partial_count++] = partial;
    return result;
}

/** `filter low|high|band HZ Q [TRACK [OPEN_OCTAVES]]` */
static eddy_result read_filter(synth_parser *parser, synth_instrument *instrument) {
    const char *form = "expected: filter low|high|band HZ Q [TRACK [OPEN_OCTAVES]]";
    static const key_row row = {"filter KIND",
                                "HZ Q [TRACK [OPEN_OCTAVES]]",
                                offsetof(synth_filter, hz),
                                2,
                                4,
                                {{10, 20000}, {0.1, 60}, {0, 2}, {-6, 6}}};
    if (instrument->filter_count == SYNTH_FILTERS_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 4 filters", NULL);
    if (parser->word_count < 2)
        return synth_parse_fail(parser, EDDY_E_FORMAT, form, NULL);
    synth_filter filter = {0};
    int kind = 0;
    while (kind < SYNTH_FILTER_KINDS && strcmp(parser->words[1], filter_names[kind]))
        kind++;
    if (kind == SYNTH_FILTER_KINDS)
        return synth_parse_fail(parser, EDDY_E_FORMAT, form, parser->words[1]);
    filter.kind = (synth_filter_kind)kind;
    memmove(parser->words + 1, parser->words + 2, (parser->word_count - 2) * sizeof *parser->words);
    parser->word_count--;
    eddy_result result = read_key(parser, &row, &filter);
    if (!result)
        instrument->filters[instrument->filter_count++] = filter;
    return result;
}

static eddy_result read_instrument(synth_parser *parser) {
    synth_instrument *instrument = parser->sound->instruments + parser->sound->instrument_count - 1;
    const char *key = parser->words[0];
    const key_row *row = find_key(instrument_keys, COUNT(instrument_keys), key);
    if (row)
        return read_key(parser, row, instrument);
    if (!strcmp(key, "partial"))
        return read_partial(parser, instrument);
    if (!strcmp(key, "filter"))
        return read_filter(parser, instrument);
    if (!strcmp(key, "swell"))
        instrument->swell = true;
    else if (!strcmp(key, "drone") && parser->sound->loop)
        instrument->drone = true;
    else if (!strcmp(key, "drone"))
        return synth_parse_fail(parser, EDDY_E_VALUE, "a drone needs a loop", NULL);
    else
        return unknown_key(parser, instrument_keys, COUNT(instrument_keys), "partial filter swell drone");
    return EDDY_OK;
}

/* ---- sections ---- */

static eddy_result read_name(synth_parser *parser, uint32_t words, const char *form, char *out) {
    if (parser->word_count != words)
        return synth_parse_fail(parser, EDDY_E_FORMAT, form, NULL);
    const char *name = parser->words[1];
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (name[length] || length >= SYNTH_NAME_BYTES)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "a name is up to 27 letters, digits and _", name);
    memcpy(out, name, length + 1);
    return EDDY_OK;
}

static eddy_result begin_instrument(synth_parser *parser) {
    synth_sound *sound = parser->sound;
    if (sound->instrument_count == SYNTH_INSTRUMENTS_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 16 instruments", NULL);
    synth_instrument *instrument = sound->instruments + sound->instrument_count++;
    instrument->envelope.attack_s = 0.005;
    instrument->envelope.sustain = 1;
    instrument->envelope.release_s = 0.01;
    instrument->unison.copies = 1;
    return read_name(parser, 2, "expected: instrument NAME", instrument->name);
}

static eddy_result begin_phrase(synth_parser *parser) {
    synth_sound *sound = parser->sound;
    if (sound->phrase_count == SYNTH_PHRASES_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 64 phrases", NULL);
    synth_phrase *phrase = sound->phrases + sound->phrase_count;
    eddy_result result = read_name(parser, 2, "expected: phrase NAME", phrase->name);
    if (!result && synth_phrase_find(sound, phrase->name, strlen(phrase->name)))
        return synth_parse_fail(parser, EDDY_E_FORMAT, "this phrase is there already", phrase->name);
    sound->phrase_count++;
    synth_score_begin(parser);
    return result;
}

static eddy_result begin_part(synth_parser *parser) {
    synth_sound *sound = parser->sound;
    if (sound->part_count == SYNTH_PARTS_MAX)
        return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 24 parts", NULL);
    synth_part *part = sound->parts + sound->part_count++;
    part->send = 1;
    eddy_result result = read_name(parser, 3, "expected: part NAME INSTRUMENT", part->name);
    if (result)
        return result;
    synth_score_begin(parser);
    for (uint32_t i = 0; i < sound->instrument_count; i++)
        if (!strcmp(sound->instruments[i].name, parser->words[2])) {
            part->instrument = i;
            return EDDY_OK;
        }
    return synth_parse_fail(parser, EDDY_E_FORMAT, "no instrument of this name above", parser->words[2]);
}

static eddy_result read_part(synth_parser *parser) {
    synth_part *part = parser->sound->parts + parser->sound->part_count - 1;
    const char *key = parser->words[0];
    const key_row *row = find_key(part_keys, COUNT(part_keys), key);
    if (row)
        return read_key(parser, row, part);
    if (!strcmp(key, "play"))
        return synth_score_play(parser);
    if (!strcmp(key, "at"))
        return synth_score_at(parser);
    if (!strcmp(key, "notes"))
        return synth_score_notes(parser);
    if (!strcmp(key, "scatter"))
        return synth_score_scatter(parser);
    return unknown_key(parser, part_keys, COUNT(part_keys), "play at notes scatter");
}

static eddy_result read_line(synth_parser *parser) {
    static const struct {
        const char *name;
        eddy_result (*begin)(synth_parser *), (*read)(synth_parser *);
    } sections[] = {{"instrument", begin_instrument, read_instrument},
                    {"phrase", begin_phrase, synth_score_phrase},
                    {"part", begin_part, read_part}};
    for (size_t i = 0; i < COUNT(sections); i++)
        if (!strcmp(parser->words[0], sections[i].name)) {
            if (!parser->sound->count)
                return synth_parse_fail(parser, EDDY_E_FORMAT, "length must stand before the first section", NULL);
            parser->read = sections[i].read;
            return sections[i].begin(parser);
        }
    return parser->read(parser);
}

static eddy_result split_line(synth_parser *parser, char *line) {
    char *rest = NULL;
    parser->word_count = 0;
    for (char *word = strtok_r(line, " \t\r", &rest); word && *word != '#'; word = strtok_r(NULL, " \t\r", &rest)) {
        if (parser->word_count == WORDS_MAX)
            return synth_parse_fail(parser, EDDY_E_LIMIT, "at most 128 words a line", NULL);
        parser->words[parser->word_count++] = word;
    }
    return EDDY_OK;
}

static eddy_result read_all(synth_parser *parser, char *text) {
    while (text) {
        char *end = strchr(text, '\n');
        if (end)
            *end = 0;
        parser->line++;
        eddy_result result = split_line(parser, text);
        if (!result && parser->word_count)
            result = read_line(parser);
        if (result)
            return result;
        text = end ? end + 1 : NULL;
    }
    if (!parser->sound->event_count)
        return synth_parse_fail(parser, EDDY_E_FORMAT, "no part plays anything", NULL);
    return EDDY_OK;
}

eddy_result synth_parse(const char *name, const char *text, synth_sound **out, eddy_error *error) {
    *out = NULL;
    char *words[WORDS_MAX];
    synth_sound *sound = calloc(1, sizeof *sound);
    char *copy = malloc(strlen(text) + 1);
    eddy_result result = EDDY_E_MEMORY;
    if (sound && copy) {
        strcpy(copy, text);
        sound->channels = 1;
        sound->tempo = 60;
        sound->quality = 0.45;
        sound->peak_db = -6;
        sound->highpass_hz = 25;
        sound->fade.in_s = 0.001;
        sound->fade.out_s = 0.02;
        synth_parser parser = {.name = name, .sound = sound, .words = words, .read = read_head, .error = error};
        result = read_all(&parser, copy);
    } else {
        eddy_fail(error, result, "%s: out of memory", name);
    }
    free(copy);
    if (result)
        synth_sound_destroy(sound);
    else
        *out = sound;
    return result;
}

eddy_result synth_parse_file(const char *path, synth_sound **out, eddy_error *error) {
    *out = NULL;
    static const size_t bytes_max = 1 << 20;
    FILE *file = fopen(path, "rb");
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: %s", path, strerror(errno));
    char *text = malloc(bytes_max + 1);
    size_t bytes = text ? fread(text, 1, bytes_max, file) : 0;
    bool bad = ferror(file);
    fclose(file);
    eddy_result result;
    if (!text) {
        result = eddy_fail(error, EDDY_E_MEMORY, "%s: out of memory", path);
    } else if (bad) {
        result = eddy_fail(error, EDDY_E_IO, "%s: could not be read", path);
    } else if (bytes == bytes_max || memchr(text, 0, bytes)) {
        result = eddy_fail(error, EDDY_E_FORMAT, "%s: expected a text of less than 1 MiB", path);
    } else {
        text[bytes] = 0;
        result = synth_parse(path, text, out, error);
    }
    free(text);
    return result;
}

void synth_sound_destroy(synth_sound *sound) {
    free(sound);
}
