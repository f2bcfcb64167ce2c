#!/usr/bin/env bash
# The same play gives the same frames whatever compiled it: builds the program with gcc and clang at -O0 and -O2, lets
# each play First Lamp's solution, and compares every frame of the recordings and every byte of the sound.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
work=$root/build/agree
mkdir -p "$work"
command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache

# build_and_play COMPILER OPTIMISATION: leaves $work/COMPILER-OPTIMISATION.eddy and .wav.
build_and_play() {
    local name=$1$2 dir=$work/$1$2
    echo "== $name"
    cmake -S "$root" -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$1" \
        -DCMAKE_C_FLAGS_DEBUG="$2" -DEDDY_TESTS=OFF
    ninja -C "$dir"
    "$dir/tools/eddy" play 1 --headless --input "$root/levels/first-lamp.inp" --frames 3600 \
        --record "$work/$name.eddy" --wav "$work/$name.wav"
}

for compiler in gcc clang; do
    for optimisation in -O0 -O2; do
        build_and_play "$compiler" "$optimisation"
    done
done
program=$work/gcc-O2/tools/eddy
for other in gcc-O0 clang-O0 clang-O2; do
    "$program" diff "$work/gcc-O2.eddy" "$work/$other.eddy"
done
# The sounds are built by each compiler for itself, so equal bytes here say that the synthesis agrees too.
for other in gcc-O0 clang-O0 clang-O2; do
    cmp "$work/gcc-O2.wav" "$work/$other.wav"
done
echo "all four agree"
