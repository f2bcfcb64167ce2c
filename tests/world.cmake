# The rules of Kettlewick, without level files, sound or a window.
add_library(eddy_test_world STATIC world_stage.c)
target_link_libraries(eddy_test_world PUBLIC eddy_flags eddy_world PkgConfig::CHECK)

eddy_suite(world_moth eddy_test_world)
eddy_suite(world_things eddy_test_world)
eddy_suite(world_time eddy_test_world)
eddy_suite(world_sound eddy_test_world)
eddy_suite(world_golden eddy_test_world)
target_link_options(test_world_golden PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
