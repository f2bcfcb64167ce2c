# eddy_fuzz(NAME SEED [libraries]): tests/fuzz_NAME.c, one LLVMFuzzerTestOneInput. In the preset `fuzz` it is a fuzzer;
# elsewhere a test that feeds it the file SEED, cuts of it and mutations of it.
function(eddy_fuzz name seed)
  add_executable(fuzz_${name} fuzz_${name}.c)
  target_link_libraries(fuzz_${name} PRIVATE eddy_flags ${ARGN} m)
  if(EDDY_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(fuzz_${name} PRIVATE fuzz_replay.c)
  add_test(NAME fuzz_${name} COMMAND fuzz_${name} ${seed} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
