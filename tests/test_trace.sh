#!/usr/bin/env bash
# Traces: what is imported comes back byte for byte, what is not a trace is refused by name, frame and byte.
# Usage: test_trace.sh PROGRAM MAKER
set -u
eddy=$1
maker=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

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

# ---- there and back ----
for name in nothing hollow long many image lives every; do
    mkdir "$name"
    "$maker" "$name" "$name"
    expect "$name: import" 0 'frames' "$eddy" import --schema "$name/schema.json" --frames "$name/frames.bin" -o "$name.eddy"
    expect "$name: verify" 0 'closed and whole' "$eddy" verify "$name.eddy"
    expect "$name: convert" 0 'frames' "$eddy" convert --to trace "$name.eddy" -o "$name.back"
    holds "$name: byte for byte" cmp "$name/frames.bin" "$name.back/frames.bin"
    # The schema by meaning: read again, it is written the same and makes the same recording.
    expect "$name: import again" 0 '' "$eddy" import --schema "$name.back/schema.json" --frames "$name.back/frames.bin" -o "$name.2.eddy"
    holds "$name: the same recording" cmp "$name.eddy" "$name.2.eddy"
done
# says FILE TEXT: the schema that came back holds the text.
says() {
    if grep -qF -- "$2" "$1.back/schema.json"; then ok; else bad "$1: schema.json should hold $2: $(cat "$1.back/schema.json")"; fi
}
says hollow '"rate":62.5,'
says lives '"rate":62.5,'
says long '"rate":35,'
says many '"rate":[1,3],'
says image '"rate":4294967295,'
says every '"rate":[60000,1001],'
says every '"name":"u64","kind":"u64","count":1,"default":"18446744073709551615"'
says every '"default":"-9223372036854775808"'
says every '"nan:7fa00001",-0.0]'
says every '"unit":"px","integrates":"speed"'
says every '"default":"-inf"'
says every '"default":[1,2,65535]'
says every '"default":[[1.0,2.0],[3.5,-4.0]]'
says every '"count":6,"default":"hüü"'
says every '"min":-5,"max":5'
says every '"min":-0.5}'
says every '"names":["up","down"]'
says every '"kind":"bool","count":1,"default":true'
says long '"name":"life","kind":"u8","count":1,"default":3'
says long '"default":-0.0'
holds 'nothing else is left behind' test -z "$(find . -name '*.??????' -not -name '*.back' | grep -vE '\.(eddy|json)$')"

# ---- pipes, names, reports ----
expect 'frames from stdin' 0 '' bash -c "cat long/frames.bin | '$eddy' import --schema long/schema.json --frames - -o p.eddy"
holds 'the same recording from stdin' cmp p.eddy long.eddy
expect 'the schema from stdin' 0 '' bash -c "'$eddy' import --schema - --frames lives/frames.bin -o q.eddy <lives/schema.json"
holds 'the same with the schema from stdin' cmp q.eddy lives.eddy
expect 'import --json' 0 '^\{"schema_version":1,.*"frames":1500,"entities":9,"types":2,"rate":62.5' "$eddy" import --json --schema lives/schema.json --frames lives/frames.bin --output j.eddy
expect 'convert --json' 0 '"schema_version":1,.*"frames":1500,"lost_frames":0,"entities":9' "$eddy" convert --json --to trace lives.eddy -o j
expect 'into a folder that is there' 0 '' "$eddy" convert --to trace hollow.eddy -o j
holds 'what was there is replaced' cmp j/frames.bin hollow/frames.bin
"$eddy" convert --to trace lives.eddy -o j 2>err >out

# ---- usage ----
for verb in import convert; do
    expect "$verb --help" 0 'usage: eddy' "$eddy" $verb --help
    expect "$verb: unknown option" 2 'help' "$eddy" $verb --fast
done
expect 'import without a schema' 2 'no --schema' "$eddy" import --frames a -o b
expect 'import to stdout' 2 'cannot go to stdout' "$eddy" import --schema a --frames b -o -
expect 'both from stdin' 2 'cannot both be stdin' "$eddy" import --schema - --frames - -o b
expect 'convert to something else' 2 'expected one of: trace; found wav' "$eddy" convert --to wav lives.eddy -o x
expect 'convert without --to' 2 'expected one of: trace' "$eddy" convert lives.eddy -o x
expect 'convert without a folder' 2 '-o DIR' "$eddy" convert --to trace lives.eddy
expect 'convert without a file' 2 'expected 1 file' "$eddy" convert --to trace -o x
expect 'convert of no recording' 1 'none.eddy' "$eddy" convert --to trace none.eddy -o x
holds 'no folder was made' test ! -e x
expect 'convert into a file' 1 'cannot be made a folder' "$eddy" convert --to trace lives.eddy -o lives.eddy
expect 'convert where there is no folder' 1 'no/such' "$eddy" convert --to trace lives.eddy -o no/such

# ---- an input is never overwritten ----
expect 'import over its frames' 1 'read by this run' "$eddy" import --schema lives/schema.json --frames j/frames.bin -o ./j/frames.bin
expect 'import over its schema' 1 'read by this run' "$eddy" import --schema j/schema.json --frames lives/frames.bin -o j/schema.json
expect 'import over its stdin' 1 'read by this run' bash -c "'$eddy' import --schema lives/schema.json --frames - -o j/frames.bin <j/frames.bin"
holds 'both are as they were' cmp j/frames.bin lives/frames.bin
mkdir own
cp lives.eddy own/frames.bin
expect 'convert over its recording' 1 'read by this run' "$eddy" convert --to trace own/frames.bin -o own
holds 'it is as it was' cmp lives.eddy own/frames.bin
holds 'and nothing is beside it' test "$(ls own)" = frames.bin

# ---- frames that are none ----
cat >s.json <<'JSON'
{"eddy_trace":1,"rate":60,"types":[{"name":"t","fields":[{"name":"b","kind":"bool"},{"name":"s","kind":"str","count":3},
{"name":"r","kind":"u8","max":9}]}]}
JSON
good='\x01\0\0\0\x05\0\0\0\0\0\0\0\x01a\0\0\x03' # one frame of 17 bytes
head='\x01\0\0\0\x05\0\0\0\0\0\0\0'
# refused NAME PATTERN BYTES: after a good frame; frame 1, whose first byte is 17.
refused() {
    printf "$good$3" >bad.bin
    cp long.eddy kept.eddy
    expect "$1" 1 "$2" "$eddy" import --schema s.json --frames bad.bin -o kept.eddy
    if [[ $(wc -l <err) -eq 1 ]]; then ok; else bad "$1: one line of error"; fi
    holds "$1: what was there stays" cmp long.eddy kept.eddy
}
printf "$good" >bad.bin
expect 'the good frame alone' 0 '1 frames' "$eddy" import --schema s.json --frames bad.bin -o s.eddy
refused 'a count that is cut' 'bad.bin: frame 1, byte 17: expected a number of entities, 4 bytes, found the end of the file after 2' '\x01\0'
refused 'an id that is cut' 'frame 1, byte 21: .*8 bytes, found the end of the file after 3' '\x01\0\0\0\x05\0\0'
refused 'values that are cut' 'frame 1, byte 29: .*5 bytes, found the end of the file after 1' "$head\x01"
refused 'a frame that is not there' 'frame 1, byte 21: .*after 0' '\x01\0\0\0'
refused 'too many entities' 'frame 1, byte 17: expected at most 65535 entities, found 65536' '\0\0\x01\0'
refused 'an id 0' 'frame 1, byte 21: expected an id that is not 0' '\x01\0\0\0\0\0\0\0\0\0\0\0\x01a\0\0\x03'
refused 'an unknown type' 'frame 1, byte 25: expected a type below 1 for entity 5, found 2' '\x01\0\0\0\x05\0\0\0\x02\0\0\0\x01a\0\0\x03'
refused 'no zero behind the type' 'frame 1, byte 27: expected 0 behind the type, found 256' '\x01\0\0\0\x05\0\0\0\0\0\0\x01\x01a\0\0\x03'
two='\x02\0\0\0\x05\0\0\0\0\0\0\0\x01a\0\0\x03'
refused 'a repeated id' 'frame 1, byte 34: expected an id above 5.*found 5' "$two"'\x05\0\0\0\0\0\0\0\x01a\0\0\x03'
refused 'ids that descend' 'frame 1, byte 34: expected an id above 5.*found 4' "$two"'\x04\0\0\0\0\0\0\0\x01a\0\0\x03'
refused 'a bool of 2' 'frame 1, byte 29: .*0 or 1 in a bool, found 2' "$head"'\x02a\0\0\x03'
refused 'bytes behind a str' 'frame 1, byte 30: .*only zeros after a str' "$head"'\x01a\0b\x03'
refused 'a value outside its range' 'frame 1, byte 33: .*range .*found 10' "$head"'\x01a\0\0\x0a'
expect 'no frames.bin' 1 'none.bin: cannot be read' "$eddy" import --schema s.json --frames none.bin -o n.eddy
expect 'a folder as frames.bin' 1 'cannot be read' "$eddy" import --schema s.json --frames . -o n.eddy
expect 'another schema' 1 'schema.json' "$eddy" import --schema s.json --frames image/frames.bin -o n.eddy
holds 'no file of what was refused' test ! -e n.eddy

# ---- schemas that are none ----
# schema NAME PATTERN TEXT
schema() {
    printf '%s' "$3" >bad.json
    expect "schema: $1" 1 "bad.json.*$2" "$eddy" import --schema bad.json --frames nothing/frames.bin -o n.eddy
}
# field NAME PATTERN ROW: the second field of a type.
field() {
    schema "$1" "$2" '{"eddy_trace":1,"rate":60,"types":[{"name":"t","fields":[{"name":"a","kind":"u8"},'"$3"']}]}'
}
schema 'no JSON' ':1: expected JSON' '{"eddy_trace":1,'
schema 'not a trace' '"eddy_trace": 1, found nothing' '{"rate":60}'
schema 'an array' '"eddy_trace": 1, found \[\]' '[]'
schema 'of a newer version' 'newer eddy' '{"eddy_trace":2}'
schema 'the same key twice' 'duplicate' '{"eddy_trace":1,"eddy_trace":1}'
for rate in 0 -60 '"fast"' '[60,0]' '[1,2,3]' 4294967296 null 1e300 '[]' '"60/"'; do
    schema "rate $rate" '"rate": 60, 62.5 or' '{"eddy_trace":1,"rate":'"$rate"',"types":[]}'
done
schema 'no types' '1 to 65535 "types", found \[\]' '{"eddy_trace":1,"rate":60,"types":[]}'
schema 'a type without a name' 'type 0.*"name"' '{"eddy_trace":1,"rate":60,"types":[{"fields":[]}]}'
schema 'a type without fields' 'type 0 \(t\): expected an array of "fields"' '{"eddy_trace":1,"rate":60,"types":[{"name":"t","fields":[]}]}'
schema 'a type twice' 'taken by type 0' '{"eddy_trace":1,"rate":60,"types":[{"name":"t","fields":[{"name":"a","kind":"u8"}]},{"name":"t","fields":[{"name":"a","kind":"u8"}]}]}'
field 'no kind' 'type 0 \(t\), field 1 \(x\): expected a "kind", one of bool u8.* str, found nothing' '{"name":"x"}'
field 'an unknown kind' 'found "f16"' '{"name":"x","kind":"f16"}'
field 'a field without a name' 'field 1.*"name"' '{"kind":"u8"}'
field 'a field that is a text' 'an object for each field' '"x"'
field 'a name twice' 'no other field has' '{"name":"a","kind":"u8"}'
field 'count 0' 'field 1 \(x\): expected a "count" of 1 to 1048576.*found 0' '{"name":"x","kind":"u8","count":0}'
field 'a count too large' '1 to 131072.*found 131073' '{"name":"x","kind":"u64","count":131073}'
field 'a struct too large' 'at most 1048576 bytes' '{"name":"x","kind":"u8","count":1048576}'
field 'a default too large' 'as "default" a whole number of 0 to 255, found 256' '{"name":"x","kind":"u8","default":256}'
field 'a default too small' '-128 to 127, found -129' '{"name":"x","kind":"i8","default":-129}'
field 'a default with a fraction' 'whole number.*found 1.5' '{"name":"x","kind":"i32","default":1.5}'
field 'a u64 too large' '18446744073709551615, found "18446744073709551616"' '{"name":"x","kind":"u64","default":18446744073709551616}'
field 'a default of too few' 'as many as its count' '{"name":"x","kind":"u8","count":3,"default":[1,2]}'
field 'a bool of 2' 'true or false, found 2' '{"name":"x","kind":"bool","default":2}'
field 'an f32 too large' 'that an f32 can hold' '{"name":"x","kind":"f32","default":1e40}'
field 'a str too long' 'as many bytes as its count' '{"name":"x","kind":"str","count":3,"default":"four"}'
field 'a default outside its range' 'range' '{"name":"x","kind":"u8","min":1,"max":2,"default":3}'
field 'min above max' '"min" that is not above' '{"name":"x","kind":"u8","min":3,"max":2}'
field 'names that are none' 'texts as "names", found 1' '{"name":"x","kind":"u8","names":["a",1]}'
field 'integrates nothing' 'another field of the type as "integrates", found "y"' '{"name":"x","kind":"u8","integrates":"y"}'
expect 'no schema.json' 1 'none.json: cannot be read' "$eddy" import --schema none.json --frames nothing/frames.bin -o n.eddy
holds 'no file of what was refused' test ! -e n.eddy

# ---- damage ----
size=$(stat -c %s long.eddy)
head -c $((size / 2)) long.eddy >hurt.eddy
printf 'XXXX' >>hurt.eddy
tail -c +$((size / 2 + 5)) long.eddy >>hurt.eddy
expect 'damage: the rest is written' 3 'lost     frames [0-9]+ to [0-9]+ of branch 0' "$eddy" convert --to trace hurt.eddy -o hurt
expect 'damage: what is there is a trace' 0 '' "$eddy" import --schema hurt/schema.json --frames hurt/frames.bin -o h.eddy
expect 'damage: the counts add up' 3 '"lost_frames":[1-9]' "$eddy" convert --json --to trace hurt.eddy -o hurt
number() {
    grep -oE "\"$1\":[0-9]+" out | head -n 1 | cut -d: -f2
}
holds 'damage: to all frames' test "$(($(number frames) + $(number lost_frames)))" -eq 3000
head -c $((size / 2)) long.eddy >cut.eddy
expect 'cut: the first frames' 3 'not closed' "$eddy" convert --to trace cut.eddy -o cut
holds 'cut: are those of the trace' cmp -n "$(stat -c %s cut/frames.bin)" cut/frames.bin long/frames.bin
holds 'cut: and many' test "$(stat -c %s cut/frames.bin)" -gt 100000

# ---- interruptions, full disks ----
mkfifo hold
"$eddy" import --schema long/schema.json --frames hold -o i.eddy >out 2>err &
running=$!
exec 3<>hold # the pipe has a writer as long as this is open: the trace does not end
cat long/frames.bin >&3
sleep 0.3
holds 'an import under way writes beside its place' test ! -e i.eddy -a -n "$(find . -name 'i.eddy.*')"
kill -INT $running
wait $running
holds 'SIGINT: status 130' test $? -eq 130
exec 3>&-
holds 'SIGINT: nothing is left' test -z "$(find . -name 'i.eddy*')"
( ulimit -f 8; "$eddy" import --schema long/schema.json --frames long/frames.bin -o full.eddy >out 2>err; echo $? >status )
holds 'a full disk: import fails with one line' test "$(cat status)" = 1 -a "$(grep -c '^eddy: full.eddy: ' err)" -eq 1
( ulimit -f 8; "$eddy" convert --to trace long.eddy -o full >out 2>err; echo $? >status )
holds 'a full disk: convert fails with one line' test "$(cat status)" = 1 -a "$(grep -c '^eddy: full/frames.bin: ' err)" -eq 1
holds 'a full disk: nothing is left' test -z "$(find . -name 'full*')"

printf '%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
