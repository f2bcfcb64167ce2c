/* Files that verbs write: beside the place they will take, then renamed over it. */
#ifndef EDDY_TOOLS_OUTPUT_H
#define EDDY_TOOLS_OUTPUT_H

#include "rewind/rewind.h"

/** May `path` be written, a file renamed over what is there? Refuses what is no regular file, what has no folder, and
 * the file `kept` (may be NULL: none). Nothing is touched. */
eddy_result tool_output_check(const char *path, const char *kept, eddy_error *error);
/** Are these names of one file, which may be yet to come? */
bool tool_same_file(const char *a, const char *b);

/** A file on its way: what is written to it lies beside its place until the end. */
typedef struct tool_output tool_output;

/** Begins one beside `path`, which tool_output_check allowed. E_IO names path and cause; E_MEMORY. */
eddy_result tool_output_begin(const char *path, tool_output **out, eddy_error *error);
/** The name of the file beside, for those who write by name. */
const char *tool_output_beside(const tool_output *output);
/** In an error that names the file beside, the file itself. */
void tool_output_rename_error(const tool_output *output, eddy_error *error);
/** Adds bytes. A failure is kept for tool_output_end. */
void tool_output_add(tool_output *output, const void *bytes, size_t size);
/** EDDY_OK, or the first failure so far. */
eddy_result tool_output_status(const tool_output *output, eddy_error *error);
/** Puts the file in its place and frees; `keep` false throws it away. NULL is fine. E_IO, also of an earlier add:
 * nothing was replaced. */
eddy_result tool_output_end(tool_output *output, bool keep, eddy_error *error);

typedef struct tool_wav tool_wav;

/** Begins a WAV of 48 kHz stereo s16. "-" is stdout, refused when that is a terminal. E_IO names path and cause. */
eddy_result tool_wav_begin(const char *path, tool_wav **out, eddy_error *error);
/** Adds `count` interleaved stereo float samples, clipped to full scale. A failure is kept for tool_wav_end. */
void tool_wav_add(tool_wav *wav, const float *samples, size_t count);
/** Puts the file in its place and frees; `keep` false throws it away. NULL is fine. E_IO, also of an earlier add:
 * nothing was replaced. */
eddy_result tool_wav_end(tool_wav *wav, bool keep, eddy_error *error);

#endif
