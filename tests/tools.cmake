# The session and the program as a whole.
eddy_suite(script eddy_engine)
eddy_suite(session eddy_engine)
add_dependencies(test_session eddy_sounds)
add_test(NAME cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cli.sh $<TARGET_FILE:eddy> ${PROJECT_SOURCE_DIR})
add_executable(trace_make trace_make.c)
target_link_libraries(trace_make PRIVATE eddy_flags)
add_test(NAME trace COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_trace.sh $<TARGET_FILE:eddy> $<TARGET_FILE:trace_make>)
add_test(NAME bench COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_bench.sh $<TARGET_FILE:eddy>)
