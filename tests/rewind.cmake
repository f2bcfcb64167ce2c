# The recorder without the session file.
foreach(suite field block reports seal timeline timeline_branch timeline_model timeline_seal)
  eddy_suite(${suite} eddy_rewind)
  target_sources(test_${suite} PRIVATE rewind_stage.c)
endforeach()
target_compile_definitions(test_field PRIVATE EDDY_C_COMPILER="${CMAKE_C_COMPILER}")

# The example of rewind/README.md, as it stands there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rewind/README.md)
file(READ ${PROJECT_SOURCE_DIR}/rewind/README.md readme)
string(REGEX MATCH "```c\n([^`]*)```" example "${readme}")
file(CONFIGURE OUTPUT rewind_example.c CONTENT "${CMAKE_MATCH_1}" @ONLY)
add_executable(rewind_example ${CMAKE_CURRENT_BINARY_DIR}/rewind_example.c)
target_link_libraries(rewind_example PRIVATE eddy_flags eddy_rewind)
add_test(NAME rewind_example COMMAND rewind_example)
set_tests_properties(rewind_example PROPERTIES PASS_REGULAR_EXPRESSION "^x 90.0, last frame 91\n$")
