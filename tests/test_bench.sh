#!/usr/bin/env bash
# The benchmark as a contract: scenes, JSON, bytes, files. No time is tested. Usage: test_bench.sh PROGRAM
set -u
eddy=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0
unset EDDY_LEVELS EDDY_SOUNDS

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
    timeout 60 "$@" >out 2>err </dev/null
    local got=$?
    if [[ $got -eq $status && ( -z $pattern || $(cat out err) =~ $pattern ) ]]; then ok; else bad "$name (status $got, expected $status; pattern: $pattern)"; fi
}
# same NAME A B
same() {
    if [[ $2 == "$3" ]]; then ok; else bad "$1: \"$2\" is not \"$3\""; fi
}
# count PATTERN FILE: how often it is there.
count() {
    grep -oE "$1" "$2" | wc -l
}

# ---- usage ----
expect 'help' 0 'usage: eddy bench' "$eddy" bench --help
expect 'an unknown scene names those there are' 2 'unknown scene "smoth".*smooth noise quiet' "$eddy" bench smoth
expect 'minutes that are none' 2 'above 0' "$eddy" bench --minutes 0
expect 'minutes that are no number' 2 'above 0.*found "1m"' "$eddy" bench --minutes 1m
expect 'too many minutes' 2 'at most' "$eddy" bench --minutes 1e9
expect 'a budget that is none' 2 'expects bytes' "$eddy" bench --budget lots
expect 'an unknown option' 2 'help' "$eddy" bench --fast
expect 'a recording that is not there' 1 'none.eddy' "$eddy" bench --trace none.eddy
expect 'a plot into no folder' 1 'no/such' "$eddy" bench --minutes 0.01 --plot no/such/a.svg
expect 'a budget too small' 1 'budget|bytes' "$eddy" bench quiet --minutes 0.01 --budget 1000
for scene in smooth noise quiet plain first-lamp millwheel loft constants; do
    expect "the list has $scene, and a sentence" 0 "(^|"$'\n'")$scene +[a-z0-9,]+ [a-z0-9]" "$eddy" bench --list
done

# ---- a run ----
expect 'a run' 0 '' "$eddy" bench noise first-lamp smooth quiet --minutes 0.05 --json --plot a.svg
cp out a.json
same 'one line' "$(wc -l <a.json)" 1
same 'its version' "$(count '^\{"schema_version": ?1,' a.json)" 1
same 'four scenes' "$(count '"scene":' a.json)" 4
same 'of 180 frames, and so every scheme' "$(count '"frames": ?180[,}]' a.json)" 36
for scheme in eddy-live eddy word-diff16 xor-zstd1 xor-lz4 full-copy full-zstd3 memcmp; do
    same "$scheme in each" "$(count "\"scheme\": ?\"$scheme\"" a.json)" 4
done
same 'no frame came back other than it was' "$(count '"mismatches": ?0[,}]' a.json)" 32
same 'those that only step back cannot seek' "$(count '"seek_us": ?null' a.json)" 16
if command -v python3 >/dev/null; then
    expect 'it is JSON' 0 '' python3 -c 'import json; json.load(open("a.json"))'
    expect 'the plot is XML' 0 '' python3 -c 'import xml.dom.minidom as m; m.parse("a.svg")'
fi
same 'the plot is whole' "$(head -c 5 a.svg)$(tail -n 1 a.svg)" '<?xml</svg>'
same 'and has a bar for each that stores' "$(count 'fill="#(0b6e6e|5aa9a6|b9b4a8)"' a.svg)" 28
same 'nothing else is left behind' "$(find . -name 'a.svg*' | wc -l)" 1

# ---- the same bytes again ----
bytes() {
    grep -oE '"bytes_per_minute": ?[0-9.e+]+' "$1"
}
expect 'two of them again' 0 '' "$eddy" bench noise first-lamp --minutes 0.05 --json
same 'the same bytes' "$(bytes out)" "$(bytes a.json | head -n 16)"

# ---- a recording as a scene ----
printf '60 right\n20 right+jump\n60 rewind\n60 left\n' >turn.inp
expect 'a recording' 0 '' "$eddy" play 1 --headless --no-audio --input turn.inp --record 'a&b.eddy'
expect 'is a scene' 0 '"scene": ?"a&b.eddy"' "$eddy" bench --trace 'a&b.eddy' --json --plot b.svg
same 'of its last line' "$(count '"frames": ?'"$("$eddy" info --json 'a&b.eddy' | grep -oE '"last_frame": ?[0-9]+' | head -n 1 | grep -oE '[0-9]+$' | awk '{ print $1 + 1 }')" out)" 9
same 'that comes back as it was' "$(count '"mismatches": ?0[,}]' out)" 8
same 'its name is escaped' "$(count 'a&amp;b.eddy' b.svg)" 1
expect 'a plot is not written over it' 1 'read by this run' "$eddy" bench --trace 'a&b.eddy' --plot 'a&b.eddy'
expect 'the table' 0 'ok +0 frames came back other' "$eddy" bench --trace 'a&b.eddy' --minutes 0.01

# ---- an interruption ----
"$eddy" bench smooth --minutes 60 >out 2>err &
running=$!
sleep 1
kill -INT $running
wait $running
same 'SIGINT: status 130' $? 130

printf '%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
