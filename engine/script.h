/* Input scripts: lines `COUNT buttons`, as `90 right` or `12 right+jump`; `#` begins a comment. */
#ifndef EDDY_ENGINE_SCRIPT_H
#define EDDY_ENGINE_SCRIPT_H

#include "rewind/rewind.h"

#define ENGINE_SCRIPT_TICKS_MAX 100000000u /**< about 19 days */

/** The same buttons for some ticks. */
typedef struct engine_script_run {
    uint64_t first_tick;
    uint32_t count;
    uint16_t held; /**< BUTTON_ bits */
} engine_script_run;

/** Zero is an empty script. Owns `runs`. */
typedef struct engine_script {
    engine_script_run *runs;
    uint32_t run_count;
    uint64_t ticks; /**< all runs together */
} engine_script;

/** Reads a script. E_IO; E_FORMAT and E_LIMIT name file, line, what was found and what is allowed; `out` is then empty.
 */
eddy_result engine_script_load(const char *path, engine_script *out, eddy_error *error);
void engine_script_free(engine_script *script);
/** The buttons held in the tick that follows `tick` ticks; none after the end. O(log runs). */
uint16_t engine_script_held(const engine_script *script, uint64_t tick);

#endif
