#!/usr/bin/env bash
# The game on a real display server: Xvfb, without a window manager and without hardware.
# usage: test_xvfb.sh EDDY SOURCE_DIR
set -euo pipefail

eddy=$1
source_dir=$2
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT

command -v Xvfb >/dev/null || {
    echo "Xvfb is not installed; ./eddy test installs it"
    exit 77
}
# -noreset: a server that begins anew when its last client goes refuses the next one for a moment.
mkfifo "$work/display"
Xvfb -displayfd 3 -noreset -screen 0 1280x720x24 -nolisten tcp 3>"$work/display" >"$work/Xvfb.log" 2>&1 &
server=$!
read -r number <"$work/display"
export DISPLAY=:$number SDL_VIDEODRIVER=x11 SDL_RENDER_DRIVER=software
export ASAN_OPTIONS=detect_leaks=0 # the display's own libraries keep things to the end; test_window looks for ours

cd "$work"
script=$source_dir/levels/first-lamp.inp
"$eddy" play 1 --no-audio --input "$script" --frames 90 --record window.eddy --shot 60:window.png
"$eddy" play 1 --no-audio --input "$script" --frames 90 --record headless.eddy --headless
"$eddy" diff window.eddy headless.eddy # the window changes nothing
[[ $(wc -c <window.png) -gt 50000 ]] # a painted picture, not a blank one

# An interrupt finishes the file.
"$eddy" play 1 --no-audio --record cut.eddy &
game=$!
for _ in {1..100}; do
    [[ -s cut.eddy && $(wc -c <cut.eddy) -gt 12000 ]] && break
    sleep 0.1
done
sleep 1
kill -INT "$game"
status=0
wait "$game" || status=$?
[[ $status == 130 ]] || {
    echo "expected 130 after an interrupt, got $status"
    exit 1
}
"$eddy" verify cut.eddy
