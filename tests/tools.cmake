# The session and the program as a whole.
eddy_suite(script eddy_engine)
eddy_suite(session eddy_engine)
add_dependencies(test_session eddy_sounds)
add_test(NAME cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cli.sh $<TARGET_FILE:eddy> ${PROJECT_SOURCE_DIR})
