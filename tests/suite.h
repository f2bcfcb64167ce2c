/* The main of a Check suite: SUITE_MAIN("name", add(tcase) ...). */
#ifndef EDDY_TESTS_SUITE_H
#define EDDY_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/** Runs one suite, in fork mode so that a crash or leak is blamed on its own test. `make` fills the suite. */
static inline int suite_run(const char *name, void (*make)(Suite *suite)) {
    Suite *suite = suite_create(name);
    make(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** A new case in a suite with a time limit in seconds (Check's own is 4). */
static inline TCase *suite_case(Suite *suite, const char *name, double seconds) {
    TCase *made = tcase_create(name);
    tcase_set_timeout(made, seconds);
    suite_add_tcase(suite, made);
    return made;
}

#endif
