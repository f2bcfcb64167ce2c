/* Files that verbs write: beside the place they will take, then renamed over it. */
#ifndef EDDY_TOOLS_OUTPUT_H
#define EDDY_TOOLS_OUTPUT_H

#include "rewind/rewind.h"

/** May `path` be written, a file renamed over what is there? Refuses what is no regular file, what has no folder, and
 * the file `kept` (may be NULL: none). Nothing is touched. */
eddy_result tool_output_check(const char *path, const char *kept, eddy_error *error);
/** Are these names of one file, which may be yet to come? */
bool tool_same_file(const char *a, const char *b);

typedef struct tool_wav tool_wav;

/** Begins a WAV of 48 kHz stereo s16. "-" is stdout, refused when that is a terminal. E_IO names path and cause. */
eddy_result tool_wav_begin(const char *path, tool_wav **out, eddy_error *error);
/** Adds `count` interleaved stereo float samples, clipped to full scale. A failure is kept for tool_wav_end. */
void tool_wav_add(tool_wav *wav, const float *samples, size_t count);
/** Puts the file in its place and frees; `keep` false throws it away. NULL is fine. E_IO, also of an earlier add:
 * nothing was replaced. */
eddy_result tool_wav_end(tool_wav *wav, bool keep, eddy_error *error);

#endif
