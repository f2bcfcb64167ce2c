add_library(eddy_audio_stage STATIC audio_files.c audio_stage.c)
target_link_libraries(eddy_audio_stage PUBLIC eddy_audio PRIVATE eddy_flags PkgConfig::VORBISENC vorbis ogg PkgConfig::CHECK m)

foreach(suite voice files stream mixer device)
  eddy_suite(audio_${suite} eddy_audio_stage PkgConfig::OPENAL)
endforeach()
