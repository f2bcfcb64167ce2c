/* Any bytes as an input script: read and asked, or refused with a text. */
#include "fuzz.h"

#include "engine/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(".inp", data, size);
    engine_script script;
    eddy_error error = {.text = ""};
    if (engine_script_load(path, &script, &error) == EDDY_OK) {
        if (script.ticks > 0)
            engine_script_held(&script, script.ticks - 1);
        if (engine_script_held(&script, script.ticks) != 0)
            abort(); /* nothing is held after the end */
        engine_script_free(&script);
    } else if (!error.text[0]) {
        abort();
    }
    unlink(path);
    return 0;
}
