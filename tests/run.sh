#!/usr/bin/env bash
# ./eddy test [--long] [NAME]: builds the presets dev and tiny, runs every suite in both, and counts. NAME runs one
# suite. --long adds what takes its time (tests/long.sh). The last line is "N passed, N failed"; exit 1 if any failed.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
passed=0
failed=0
only=
long=

say() {
    printf 'eddy: %s\n' "$*" >&2
}

usage() {
    say "$1"
    say "usage: eddy test [--long] [NAME]"
    exit 2
}

parse_arguments() {
    for argument in "$@"; do
        case $argument in
        --long) long=1 ;;
        -h | --help)
            echo 'usage: eddy test [--long] [NAME]'
            echo 'Builds the presets dev (sanitizers) and tiny (shrunk constants) and runs every suite in both; NAME runs one'
            echo 'suite. --long adds valgrind, the thread sanitizer, fuzzing, long random runs, the agreement of compilers, and'
            echo 'coverage. The last line is `N passed, N failed`.'
            echo 'exit status: 0 all passed, 1 something failed, 2 usage'
            exit 0
            ;;
        -*) usage "test does not know $argument" ;;
        *)
            [[ -z $only ]] || usage "one suite at a time: $only or $argument"
            only=$argument
            ;;
        esac
    done
}

# count PASSED FAILED: adds to the totals.
count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
}

# report_failure WHAT LOG: one failure that is no check of a suite: a build, a run that did not start.
report_failure() {
    count 0 1
    tail -n 40 "$2"
    printf '%s failed (whole log: %s)\n' "$1" "$2"
}

# build PRESET: configures once, builds all; false if that fails, after counting it.
build() {
    local preset=$1 dir=$root/build/$1 log=$root/build/$1.log begin=$SECONDS
    say "building $preset (log: $log)"
    if [[ ! -f $dir/build.ninja ]]; then
        command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache
        if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
            rm -f "$dir/CMakeCache.txt"
            report_failure "configuring $preset" "$log"
            return 1
        fi
    fi
    if ! ninja -C "$dir" >"$log" 2>&1; then
        report_failure "building $preset" "$log"
        return 1
    fi
    printf '%s: built in %d s\n' "$preset" $((SECONDS - begin))
}

# Reads ctest's JUnit file: a line "NAME CHECKS BAD" for each test. A Check suite says its own count; anything else
# counts as one check. A suite that failed without a failing check (a crash, a leak at its end) has one bad check.
junit_counts() {
    awk '
        function finish() {
            if (name == "") return
            if (!seen) checks = 1
            if (status != "run" && bad == 0) bad = 1
            print name, checks, bad
            name = ""
        }
        /<testcase / {
            finish()
            match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8)
            match($0, / status="[^"]*"/); status = substr($0, RSTART + 9, RLENGTH - 10)
            checks = 0; bad = 0; seen = 0
        }
        /[0-9]+%: Checks: / {
            line = $0
            gsub(/[^0-9 ]/, "", line)
            split(line, number, " +")
            first = number[1] == "" ? 2 : 1
            checks += number[first + 1]; bad += number[first + 2] + number[first + 3]; seen = 1
        }
        END { finish() }' "$1"
}

# run_suites PRESET: ctest in a built preset.
run_suites() {
    local preset=$1 dir=$root/build/$1 log=$root/build/$1-tests.log begin=$SECONDS
    local junit=$dir/junit.xml suites=0 checks=0 bad=0
    local -a choice=()
    [[ -z $only ]] || choice=(-R "^$only\$")
    rm -f "$junit"
    ctest --test-dir "$dir" "${choice[@]}" -j "$(nproc)" --timeout 600 --no-tests=error --output-on-failure \
        --output-junit "$junit" --test-output-size-passed 1000000 --test-output-size-failed 1000000 >"$log" 2>&1
    if [[ ! -s $junit ]]; then
        report_failure "running the suites of $preset" "$log"
        return
    fi
    while read -r name suite_checks suite_bad; do
        printf '  %-12s %4d checks%s\n' "$name" "$suite_checks" "$( ((suite_bad == 0)) || echo ", $suite_bad FAILED")"
        suites=$((suites + 1)) checks=$((checks + suite_checks)) bad=$((bad + suite_bad))
    done < <(junit_counts "$junit" | sort)
    ((bad == 0)) || grep -vE '^ *[0-9]+/[0-9]+ Test .*Passed|^ +Start ' "$log"
    count $((checks - bad)) "$bad"
    printf '%s: %d suites, %d checks, %d failed, in %d s\n' "$preset" "$suites" "$checks" "$bad" $((SECONDS - begin))
}

# Stops with the names there are when NAME is none of them.
check_name() {
    [[ -n $only ]] || return
    local names
    names=$(ctest --test-dir "$root/build/$1" -N | sed -n 's/^ *Test *#[0-9]*: //p')
    grep -qxF -- "$only" <<<"$names" && return
    say "there is no suite \"$only\"; there are: $(tr '\n' ' ' <<<"$names")"
    exit 2
}

main() {
    parse_arguments "$@"
    mkdir -p "$root/build"
    exec 8>"$root/build/.test-lock"
    flock -n 8 || {
        say "waiting for another run of the tests"
        flock 8
    }
    [[ -z $long ]] || export EDDY_LONG=1
    local preset
    for preset in dev tiny; do
        build "$preset" || continue
        check_name "$preset"
        run_suites "$preset"
    done
    if [[ -n $long ]]; then
        # shellcheck source=tests/long.sh
        source "$root/tests/long.sh"
        run_long
    fi
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0))
}

main "$@"
