#!/usr/bin/env bash
# Keeps the house in order: a file includes its own folder and lower levels only, foreign libraries stay in the folders
# that may use them, public headers define public names, and the README's map lists exactly the folders there are.
# With --self-test: a tree that breaks each rule must be found out.
set -uo pipefail

root=${EDDY_LAYERS_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)}
problems=0

declare -A level=([rewind]=0 [audio]=1 [world]=2 [engine]=3 [tools]=4)

# What a folder shows to those above it. tests/ may look inside.
declare -A public=(
    [rewind]="rewind.h field.h kinds.inl results.inl"
    [audio]="audio.h sound.h"
    [world]="world.h entities.h buttons.inl"
    [engine]="draw.h input.h path.h picture.h script.h session.h sheet.h window.h"
)

# Headers of others, by the first part of their names, and the folders that may include them.
declare -A foreign=(
    [SDL]="engine tools tests" [SDL_image]="engine tools tests" [SDL_ttf]="engine tools tests"
    [AL]="audio tools tests"
    [vorbis]="audio tools tests" [sndfile]="audio tools tests"
    [jansson]="world tools tests" [zlib]="world tools tests"
    [zstd]="rewind world tools tests" [xxhash]="rewind tools tests"
    [check]="tests"
)

problem() {
    printf '%s\n' "$*"
    problems=$((problems + 1))
}

# check_own FILE LINE FOLDER NAME: an #include "NAME" in a file of FOLDER.
check_own() {
    local file=$1 line=$2 folder=$3 name=$4
    local target=${name%%/*} here
    here=$(dirname "$file")
    if [[ -f $root/$here/$name ]]; then
        return # a neighbour
    fi
    if [[ $folder == tests ]] && compgen -G "$root/*/*/$name" >/dev/null; then
        return # tests look inside
    fi
    if [[ ! -f $root/$name ]]; then
        problem "$file:$line: \"$name\" is neither beside it nor in the tree"
        return
    fi
    if [[ $folder == tests || $folder == "$target" ]]; then
        return
    elif [[ -z ${level[$target]-} || -z ${level[$folder]-} ]]; then
        problem "$file:$line: \"$name\": only the folders of the map may be included"
    elif ((level[$target] > level[$folder])); then
        problem "$file:$line: \"$name\" is of level ${level[$target]}, $folder/ is of level ${level[$folder]}"
    elif [[ " ${public[$target]} " != *" ${name#*/} "* ]]; then
        problem "$file:$line: \"$name\" is private to $target/; others may include: ${public[$target]}"
    elif [[ $folder == world && $target == audio && $name != audio/sound.h ]]; then
        problem "$file:$line: \"$name\": of audio/, world/ may include sound.h only"
    fi
}

# check_foreign FILE LINE FOLDER NAME: an #include <NAME>.
check_foreign() {
    local file=$1 line=$2 folder=$3 name=$4
    local library=${name%%/*}
    library=${library%.h}
    [[ -n ${foreign[$library]-} ]] || return
    [[ " ${foreign[$library]} " == *" $folder "* ]] ||
        problem "$file:$line: <$name>: only these folders may use it: ${foreign[$library]}"
}

check_includes() {
    local file line text folder
    while IFS=: read -r file line text; do
        file=${file#./}
        folder=${file%%/*}
        if [[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\"([^\"]+)\" ]]; then
            check_own "$file" "$line" "$folder" "${BASH_REMATCH[1]}"
        elif [[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\<([^\>]+)\> ]]; then
            check_foreign "$file" "$line" "$folder" "${BASH_REMATCH[1]}"
        fi
    done < <(cd "$root" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.inl' \
        rewind audio world engine tools tests)
}

# Names that a public header gives to the program that includes it: functions, types, macros, enumerators' prefix.
public_names() {
    sed -e 's@//.*@@' "$1" | awk '
        { while (match($0, /\/\*([^*]|\*[^\/])*\*\//)) $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH) }
        /\/\*/ { sub(/\/\*.*/, ""); comment = 1; line = $0; print_names(line); next }
        comment { if (match($0, /\*\//)) { comment = 0; $0 = substr($0, RSTART + 2) } else next }
        { print_names($0) }
        function print_names(text,    word) {
            if (match(text, /^#[ ]*define[ ]+[A-Za-z_0-9]+/)) {
                word = substr(text, RSTART, RLENGTH); sub(/.*[ ]/, "", word); print word
            } else if (match(text, /^(typedef )?(struct|enum|union) [a-z_0-9]+/)) {
                word = substr(text, RSTART, RLENGTH); sub(/.*[ ]/, "", word); print word
            } else if (match(text, /^} [a-z_0-9]+;/)) {
                word = substr(text, 3, RLENGTH - 3); print word
            } else if (match(text, /^typedef .*\(\*[a-z_0-9]+\)/)) {
                word = substr(text, RSTART, RLENGTH); sub(/.*\(\*/, "", word); sub(/\)$/, "", word); print word
            } else if (match(text, /^[a-z][a-z_0-9 *]*[ *][a-z_0-9]+\(/)) {
                word = substr(text, RSTART, RLENGTH - 1); sub(/.*[ *]/, "", word); print word
            } else if (match(text, /^extern .*;/)) {
                word = substr(text, RSTART, RLENGTH - 1); sub(/\[.*/, "", word); sub(/.*[ *]/, "", word); print word
            }
        }' | grep -vE '^(__attribute__)$' | sort -u
}

check_public_names() {
    local folder header name
    for folder in rewind audio; do
        for header in ${public[$folder]}; do
            [[ $header == *.h && -f $root/$folder/$header ]] || continue
            while read -r name; do
                [[ $name == eddy_* || $name == EDDY_* ]] ||
                    problem "$folder/$header: the public name $name does not begin with eddy_ or EDDY_"
            done < <(public_names "$root/$folder/$header")
        done
    done
}

check_map() {
    local mapped there
    mapped=$(grep -oE '^\| *[0-9]* *\| *`[a-z]+/`' "$root/README.md" | grep -oE '`[a-z]+' | tr -d '\140' | sort)
    there=$(cd "$root" && for folder in */CMakeLists.txt; do dirname "$folder"; done | grep -vx build | sort)
    [[ $mapped == "$there" ]] ||
        problem "README.md: its map lists: $(tr '\n' ' ' <<<"$mapped"); the folders are: $(tr '\n' ' ' <<<"$there")"
    local folder
    for folder in "${!level[@]}"; do
        grep -qE "^\| *${level[$folder]} *\| *\`$folder/\`" "$root/README.md" ||
            problem "README.md: the map does not say that $folder/ is of level ${level[$folder]}"
    done
}

# ---- the self-test: one wrong tree ----

self_test() {
    local tree out expected missed=0
    tree=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$tree'" EXIT
    mkdir -p "$tree"/{rewind,audio,world,engine,tools,tests,levels}
    touch "$tree"/{rewind,audio,world,engine,tools,tests,levels}/CMakeLists.txt
    echo '| 0 | `rewind/` |' >"$tree/README.md"
    printf '%s\n' '#define EDDY_OF_OURS 1' '#define LOOSE 1' 'int eddy_right(int a);' 'int wrong(int a);' \
        '/* int in_comment(void); */' 'typedef struct eddy_thing {' '    int x;' '} thing;' >"$tree/rewind/rewind.h"
    touch "$tree/rewind/inside.h" "$tree/audio/audio.h" "$tree/audio/sound.h" "$tree/world/world.h"
    echo '#include "world/world.h"' >"$tree/rewind/up.c"
    echo '#include "rewind/inside.h"' >"$tree/audio/private.c"
    printf '#include "%s"\n' audio/audio.h audio/sound.h >"$tree/world/audio.c"
    echo '#include "gone.h"' >"$tree/engine/gone.c"
    echo '  #  include <SDL.h>' >"$tree/world/sdl.c"
    echo '#include "rewind/inside.h"' >"$tree/tests/may.c"
    out=$(EDDY_LAYERS_ROOT=$tree "${BASH_SOURCE[0]}") && missed=1
    while read -r expected; do
        grep -qF -- "$expected" <<<"$out" || {
            echo "not found out: $expected"
            missed=1
        }
    done <<'LIST'
rewind/up.c:1: "world/world.h" is of level 2
audio/private.c:1: "rewind/inside.h" is private to rewind/
world/audio.c:1: "audio/audio.h": of audio/, world/ may include sound.h only
engine/gone.c:1: "gone.h" is neither beside it nor in the tree
world/sdl.c:1: <SDL.h>: only these folders
rewind/rewind.h: the public name LOOSE does not
rewind/rewind.h: the public name wrong does not
rewind/rewind.h: the public name thing does not
README.md: its map lists: rewind
README.md: the map does not say that audio/ is of level 1
13 problems
LIST
    ((missed == 0)) || printf '%s\n' "the whole answer was:" "$out"
    return "$missed"
}

if [[ ${1-} == --self-test ]]; then
    self_test
    exit
fi
check_includes
check_public_names
check_map
echo "$problems problems"
((problems == 0))
