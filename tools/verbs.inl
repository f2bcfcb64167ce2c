/* The program's verbs: TOOL_VERB(name, arguments, sentence). Each is `int tool_NAME(int argc, char **argv)`. */
TOOL_VERB(play, "[LEVEL] [options]", "play a level, or run one without a window")
TOOL_VERB(info, "FILE [--json]", "say what a recording holds")
TOOL_VERB(verify, "FILE [--json]", "check every byte and frame of a recording")
TOOL_VERB(diff, "A[@FRAME] B[@FRAME] [--json]", "find the first frame in which two recordings differ")
TOOL_VERB(bridge, "[LEVEL] [options]", "drive a game without a window by JSON lines")
TOOL_VERB(doctor, "[--json]", "say what is installed and which devices there are")
TOOL_VERB(test, "[--long] [NAME]", "run the test suites of the checkout")
