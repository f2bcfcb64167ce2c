/* What the verbs share: exit statuses, errors, usage. */
#ifndef EDDY_TOOLS_TOOL_H
#define EDDY_TOOLS_TOOL_H

#include <signal.h>

#include "rewind/rewind.h"

/** Exit statuses of every verb but diff. */
enum tool_status { TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_LOST = 3, TOOL_INTERRUPTED = 130 };

#define TOOL_SCHEMA_VERSION 1 /**< "schema_version" of every --json object */

/** Prints "eddy VERB: TEXT" and how to get help to stderr; returns TOOL_USAGE. */
int tool_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Prints "eddy: TEXT" to stderr; returns TOOL_FAILED. */
int tool_failed(const eddy_error *error);
/** An eddy_log_fn: lines to stderr. */
void tool_log(void *user, const char *line);
/** "frame" or "tick". */
const char *tool_axis_unit(eddy_axis axis);
/** Parses a whole number in [min, max], all of the text. */
bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);
/** "40000000", "40MB" (10^6), "40MiB" (2^20), likewise k, G. */
bool tool_bytes(const char *text, uint64_t *out);
/** Set by the first SIGINT or SIGTERM after tool_catch_interrupts; a second one ends the program at once. */
extern volatile sig_atomic_t tool_interrupted;
void tool_catch_interrupts(void);

/** The line of a verb that reads recordings: FILE ... [--json]. */
typedef struct tool_file_options {
    const char *paths[2];
    bool json, help;
} tool_file_options;
/** Parses it; `file_count` files are needed. Prints `help_text` for --help. */
int tool_file_parse(int argc, char **argv, const char *help_text, int file_count, tool_file_options *out);

#define TOOL_VERB(name, arguments, sentence) int tool_##name(int argc, char **argv);
#include "verbs.inl"
#undef TOOL_VERB

#endif
