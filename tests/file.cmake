# The session file: what comes back from it, and what is left of a broken one.
add_library(eddy_test_file STATIC file_world.c file_session.c)
target_link_libraries(eddy_test_file PUBLIC eddy_flags eddy_rewind PkgConfig::CHECK)

eddy_suite(file eddy_test_file eddy_rewind)
eddy_suite(file_damage eddy_test_file eddy_rewind PkgConfig::XXHASH)
