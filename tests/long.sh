# shellcheck shell=bash disable=SC2154 # root and only are run.sh's
# The rest of ./eddy test --long, sourced by run.sh: what takes its time. Each step adds to run.sh's counts.
# EDDY_LONG=1 is set by then, so the suites have already done their long random runs in dev and tiny.

fuzz_seconds=${EDDY_FUZZ_SECONDS:-60}

# check WHAT LOG COMMAND...: one check more; the end of the log is shown if it fails.
check() {
    local what=$1 log=$2 begin=$SECONDS
    shift 2
    if "$@" >"$log" 2>&1; then
        count 1 0
        printf '  %-40s passed in %d s\n' "$what" $((SECONDS - begin))
    else
        report_failure "$what" "$log"
    fi
}

# Suites one by one under valgrind, without the sanitizers. Valgrind follows the forks, so an error or a leak is blamed on
# its own test. The window draws in real time and takes three or four minutes here.
run_valgrind() {
    local dir=$root/build/golden suite name
    build golden || return
    for suite in "$dir"/tests/test_*; do
        [[ -x $suite && -f $suite ]] || continue
        name=$(basename "$suite")
        [[ -z $only || $name == "test_$only" ]] || continue
        check "valgrind $name" "$dir/valgrind-$name.log" env CK_TIMEOUT_MULTIPLIER=50 \
            SDL_VIDEODRIVER=dummy valgrind -q --error-exitcode=9 --leak-check=full \
            --errors-for-leak-kinds=definite --show-leak-kinds=definite \
            --suppressions="$root/tests/valgrind.supp" "$suite"
    done
}

# fuzz_seed FUZZER DIR: something whole to begin with.
fuzz_seed() {
    local corpus=$2/corpus/$1
    case $1 in
    fuzz_map) cp "$root"/levels/*.tmj "$corpus" ;;
    fuzz_script) cp "$root"/levels/*.inp "$corpus" ;;
    fuzz_recording)
        "$2/tools/eddy" play 1 --headless --no-audio --frames 240 --record "$corpus/seed.eddy" >/dev/null 2>&1
        ;;
    esac
}

run_fuzzers() {
    local dir=$root/build/fuzz fuzzer name
    build fuzz || return
    for fuzzer in "$dir"/tests/fuzz_*; do
        [[ -x $fuzzer && -f $fuzzer ]] || continue
        name=$(basename "$fuzzer")
        mkdir -p "$dir/corpus/$name"
        fuzz_seed "$name" "$dir"
        check "$name for $fuzz_seconds s" "$dir/$name.log" "$fuzzer" -max_total_time="$fuzz_seconds" -timeout=10 \
            -rss_limit_mb=2048 -max_len=2000000 -artifact_prefix="$dir/$name-" "$dir/corpus/$name"
    done
}

# More than nine lines in ten of the recorder are executed by its suites.
run_coverage() {
    local dir=$root/build/coverage
    find "$dir" -name '*.gcda' -delete 2>/dev/null
    build coverage || return
    run_suites coverage
    check "coverage of rewind/ is above 90 %" "$dir/coverage.log" gcovr --root "$root" --filter "$root/rewind/" \
        --object-directory "$dir" --print-summary --fail-under-line 90
    grep '^lines:' "$dir/coverage.log"
}

run_long() {
    unset EDDY_LONG # each run here is slow enough
    run_valgrind
    if build tsan; then
        TSAN_OPTIONS="suppressions='$root/tests/tsan.supp'" run_suites tsan
    fi
    [[ -z $only ]] || return
    run_fuzzers
    check "gcc and clang, -O0 and -O2 agree" "$root/build/agree.log" "$root/tests/test_agree.sh"
    run_coverage
}
