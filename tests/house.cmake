# What holds for the whole tree: its layers, that a foreign program can embed it, that no bytes from outside break it.
# And the engine's outermost parts.
include(${PROJECT_SOURCE_DIR}/cmake/fuzz.cmake)

add_test(NAME layers COMMAND ${PROJECT_SOURCE_DIR}/tests/test_layers.sh)
add_test(NAME layers_self COMMAND ${PROJECT_SOURCE_DIR}/tests/test_layers.sh --self-test)

set(install_flags)
if(EDDY_SANITIZE)
  list(APPEND install_flags -fsanitize=${EDDY_SANITIZE})
endif()
if(EDDY_COVERAGE)
  list(APPEND install_flags --coverage)
endif()
add_test(NAME install
  COMMAND ${PROJECT_SOURCE_DIR}/tests/test_install.sh ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} ${install_flags})

eddy_suite(input eddy_engine PkgConfig::SDL2)
eddy_suite(window eddy_engine PkgConfig::SDL2)
add_test(NAME xvfb COMMAND ${PROJECT_SOURCE_DIR}/tests/test_xvfb.sh $<TARGET_FILE:eddy> ${PROJECT_SOURCE_DIR})
set_tests_properties(xvfb PROPERTIES SKIP_RETURN_CODE 77)

eddy_fuzz(map ${PROJECT_SOURCE_DIR}/levels/first-lamp.tmj eddy_world)
eddy_fuzz(script ${PROJECT_SOURCE_DIR}/levels/first-lamp.inp eddy_engine)
eddy_fuzz(recording fuzz-seed.eddy eddy_rewind)
if(NOT EDDY_FUZZ)
  add_test(NAME fuzz_seed COMMAND eddy play 1 --headless --no-audio --frames 240 --record fuzz-seed.eddy
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(fuzz_seed PROPERTIES FIXTURES_SETUP fuzz_seed)
  set_tests_properties(fuzz_recording PROPERTIES FIXTURES_REQUIRED fuzz_seed)
endif()
