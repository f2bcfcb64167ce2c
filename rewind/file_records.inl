/* Record kinds of the session file: FILE_RECORD(NAME, number). Pinned: they stand in files. FORMAT.md maps each.
 * A reader passes over a kind it does not know. */
FILE_RECORD(HEAD, 1)
FILE_RECORD(CONSTANTS, 2)
FILE_RECORD(FRAMES, 3)
FILE_RECORD(NOTE, 4)
FILE_RECORD(END, 5)
