/* eddy test: the suites live in the source tree, so its launcher runs them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char help[] =
    "usage: eddy test [--long] [NAME]\n"
    "Builds the presets dev (sanitizers) and tiny (shrunk constants) and runs every suite in both.\n"
    "NAME runs one suite. The last line is `N passed, N failed`.\n\n"
    "  --long    also valgrind, the thread sanitizer, fuzzing, long random runs, agreement of\n"
    "            compilers, and coverage\n\n"
    "exit status: 0 all passed, 1 something failed, 2 usage\n";

int tool_test(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    /* argv[0] is the verb, which the launcher wants as its first word. */
    char *words[16] = {(char *)EDDY_LAUNCHER};
    const int words_max = (int)(sizeof words / sizeof words[0]) - 2;
    if (argc > words_max)
        return tool_usage("test", "at most %d words", words_max);
    memcpy(words + 1, argv, (size_t)argc * sizeof *words);
    execv(EDDY_LAUNCHER, words);
    fprintf(stderr, "eddy: %s: cannot be run: %s; the tests need the checkout that this program was built from\n",
            EDDY_LAUNCHER, strerror(errno));
    return TOOL_FAILED;
}
