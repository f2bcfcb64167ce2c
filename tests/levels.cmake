# The sounds of the demo: the synth that makes them, and the files it made.
eddy_suite(synth eddy_synth_core PkgConfig::VORBISFILE)
add_dependencies(test_synth eddy_sounds)
