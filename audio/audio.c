/* in the making */ typedef int audio_unit;
