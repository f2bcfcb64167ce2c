# How everything is compiled: link `eddy_flags` PRIVATE.
add_library(eddy_flags INTERFACE)
target_compile_definitions(eddy_flags INTERFACE _DEFAULT_SOURCE $<$<BOOL:${EDDY_TINY}>:EDDY_TINY>)

# Determinism: no contraction, no fast math (the guard stops the build under it).
target_compile_options(eddy_flags INTERFACE
  "$<BUILD_INTERFACE:SHELL:-include \"${PROJECT_SOURCE_DIR}/cmake/guard.h\">"
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-align -Wvla
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation> # snprintf cuts text on purpose; gcc sees it at some levels only
  -ffp-contract=off -fno-strict-aliasing $<$<BOOL:${EDDY_WERROR}>:-Werror>)

if(EDDY_SANITIZE)
  target_compile_options(eddy_flags INTERFACE
    -fsanitize=${EDDY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(eddy_flags INTERFACE -fsanitize=${EDDY_SANITIZE})
endif()

if(EDDY_COVERAGE)
  target_compile_options(eddy_flags INTERFACE --coverage)
  target_link_options(eddy_flags INTERFACE --coverage)
endif()

if(EDDY_FUZZ)
  target_compile_options(eddy_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(eddy_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
