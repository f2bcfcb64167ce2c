/* Between parse.c and score.c: the state of reading one description. Private. */
#ifndef EDDY_SYNTH_PARSE_H
#define EDDY_SYNTH_PARSE_H

#include "synth.h"

typedef struct synth_parser synth_parser;
struct synth_parser {
    const char *name; /**< of the file, for messages */
    uint32_t line, word_count;
    char **words; /**< of this line */
    synth_sound *sound;
    eddy_result (*read)(synth_parser *parser); /**< what reads a line of the current section */
    double beat;                               /**< where the next note of this phrase or part goes */
    double beats, velocity;                    /**< of the last note: stay until changed */
    eddy_error *error;
};

/** Fails with "NAME:LINE: text (found "word")". */
eddy_result synth_parse_fail(const synth_parser *parser, eddy_result code, const char *text, const char *word);
/** A whole word as a finite number. */
bool synth_parse_number(const char *word, double *out);

/** A phrase or part begins: beat 0, one beat a note, full velocity. */
void synth_score_begin(synth_parser *parser);
/** A line of a phrase: notes and bar lines. */
eddy_result synth_score_phrase(synth_parser *parser);
/** Lines of a part: `play`, `at`, `notes`, `scatter`. */
eddy_result synth_score_play(synth_parser *parser);
eddy_result synth_score_at(synth_parser *parser);
eddy_result synth_score_notes(synth_parser *parser);
eddy_result synth_score_scatter(synth_parser *parser);
/** NULL: no such phrase. */
const synth_phrase *synth_phrase_find(const synth_sound *sound, const char *name, size_t name_bytes);

#endif
