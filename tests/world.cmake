# The rules of Kettlewick, without level files, sound or a window.
add_library(eddy_test_world STATIC world_stage.c)
target_link_libraries(eddy_test_world PUBLIC eddy_flags eddy_world PkgConfig::CHECK)

eddy_suite(world_moth eddy_test_world)
eddy_suite(world_collide eddy_test_world)
eddy_suite(world_things eddy_test_world)
eddy_suite(world_time eddy_test_world)
eddy_suite(world_sound eddy_test_world)
eddy_suite(world_golden eddy_test_world)
target_link_options(test_world_golden PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)

# Maps and levels.
eddy_suite(tiled eddy_world PkgConfig::ZLIB PkgConfig::ZSTD)
eddy_suite(tiled_objects eddy_world)
eddy_suite(levels eddy_engine PkgConfig::JANSSON)
