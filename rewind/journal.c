#include "rewind.h"

static const char *const journal_modes[] = {"play", "rewind", "stopped", "restart"};

#define EDDY_JOURNAL_FIELDS(F, S)                                                                                      \
    F(S, branch, U32, 1)                                                                                               \
    F(S, frame, U32, 1, .unit = "frames")                                                                              \
    F(S, buttons, U32, 1)                                                                                              \
    F(S, speed, I16, 1, .unit = "frames a tick")                                                                       \
    F(S, mode, U16, 1, .names = journal_modes, .name_count = EDDY_TICK_RESTART + 1)
EDDY_FIELDS(eddy_journal, EDDY_JOURNAL_FIELDS);

const eddy_type eddy_journal_type = {
    .name = "journal",
    .size = (uint32_t)sizeof(eddy_journal),
    .fields = eddy_journal_fields,
    .field_count = (uint32_t)(sizeof eddy_journal_fields / sizeof eddy_journal_fields[0]),
};
