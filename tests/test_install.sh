#!/usr/bin/env bash
# A foreign program can embed an installed Eddy: rewind alone, audio alone and both, with find_package and pkg-config.
# usage: test_install.sh BUILD_DIR CC [FLAGS...]: installs BUILD_DIR into a folder of its own, then moves it, since an
# installed tree is relocatable. FLAGS (sanitizers) are those the libraries were built with.
set -euo pipefail

build=$1
export CC=$2
shift 2
flags=$*
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() {
    echo "== $*"
}

step install
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/a prefix"
prefix="$work/a prefix"
! grep -rlF "$work/first" "$prefix" --include='*.pc' --include='*.cmake' || exit 1

for components in rewind audio 'rewind;audio'; do
    step "find_package: $components"
    dir="$work/cmake-${components//;/-}"
    cmake -S "$here/install" -B "$dir" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS="$components" \
        -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    ninja -C "$dir" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    ctest --test-dir "$dir" --output-on-failure
done

step "find_package: a component that does not exist"
if cmake -S "$here/install" -B "$work/none" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=smell \
    >"$work/log" 2>&1; then
    echo "it was found"
    exit 1
fi
grep -q 'no component "smell"' "$work/log"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name eddy.pc)")
export PKG_CONFIG_PATH
while read -r program module; do
    step "pkg-config: $program with $module"
    eval "words=($(pkg-config --cflags "$module"))"
    eval "libraries=($(pkg-config --libs "$module"))"
    # shellcheck disable=SC2086,SC2154 # flags is a list of words; the arrays come from eval
    "$CC" -std=c17 -Wall -Wextra -Werror $flags "${words[@]}" "$here/install/$program.c" -o "$work/$program" \
        "${libraries[@]}"
    [[ $("$work/$program") == "$program" ]]
done <<'LIST'
rewind eddy-rewind
audio eddy-audio
both eddy
LIST
echo "all found, built and run"
