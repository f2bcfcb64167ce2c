# The recorder without the session file.
foreach(suite field block timeline timeline_model)
  eddy_suite(${suite} eddy_rewind)
  target_sources(test_${suite} PRIVATE rewind_stage.c)
endforeach()
target_compile_definitions(test_field PRIVATE EDDY_C_COMPILER="${CMAKE_C_COMPILER}")
