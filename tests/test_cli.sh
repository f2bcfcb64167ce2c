#!/usr/bin/env bash
# The command line as a contract: exit statuses, messages, files. Usage: test_cli.sh PROGRAM SOURCE_DIR
set -u
eddy=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
solution=$source_dir/levels/first-lamp.inp
passed=0
failed=0
unset EDDY_LEVELS EDDY_SOUNDS DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

ok() {
    passed=$((passed + 1))
}
bad() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    sed 's/^/    /' out err 2>/dev/null | head -n 12
}
# expect NAME STATUS PATTERN COMMAND...: the status and, in stdout or stderr, the pattern.
expect() {
    local name=$1 status=$2 pattern=$3
    shift 3
    timeout 120 "$@" >out 2>err </dev/null
    local got=$?
    if [[ $got -eq $status && ( -z $pattern || $(cat out err) =~ $pattern ) ]]; then ok; else bad "$name (status $got, expected $status; pattern: $pattern)"; fi
}
# holds NAME COMMAND...: the command succeeds.
holds() {
    local name=$1
    shift
    if "$@" >out 2>err; then ok; else bad "$name"; fi
}
# field FILE NAME: one number or word of `info --json`.
field() {
    "$eddy" info --json "$1" | grep -oE "\"$2\":[^,}]*" | head -n 1 | cut -d: -f2 | tr -d '"'
}

# ---- usage: status 2, and what to try ----
expect 'no verb' 2 'eddy play' "$eddy"
expect 'unknown verb' 2 'unknown verb "paly".*play' "$eddy" paly
expect 'help' 0 'eddy verify' "$eddy" --help
expect 'version' 0 '^eddy [0-9]+\.[0-9]+' "$eddy" --version
expect 'unknown flag' 2 'help' "$eddy" play --fullspeed
expect 'flag without its value' 2 'help' "$eddy" play --frames
expect 'frames that is no number' 2 'expects a number of ticks' "$eddy" play --headless --frames ten
expect 'headless without an end' 2 'needs --frames N or --input' "$eddy" play --headless
expect 'two levels' 2 'one LEVEL at a time' "$eddy" play 1 2 --headless --frames 1
expect 'a shot behind the end' 2 'behind the run' "$eddy" play --headless --frames 5 --shot 6:a.png
expect 'a shot without a file' 2 'TICK:FILE' "$eddy" play --headless --frames 5 --shot 6
expect 'a budget that is none' 2 'expects bytes' "$eddy" play --headless --frames 1 --budget lots
expect 'from without a frame' 2 'FILE@FRAME' "$eddy" play --headless --frames 1 --from a.eddy
expect 'record to stdout' 2 'cannot go to stdout' "$eddy" play --headless --frames 1 --record -
expect 'unknown level' 2 'there are: 1 first-lamp, 2 millwheel' "$eddy" play 99 --headless --frames 1
long=$(printf 'd%.0s' {1..5000})
expect 'a level name too long for a path' 1 'expected a path of at most' "$eddy" play "$long" --headless --frames 1
expect 'a level folder too long for a path' 1 'expected a path of at most' "$eddy" play --headless --frames 1 --level-dir "$long"
expect 'diff: a file too long for a path' 2 'expected a path of at most' "$eddy" diff "$long" "$long"
expect 'bridge: unknown level' 2 'there are' "$eddy" bridge nowhere
expect 'verify without a file' 2 'expected 1 file' "$eddy" verify
expect 'diff with one frame' 2 'both sides' "$eddy" diff a.eddy@1 b.eddy
for verb in play info verify diff bridge doctor; do
    expect "$verb --help" 0 'usage: eddy' "$eddy" $verb --help
done

# ---- bad files: status 1, and which file ----
echo '3 jmp' >bad.inp
expect 'unknown button' 1 'bad.inp:1: unknown button "jmp"' "$eddy" play --headless --input bad.inp
expect 'missing script' 1 'none.inp: ' "$eddy" play --headless --input none.inp
expect 'missing map' 1 'none.tmj: ' "$eddy" play ./none.tmj --headless --frames 1
echo '{"layers":' >broken.tmj
expect 'broken map' 1 'broken.tmj' "$eddy" play ./broken.tmj --headless --frames 1
expect 'missing recording' 1 'none.eddy' "$eddy" info none.eddy
head -c 5000 "$eddy" >foreign.eddy
expect 'foreign recording' 1 'foreign.eddy' "$eddy" verify foreign.eddy
: >empty.eddy
expect 'empty recording' 1 'empty.eddy' "$eddy" info empty.eddy
expect 'a folder as a recording' 1 '\.' "$eddy" info .
expect 'diff: trouble' 2 'none.eddy' "$eddy" diff none.eddy none.eddy
expect 'record into no folder' 1 'no/such/a.eddy' "$eddy" play --headless --frames 1 --record no/such/a.eddy
expect 'record to a folder' 1 'folder' "$eddy" play --headless --frames 1 --record .
expect 'record where nobody may write' 1 '/proc/a.eddy' "$eddy" play --headless --frames 1 --record /proc/a.eddy
expect 'a WAV into no folder' 1 'no/such/a.wav' "$eddy" play --headless --frames 1 --wav no/such/a.wav
expect 'a shot into no folder' 1 'no/such/a.png' "$eddy" play --headless --frames 1 --shot 1:no/such/a.png
expect 'a budget too small' 1 'budget|bytes' "$eddy" play --headless --frames 1 --budget 1000
mkfifo pipe # never a real device: were the check to break, root would lose it
ln -s pipe link
for place in pipe link .; do
    expect "a WAV to '$place'" 1 'device|folder' "$eddy" play --headless --frames 1 --wav "$place"
    expect "a shot to '$place'" 1 'device|folder' "$eddy" play --headless --frames 1 --shot "1:$place"
done
holds 'a pipe is left alone' test -p pipe
expect 'a WAV without a name' 1 'without a name' "$eddy" play --headless --frames 1 --wav ''
ln -s later.wav link.wav
expect 'a WAV over a link' 1 'symbolic link' "$eddy" play --headless --frames 1 --wav link.wav
printf '3 \0right\n' >zero.inp
expect 'a zero byte in a script' 1 'zero.inp:1: expected text' "$eddy" play --headless --input zero.inp
holds 'a script from stdin' bash -c "echo '3 right' | '$eddy' play --headless --input -"
expect 'no tick at all ends' 0 '0 ticks' env SDL_VIDEODRIVER=dummy "$eddy" play --frames 0

# ---- a run ----
expect 'the contract run' 0 'exit reached' "$eddy" play 1 --headless --input "$solution" --frames 3600 --record a.eddy --wav a.wav --shot 600:a.png --expect-exit
holds 'the recording is there' test -s a.eddy
holds 'the WAV has 800 samples a tick' test "$(stat -c %s a.wav)" -eq $((44 + 3600 * 800 * 4))
holds 'the picture is a PNG' grep -q PNG a.png
holds 'nothing else is left behind' test "$(find . -name 'a.*' | wc -l)" -eq 3
expect 'the same again' 0 'exit reached' "$eddy" play 1 --headless --input "$solution" --frames 3600 --record b.eddy --wav b.wav
expect 'the same frame hashes' 0 '' "$eddy" diff a.eddy b.eddy
holds 'the same WAV bytes' cmp a.wav b.wav
expect 'the same without audio' 0 '' "$eddy" play 1 --headless --input "$solution" --frames 3600 --record c.eddy --no-audio
expect 'the same hashes without audio' 0 '' "$eddy" diff a.eddy c.eddy
expect 'a silent WAV without audio' 0 'silent' "$eddy" play 1 --headless --frames 10 --no-audio --wav d.wav
expect 'verify' 0 'closed and whole' "$eddy" verify a.eddy
expect 'info' 0 'closed and whole' "$eddy" info a.eddy
expect 'info: the game notes the exit' 0 'tick [0-9]+: won' "$eddy" info a.eddy
holds 'info: ticks' test "$(field a.eddy ticks)" = 3600
holds 'info: rate' test "$(field a.eddy rate)" = 60
holds 'info: clean' test "$(field a.eddy clean)" = true
holds 'info: frames on one branch' test "$(field a.eddy frames)" -eq $(($(field a.eddy last_frame) + 1))
holds 'info: bytes' test "$(field a.eddy bytes)" = "$(stat -c %s a.eddy)"
expect 'expect-exit fails without the exit' 1 'exit was not reached' "$eddy" play 1 --headless --frames 60 --expect-exit
expect 'another seed plays' 0 '' "$eddy" play 1 --headless --frames 60 --seed 9
expect 'two frames of one file differ' 1 'moth#.*\.x' "$eddy" diff a.eddy@60 a.eddy@120
expect 'a frame is itself' 0 '' "$eddy" diff a.eddy@60 b.eddy@60
expect 'a frame that is not there' 2 '' "$eddy" diff a.eddy@60 a.eddy@999999
printf '200 right\n120 rewind\n60 left\n' >turn.inp
expect 'a run with a rewind' 0 'branch 1' "$eddy" play 1 --headless --input turn.inp --record r.eddy
holds 'info: two branches' test "$(field r.eddy branches)" = 2
holds 'info: its frames each once' test "$(field r.eddy frames)" = 261
expect 'recordings that differ' 1 'differs|ends' "$eddy" diff a.eddy r.eddy
expect 'taking over' 0 'frame 160' "$eddy" play --from a.eddy@100 --headless --frames 60
expect 'taking over at no frame' 1 'frame 99999' "$eddy" play --from a.eddy@99999 --headless --frames 60
expect 'taking over another level' 1 'a recording of first-lamp' "$eddy" play 2 --from a.eddy@100 --headless --frames 60
cp a.eddy kept.eddy
for output in '--record a.eddy' '--wav ./a.eddy' '--shot 1:a.eddy'; do
    expect "taken over and written: $output" 1 'read by this run' "$eddy" play --from a.eddy@100 --headless --frames 60 $output
done
expect 'a run that cannot begin' 1 'frame 99999' "$eddy" play --from b.eddy@99999 --headless --frames 60 --record a.eddy
holds 'what was recorded is still there' cmp a.eddy kept.eddy
expect 'two files under one name' 2 'under one name' "$eddy" play --headless --frames 1 --record same --wav ./same
for verb in 'info a.eddy' 'verify --json a.eddy' 'play --headless --frames 1' --version; do
    expect "results that do not get out: $verb" 1 'could not be written' bash -c "'$eddy' $verb >/dev/full"
done
expect 'closed standard files' 0 'closed and whole' bash -c "'$eddy' play --headless --frames 9 --record z.eddy <&- >&- 2>&-; '$eddy' verify z.eddy"
cp a.eddy $'odd\xff.eddy'
expect 'a name that is not UTF-8' 0 '"file":"odd\?\.eddy"' "$eddy" info --json $'odd\xff.eddy'
mkdir tmp
holds 'a reader of the WAV that goes away' bash -c "TMPDIR=tmp '$eddy' play --headless --frames 600 --wav - | head -c 4 >out"
( sleep 3 ) | TMPDIR=tmp "$eddy" bridge >out 2>&1 &
running=$!
sleep 0.5
kill -9 $running
wait $running 2>out
holds 'kill -9: no temporary file is left' test -z "$(find tmp -name 'eddy-*')"
expect 'a level by name' 0 'millwheel' "$eddy" play millwheel --headless --frames 5
expect 'a level by file' 0 'millwheel' "$eddy" play "$source_dir/levels/millwheel.tmj" --headless --frames 5
expect 'a WAV into a pipe' 0 'RIFF' bash -c "'$eddy' play --headless --frames 3 --wav - | head -c 4"

# ---- damage ----
head -c 30000 a.eddy >damaged.eddy
printf 'XXXX' >>damaged.eddy
tail -c +30005 a.eddy >>damaged.eddy
expect 'damage: verify names the frames' 1 'lost     (frame|tick)s [0-9]+ to [0-9]+' "$eddy" verify damaged.eddy
expect 'damage: info too' 3 'lost     (frame|tick)s [0-9]+ to [0-9]+' "$eddy" info damaged.eddy
expect 'damage: the way to a frame' 1 'latest to go on from is [0-9]+' "$eddy" play --from damaged.eddy@1500 --headless --frames 1
latest=$("$eddy" play --from damaged.eddy@1500 --headless --frames 1 2>&1 | grep -oE '[0-9]+$')
expect 'damage: going on from the latest' 0 'frame' "$eddy" play --from "damaged.eddy@$latest" --headless --frames 1

# ---- without a display: a tour ----
expect 'the tour' 0 'no display' "$eddy" play
for end in eddy wav png; do
    holds "the tour's $end" test -s "eddy-tour/first-lamp.$end"
done
expect 'the tour verifies' 0 'closed and whole' "$eddy" verify eddy-tour/first-lamp.eddy

# ---- interruptions ----
"$eddy" play 1 --headless --frames 100000000 --record k.eddy >/dev/null 2>&1 &
running=$!
sleep 0.7
kill -INT $running
wait $running
holds 'SIGINT: status 130' test $? -eq 130
expect 'SIGINT: the file is finished' 0 'closed and whole' "$eddy" verify k.eddy
"$eddy" play 1 --headless --frames 100000000 --record k9.eddy >/dev/null 2>&1 &
running=$!
sleep 0.7
kill -9 $running
wait $running 2>/dev/null
expect 'kill -9: whole, not closed' 3 'whole, not closed' "$eddy" verify k9.eddy
expect 'kill -9: info says so' 3 'not closed' "$eddy" info k9.eddy
( ulimit -f 64; "$eddy" play 1 --headless --frames 20000 --record full.eddy >out 2>err; echo $? >status )
holds 'a full disk: the run fails with one line' test "$(cat status)" = 1 -a "$(grep -c full.eddy err)" -eq 1
expect 'a full disk: what was written opens' 3 'whole, not closed' "$eddy" verify full.eddy

# ---- the bridge ----
cat >requests <<'LINES'
{"op":"hello"}
{"op":"step","n":30,"held":["right"]}
{"op":"step","n":30,"held":["rihgt"]}
nonsense
[1]
{"op":"rewind","n":10,"speed":-1}
{"op":"rewind","n":10,"speed":-9}
{"op":"seek","frame":12,"branch":0}
{"op":"seek","frame":99}
{"op":"fly"}
{"op":"entities"}
{"op":"get","id":1}
{"op":"get","id":1,"field":"frame"}
{"op":"sounds"}
{"op":"voices"}
{"op":"shot","path":"bridge.png"}
{"op":"save","path":"bridge.eddy"}
{"op":"load","level":2}
{"op":"load","level":77}
{"op":"state"}
{"op":"quit"}
{"op":"state"}
LINES
"$eddy" bridge 1 <requests >answers 2>err
holds 'bridge: exits 0' test $? -eq 0
cp answers out
# answer N PATTERN: line N of the answers.
answer() {
    if sed -n "$1p" answers | grep -qE -- "$2"; then ok; else bad "bridge line $1 should match $2; it is: $(sed -n "$1p" answers | cut -c 1-200)"; fi
}
holds 'bridge: one line each, none after quit' test "$(wc -l <answers)" -eq 21
answer 1 '"ok":true.*"ops":\['
answer 2 '"ok":true,"tick":30,"frame":30,"branch":0,"hash":"[0-9a-f]{16}","immune_hash":"[0-9a-f]{16}","first_frame":0,"last_frame":30,"dead":false,"won":false,"sounds_begun":\[.*\],"sounds_ended":\['
answer 3 '"ok":false,"error":"unknown button'
answer 4 '"ok":false'
answer 5 '"ok":false'
answer 6 '"tick":40,"frame":20,"branch":0'
answer 7 '"ok":false.*speed'
answer 8 '"tick":40,"frame":12'
answer 9 '"ok":false.*0 to 30.*"first_frame":0,"last_frame":30'
answer 10 '"ok":false.*unknown op'
answer 11 '"entities":\[\{"id":[0-9]+,"type":"game","immune":false,"fields":\{"frame":12,'
answer 12 '"type":"game"'
answer 13 '"value":12'
answer 14 '"asset":"music_lamp","position":[0-9.]+,"gain":[0-9.]+,"pitch":1'
answer 15 '"heard_gain":'
answer 16 '"ok":true'
answer 17 '"ok":true'
answer 18 '"tick":0,"frame":0,"branch":0'
answer 19 '"ok":false'
answer 20 '"ok":true,"tick":0'
answer 21 '"ok":true'
holds 'bridge: the picture' grep -q PNG bridge.png
expect 'bridge: the saved session is closed and whole' 0 'closed and whole' "$eddy" verify bridge.eddy

printf '%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
